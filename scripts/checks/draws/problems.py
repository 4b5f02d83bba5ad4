"""Draws of problems: values of the parameters that have to fit together. What is left open is drawn from the
parameters' patterns."""

import math
import random

from . import meshes
from .parameters import selection, value
from .small import SMALL

CELLS = {2: 200, 3: 48}  # of the first mesh, about


class Draw:
    """A run: settings by key, and the files that they name. The same seed, program and number give the same draw."""

    def __init__(self, seed, program, number, keys):
        self.chance = random.Random(f"{seed} {program} {number}")
        self.of_fields = random.Random(f"fields {seed} {program} {number}")  # which leaves the others as they were
        self.program, self.number, self.keys, self.files, self.mesh = program, number, keys, {}, None
        self.settings = dict(setting.split("=", 1) for setting in SMALL[program])
        self.dim = self.chance.choice([2, 2, 3])
        self.moved = None  # what Coordinates do to a point
        PROBLEMS[program](self)
        for key, pattern in keys.items():
            if self.open(key) and self.maybe(0.05) and (drawn := value(self.chance, key, pattern)) is not None:
                self.settings[key] = drawn
        self.settings = {key: text for key, text in self.settings.items() if key in keys}

    def open(self, key):
        """Whether a key may be drawn alone. Those of sections that this problem does not use may, too."""
        return key not in self.settings and key not in TOGETHER and not (key.startswith("Linear solver")
                                                                         and self.default_solver)

    def set(self, key, text, probability=1.):
        if self.chance.random() < probability:
            self.settings[key] = str(text)
            return True
        return False

    def maybe(self, probability=0.5):
        return self.chance.random() < probability

    def pick(self, *choices):
        return self.chance.choice(choices)

    def between(self, low, high):
        return f"{self.chance.uniform(low, high):.3g}"

    # Expressions.

    def term(self, time, variables):
        a, b, c = self.between(-1, 1), self.between(0.5, 4), self.between(0.2, 0.8)
        x, y = self.pick(*variables), self.pick(*variables)
        return self.pick(*[a, f"{a}*{x}", f"{a}*{x}*{y}", f"{a}*sin({b}*{x}+{c}*{y})",
                           f"{a}*exp(-{b}*(({x}-{c})^2+({y}-0.3)^2))",
                           f"{a}*abs({x}-{c})", f"if({x}<{c},{a},{b})"] + [f"{a}*cos({b}*t)*{x}"] * (2 * time))

    def scalar(self, time=False, variables=None):
        return "+".join(self.term(time, variables or "xyz"[:self.dim]) for _ in range(self.pick(1, 2, 3)))

    def vector(self, time=False):
        return "; ".join(self.scalar(time) for _ in range(self.dim))

    def positive(self, ratio, variable=None):
        x, y = (variable or self.pick(*"xyz"[:self.dim])), (variable or self.pick(*"xyz"[:self.dim]))
        c, b = self.between(0.2, 0.8), self.between(2, 40)
        power = f"{ratio}^{x}" if variable else f"{ratio}^(0.5*sin(3*{x}+{y}))"
        return self.pick("1", f"1+{ratio}*exp(-{b}*(({x}-{c})^2+({y}-0.4)^2))", f"if({x}<{c},1,{ratio})", power)

    def divergence_free(self):
        """Whose flux through any closed surface is zero."""
        a, b, w = self.between(-1, 1), self.between(-1, 1), self.between(-1, 1)
        return "; ".join([f"{a}-{w}*y", f"{b}+{w}*x", self.between(-1, 1)][:self.dim])

    # Meshes.

    def refinements(self, n_cells, cap=1.):
        most = int(math.log(max(cap * CELLS[self.dim] / n_cells, 1), 2 ** self.dim))
        return self.chance.randint(max(0, most - 2), most)

    def coordinates(self, key, lengths):
        """Each coordinate by a function that grows, on (0, length)."""
        factors = [(self.chance.uniform(0.4, 1.5), self.pick(0, self.chance.uniform(0, 1)),
                    self.pick(0, self.chance.uniform(-1, 1)))
                   for _ in range(self.dim)]
        factors = [tuple(round(f, 3) for f in triple) for triple in factors]
        self.set(key, "; ".join(f"{a}*{x}+{b}*{x}^2+{c}" for x, (a, b, c) in zip("xyz", factors)))
        self.moved = lambda p: [a * s + b * s * s + c for s, (a, b, c) in zip(p, factors)]

    def file(self):
        """A mesh from a file, or one that has a name."""
        if self.maybe(0.25):
            self.mesh = meshes.Shape(self.chance, self.dim)
            self.settings["Mesh/Type"] = self.mesh.type
            self.settings["Mesh/Sizes"] = ", ".join(map(str, self.mesh.sizes))
            return
        self.mesh = meshes.draw(self.chance, self.dim)
        name, text = meshes.write(self.mesh, self.chance)
        self.files[name] = text
        self.set("Mesh/File", f"{{folder}}/{name}")
        if self.mesh.curved and self.maybe(0.8):
            of = lambda direction: {i for side, i in self.mesh.side.items() if side[0] == direction}
            sides = of("r") - of("z")
            if sides:
                self.set("Mesh/Curved boundaries",
                         ", ".join(f"{self.boundary_name(i)}: {self.mesh.curved}" for i in sorted(sides)))

    def boundary_name(self, i):
        return self.mesh.names[i] if self.mesh and i in self.mesh.names and self.maybe(0.7) else i

    joined = () # boundaries of a box that are periodic
    given = () # boundaries of a flow with a traction

    def periodic(self, probability=0.15):
        """Joins sides of a box."""
        side = self.chance.randrange(self.dim)
        if not self.mesh and self.set("Mesh/Periodic boundaries", f"{2 * side}: {2 * side + 1}", probability):
            self.joined = (2 * side, 2 * side + 1)

    def boundaries(self):
        return self.mesh.ids() if self.mesh else [i for i in range(2 * self.dim) if i not in self.joined]

    def points(self, n=None, on_faces=True):
        """Inside the mesh; where something is to be evaluated that jumps between cells, not on faces."""
        found = []
        for _ in range(n or self.pick(1, 2)):
            if self.mesh:
                found.append(self.chance.choice(self.mesh.points
                                                + (self.mesh.vertices_of_finer_cells if on_faces else [])))
            else:
                places = [0.25, 0.5] * on_faces + [self.chance.uniform(0.05, 0.95)]
                p = [self.chance.choice(places) * length for length in self.box_lengths]
                found.append(self.moved(p) if self.moved else p)
        return [", ".join(f"{c:.6g}" for c in p) for p in found]

    def outputs(self, quantities, of_boundaries=("",), samples=True):
        """Section Output: statistics of quantities whose means and integrals are not zero for reasons of symmetry, a plane."""
        ids = self.boundaries() if self.settings.get("Mesh/Type") != "cylinder" else [0, 1, 2, 3]
        kinds = ["mean ", "min ", "max ", "integral ", ""]
        entries = {f"{self.pick(*kinds)}{self.pick(*quantities)}" for _ in range(self.pick(1, 2))}
        entries = {"mean T over domain" if entry == "mean T" else entry for entry in entries}  # there is a column mean_T
        entries |= {f"{quantity} on boundary {self.boundary_name(self.pick(*(i for i in ids if i not in self.given)))}"
                    for quantity in of_boundaries if quantity}
        entries.add(f"{self.pick(*kinds)}{self.pick(*quantities)} on boundary {self.boundary_name(self.pick(*ids))}")
        self.set("Output/Statistics", "; ".join(sorted(entries)), 0.5)
        if not samples:
            return
        if self.set("Output/Planes", self.plane(), 0.3):
            self.set("Output/Plane points", "3, 2")
        self.set("Output/Points", "; ".join(self.points()), 0.3)
        self.set("Output/Profiles", self.profile(), 0.3)

    def fields(self, *names):
        """Derived fields of VTU files."""
        names += ("material", "level", "rank")
        if self.of_fields.random() < 0.5:
            self.settings["Output/Fields"] = ", ".join(self.of_fields.sample(names, self.of_fields.randint(0, 3)))

    def plane(self):
        """A small plane at one point, so that it is inside any mesh."""
        p = [float(c) for c in self.points(1, False)[0].split(",")]
        edges = [1e-3 * (d == e) for e in (0, 1) for d in range(len(p))]
        return ", ".join(f"{c:.6g}" for c in p + edges)

    def profile(self):
        """A short line at one point, so that it is inside any mesh."""
        p = [float(c) for c in self.points(1, False)[0].split(",")]
        return ", ".join(f"{c:.6g}" for c in p + [c + 1e-3 for c in p])

    box_lengths = property(lambda self: getattr(self, "_lengths", [1.] * self.dim))

    def flow_mesh(self, cap=0.25):
        """Section Mesh of the flow programs and of poisson."""
        kind = self.pick("box", "box", "box", "file", "file") if self.maybe(0.95) or self.dim == 3 else "cylinder"
        self.settings["Mesh/Type"] = kind
        cells = [self.pick(1, 1, 2, 3) for _ in range(3)]
        if kind == "file":
            self.file()
        elif kind == "box":
            self.set("Mesh/Cells", ", ".join(map(str, cells)))
            if self.maybe(0.3):
                self.coordinates("Mesh/Coordinates", [1.] * self.dim)
        n = len(self.mesh.cells) if self.mesh else math.prod(cells[:self.dim])
        local = self.pick(1, 1, 2) if kind != "cylinder" and self.maybe(0.4) else 0
        self.set("Mesh/Refinements",
                 0 if kind == "cylinder" else self.refinements(n, cap / 2 ** (local * (self.dim - 1))))
        if local > 0:
            self.set("Mesh/Local refinements", local)
            self.set("Mesh/Refine where", self.refine_where())
        return kind

    def refine_where(self):
        return self.pick(f"{self.between(0.1, 0.4)}-x", f"y-{self.between(0.6, 0.9)}", f"{self.between(0.2, 0.7)}-x-y",
                         "x*y-0.5")

    def heat_mesh(self, section, cap=1.):
        if self.maybe(0.5):
            self.file()
        self.set(section + "Refinements", self.refinements(len(self.mesh.cells) if self.mesh else 1, cap))
        self.set(section + "Adaptive cycles", self.pick(0, 1, 2))

    def time(self, section, steps=(3, 8), step=None):
        dt, n = step or self.pick(0.01, 0.02, 0.05), self.chance.randint(*steps)
        self.set(section + "Time step", dt)
        self.set(section + "End time", f"{n * dt:.10g}")
        self.steps = n

    def adaptivity(self, probability=0.5, largest=None):
        if not self.maybe(probability):
            return
        self.set("Adaptivity/Interval", self.pick(1, 1, 2, 3))
        if self.maybe(0.2):
            self.set("Adaptivity/Growth", self.pick("1.1", "2"))
            self.set("Adaptivity/Check interval", self.pick(1, 2))
        self.set("Adaptivity/First mesh cycles", self.pick(1, 2), 0.5)
        uniform = next((int(v) for k, v in self.settings.items() if k.endswith("efinements") and "Local" not in k), 2)
        more = sum(int(v) for k, v in self.settings.items()
                   if k.endswith(("Local refinements", "Adaptive cycles", "Refinement steps")))
        finer_velocity = self.program in ("navier_stokes", "buoyant_flow")
        self.set("Adaptivity/Largest level", uniform + finer_velocity + max(more, self.pick(0, 1)) or 1, 0.7)
        self.set("Adaptivity/Smallest level", self.chance.randint(0, uniform), 0.3)
        self.set("Adaptivity/Strategy", self.pick("cells", "error"))
        refine = self.chance.uniform(0.05, 0.5)
        self.set("Adaptivity/Refine fraction", f"{refine:.3g}")
        self.set("Adaptivity/Coarsen fraction", self.between(0, 0.9 - refine))
        if self.settings["Adaptivity/Strategy"] == "cells":
            self.set("Adaptivity/Cells", self.pick(20, 50, 100), 0.3)
        last = "xyz"[self.dim - 1]
        self.set("Adaptivity/Indicator",
                 self.pick("h*sqrt(u_x^2+u_y^2)", f"abs(u_{last})", "h", f"h^2*abs(u_x)+0.1*u_{last}^2"), 0.4)

    # Solvers.

    default_solver = True

    def solver(self, kinds, symmetric=False, smoothers=None, components=False, amg=True, interpolation=True, degree=1):
        self.set("Linear solver/Coarsest level cells", self.pick(1, 4, 16, 64), 0.7)
        self.default_solver = self.maybe(0.5)
        if self.default_solver:
            return
        prefix = "Linear solver/"
        kind = self.pick(*kinds)
        self.set(prefix + "Solver", kind)
        special = {"downstream_patches": kind == "gmres", "vertex_patches": degree == 2}
        names = smoothers or ([name for name in selection(self.keys[prefix + "Smoother"]) if name not in special]
                              + [name for name, fits in special.items() if fits])
        smoother = self.pick(*names)
        chebyshev = smoother == "vertex_patches" or (smoother not in ("downstream_patches", "gauss_seidel")
                                                     and symmetric and self.maybe())
        self.set(prefix + "Smoother", smoother)
        self.set(prefix + "Chebyshev", str(chebyshev).lower())
        self.set(prefix + "Damping",
                 {"downstream_patches": 1, "gauss_seidel": 1, "cell_patches": 0.7}.get(smoother, 0.6))
        steps = self.pick(1, 2, 3)
        self.set(prefix + "Pre-smoothing steps", steps)
        self.set(prefix + "Post-smoothing steps", steps if kind == "cg" else self.pick(steps, 1, 2))
        precision = self.pick("float32", "float64", "mixed")
        self.set(prefix + "Precision", precision)
        self.set(prefix + "Arnoldi polynomial", "true" if not chebyshev and kind == "gmres" and precision != "mixed"
                 and self.maybe(0.2) else "false")
        self.set(prefix + "Coarse solver",
                 self.pick("auto", "auto", "dense_inverse", "smoothing", *["sparse_direct", "trilinos_amg"] * amg))
        choices = ["multigrid"] * 4 + ["trilinos_amg"] * amg + ["component_blocks"] * components
        preconditioner = self.pick(*choices)
        self.set(prefix + "Preconditioner", preconditioner)
        if preconditioner == "component_blocks":
            self.set(prefix + "Component blocks/Sweep",
                     "symmetric" if kind == "cg" else self.pick("symmetric", "gauss_seidel", "jacobi"))
        self.set(prefix + "Interpolation", "harmonic" if interpolation and preconditioner == "multigrid"
                 and self.maybe(0.2) else "embedding")


