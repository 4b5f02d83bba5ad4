"""Meshes of quadrilaterals and hexahedra that checks make, and the formats in which the programs read them."""

import itertools
import math
from random import Random

# Corners of a cell in VTK's order: a quadrilateral around, a hexahedron's lower one, then its upper one.
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]
CUBE = [(x, y, z) for z in (0, 1) for x, y in SQUARE]
FACES = {2: [(0, 1), (1, 2), (2, 3), (3, 0)],
         3: [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]}
ABAQUS_FACES = {2: [(0, 1), (1, 2), (2, 3), (3, 0)],
                3: [(0, 3, 2, 1), (4, 7, 6, 5), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3)]}


def rotations(dim):
    """The orders of a cell's vertices that describe the same cell, turned: 4 or 24."""
    corners = SQUARE if dim == 2 else CUBE
    found = []
    for axes in itertools.permutations(range(dim)):
        swaps = sum(axes[a] > axes[b] for a in range(dim) for b in range(a + 1, dim))
        for flips in itertools.product((0, 1), repeat=dim):
            if (swaps + sum(flips)) % 2 == 0:
                found.append([corners.index(tuple(c[axes[d]] ^ flips[d] for d in range(dim))) for c in corners])
    return found


class Mesh:
    """vertices; cells as vertex numbers in VTK's order; their materials; the faces of the boundary, and (face, id) of
    those that have an id: id_of(face). `names` are the names of ids in Gmsh's files."""

    def __init__(self, dim, vertices, cells, id_of=None):
        self.dim, self.vertices, self.cells = dim, [list(v) for v in vertices], [list(c) for c in cells]
        self.materials, self.names, count = [0] * len(cells), {}, {}
        for cell in self.cells:
            for face in FACES[dim]:
                key = frozenset(cell[k] for k in face)
                count.setdefault(key, []).append([cell[k] for k in face])
        self.boundary = [faces[0] for faces in count.values() if len(faces) == 1]
        self.faces = [(face, id_of(face)) for face in self.boundary] if id_of else []

    def centre(self, numbers):
        return [sum(self.vertices[n][d] for n in numbers) / len(numbers) for d in range(self.dim)]

    def ids(self):
        return sorted({i for _, i in self.faces})

    def moved(self, map, flipped=False):
        """The mesh with map(x, y, z) in place of each vertex; a map that mirrors turns the order of the cells'
        vertices."""
        order = [0, 3, 2, 1, 4, 7, 6, 5][:2 ** self.dim] if flipped else range(2 ** self.dim)
        ids = {frozenset(face): i for face, i in self.faces}
        vertices = [map(*v, *[0.0] * (3 - self.dim))[:self.dim] for v in self.vertices]
        return Mesh(self.dim, vertices, [[cell[k] for k in order] for cell in self.cells],
                    lambda face: ids[frozenset(face)])


# --- Shapes -----------------------------------------------------------------------------------------------------------


def polygon(corners, a_side=2):
    """The points of a closed polygon with a_side edges on each side, counterclockwise."""
    found = []
    for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1]):
        found += [(x + k / a_side * (u - x), y + k / a_side * (v - y)) for k in range(a_side)]
    return found


def regular(n, radius, turn=0.0):
    return [(radius * math.cos(turn + 2 * math.pi * k / n), radius * math.sin(turn + 2 * math.pi * k / n))
            for k in range(n)]


def projected(ring, radius):
    """The points of a ring moved along their rays from the origin to a circle."""
    return [(radius * x / math.hypot(x, y), radius * y / math.hypot(x, y)) for x, y in ring]


def area(ring):
    return sum(x * v - u * y for (x, y), (u, v) in zip(ring, ring[1:] + ring[:1])) / 2


def ring(inner, outer, layers=1):
    """Quadrilaterals between two rings of as many points; the boundary has id 1 inside and 2 outside."""
    n = len(inner)
    parts = [k / layers for k in range(layers + 1)]
    vertices = [[(1 - s) * a + s * b for a, b in zip(p, q)] for s in parts for p, q in zip(inner, outer)]
    at = lambda k, i: k * n + i % n
    cells = [[at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)] for k in range(layers) for i in range(n)]
    return Mesh(2, vertices, cells, lambda face: 1 if max(face) < n else 2)


