"""Meshes that are drawn, with cells in any orientation."""

import math

from checks import meshes
from checks.meshes import CUBE, FACES, FORMATS, SQUARE, rotations


class Mesh(meshes.Mesh):
    """`curved` is the text of Mesh/Curved boundaries, `points` lie inside, `parallel` says whether all boundary faces
    are parallel to axes, `side` has the ids of boundary faces: what may get one of its own."""

    curved, parallel, middle_radius = "", True, 0

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.side = {}

    def inner_point(self, chance, weight):
        """The middle of a cell, or with a weight that is no dyadic number a point that is no vertex of finer cells,
        either."""
        corner = self.vertices[chance.choice(cell := chance.choice(self.cells))]
        middle = self.centre(cell)
        return [(1 - weight) * m + weight * c for m, c in zip(middle, corner)]

    def number(self, chance):
        """Materials, boundary ids, and cells turned at random."""
        if chance.random() < 0.5:
            axis, pool = chance.randrange(self.dim), chance.sample([1, 2, 3, 7, 12], 2)
            middle = self.centre(range(len(self.vertices)))[axis]
            self.materials = [pool[self.centre(cell)[axis] > middle] for cell in self.cells]
        many = chance.random() < 0.7
        pool = chance.sample([0, 1, 2, 3, 4, 5, 6, 9, 20], 6) if many else [chance.choice([0, 1, 7])] * 6
        sides = [self.side_of(face) for face in self.boundary]
        names = sorted(set(sides))
        self.faces = [(face, pool[names.index(side) % len(pool)]) for face, side in zip(self.boundary, sides)]
        for name in names:
            self.side[name] = pool[names.index(name) % len(pool)]
        turns = rotations(self.dim)
        self.cells = [[cell[k] for k in chance.choice(turns)] for cell in self.cells]
        if chance.random() < 0.5:  # vertices in another order
            order = list(range(len(self.vertices)))
            chance.shuffle(order)
            place = {old: new for new, old in enumerate(order)}
            self.vertices = [self.vertices[old] for old in order]
            self.cells = [[place[n] for n in cell] for cell in self.cells]
            self.faces = [([place[n] for n in face], i) for face, i in self.faces]
        if chance.random() < 0.5:
            chance.shuffle(self.faces)

    def side_of(self, face):
        """A box's faces by direction; where there is a hole, inner and outer ones by distance from the axis."""
        middle, centre = self.centre(face), self.centre(range(len(self.vertices)))
        if self.curved or not self.parallel:
            heights = {round(self.vertices[n][self.dim - 1], 9) for n in face}
            flat = self.dim == 3 and len(heights) == 1 and "sphere" not in self.curved
            radius = math.hypot(*(m - c for m, c in zip(middle[:3 if "sphere" in self.curved else 2], centre)))
            return ("z", middle[2] > centre[2]) if flat else ("r", radius > self.middle_radius)
        offsets = [m - c for m, c in zip(middle, centre)]
        axis = max(range(self.dim), key=lambda d: abs(offsets[d]))
        return "xyz"[axis], offsets[axis] > 0


def drawn(mesh):
    return Mesh(mesh.dim, mesh.vertices, mesh.cells)


def grid(chance, dim, removed=False):
    """A box of cells, skewed, with inner vertices moved, or without a corner."""
    n = [chance.choice([1, 2, 2, 3] if dim == 2 else [1, 1, 2]) for _ in range(dim)]
    if removed:
        n = [2] * dim
    size = [chance.choice([1, 1, 0.5, 2]) for _ in range(dim)]
    points, cells = meshes.lattice(n)
    if removed:
        del cells[-1]
    used = sorted({v for cell in cells for v in cell})
    renumber = {v: i for i, v in enumerate(used)}
    cells = [[renumber[v] for v in cell] for cell in cells]
    points = [points[v] for v in used]
    vertices = [[size[d] * p[d] / n[d] for d in range(dim)] for p in points]
    mesh = Mesh(dim, vertices, cells)
    outer = {v for face in mesh.boundary for v in face}
    if chance.random() < 0.5:
        for i, v in enumerate(mesh.vertices):
            if i not in outer:
                for d in range(dim):
                    v[d] += chance.uniform(-0.15, 0.15) * size[d] / n[d]
    if chance.random() < 0.3:
        mesh.parallel, slope = False, chance.uniform(-0.4, 0.4)
        for v in mesh.vertices:
            v[0] += slope * v[1]
    return mesh