# The programs.

def by_material(d, draw):
    """What `draw` returns, or sometimes a list by material of two such texts."""
    text = draw()
    return f"{d.mesh.materials[0]}: {draw()}, {text}" if d.mesh and any(d.mesh.materials) and d.maybe(0.3) else text


def scalar_coefficients(d, degree):
    """Coefficients that vary in place and time, or from material to material."""
    def positive():
        return f"{d.between(0.01, 1)}*(1.1+sin({d.scalar(d.maybe(0.5))}))"
    if d.mesh and any(d.mesh.materials):
        d.set("Problem/Diffusion", f"{d.between(0.01, 2)}, {d.mesh.materials[0]}: {d.pick(d.between(0.01, 2), positive())}", 0.7)
    elif degree == 1 and d.maybe(0.2):
        upper = [positive() if row == column else "0.0003*x" for row in range(d.dim) for column in range(row, d.dim)]
        d.set("Problem/Diffusion", "; ".join(upper))
    else:
        d.set("Problem/Diffusion", positive(), 0.3)
    d.set("Problem/Transport", "; ".join(f"sin({d.scalar(d.maybe(0.5))})" for _ in range(d.dim)), 0.4)
    d.set("Problem/Reaction", d.pick(d.between(0, 2), positive()), 0.3)
    d.set("Problem/Transport form", d.pick("advective", "conservative"), 0.3)


