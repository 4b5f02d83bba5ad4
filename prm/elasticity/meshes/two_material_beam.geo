// A cantilever of two materials, bonded along its length: (0,10) x (0,1), steel below y = 1/2, the other above.
h = 1;
Point(1) = {0, 0, 0, h}; Point(2) = {10, 0, 0, h}; Point(3) = {10, 0.5, 0, h}; Point(4) = {10, 1, 0, h};
Point(5) = {0, 1, 0, h}; Point(6) = {0, 0.5, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 1}; Line(7) = {6, 3};
Curve Loop(1) = {1, 2, -7, 6}; Plane Surface(1) = {1};
Curve Loop(2) = {7, 3, 4, 5};  Plane Surface(2) = {2};
Transfinite Curve {1, 4, 7} = 21; Transfinite Curve {2, 3, 5, 6} = 2;
Transfinite Surface {1, 2}; Recombine Surface {1, 2};
Physical Curve("clamped") = {5, 6}; Physical Curve("end") = {2, 3}; Physical Curve("bottom") = {1}; Physical Curve("top") = {4};
Physical Surface("steel") = {1}; Physical Surface("aluminium") = {2};
