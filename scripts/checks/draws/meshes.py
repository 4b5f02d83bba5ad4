"""Small meshes of quadrilaterals and hexahedra in the formats that the programs read, with cells in any orientation."""

import itertools
import math

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
    """vertices; cells as vertex numbers in VTK's order; their materials; boundary faces with ids. `curved` is the text of
    Mesh/Curved boundaries, `points` lie inside, `parallel` says whether all boundary faces are parallel to axes."""

    def __init__(self, dim, vertices, cells):
        self.dim, self.vertices, self.cells = dim, [list(v) for v in vertices], [list(c) for c in cells]
        self.materials, self.faces, self.curved, self.parallel, self.names = [0] * len(cells), [], "", True, {}
        self.side = {}  # of boundary faces: what may get an id of its own
        count = {}
        for cell in self.cells:
            for face in FACES[dim]:
                key = frozenset(cell[k] for k in face)
                count.setdefault(key, []).append([cell[k] for k in face])
        self.boundary = [faces[0] for faces in count.values() if len(faces) == 1]

    def centre(self, numbers):
        return [sum(self.vertices[n][d] for n in numbers) / len(numbers) for d in range(self.dim)]

    def inner_point(self, chance, weight):
        """The middle of a cell, or with a weight that is no dyadic number a point that is no vertex of finer cells, either."""
        corner = self.vertices[chance.choice(cell := chance.choice(self.cells))]
        middle = self.centre(cell)
        return [(1 - weight) * m + weight * c for m, c in zip(middle, corner)]

    def ids(self):
        return sorted({i for _, i in self.faces})

    def number(self, chance):
        """Materials, boundary ids, and cells turned at random."""
        if chance.random() < 0.5:
            axis, pool = chance.randrange(self.dim), chance.sample([1, 2, 3, 7, 12], 2)
            middle = self.centre(range(len(self.vertices)))[axis]
            self.materials = [pool[self.centre(cell)[axis] > middle] for cell in self.cells]
        pool = chance.sample([0, 1, 2, 3, 4, 5, 6, 9, 20], 6) if chance.random() < 0.7 else [chance.choice([0, 1, 7])] * 6
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
            flat = self.dim == 3 and len({round(self.vertices[n][2], 9) for n in face}) == 1 and "sphere" not in self.curved
            radius = math.hypot(*(m - c for m, c in zip(middle[:3 if "sphere" in self.curved else 2], centre)))
            return ("z", middle[2] > centre[2]) if flat else ("r", radius > self.middle_radius)
        offsets = [m - c for m, c in zip(middle, centre)]
        axis = max(range(self.dim), key=lambda d: abs(offsets[d]))
        return "xyz"[axis], offsets[axis] > 0


def grid(chance, dim, removed=False):
    """A box of cells, skewed, with inner vertices moved, or without a corner."""
    n = [chance.choice([1, 2, 2, 3] if dim == 2 else [1, 1, 2]) for _ in range(dim)]
    if removed:
        n = [2] * dim
    size = [chance.choice([1, 1, 0.5, 2]) for _ in range(dim)]
    points = list(itertools.product(*(range(k + 1) for k in n)))
    place = {p: i for i, p in enumerate(points)}
    corners = SQUARE if dim == 2 else CUBE
    cells = [[place[tuple(a + b for a, b in zip(c, corner))] for corner in corners] for c in itertools.product(*(range(k) for k in n))]
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
        mesh.parallel, mesh.middle_radius, slope = False, 0, chance.uniform(-0.4, 0.4)
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
        plane = [[r * math.cos(2 * math.pi * k / n), r * math.sin(2 * math.pi * k / n)] for r in (inner, outer) for k in range(n)]
        quads = [[k, n + k, n + (k + 1) % n, (k + 1) % n] for k in range(n)]
        if dim == 2:
            mesh, kind = Mesh(2, plane, quads), "circle; 0; 0"
        else:
            vertices = [p + [z / layers] for z in range(layers + 1) for p in plane]
            cells = [[2 * n * z + v for v in q] + [2 * n * (z + 1) + v for v in q] for z in range(layers) for q in quads]
            mesh, kind = Mesh(3, vertices, cells), "cylinder; 0; 0; 0; 0; 0; 1"
    mesh.curved, mesh.parallel, mesh.middle_radius = kind, False, 0.5 * (inner + outer) * 0.85
    return mesh


def star(chance, dim):
    """3, 5 or 6 quadrilaterals around a vertex; in 3D a layer of such hexahedra."""
    n = chance.choice([3, 5, 6])
    at = lambda k: [math.cos(math.pi * k / n), math.sin(math.pi * k / n)]
    plane = [[0., 0.]] + [at(k) for k in range(2 * n)]
    quads = [[0, 1 + 2 * k, 2 + 2 * k, 1 + (2 * k + 2) % (2 * n)] for k in range(n)]
    if dim == 2:
        mesh = Mesh(2, plane, quads)
    else:
        m = len(plane)
        mesh = Mesh(3, [p + [z] for z in (0., 1.) for p in plane], [[v for v in q] + [m + v for v in q] for q in quads])
    mesh.parallel, mesh.middle_radius = False, 0
    return mesh


