// A quarter of a tube: radii 1 and 2, height 1; 8 x 2 x 1 hexahedra.
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0}; Point(4) = {0, 2, 0}; Point(5) = {0, 1, 0};
Line(1) = {2, 3}; Circle(2) = {3, 1, 4}; Line(3) = {4, 5}; Circle(4) = {5, 1, 2};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Transfinite Curve {1, 3} = 3; Transfinite Curve {2, 4} = 9; Transfinite Surface {1}; Recombine Surface {1};
out[] = Extrude {0, 0, 1} { Surface{1}; Layers{1}; Recombine; };
Physical Surface("inside", 1) = {out[5]}; Physical Surface("outside", 2) = {out[3]}; Physical Surface("left", 3) = {out[4]};
Physical Surface("below", 4) = {out[2]}; Physical Surface("ends", 5) = {1, out[0]}; Physical Volume("steel", 6) = {out[1]};
