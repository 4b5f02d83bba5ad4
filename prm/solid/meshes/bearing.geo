// A laminated bearing (mm) in the plane: four layers of rubber, bonded to three plates of steel between them.
w = 150; rubber = 8; steel = 3; n = 16; // cells along the width; each layer is one cell thick
Point(1) = {0, 0, 0}; Point(2) = {w, 0, 0};
Line(1) = {1, 2}; Transfinite Curve {1} = n + 1;
below = 1; of_rubber[] = {}; of_steel[] = {}; sides[] = {};
For k In {0:6}
  thickness = rubber;
  If (k % 2 == 1)
    thickness = steel;
  EndIf
  e[] = Extrude {0, thickness, 0} { Curve{below}; Layers{1}; Recombine; };
  below = e[0]; sides[] += {Abs(e[2]), Abs(e[3])};
  If (k % 2 == 1)
    of_steel[] += e[1];
  Else
    of_rubber[] += e[1];
  EndIf
EndFor
Physical Surface("rubber") = of_rubber[]; Physical Surface("steel") = of_steel[];
Physical Curve("bottom") = {1}; Physical Curve("top") = {below}; Physical Curve("sides") = sides[];