def scalar_boundaries(d):
    """Prescribed values, fluxes and Robin's conditions on the sides of the box."""
    values = d.pick("0", d.scalar(True))
    if d.mesh or d.maybe(0.6):
        d.set("Problem/Boundary values", values)
        return
    sides = {side: d.pick("values", "flux", "robin", "none") for side in d.boundaries()}
    sides[d.pick(*sides)] = "values"
    entries = {"values": lambda: d.pick(values, d.scalar(True)), "flux": lambda: d.scalar(True),
               "robin": lambda: f"{d.between(0, 5)}; {d.scalar(True)}"}
    for kind, key in (("values", "Boundary values"), ("flux", "Flux"), ("robin", "Robin")):
        d.set("Problem/" + key, ", ".join(f"{side}: {entries[kind]()}" for side in sides if sides[side] == kind))


def transport_diffusion(d):
    d.set("Problem/Dimension", d.dim)
    d.set("Discretization/Degree", degree := d.pick(1, 1, 2))
    d.heat_mesh("Discretization/", 1. / degree ** d.dim)
    if not d.mesh:
        d.set("Discretization/Coarse cells", d.pick(1, 1, 2))
    d.set("Problem/Transport", ", ".join(d.pick("0", d.between(-1, 1)) for _ in range(d.dim)))
    d.set("Problem/Diffusion", d.between(0.001, 1) if d.maybe(0.9) else 0)
    if d.maybe(0.6): # else manufactured
        d.set("Problem/Source", by_material(d, lambda: d.pick("0", d.scalar(True))))
        d.set("Problem/Initial values", d.scalar())
        d.set("Problem/Exact solution", d.pick("", d.scalar(True)))
        scalar_coefficients(d, degree)
        d.periodic(0.25)
        scalar_boundaries(d)
    d.set("Discretization/SUPG", d.pick("true", "false", "false"))
    d.time("Time stepping/")
    d.set("Time stepping/Scheme", d.pick("backward_euler", "crank_nicolson", "bdf2"))
    d.set("Time stepping/Output interval", d.pick(0, 1, 2, 3))
    d.adaptivity()
    d.outputs(["theta"], ["flux"])
    d.fields("flux", "gradient")
    d.solver(["gmres", "gmres", "bicgstab", "multigrid"], degree=degree)


def heat(d, degrees):
    d.set("Heat/Dimension", d.dim)
    d.set("Heat/Degree", degree := d.pick(*degrees))
    d.heat_mesh("Heat/", 1. / degree ** d.dim)
    d.periodic()
    d.set("Heat/Conductivity", d.between(0.001, 2) if d.maybe(0.9) else 0)
    d.time("Heat/")
    d.set("Heat/Output interval", d.pick(0, 1, 2, 3))
    d.adaptivity()
    return degree


