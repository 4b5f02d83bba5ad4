// An L-shaped bracket: the square (0,3)² without (1,3)², 1 thick. Clamped at the top of its upright leg; the end of the other carries the load.
h = 1;
Point(1) = {0, 0, 0, h}; Point(2) = {1, 0, 0, h}; Point(3) = {3, 0, 0, h}; Point(4) = {3, 1, 0, h}; Point(5) = {1, 1, 0, h};
Point(6) = {1, 3, 0, h}; Point(7) = {0, 3, 0, h}; Point(8) = {0, 1, 0, h};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 5}; Line(5) = {5, 6}; Line(6) = {6, 7}; Line(7) = {7, 8}; Line(8) = {8, 1};
Line(9) = {2, 5}; Line(10) = {5, 8};
Curve Loop(1) = {1, 9, 10, 8}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 3, 4, -9}; Plane Surface(2) = {2};
Curve Loop(3) = {-10, 5, 6, 7}; Plane Surface(3) = {3};
Transfinite Curve {1, 3, 6, 8, 9, 10} = 2; Transfinite Curve {2, 4, 5, 7} = 3;
Transfinite Surface {1, 2, 3}; Recombine Surface {1, 2, 3};
s() = Extrude {0, 0, 1} { Surface{1, 2, 3}; Layers{1}; Recombine; };
Physical Volume("steel") = Volume{:};
clamped() = Surface In BoundingBox {-0.01, 2.99, -0.01, 1.01, 3.01, 1.01};
end() = Surface In BoundingBox {2.99, -0.01, -0.01, 3.01, 1.01, 1.01};
all() = CombinedBoundary{ Volume{:}; };
rest() = all(); 
rest() -= clamped(); rest() -= end();
Physical Surface("clamped") = clamped(); Physical Surface("end") = end(); Physical Surface("free") = Abs(rest());
