// Cook's membrane: a tapered panel, clamped at x = 0, sheared at x = 48. One cell a side, or 2^n after n refinements.
h = 100;
Point(1) = {0, 0, 0, h}; Point(2) = {48, 44, 0, h}; Point(3) = {48, 60, 0, h}; Point(4) = {0, 44, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};
Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};
Transfinite Curve {1, 2, 3, 4} = 2;
Transfinite Surface {1}; Recombine Surface {1};
Physical Curve("clamped") = {4}; Physical Curve("end") = {2}; Physical Curve("free") = {1, 3};
Physical Surface("panel") = {1};