def terms_of_solution(d):
    """Terms of a nonlinear heat equation, whose source is made of an exact solution or is given."""
    x = d.pick(*"xyz"[:d.dim])
    d.set("Heat/Conductivity", f"{d.between(0.01, 1)}*(1+{d.pick('u^2', 'exp(-u^2)', 'abs(sin(u))', x + '^2*u^2')})", 0.8)
    d.set("Heat/Heat capacity", d.pick(f"1+{d.between(0, 2)}*{x}", f"1+{d.between(0, 0.5)}*sin(u)"), 0.5)
    if d.maybe():
        d.set("Heat/Exact solution", f"{d.scalar(True)}+0.1*sin(2*x+y*y)") # which no mesh has exactly
        return
    d.set("Heat/Source", d.pick("0", "-u^3", "1/(1+u^2)", f"sin(u)+{d.scalar(True)}"))
    d.set("Heat/Initial values", d.scalar())
    d.set("Heat/Exact solution", d.pick("", d.scalar(True)))
    sides = {side: d.pick("values", "values", "flux", "robin", "none") for side in ([] if d.mesh else d.boundaries())}
    if "values" not in sides.values():
        d.set("Heat/Boundary values", d.scalar(True))
        return
    entries = {"values": lambda: d.scalar(True), "flux": lambda: d.pick("-u^3", "-0.5*u", d.scalar(True)),
               "robin": lambda: f"{d.between(0, 5)}*(1+u^2); {d.scalar(True)}"}
    for kind, key in (("values", "Boundary values"), ("flux", "Flux"), ("robin", "Robin")):
        d.set("Heat/" + key, ", ".join(f"{side}: {entries[kind]()}" for side in sides if sides[side] == kind))


def template(d):
    degree = heat(d, [1, 1, 2, 3])
    d.set("Heat/Reaction", d.between(0, 3))
    d.solver(["cg", "gmres", "bicgstab", "multigrid"], symmetric=True, amg=False, degree=degree, interpolation=True)


def nonlinear_heat(d):
    degree = heat(d, [1, 1, 2])
    d.set("Heat/Conductivity", f"{d.between(0.001, 2)}*(1+{d.between(0, 3)}*u^2)")
    if d.maybe(0.5):
        terms_of_solution(d)
    d.set("Heat/Newton", d.pick("true", "true", "false"))
    d.set("Heat/Newton steps", 100)
    d.outputs(["u"], ["flux"])
    d.fields("flux", "gradient")
    d.solver(["gmres", "gmres", "bicgstab"], amg=False, interpolation=False, degree=degree)
    by_cells = (degree == 1 and not {"Heat/Flux", "Heat/Robin"} & d.settings.keys() and
                d.settings.get("Linear solver/Smoother", "jacobi") in ("jacobi", "block_jacobi"))
    d.set("Linear solver/Products", d.pick("rows", "cells" if by_cells else "rows", "auto"))


def elasticity(d):
    d.set("Problem/Dimension", d.dim)
    d.set("Discretization/Degree", degree := d.pick(1, 1, 2))
    stationary = d.maybe(0.25)
    coupled = not stationary and d.maybe(0.25)
    d.set("Discretization/Formulation", "coupled" if coupled else "condensed")
    d.set("Problem/Plane", "stress" if (thin := d.dim == 2 and d.maybe(0.3)) else "strain")
    d.set("Discretization/Volumetric strain", "standard" if thin else d.pick("standard", "standard", "b_bar"))
    kinds = ["uniform", "kelly"]
    if d.maybe(0.5):
        d.file()
        n = len(d.mesh.cells)
    else:
        cells = [d.pick(1, 1, 2) for _ in range(3)]
        d._lengths = [d.pick(1., 1., 2., 0.5) for _ in range(3)][:d.dim]
        d.set("Discretization/Coarse cells", ", ".join(map(str, cells)))
        d.set("Discretization/Lengths", ", ".join(map(str, d._lengths + [1.] * (3 - d.dim))))
        kinds += ["face", "edge", "vertex"]
        n = math.prod(cells[:d.dim])
        if d.maybe(0.3):
            d.coordinates("Discretization/Coordinates", d._lengths)
    d.set("Discretization/Refinement", refinement := d.pick(*kinds))
    steps = d.pick(0, 1, 2) if refinement != "uniform" else 0
    d.set("Discretization/Refinement steps", steps)
    d.set("Discretization/Uniform refinements", d.refinements(n, 0.4 / degree ** d.dim / (2 if coupled else 1)))
    axes = "xyz"[:d.dim]
    d.periodic()
    ids = d.boundaries()
    clamped = d.chance.sample(ids, d.chance.randint(1, min(2, len(ids))))
    texts = [f"{d.boundary_name(clamped[0])}: {axes}"] + [f"{d.boundary_name(i)}: {d.pick(*axes)}" for i in clamped[1:]]
    if not d.mesh:  # the sides of a box have no edges of their own
        texts += [f"{d.boundary_name(i)}: n" for i in ids if i not in clamped and d.maybe(0.1)]
    d.set("Problem/Dirichlet boundaries", ", ".join(texts))
    free = [i for i in ids if i not in clamped]
    if free:
        d.set("Problem/Traction", f"{d.boundary_name(d.pick(*free))}: {d.vector()}", 0.5)
        d.set("Problem/Pressure", f"{d.boundary_name(d.pick(*free))}: {d.scalar()}", 0.4)
    d.set("Problem/Body force", by_material(d, d.vector), 0.7)
    d.set("Problem/Boundary displacement", "; ".join(f"0.01*({d.scalar()})" for _ in axes), 0.5)
    def coefficient(*values):
        """One of the values, which may depend on the place or on the material."""
        text = d.pick(*values) + (f"*(1+0.3*sin({d.pick(*axes)}))" if d.maybe(0.2) else "")
        if d.mesh and any(d.mesh.materials) and d.maybe(0.4):
            text = f"{d.mesh.materials[0]}: {d.pick(*values)}, {text}"
        return text
    d.set("Problem/Young modulus", coefficient(str(d.between(0.5, 20)), "3"))
    d.set("Problem/Poisson ratio", coefficient("0", "0.3", "0.35"))
    d.set("Problem/Density", coefficient(str(d.between(0.1, 3))) if d.maybe(0.9) else "0")
    if d.maybe(0.3):
        d.set("Problem/Thermal expansion", coefficient("0.01", "0.02"))
        d.set("Problem/Temperature change", d.pick("1", "x", "sin(3*y)"))
    if free:
        d.set("Problem/Springs", f"{d.boundary_name(d.pick(*free))}: {d.pick('2', '1+x^2', '3; 0', '0; 1')}", 0.3)
    if not d.mesh and "Discretization/Coordinates" not in d.settings:
        if d.dim == 2 and not thin and d.settings["Discretization/Volumetric strain"] == "standard" and d.maybe(0.4):
            d.set("Problem/Plane", "axial")
        d.set("Problem/Supports", d.pick(f"x = 0, y = 0: {d.pick(*axes)}", f"x < 0, y = 0: {axes}"), 0.3)
    if not stationary:
        d.set("Problem/Initial displacement", "; ".join(f"0.01*({d.scalar()})" for _ in axes), 0.3)
        d.set("Problem/Initial velocity", d.vector(), 0.3)
        d.set("Problem/Load factor", d.pick("t", "sin(20*t)", "1-exp(-t)", "if(t<0.05,1,0)"), 0.6)
    d.set("Problem/Exact displacement", "; ".join(d.scalar(True) for _ in axes), 0.2)
    d.time("Time stepping/")
    d.set("Time stepping/Stationary", str(stationary).lower())
    d.set("Output/Points", "; ".join(d.points()))
    d.set("Output/Stress points", "; ".join(d.points(on_faces=False)), 0.3)
    d.set("Output/Profiles", d.profile(), 0.2)
    d.set("Output/Profile points", 3)
    d.set("Output/Interval", d.pick(0, 1, 2, 3))
    d.set("Output/Energy interval", d.pick(0, 1, 2), 0.5)
    b_bar = d.settings["Discretization/Volumetric strain"] == "b_bar"
    d.outputs(["u", "u_x", "displacement", "von_mises"], ["" if b_bar else "force"])
    d.fields("stress", "strain", "von_mises")
    if not stationary:
        d.adaptivity(0.4)
        d.set("Adaptivity/Field", d.pick("displacement", "velocity"))
    if coupled:
        d.solver(["gmres", "gmres", "bicgstab"], smoothers=["block_jacobi"], amg=False, interpolation=False)
        d.set("Linear solver/Solver", "gmres") if d.default_solver else None
    else:
        d.solver(["cg", "cg", "gmres", "bicgstab", "multigrid"], symmetric=True, components=True, degree=degree)
    d.set("Discretization/Materials", d.pick("points", "cells"))
    usual = {"Preconditioner": ["multigrid"], "Interpolation": ["embedding"], "Smoother": ["block_jacobi", "jacobi"]}
    if stationary and "Problem/Springs" not in d.settings and all(
            d.settings.get(f"Linear solver/{key}", values[0]) in values for key, values in usual.items()):
        possible = degree == 1 and d.settings.get("Problem/Plane") != "axial"
        d.set("Linear solver/Products", products := d.pick("rows", "cells" if possible else "rows", "auto"))
        if products == "cells":
            d.set("Discretization/Materials", "cells")