def ring(chance, dim):
    """Quadrilaterals around a hole; in 3D the shell of a ball or a pipe."""
    inner, outer = 0.5, chance.choice([1, 1.2])
    if dim == 3 and chance.random() < 0.4:
        vertices = [[r * (2 * c - 1) / math.sqrt(3) for c in corner] for r in (inner, outer) for corner in CUBE]
        cells = [[*face, *(v + 8 for v in face)] for face in FACES[3]]  # inner corners, then outer ones
        mesh, kind = Mesh(3, vertices, cells), "sphere; 0; 0; 0"
    else:
        n, layers = chance.choice([4, 5, 6, 8]), 1 if dim == 2 else chance.choice([1, 2])
        flat = meshes.ring(meshes.regular(n, inner), meshes.regular(n, outer))
        mesh = drawn(flat if dim == 2 else meshes.extruded(flat, 1.0, layers))
        kind = "circle; 0; 0" if dim == 2 else "cylinder; 0; 0; 0; 0; 0; 1"
    mesh.curved, mesh.parallel, mesh.middle_radius = kind, False, 0.5 * (inner + outer) * 0.85
    return mesh


def star(chance, dim):
    """3, 5 or 6 quadrilaterals around a vertex; in 3D a layer of such hexahedra."""
    n = chance.choice([3, 5, 6])
    at = lambda k: [math.cos(math.pi * k / n), math.sin(math.pi * k / n)]
    plane = [[0., 0.]] + [at(k) for k in range(2 * n)]
    quads = [[0, 1 + 2 * k, 2 + 2 * k, 1 + (2 * k + 2) % (2 * n)] for k in range(n)]
    flat = meshes.Mesh(2, plane, quads)
    mesh = drawn(flat if dim == 2 else meshes.extruded(flat, 1.0))
    mesh.parallel = False
    return mesh


def one_cell(chance, dim):
    corners = SQUARE if dim == 2 else CUBE
    mesh = Mesh(dim, [[c + chance.uniform(-0.15, 0.15) for c in corner] for corner in corners], [range(2 ** dim)])
    mesh.parallel = False
    return mesh


def draw(chance, dim):
    """A mesh with its numbers."""
    kind = chance.choice(["grid", "grid", "L", "ring", "ring", "star", "one"])
    others = {"ring": ring, "star": star, "one": one_cell}
    mesh = others[kind](chance, dim) if kind in others else grid(chance, dim, kind == "L")
    mesh.points = [mesh.inner_point(chance, 0.2) for _ in range(2)]
    mesh.vertices_of_finer_cells = [mesh.inner_point(chance, 0)]
    mesh.number(chance)
    return mesh


def write(mesh, chance):
    """Name and text of a file in a format drawn; in Gmsh's, boundaries may get names."""
    format = chance.choice(sorted(FORMATS))
    if format.startswith("msh") and chance.random() < 0.5:
        mesh.names = {i: f"side{i}" for i in mesh.ids()}
    ending, writer = FORMATS[format]
    return f"{format}{ending}", writer(mesh)


class Shape:
    """A mesh that programs make by its name."""

    curved, names, materials = "", {}, []

    def __init__(self, chance, dim):
        self.type = chance.choice(["ball", "shell", "plate_with_hole", "l_shape", "step"] + ["pipe", "tube"] * (dim - 2))
        scale = chance.choice([0.5, 1, 1.5])
        usual = {"ball": [1], "shell": [0.5, 1], "plate_with_hole": [0.25, 1, 0.5], "l_shape": [1], "pipe": [1, 2],
                 "tube": [0.5, 1, 1], "step": [0.5, 1, chance.choice([0, 1]), 2, 0.5]}[self.type]
        self.sizes = [scale * size for size in usual]
        self.parallel = self.type in ("l_shape", "step")
        n_ids = {"ball": 1, "shell": 2, "pipe": 3, "tube": 4}.get(self.type, 2 * dim + 1)
        self.ids = lambda: list(range(n_ids))
        place = {"ball": [0.1, 0.23], "shell": [0.4, 0.53], "pipe": [0.1, 0.23], "tube": [0.4, 0.53]}.get(self.type, [0.43, -0.61])
        place = [1.13, 0.71] if self.type == "step" else place
        self.points = self.vertices_of_finer_cells = [[scale * c for c in (place + [0.17])[:dim]]]
        n_cells = {2: {"ball": 5, "shell": 10, "plate_with_hole": 8, "l_shape": 3, "step": 12},
                   3: {"ball": 7, "shell": 6, "plate_with_hole": 8, "l_shape": 7, "step": 12, "pipe": 20, "tube": 20}}
        self.cells = [None] * n_cells[dim][self.type]
