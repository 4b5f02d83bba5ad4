// A quarter of a plate (0,4)² with a hole of radius 1 around the origin.
SetFactory("Built-in");
h = 1;
Point(1) = {0, 0, 0, h};
Point(2) = {1, 0, 0, h};  Point(3) = {4, 0, 0, h};  Point(4) = {4, 4, 0, h};
Point(5) = {0, 4, 0, h};  Point(6) = {0, 1, 0, h};  Point(7) = {Sqrt(0.5), Sqrt(0.5), 0, h};
Line(1) = {2, 3}; Line(2) = {3, 4}; Line(3) = {4, 5}; Line(4) = {5, 6};
Circle(5) = {6, 1, 7}; Circle(6) = {7, 1, 2}; Line(7) = {7, 4};
Curve Loop(1) = {1, 2, -7, 6}; Plane Surface(1) = {1};
Curve Loop(2) = {7, 3, 4, 5}; Plane Surface(2) = {2};
Transfinite Curve {1, 7} = 4 Using Progression 1.6;
Transfinite Curve {4} = 4 Using Progression 1 / 1.6;
Transfinite Curve {2, 3, 5, 6} = 3;
Transfinite Surface {1, 2}; Recombine Surface {1, 2};
Physical Curve("bottom") = {1}; Physical Curve("right") = {2}; Physical Curve("top") = {3};
Physical Curve("left") = {4};   Physical Curve("hole") = {5, 6};
Physical Surface("plate") = {1, 2};