def solid(d):
    d.set("Problem/Dimension", d.dim)
    d.set("Discretization/Degree", degree := d.pick(1, 1, 2))
    d.flow_mesh(0.5 / degree ** d.dim)
    d.periodic()
    axes = "xyz"[:d.dim]
    ids = d.boundaries() if d.settings["Mesh/Type"] != "cylinder" else [0, 1, 2, 3]
    clamped = d.chance.sample(ids, d.chance.randint(1, min(2, len(ids))))
    texts = [f"{d.boundary_name(clamped[0])}: {axes}"] + [f"{d.boundary_name(i)}: {d.pick(*axes)}" for i in clamped[1:]]
    d.set("Problem/Dirichlet boundaries", ", ".join(texts))
    free = [i for i in ids if i not in clamped]
    if free:
        d.set("Problem/Traction", f"{d.boundary_name(d.pick(*free))}: " + "; ".join(f"0.1*({d.scalar()})" for _ in axes), 0.5)
        pressure = f"{d.between(-0.1, 0.1)}*{d.pick('t', '(1+t)')}"
        d.set("Problem/Follower pressure", f"{d.boundary_name(d.pick(*free))}: {pressure}", 0.4)
    d.set("Problem/Body force", by_material(d, lambda: "; ".join(f"0.1*({d.scalar()})" for _ in axes)))
    d.set("Problem/Boundary displacement", "; ".join(f"0.02*({d.scalar(True)})" for _ in axes), 0.5)
    d.set("Problem/Load factor", d.pick("t", "sin(t)", "t^2"), 0.5)
    split = d.maybe(0.6)
    def energy():
        kind = d.pick("neo_hooke", "mooney_rivlin", "yeoh") if split else d.pick("neo_hooke_compressible", "st_venant_kirchhoff")
        constants = {"mooney_rivlin": f"c1 = {d.between(1, 2)}; c2 = {d.between(0, 1)}; K = {d.between(4, 9)}",
                     "yeoh": f"c1 = {d.between(1, 2)}; c2 = {d.between(-0.1, 0.1)}; c3 = 0.1; K = {d.between(4, 9)}"}
        if d.maybe(0.2):
            volume = f"U = K/4*(J^2-1-2*ln(J)); K = {d.between(4, 9)}"
            return (f"split_expression; W = c*(I1-3)+0.1*c*(I2-3); c = {d.between(1, 2)}; {volume}" if split else
                    f"expression; W = c*(I1-3-2*ln(J)); c = {d.between(1, 2)}; {volume}")
        return f"{kind}; " + constants.get(kind, d.pick(f"E = {d.between(5, 20)}; nu = {d.pick('0', '0.3', '0.4')}",
                                                        f"mu = {d.between(2, 5)}; K = {d.between(4, 9)}"))
    d.set("Problem/Material", by_material(d, energy))
    d.set("Discretization/Volumetric strain", "mean_dilatation" if split and d.maybe(0.4) else "standard")
    d.set("Newton/Tolerance", "1e-12") # far below what is compared
    d.set("Newton/Steps", 40)
    d.set("Newton/Growth", d.pick(3, 10), 0.3)
    in_motion = d.maybe(0.3)
    if (not in_motion and "Problem/Follower pressure" not in d.settings and
            d.settings["Discretization/Volumetric strain"] == "standard"):
        d.set("Newton/Globalisation", "trust_region", 0.2)
    if in_motion:
        conserves = (d.settings["Discretization/Volumetric strain"] == "standard" and
                     "expression" not in d.settings["Problem/Material"])
        d.set("Time stepping/Stationary", "false")
        d.set("Time stepping/End time", d.pick("0.3", "0.6"))
        d.set("Time stepping/Time step", d.pick("0.1", "0.15"))
        d.set("Time stepping/Scheme", scheme := d.pick("newmark", "generalized_alpha", *["energy_momentum"] * conserves))
        if scheme == "generalized_alpha":
            d.set("Time stepping/Spectral radius", d.pick("0.5", "0.9"), 0.4)
        d.set("Problem/Density", by_material(d, lambda: d.pick("1", "5")), 0.5)
        d.set("Problem/Initial displacement", "; ".join(f"0.02*({d.scalar()})" for _ in axes), 0.5)
        d.set("Problem/Initial velocity", "; ".join(f"0.1*({d.scalar()})" for _ in axes), 0.5)
    else:
        d.set("Time stepping/Load steps", d.pick(1, 2, 3))
        d.set("Newton/Nested", "true", 0.3)
    d.set("Output/Interval", d.pick(0, 1, 2))
    d.outputs(["u", "displacement", "J", "energy", "von_mises"], samples=d.settings["Mesh/Type"] != "cylinder")
    d.fields("J", "energy", "stress", "von_mises")
    d.adaptivity(0.3)
    if "Adaptivity/Interval" in d.settings:
        d.set("Adaptivity/First mesh cycles", 0)
    d.solver(["cg", "cg", "gmres"], symmetric=True, amg=False, interpolation=False, degree=degree)