def one_cell(chance, dim):
    corners = SQUARE if dim == 2 else CUBE
    mesh = Mesh(dim, [[c + chance.uniform(-0.15, 0.15) for c in corner] for corner in corners], [range(2 ** dim)])
    mesh.parallel, mesh.middle_radius = False, 0
    return mesh


def draw(chance, dim):
    """A mesh with its numbers."""
    kind = chance.choice(["grid", "grid", "L", "ring", "ring", "star", "one"])
    mesh = grid(chance, dim, kind == "L") if kind in ("grid", "L") else {"ring": ring, "star": star, "one": one_cell}[kind](chance, dim)
    mesh.points = [mesh.inner_point(chance, 0.2) for _ in range(2)]
    mesh.vertices_of_finer_cells = [mesh.inner_point(chance, 0)]
    mesh.number(chance)
    return mesh


# The formats. Each returns the text of a file.

def padded(vertex):
    return " ".join(f"{x:.15g}" for x in list(vertex) + [0.] * (3 - len(vertex)))


def gmsh_names(mesh):
    entries = [(mesh.dim - 1, i, name) for i, name in mesh.names.items()]
    return ["$PhysicalNames", str(len(entries)), *(f'{d} {i} "{name}"' for d, i, name in entries), "$EndPhysicalNames"] if entries else []


def msh2(mesh):
    types = {2: (1, 3), 3: (3, 5)}[mesh.dim]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", *gmsh_names(mesh), "$Nodes", str(len(mesh.vertices))]
    lines += [f"{i + 1} {padded(v)}" for i, v in enumerate(mesh.vertices)] + ["$EndNodes", "$Elements"]
    elements = [(types[0], i, f) for f, i in mesh.faces] + [(types[1], m, c) for m, c in zip(mesh.materials, mesh.cells)]
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
    lines += [f"1 {n} 1 {n}", f"{dim} {order[-1][1] + 1} 0 {n}", *(str(i + 1) for i in range(n)), *(padded(v) for v in mesh.vertices)]
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
    elements = [(types[1], m, c) for m, c in zip(mesh.materials, mesh.cells)] + [(types[0], i, f) for f, i in mesh.faces]
    lines = ["# vtk DataFile Version 3.0", "drawn", "ASCII", "DATASET UNSTRUCTURED_GRID", f"POINTS {len(mesh.vertices)} double"]
    lines += [padded(v) for v in mesh.vertices]
    lines.append(f"CELLS {len(elements)} {sum(1 + len(vs) for _, _, vs in elements)}")
    lines += [f"{len(vs)} " + " ".join(map(str, vs)) for _, _, vs in elements]
    lines += [f"CELL_TYPES {len(elements)}", *(str(t) for t, _, _ in elements)]
    lines += [f"CELL_DATA {len(elements)}", "SCALARS MaterialID int 1", "LOOKUP_TABLE default", *(str(i) for _, i, _ in elements)]
    return "\n".join(lines + [""])


def ucd(mesh):
    kinds = {2: ("line", "quad"), 3: ("quad", "hex")}[mesh.dim]
    elements = [(kinds[1], m, c) for m, c in zip(mesh.materials, mesh.cells)] + [(kinds[0], i, f) for f, i in mesh.faces]
    lines = [f"{len(mesh.vertices)} {len(elements)} 0 0 0"] + [f"{i + 1} {padded(v)}" for i, v in enumerate(mesh.vertices)]
    lines += [f"{n + 1} {i} {t} " + " ".join(str(v + 1) for v in vs) for n, (t, i, vs) in enumerate(elements)]
    return "\n".join(lines + [""])


def abaqus(mesh):
    lines = ["*HEADING", "drawn", "*NODE, NSET=ALLNODES"]
    lines += [f"{i + 1}, " + ", ".join(padded(v).split()) for i, v in enumerate(mesh.vertices)]
    order = sorted(range(len(mesh.cells)), key=lambda n: mesh.materials[n])  # deal.II takes elements in ascending order only
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


FORMATS = {"msh2": (".msh", msh2), "msh4": (".msh", msh4), "vtk": (".vtk", vtk), "ucd": (".inp", ucd), "abaqus": (".inp", abaqus)}


def write(mesh, chance):
    """Name and text of a file in a format drawn; in Gmsh's, boundaries may get names."""
    format = chance.choice(sorted(FORMATS))
    if format.startswith("msh") and chance.random() < 0.5:
        mesh.names = {i: f"side{i}" for i in mesh.ids()}
    ending, writer = FORMATS[format]
    return f"{format}{ending}", writer(mesh)
