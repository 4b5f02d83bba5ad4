// A bar, 550 x 200 x 15 mm, that four bolts of diameter 16 hold (Shigley's example of a bolt group). The bolts go 10 mm on behind it.
h = 40;
x[] = {-125, -100, -50, 50, 100, 425}; nx[] = {1, 2, 2, 2, 5}; // lines of the blocks, and cells between them
y[] = {-100, -85, -35, 35, 85, 100};   ny[] = {1, 2, 2, 2, 1};
For j In {0:5}
For i In {0:5}
  Point(1 + i + 6 * j) = {x[i], y[j], 0, h};
EndFor
EndFor
For j In {0:5}
For i In {0:4}
  Line(100 + i + 5 * j) = {1 + i + 6 * j, 2 + i + 6 * j}; Transfinite Curve {100 + i + 5 * j} = nx[i] + 1; // along x
  Line(200 + i + 5 * j) = {1 + j + 6 * i, 1 + j + 6 * (i + 1)}; Transfinite Curve {200 + i + 5 * j} = ny[i] + 1; // along y
EndFor
EndFor
bolts[] = {};
For j In {0:4}
For i In {0:4}
  c[] = {100 + i + 5 * j, 200 + j + 5 * (i + 1), -(100 + i + 5 * (j + 1)), -(200 + j + 5 * i)};
  If ((i == 1 || i == 3) && (j == 1 || j == 3)) // a hole, and in it a square between four quarters of the bolt
    X = (x[i] + x[i + 1]) / 2; Y = (y[j] + y[j + 1]) / 2;
    p[] = {1 + i + 6 * j, 2 + i + 6 * j, 2 + i + 6 * (j + 1), 1 + i + 6 * (j + 1)};
    m = newp; Point(m) = {X, Y, 0};
    o = newp; q = newp + 4;
    For k In {0:3}
      C = Cos(Pi / 4 + Pi / 2 * (k + 2)); S = Sin(Pi / 4 + Pi / 2 * (k + 2));
      Point(o + k) = {X + 8 * C, Y + 8 * S, 0, h}; Point(q + k) = {X + 4 * C, Y + 4 * S, 0, h};
    EndFor
    l = newl;
    For k In {0:3}
      Circle(l + k) = {o + k, m, o + (k + 1) % 4}; Line(l + 4 + k) = {q + k, q + (k + 1) % 4};
      Line(l + 8 + k) = {p[k], o + k}; Line(l + 12 + k) = {o + k, q + k};
    EndFor
    Transfinite Curve {l:l + 7} = 3; Transfinite Curve {l + 8:l + 15} = 2;
    For k In {0:3}
      n = (k + 1) % 4;
      s = news; Curve Loop(s) = {c[k], l + 8 + n, -(l + k), -(l + 8 + k)}; Plane Surface(s) = {s};
      s = news; Curve Loop(s) = {l + k, l + 12 + n, -(l + 4 + k), -(l + 12 + k)}; Plane Surface(s) = {s}; bolts[] += s;
    EndFor
    s = news; Curve Loop(s) = {l + 4:l + 7}; Plane Surface(s) = {s}; bolts[] += s;
  Else
    s = news; Curve Loop(s) = {c[]}; Plane Surface(s) = {s};
  EndIf
EndFor
EndFor
all[] = Surface{:};
Transfinite Surface {all[]}; Recombine Surface {all[]};
behind[] = Extrude {0, 0, -10} { Surface{bolts[]}; Layers{1}; Recombine; };
bar[] = all[]; bar[] -= bolts[];
Extrude {0, 0, 15} { Surface{all[]}; Layers{1}; Recombine; }
feet[] = Surface In BoundingBox {-126, -101, -10.1, 426, 101, -9.9};
steel[] = Volume{:};
shanks[] = {};
For j In {0:1}
For i In {0:1}
  X = 150 * i - 75; Y = 120 * j - 60;
  shanks[] += Volume In BoundingBox {X - 9, Y - 9, -11, X + 9, Y + 9, 16};
EndFor
EndFor
steel[] -= shanks[];
Physical Volume("bar") = steel[]; Physical Volume("bolts") = shanks[];
Physical Surface("bolt_a") = Surface In BoundingBox {66, 51, -10.1, 84, 69, -9.9};
Physical Surface("bolt_b") = Surface In BoundingBox {66, -69, -10.1, 84, -51, -9.9};
Physical Surface("bolt_c") = Surface In BoundingBox {-84, -69, -10.1, -66, -51, -9.9};
Physical Surface("bolt_d") = Surface In BoundingBox {-84, 51, -10.1, -66, 69, -9.9};
end[] = Surface In BoundingBox {424.9, -101, -1, 425.1, 101, 16};
seat[] = Surface In BoundingBox {-126, -101, -0.1, 101, 101, 0.1}; seat[] -= bolts[];
Physical Surface("end") = end[]; Physical Surface("seat") = seat[];
rest[] = Abs(CombinedBoundary{ Volume{:}; });
rest[] -= end[]; rest[] -= seat[]; rest[] -= feet[];
Physical Surface("free") = rest[];