def extruded(flat, height, layers=1):
    """Hexahedra over a mesh of quadrilaterals; bottom and top have the ids 3 and 4."""
    n, ids = len(flat.vertices), {frozenset(face): i for face, i in flat.faces}
    vertices = [[*v, height * k / layers] for k in range(layers + 1) for v in flat.vertices]
    cells = [[k * n + i for i in c] + [(k + 1) * n + i for i in c] for k in range(layers) for c in flat.cells]
    lies = lambda face: len({v // n for v in face}) == 1
    id_of = lambda face: 3 + (min(face) >= n) if lies(face) else ids.get(frozenset(v % n for v in face), 0)
    return Mesh(3, vertices, cells, id_of)


def lattice(n):
    """The points 0, ..., n of each direction, and the cells between them."""
    points = list(itertools.product(*(range(k + 1) for k in n)))
    place, corners = {p: i for i, p in enumerate(points)}, SQUARE if len(n) == 2 else CUBE
    cells = itertools.product(*(range(k) for k in n))
    return points, [[place[tuple(a + b for a, b in zip(c, corner))] for corner in corners] for c in cells]


def box(dim, n, jitter=0.0, seed=0, turned=False):
    """The unit box of n cells in each direction; inner coordinates of vertices are moved at random by up to jitter
    times the width of a cell, and cells may be turned. Sides have the ids 0, 1 (x), 2, 3 (y), 4, 5 (z)."""
    draw, (points, cells) = Random(seed), lattice([n] * dim)
    vertices = [[c / n + (jitter / n * draw.uniform(-1, 1) if 0 < c < n else 0.0) for c in p] for p in points]
    if turned:
        cells = [[cell[k] for k in draw.choice(rotations(dim))] for cell in cells]
    side = lambda face: next(2 * d + end for d in range(dim) for end in (0, 1)
                             if all(points[v][d] == end * n for v in face))
    return Mesh(dim, vertices, cells, side)


# --- Formats: each returns the text of a file -------------------------------------------------------------------------


def padded(vertex):
    return " ".join(f"{x:.15g}" for x in list(vertex) + [0.] * (3 - len(vertex)))


def gmsh_names(mesh):
    entries = [(mesh.dim - 1, i, name) for i, name in mesh.names.items()]
    lines = [f'{d} {i} "{name}"' for d, i, name in entries]
    return ["$PhysicalNames", str(len(entries)), *lines, "$EndPhysicalNames"] if entries else []


def msh2(mesh):
    types = {2: (1, 3), 3: (3, 5)}[mesh.dim]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", *gmsh_names(mesh), "$Nodes", str(len(mesh.vertices))]
    lines += [f"{i + 1} {padded(v)}" for i, v in enumerate(mesh.vertices)] + ["$EndNodes", "$Elements"]
    elements = [(types[0], i, f) for f, i in mesh.faces]
    elements += [(types[1], m, c) for m, c in zip(mesh.materials, mesh.cells)]
    lines.append(str(len(elements)))
    lines += [f"{n + 1} {t} 2 {i} {i} " + " ".join(str(v + 1) for v in vs) for n, (t, i, vs) in enumerate(elements)]
    return "\n".join(lines + ["$EndElements", ""])


def msh4(mesh):
    dim, groups = mesh.dim, {}
    for face, i in mesh.faces:
        groups.setdefault((dim - 1, i), []).append(face)
    for cell, i in zip(mesh.cells, mesh.materials):
        groups.setdefault((dim, i), []).append(cell)
    order = sorted(groups)
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", *gmsh_names(mesh), "$Entities"]
    lines.append(" ".join(str(sum(d == k for d, _ in order)) for k in range(4)))
    lines += [f"{i + 1} 0 0 0 0 0 0 1 {i} 0" for _, i in order] + ["$EndEntities", "$Nodes"]
    n = len(mesh.vertices)
    lines += [f"1 {n} 1 {n}", f"{dim} {order[-1][1] + 1} 0 {n}"]
    lines += [*(str(i + 1) for i in range(n)), *(padded(v) for v in mesh.vertices)]
    total, number = sum(map(len, groups.values())), 0
    lines += ["$EndNodes", "$Elements", f"{len(order)} {total} 1 {total}"]
    for d, i in order:
        lines.append(f"{d} {i + 1} {(1, 3, 5)[d - 1]} {len(groups[d, i])}")
        for vertices in groups[d, i]:
            number += 1
            lines.append(f"{number} " + " ".join(str(v + 1) for v in vertices))
    return "\n".join(lines + ["$EndElements", ""])


def vtk(mesh):
    types = {2: (3, 9), 3: (9, 12)}[mesh.dim]
    elements = [(types[1], m, c) for m, c in zip(mesh.materials, mesh.cells)]
    elements += [(types[0], i, f) for f, i in mesh.faces]
    lines = ["# vtk DataFile Version 3.0", "drawn", "ASCII", "DATASET UNSTRUCTURED_GRID",
             f"POINTS {len(mesh.vertices)} double"]
    lines += [padded(v) for v in mesh.vertices]
    lines.append(f"CELLS {len(elements)} {sum(1 + len(vs) for _, _, vs in elements)}")
    lines += [f"{len(vs)} " + " ".join(map(str, vs)) for _, _, vs in elements]
    lines += [f"CELL_TYPES {len(elements)}", *(str(t) for t, _, _ in elements)]
    lines += [f"CELL_DATA {len(elements)}", "SCALARS MaterialID int 1", "LOOKUP_TABLE default"]
    lines += [str(i) for _, i, _ in elements]
    return "\n".join(lines + [""])


def ucd(mesh):
    kinds = {2: ("line", "quad"), 3: ("quad", "hex")}[mesh.dim]
    elements = [(kinds[1], m, c) for m, c in zip(mesh.materials, mesh.cells)]
    elements += [(kinds[0], i, f) for f, i in mesh.faces]
    lines = [f"{len(mesh.vertices)} {len(elements)} 0 0 0"]
    lines += [f"{i + 1} {padded(v)}" for i, v in enumerate(mesh.vertices)]
    lines += [f"{n + 1} {i} {t} " + " ".join(str(v + 1) for v in vs) for n, (t, i, vs) in enumerate(elements)]
    return "\n".join(lines + [""])


def abaqus(mesh):
    lines = ["*HEADING", "drawn", "*NODE, NSET=ALLNODES"]
    lines += [f"{i + 1}, " + ", ".join(padded(v).split()) for i, v in enumerate(mesh.vertices)]
    # deal.II takes elements in ascending order only
    order = sorted(range(len(mesh.cells)), key=lambda n: mesh.materials[n])
    for n, k in enumerate(order):
        if n == 0 or mesh.materials[k] != mesh.materials[order[n - 1]]:
            lines.append(f"*ELEMENT, TYPE={'C3D8R' if mesh.dim == 3 else 'S4R'}, ELSET=EB{mesh.materials[k]}")
        lines.append(f"{n + 1}, " + ", ".join(str(v + 1) for v in mesh.cells[k]))
    surfaces = {}
    id_of = {frozenset(face): i for face, i in mesh.faces}
    for n, cell in enumerate(order):
        for k, face in enumerate(ABAQUS_FACES[mesh.dim]):
            if (key := frozenset(mesh.cells[cell][v] for v in face)) in id_of:
                surfaces.setdefault(id_of[key], []).append((n + 1, k + 1))
    for i, entries in sorted(surfaces.items()):
        lines += [f"*SURFACE, NAME=SS{i}", *(f"{n}, S{k}" for n, k in entries)]
    return "\n".join(lines + [""])


FORMATS = {"msh2": (".msh", msh2), "msh4": (".msh", msh4), "vtk": (".vtk", vtk), "ucd": (".inp", ucd),
           "abaqus": (".inp", abaqus)}
