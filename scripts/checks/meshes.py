"""Meshes that checks make: rings around bodies of any shape and boxes with moved vertices, turned, mirrored, moved or scaled at will."""

import math
import random as chance


class Mesh:
    """Points (three coordinates each), cells [(material, vertices)] and boundary faces [(id, vertices)], vertices in the order of UCD files."""

    def __init__(self, dimension, points, cells, faces):
        self.dimension, self.points, self.cells, self.faces = dimension, points, cells, faces

    def moved(self, map, flipped=False):
        """The mesh with map(x, y, z) in place of each point; a map that mirrors turns the order of the cells' vertices."""
        turn = lambda v: [v[i] for i in (0, 3, 2, 1)] if len(v) == 4 else [v[i] for i in (0, 3, 2, 1, 4, 7, 6, 5)]
        cells = [(material, turn(v) if flipped else v) for material, v in self.cells]
        return Mesh(self.dimension, [map(*p) for p in self.points], cells, self.faces)

    def write(self, file):
        kinds = ("quad", "line") if self.dimension == 2 else ("hex", "quad")
        lines = [f"{len(self.points)} {len(self.cells) + len(self.faces)} 0 0 0"]
        lines += [f"{i + 1} {x:.17g} {y:.17g} {z:.17g}" for i, (x, y, z) in enumerate(self.points)]
        for kind, entities in zip(kinds, (self.cells, self.faces)):
            lines += [f"{i + 1} {id} {kind} {' '.join(str(k + 1) for k in v)}" for i, (id, v) in enumerate(entities)]
        file.write_text("\n".join(lines) + "\n")
        return file


def polygon(corners, a_side=2):
    """The points of a closed polygon with a_side edges on each side, counterclockwise."""
    found = []
    for (x, y), (u, v) in zip(corners, corners[1:] + corners[:1]):
        found += [(x + k / a_side * (u - x), y + k / a_side * (v - y)) for k in range(a_side)]
    return found


def regular(n, radius, turn=0.0):
    return [(radius * math.cos(turn + 2 * math.pi * k / n), radius * math.sin(turn + 2 * math.pi * k / n)) for k in range(n)]


def projected(ring, radius):
    """The points of a ring moved along their rays from the origin to a circle."""
    return [(radius * x / math.hypot(x, y), radius * y / math.hypot(x, y)) for x, y in ring]


def area(ring):
    return sum(x * v - u * y for (x, y), (u, v) in zip(ring, ring[1:] + ring[:1])) / 2


def ring(inner, outer, layers=2):
    """Quadrilaterals between two rings of as many points; the boundary has id 1 inside and 2 outside."""
    n = len(inner)
    points = [(a + k / layers * (c - a), b + k / layers * (d - b), 0.0) for k in range(layers + 1) for (a, b), (c, d) in zip(inner, outer)]
    at = lambda k, i: k * n + i % n
    cells = [(0, [at(k, i), at(k + 1, i), at(k + 1, i + 1), at(k, i + 1)]) for k in range(layers) for i in range(n)]
    faces = [(1 + side, [at(k, i), at(k, i + 1)]) for side, k in enumerate((0, layers)) for i in range(n)]
    return Mesh(2, points, cells, faces)


def extruded(flat, height, layers=1):
    """Hexahedra over a mesh of quadrilaterals; bottom and top have the ids 3 and 4."""
    n = len(flat.points)
    points = [(x, y, height * k / layers) for k in range(layers + 1) for x, y, _ in flat.points]
    cells = [(m, [k * n + i for i in v] + [(k + 1) * n + i for i in v]) for k in range(layers) for m, v in flat.cells]
    faces = [(id, [k * n + v[0], k * n + v[1], (k + 1) * n + v[1], (k + 1) * n + v[0]]) for k in range(layers) for id, v in flat.faces]
    faces += [(3 + side, [k * n + i for i in v]) for side, k in enumerate((0, layers)) for _, v in flat.cells]
    return Mesh(3, points, cells, faces)


def box(dimension, n, jitter=0.0, seed=0, turned=False):
    """The unit box of n cells in each direction; inner vertices are moved at random by up to jitter times the width of a cell, and cells may
    begin with any of their vertices. Sides have the ids 0, 1 (x), 2, 3 (y), 4, 5 (z)."""
    draw, layers = chance.Random(seed), n if dimension == 3 else 0
    at = lambda i, j, k: (k * (n + 1) + j) * (n + 1) + i
    points = []
    for k in range(layers + 1):
        for j in range(n + 1):
            for i in range(n + 1):
                move = lambda c: c / n + (jitter / n * draw.uniform(-1, 1) if 0 < c < n else 0.0)
                points.append((move(i), move(j), move(k) if dimension == 3 else 0.0))
    square = lambda i, j, k: [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k)]
    cells = []
    for k in range(max(layers, 1)):
        for j in range(n):
            for i in range(n):
                first, start = square(i, j, k), draw.randrange(4) if turned else 0
                first = first[start:] + first[:start]
                cells.append((0, first if dimension == 2 else first + [v + (n + 1) ** 2 for v in first]))
    return Mesh(dimension, points, cells, boundary_of_box(points, cells, dimension))


def boundary_of_box(points, cells, dimension):
    """The faces whose points share a coordinate 0 or 1 of the unit box."""
    sides = [(0, 1), (1, 2), (2, 3), (3, 0)] if dimension == 2 else [(0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]
    faces = []
    for _, v in cells:
        for side in sides:
            face = [v[i] for i in side]
            for axis in range(dimension):
                for end in (0.0, 1.0):
                    if all(points[p][axis] == end for p in face):
                        faces.append((2 * axis + int(end), face))
    return faces