def flow_boundaries(d, time=False):
    """Section Problem of all programs of flow: conditions on the boundaries, of which one at least holds the fluid."""
    d.periodic(0.2)
    ids = d.boundaries()
    if d.settings["Mesh/Type"] == "cylinder":
        d.set("Problem/Boundary velocity", f"0: {d.between(0.5, 5)}*y*(0.41-y); 0")
        return open_boundaries(d, [1], {}, time)
    d.set("Problem/Boundary velocity", "")
    if d.maybe(0.5) and len(ids) > 1:
        held, *others = d.chance.sample(ids, len(ids))
        if d.maybe(0.7):
            d.set("Problem/Boundary velocity", f"{d.boundary_name(held)}: {d.vector(time)}")
        slippery = others[1:2] if d.maybe(0.4) else []
        open_boundaries(d, others[:1], {i: "free_slip" for i in slippery}, time)
    elif d.maybe(0.5) and not d.mesh:
        side, *others = d.chance.sample(ids, len(ids))
        if d.maybe():
            d.set("Problem/Boundary velocity",
                  f"{side}: " + "; ".join("0" if c == side // 2 else d.between(-1, 1) for c in range(d.dim)))
        d.set("Problem/Boundaries", ", ".join([f"{i}: {d.pick('free_slip', 'no_slip')}" for i in others] or ["no_slip"]))
    else:
        d.set("Problem/Boundaries", "no_slip")
        v = d.divergence_free()
        curved = "Mesh/Curved boundaries" in d.settings # what flows through them differs from mesh to mesh
        if not d.joined and not curved and d.maybe(0.7):
            d.set("Problem/Boundary velocity", ", ".join(f"{d.boundary_name(i)}: {v}" for i in ids))


def open_boundaries(d, ids, others, time):
    """Boundaries with a traction, a pressure or outflow, beside those with other kinds."""
    kind = d.pick("outflow", "Traction", "Pressure")
    if kind == "outflow":
        others = {**others, **{i: kind for i in ids}}
    else:
        d.given = ids
        value = d.vector if kind == "Traction" else d.scalar
        d.set(f"Problem/{kind}", ", ".join(f"{d.boundary_name(i)}: {value(time)}" for i in ids))
    d.set("Problem/Boundaries", ", ".join(f"{d.boundary_name(i)}: {other}" for i, other in others.items()) or "no_slip")


def force_boundaries(d):
    """Boundaries on which the two Navier-Stokes programs compute a force: where no traction is given."""
    ids = [i for i in ([2, 3] if d.settings["Mesh/Type"] == "cylinder" else d.boundaries()) if i not in d.given]
    d.set("Output/Force boundaries", ", ".join(str(d.boundary_name(i)) for i in d.chance.sample(ids, d.pick(1, min(2, len(ids))))),
          0.6)


def viscosity_in_place(d, ratio):
    """A viscosity of about 1 that may depend on the place or on the material."""
    text = d.positive(ratio)
    if d.mesh and any(d.mesh.materials) and d.maybe(0.4):
        text = f"{d.mesh.materials[0]}: {d.between(0.5, ratio)}, {text}"
    return text


def temperature(d, last):
    """A temperature that a flow carries."""
    d.set("Temperature/Initial temperature", f"1-{last}+{d.between(0, 0.3)}*sin(3*x)*{last}*(1-{last})")
    kind = d.settings.get("Mesh/Type", "box")
    sides = list(d.boundaries()) if kind in ("box", "file") else [0]
    values = [side for side in sides if d.maybe(0.4)] or sides[:1]
    d.set("Temperature/Boundary values", ", ".join(f"{side}: {d.pick('0', '1+0.1*x', 't')}" for side in values))
    if rest := [side for side in sides if side not in values]:
        d.set("Temperature/Flux", f"{d.pick(*rest)}: {d.pick('0.3', 'x*sin(t)')}", 0.3)
    d.set("Temperature/Heating", d.pick("1", "x*t"), 0.3)
    d.set("Temperature/Diffusivity", d.pick("0.1", "1", "3"), 0.5)


def navier_stokes(d):
    d.set("Problem/Dimension", d.dim)
    kind = d.flow_mesh(0.3)
    flow_boundaries(d, True)
    force_boundaries(d)
    d.set("Problem/Viscosity", viscosity_in_place(d, 3) if d.maybe(0.3) else d.between(0.001, 0.1))
    d.set("Problem/Body force", by_material(d, lambda: d.vector(True)), 0.4)
    d.set("Problem/Initial velocity", d.vector(), 0.3)
    d.set("Problem/Exact velocity", d.vector(True), 0.2)
    d.set("Problem/Exact pressure", d.scalar(True), 0.2)
    has_temperature = d.maybe(0.3)
    if has_temperature:
        temperature(d, "xyz"[d.dim - 1])
        d.set("Temperature/Diffusion", d.pick("explicit", "implicit", "auto"), 0.7)
        d.set("Temperature/Linear solver/Tolerance", "1e-12")
        d.set("Problem/Buoyancy", "; ".join(d.between(-2, 2) for _ in range(d.dim)), 0.9)
    d.time("Time stepping/", step=d.pick(1e-4, 5e-4, 2e-3))
    d.set("Time stepping/Unstable step", "shorten", 0.9)
    d.set("Output/Interval", d.pick(0, 1, 2, 3))
    if kind != "cylinder":
        d.set("Output/Points", "; ".join(d.points()), 0.5)
        d.set("Output/Profiles", d.profile(), 0.3)
        d.adaptivity(0.4)
        if has_temperature:
            d.set("Adaptivity/Field", d.pick("velocity", "pressure", "temperature"), 0.5)
    d.outputs(["speed", "kinetic_energy", "strain_rate", *["T"] * has_temperature], ["force"], kind != "cylinder")
    d.fields("vorticity", "strain_rate", "speed", "divergence")
    if kind == "box" and "Adaptivity/Interval" not in d.settings and d.settings["Mesh/Local refinements"] == "0":
        if d.set("Implementation/Pressure solver", "fast_diagonalization", 0.2):
            d.set("Implementation/Fast diagonalization precision", d.pick("float64", "float32"))
    d.solver(["cg", "cg", "gmres", "bicgstab", "multigrid"], symmetric=True, amg=False, interpolation=False)
    if not d.default_solver:
        d.settings["Linear solver/Preconditioner"] = "multigrid"


def stationary_navier_stokes(d):
    d.set("Problem/Dimension", d.dim)
    kind = d.flow_mesh(0.3)
    flow_boundaries(d)
    force_boundaries(d)
    d.set("Problem/Viscosity", viscosity := d.between(0.02, 1))
    d.set("Nonlinear solver/Continuation", f"{3 * float(viscosity):.3g}", 0.1)
    if "Nonlinear solver/Continuation" not in d.settings and d.maybe(0.3):
        d.set("Problem/Viscosity", viscosity_in_place(d, 10))
    d.set("Problem/Body force", by_material(d, d.vector), 0.4)
    d.set("Problem/Exact velocity", d.vector(), 0.2)
    d.set("Problem/Exact pressure", d.scalar(), 0.2)
    d.set("Refinement/Cycles", d.pick(0, 0, 1, 2 if d.dim == 2 else 1))
    if kind != "cylinder":
        d.set("Output/Points", "; ".join(d.points()), 0.5)
        d.set("Output/Profiles", d.profile(), 0.3)
    d.outputs(["speed", "kinetic_energy", "strain_rate"], ["force"], kind != "cylinder")
    d.fields("vorticity", "strain_rate", "speed", "divergence")
    d.solver(["gmres", "gmres", "bicgstab"],
             smoothers=["cell_patches", "cell_patches", "vertex_patches", "downstream_patches"], amg=False,
             interpolation=False)
    d.set("Linear solver/Scheme", "block_triangular", 0.1)


def stokes_solver(d):
    d.solver(["gmres"], smoothers=["block_jacobi", "block_jacobi", "jacobi"], symmetric=True, amg=False,
             interpolation=False)
    d.set("Linear solver/Products", d.pick("rows", "cells", "auto"), 0.3)
    d.set("Linear solver/Schur complement", d.pick("mass", "bfbt", "auto"), 0.3)


def stokes(d):
    case = d.pick("sinker", "nsinker", "solcx", "expressions", "expressions", "expressions")
    d.dim = 2 if case == "solcx" else d.dim
    d.set("Problem/Dimension", d.dim)
    d.set("Problem/Case", case)
    if case == "expressions":
        d.flow_mesh(0.25)
        d.set("Problem/Viscosity", viscosity_in_place(d, d.pick(5, 100, 1e4)))
        d.set("Problem/Body force", by_material(d, d.vector))
        d.set("Problem/Exact velocity", d.vector(), 0.2)
        d.set("Problem/Exact pressure", d.scalar(), 0.2)
        flow_boundaries(d)
    else:
        d.set("Mesh/Cells", ", ".join(str(d.pick(1, 2, 3)) for _ in range(3)))
        d.set("Mesh/Refinements", d.pick(1, 2) if d.dim == 2 else 1)
        d.set("Problem/Viscosity ratio", d.pick("1", "10", "1e4", "1e6"))
        if case == "nsinker":
            d.set("Problem/Sinkers", d.pick(1, 4, 8))
        if d.maybe(0.3) and d.dim == 2:
            d.set("Mesh/Local refinements", 1)
            d.set("Mesh/Refine where", d.refine_where())
    d.set("Discretization/Velocity", d.pick("q1_iso_q2", "q2"))
    estimates = d.settings["Mesh/Local refinements"] == "0" and d.dim == 2
    d.set("Refinement/For viscosity", d.pick(0, 1) if estimates else 0)
    d.set("Refinement/For velocity", d.pick(0, 1) if estimates or d.maybe(0.2) else 0)
    d.set("Viscosity/Continuation stages", d.pick(1, 1, 1, 2))
    d.set("Output/Points", "; ".join(d.points()) if d.settings.get("Mesh/Type") != "cylinder" else "0.1, 0.1")
    d.outputs(["speed", "strain_rate"], ["force"], d.settings.get("Mesh/Type") != "cylinder")
    d.fields("vorticity", "strain_rate", "speed", "divergence", "viscosity")
    stokes_solver(d)


def implicit_temperature(d, last):
    temperature(d, last)
    d.set("Temperature/Advection", advection := d.pick("supg", "supg", "galerkin", "limited"))
    d.set("Temperature/Time scheme", d.pick("bdf2", "bdf2", "bdf2" if advection == "limited" else "bdf1"))
    d.set("Temperature/Courant number", d.pick("0.5", "1", "5"))
    d.set("Temperature/Element", "q1" if advection == "limited" else d.pick("q1", "q2"))
    d.set("Temperature/Largest growth of a step", d.pick("1", "1.5"))
    d.set("Temperature/Linear solver/Tolerance", "1e-12")
    ra = d.pick("10", "1e3", "1e5")
    d.set("Problem/Density", d.settings["Problem/Density"] + f"-{ra}*T")
    d.set("Problem/Viscosity", d.settings["Problem/Viscosity"] + d.pick("", "*exp(-T)"))
    d.set("Time stepping/Steady tolerance", d.pick("1e-3", "1e-12"), 0.2)


def buoyant_flow(d):
    d.set("Problem/Dimension", d.dim)
    d.flow_mesh(0.25)
    x, y, last = d.between(0.3, 0.7), d.between(0.3, 0.7), "xyz"[d.dim - 1]
    d.set("Problem/Initial composition",
          d.pick(f"if(abs(x-{x})<0.2 & abs({last}-{y})<0.2, 1, 0)", f"1/(1+exp(20*((x-{x})^2+({last}-{y})^2-0.05)))",
                 f"if({last}+0.1*sin(5*x)>{y},1,0)"))
    strain = d.maybe(0.25)
    more = d.pick("", "*(1+depth)") + ("/sqrt(0.01+strain)" if strain else "")
    d.set("Problem/Viscosity", f"({d.positive(d.pick(5, 100, 1e3), 'c')}){more}")
    if strain:
        d.set("Viscosity/Newton", d.pick("true", "true", "false"))
        d.set("Viscosity/Nonlinear steps", 100)
        d.set("Viscosity/Nonlinear tolerance", "1e-10")
    d.set("Problem/Density", d.pick("c", "1+0.5*c", "c-0.3*c^2"))
    has_temperature = d.maybe(0.35)
    if has_temperature:
        implicit_temperature(d, last)
    d.set("Problem/Gravity", ", ".join(d.between(-1, 1) for _ in range(d.dim)))
    flow_boundaries(d)
    if has_temperature and d.settings["Problem/Boundary velocity"]: # inflow needs a temperature
        d.settings["Temperature/Boundary values"] = "1+0.1*x"
        d.settings.pop("Temperature/Flux", None)
    if has_temperature and ":" in (values := d.settings["Temperature/Boundary values"]):
        d.set("Output/Heat fluxes", ", ".join(entry.split(":")[0] for entry in values.split(",")), 0.5)
    d.set("Output/Horizontal averages", d.pick(1, 5, 12), 0.3)
    d.set("Time stepping/Steps", d.chance.randint(3, 8))
    d.set("Time stepping/Courant number", d.pick("0.5", "1", "2.5"))
    d.set("Time stepping/Output interval", d.pick(0, 1, 2, 3))
    d.set("Time stepping/End time", d.between(0.5, 20), 0.15)
    d.set("Time stepping/Longest time step", d.between(0.1, 5), 0.3)
    d.adaptivity(0.5)
    d.set("Adaptivity/Field", d.pick("composition", "velocity", *["temperature"] * has_temperature))
    d.outputs(["c", "speed"], ["force"], d.settings.get("Mesh/Type") != "cylinder")
    d.fields("vorticity", "strain_rate", "speed", "divergence", "viscosity")
    stokes_solver(d)


def poisson(d):
    triangles = d.maybe(0.1)
    d.dim = 2 if triangles else d.dim
    d.set("Problem/Dimension", d.dim)
    d.set("Problem/Samples", samples := d.pick(1, 2, 5, 9))
    d.set("Solver/Columns at once", columns := d.pick(1, 2, 4, 16))
    direct = d.pick("multigrid", "multigrid", "fast_diagonalization", "schur")
    random_source = d.maybe(0.2)
    if triangles:
        d.set("Problem/Domain", "flow_around_square")
        d.set("Mesh/Refinements", d.pick(1, 2, 3))
        direct = d.pick("multigrid", "schur")
    elif direct == "multigrid":
        d.flow_mesh(1.)
        d.set("Mesh/Refinements", max(1, int(d.settings["Mesh/Refinements"])))
    else:
        d.set("Mesh/Cells", ", ".join(str(d.pick(1, 2, 3)) for _ in range(3)))
        d.set("Mesh/Refinements", d.pick(2, 3) if d.dim == 2 else 2)
        if d.maybe(0.3):
            d.coordinates("Mesh/Coordinates", [1.] * d.dim)
    d.set("Problem/Source", "random" if random_source else by_material(d, lambda: d.scalar() + d.pick("", "+0.1*s")))
    if not triangles:
        if direct == "multigrid":
            d.periodic()
        ids = d.boundaries()
        d.set("Problem/Boundary values", d.pick("0", d.scalar()))
        d.fields("flux", "gradient")
        if len(ids) > 1:
            d.set("Problem/Natural boundaries", ", ".join(str(d.boundary_name(i)) for i in d.chance.sample(ids, 1)),
                  0.4)
        if not random_source:
            d.set("Problem/Exact solution", d.scalar(), 0.2)
    d.set("Solver/Solver", direct)
    one = samples == 1 or columns == 1
    d.set("Solver/Precision", precision := d.pick("float64", "float32"))
    if direct != "multigrid" and precision == "float32" and d.maybe(0.3):
        d.set("Solver/Refinement tolerance", 0)
        d.set("Solver/Vectors", d.pick("float64", "float32"))
    d.set("Solver/Smoother", d.pick("jacobi", "line", "fsai") if one else "jacobi")
    d.set("Solver/Cycles", d.pick(1, 2) if one else 1)
    if direct == "schur":
        d.set("Schur complement/Coarse refinements", d.chance.randint(0, int(d.settings["Mesh/Refinements"]) - 1))
        d.set("Schur complement/Conditions", "true", 0.1)
    d.set("Solver/Repetitions", 1)
    d.set("Solver/Coarsest level cells", d.pick(16, 64, 1000))
    d.default_solver = False
    if not triangles:
        d.outputs(["u"], ["flux"], d.settings.get("Mesh/Type") != "cylinder")


PROBLEMS = {f.__name__: f for f in (transport_diffusion, elasticity, solid, navier_stokes, template, nonlinear_heat, stokes,
                                    buoyant_flow,
                                    stationary_navier_stokes, poisson)}

# Values of these make sense together only; a problem sets them or leaves their defaults.
TOGETHER = {"Mesh/Type", "Mesh/Cells", "Mesh/Refinements", "Mesh/Local refinements", "Discretization/Refinements",
            "Heat/Refinements", "Discretization/Refinement", "Discretization/Refinement steps",
            "Discretization/Coarse cells", "Heat/Newton", "Heat/Degree", "Discretization/Degree",
            "Discretization/Formulation", "Adaptivity/Interval", "Adaptivity/Growth", "Adaptivity/Coarsen fraction",
            "Adaptivity/Smallest level", "Adaptivity/Largest level", "Adaptivity/Cells", "Adaptivity/Strategy",
            "Adaptivity/First mesh cycles", "Checkpoint/Steps", "Ranks/Distributed mesh", "Linear solver/Solver",
            "Linear solver/Preconditioner", "Linear solver/Coarse solver", "Linear solver/Smoother",
            "Linear solver/Arnoldi polynomial", "Linear solver/Interpolation", "Linear solver/Scheme",
            "Linear solver/Chebyshev", "Linear solver/Products", "Solver/Vectors",
            "Solver/Refinement tolerance", "Solver/Smoother", "Solver/Cycles", "Schur complement/Conditions",
            "Problem/Poisson ratio", "Problem/Young modulus", "Time stepping/Unstable step",
            "Implementation/Pressure solver", "Implementation/Fast diagonalization precision",
            "Time stepping/Stationary", "Time stepping/Steps", "Time stepping/End time", "Time stepping/Time step",
            "Time stepping/Load steps", "Time stepping/Scheme", "Time stepping/Spectral radius", "Newton/Nested",
            "Viscosity/Continuation stages", "Output/Fields",
            "Problem/Domain", "Problem/Case", "Solver/Solver", "Solver/Precision", "Nonlinear solver/Continuation"}
