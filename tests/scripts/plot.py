#!/usr/bin/python3
"""scripts/plot reads deal.II's two ways of writing VTU, and says what is wrong with a file it cannot draw."""

import base64
import importlib.machinery
import importlib.util
import json
import struct
import subprocess
import sys
import tempfile
import types
import unittest
import zlib
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot"
loader = importlib.machinery.SourceFileLoader("plot", str(SCRIPT))
sys.dont_write_bytecode = True
plot = importlib.util.module_from_spec(importlib.util.spec_from_loader("plot", loader))
loader.exec_module(plot)

POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 2, 0]], dtype="f8")
VALUES = np.array([0.5, 1, 2, 4])


def text(array):
    return " ".join(map(str, array.ravel()))


def packed(array, size=7):
    """Base64 of zlib blocks of `size` bytes, as deal.II writes them."""
    data = array.tobytes()
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    blocks = [zlib.compress(part) for part in parts]
    header = struct.pack(f"<{3 + len(blocks)}I", len(blocks), size, len(parts[-1]), *map(len, blocks))
    return base64.b64encode(header).decode() + base64.b64encode(b"".join(blocks)).decode()


def vtu(kind, write, cell_type=9):
    array = lambda type_, name, data, more="": f'<DataArray type="{type_}" Name="{name}" format="{kind}"{more}>{write(data)}</DataArray>'
    return (
        '<VTKFile type="UnstructuredGrid" compressor="vtkZLibDataCompressor" byte_order="LittleEndian"><UnstructuredGrid>'
        '<Piece NumberOfPoints="4" NumberOfCells="1"><Points>'
        + array("Float64", "points", POINTS, ' NumberOfComponents="3"')
        + "</Points><Cells>"
        + array("Int32", "connectivity", np.arange(4, dtype="i4"))
        + array("UInt8", "types", np.array([cell_type], dtype="u1"))
        + "</Cells><PointData>"
        + array("Float64", "theta", VALUES)
        + "</PointData></Piece></UnstructuredGrid></VTKFile>"
    )


class Vtu(unittest.TestCase):
    def read(self, content):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.vtu"
            file.write_text(content)
            return plot.read_vtu(file)

    def test_both_formats(self):
        for kind, write in (("ascii", text), ("binary", packed)):
            with self.subTest(kind):
                points, cells, fields = self.read(vtu(kind, write))
                np.testing.assert_array_equal(points, POINTS)
                np.testing.assert_array_equal(cells, [[0, 1, 2, 3]])
                np.testing.assert_array_equal(fields["theta"], VALUES)

    def test_other_cells_are_refused(self):
        with self.assertRaises(SystemExit) as caught:
            self.read(vtu("ascii", text, cell_type=12))
        self.assertIn("quadrilaterals", str(caught.exception))


class Lagrange(unittest.TestCase):
    def test_cells_of_degree_2_are_split(self):
        for dim in (2, 3):
            axis = [0.0, 0.5, 1.0]
            grid = np.array(np.meshgrid(*[axis] * dim, indexing="ij")).reshape(dim, -1).T
            points = np.concatenate([grid, np.zeros((len(grid), 3 - dim))], axis=1) * [2, 1, 3]
            square = [[0, 0], [1, 0], [1, 1], [0, 1]]
            corners = square if dim == 2 else [c + [z] for z in (0, 1) for c in square]
            number = {tuple(g): k for k, g in enumerate(grid)}
            first = [number[tuple(map(float, c))] for c in corners]
            cells = np.array([first + [k for k in range(len(grid)) if k not in first]])
            parts = plot.split(points, cells)
            self.assertEqual(parts.shape, (2 ** dim, 2 ** dim))
            for part in parts:
                size = points[part].max(axis=0) - points[part].min(axis=0)
                self.assertEqual(size[:dim].tolist(), [1, 0.5, 1.5][:dim])
                unit = np.round((points[part] - points[part].min(axis=0))[:, :dim] / size[:dim]).astype(int)
                self.assertEqual(unit.tolist(), corners)


class States(unittest.TestCase):
    def states(self, *names):
        with tempfile.TemporaryDirectory() as folder:
            for name in names:
                (Path(folder) / name).touch()
            return [[file.name for file in files] for files in plot.states_in(Path(folder))]

    def test_states_come_by_number(self):
        self.assertEqual(self.states("solution_10000.vtu", "solution_9999.vtu"), [["solution_9999.vtu"], ["solution_10000.vtu"]])
        self.assertEqual(self.states("solution_0000.10.vtu", "solution_0000.2.vtu"), [["solution_0000.2.vtu", "solution_0000.10.vtu"]])

    def test_parts_of_many_ranks_are_one_state(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for part in range(2):
                (folder / f"solution_0003.{part}.vtu").write_text(vtu("ascii", text))
            (folder / "solution_0002.0.vtu").write_text(vtu("ascii", text))
            (folder / "solution.pvd").write_text('<VTKFile><Collection><DataSet timestep="0.5" file="solution_0003.pvtu"/></Collection></VTKFile>')
            state = plot.state_of(folder)
            points, cells, fields = plot.read_vtu(state)
            self.assertEqual(plot.time_of(state), "t = 0.5")
        np.testing.assert_array_equal(points, np.concatenate([POINTS, POINTS]))
        np.testing.assert_array_equal(cells, [[0, 1, 2, 3], [4, 5, 6, 7]])
        np.testing.assert_array_equal(fields["theta"], np.concatenate([VALUES, VALUES]))


def boxes(corner, size, n):
    """Points and VTK hexahedra of n³ equal boxes; every box has its own points, as deal.II writes them."""
    unit = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    first = np.stack(np.meshgrid(*3 * [np.arange(n)], indexing="ij"), axis=-1).reshape(-1, 1, 3)
    points = np.array(corner) + (first + unit).reshape(-1, 3) * size / n
    return points, np.arange(len(points)).reshape(-1, 8)


class Deformed(unittest.TestCase):
    def setUp(self):
        # A box of 2 x 1 x 1: one coarse cell beside eight smaller ones.
        coarse, fine = boxes([0, 0, 0], 1, 1), boxes([1, 0, 0], 1, 2)
        self.points = np.concatenate([coarse[0], fine[0]])
        self.cells = np.concatenate([coarse[1], fine[1] + 8])

    def test_surface_across_hanging_nodes(self):
        faces = plot.surface(self.points, self.cells)
        self.assertEqual(len(faces), 5 + 5 * 4, "faces of the box's surface, none of those between the cells")
        corners = self.points[faces]
        normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]) / 2
        self.assertAlmostEqual(np.linalg.norm(normals, axis=1).sum(), 10, msg="area")
        outward = corners.mean(axis=1) - [1, 0.5, 0.5]
        self.assertTrue((np.einsum("fd,fd->f", normals, outward) > 0).all(), "faces are seen from outside")

    def file(self, folder, with_displacement):
        array = lambda name, data, n=1: (
            f'<DataArray type="Float64" Name="{name}" format="ascii" NumberOfComponents="{n}">{text(np.asarray(data))}</DataArray>'
        )
        file = Path(folder) / "solution_0001.vtu"
        moved = array("displacement", 1e-3 * self.points, 3) if with_displacement else ""
        file.write_text(
            '<VTKFile type="UnstructuredGrid"><UnstructuredGrid>'
            f'<Piece NumberOfPoints="{len(self.points)}" NumberOfCells="{len(self.cells)}"><Points>{array("points", self.points, 3)}</Points><Cells>'
            + array("connectivity", self.cells).replace("Float64", "Int32")
            + array("types", np.full(len(self.cells), 12)).replace("Float64", "UInt8")
            + f'</Cells><PointData>{moved}{array("von_mises", self.points[:, 0])}</PointData></Piece></UnstructuredGrid></VTKFile>'
        )
        return file

    def test_picture_of_the_last_file_of_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            self.file(folder, with_displacement=True)
            output = Path(folder) / "picture.png"
            subprocess.run([SCRIPT, "deformed", folder, "-o", output], check=True, capture_output=True)
            self.assertEqual(output.read_bytes()[:4], b"\x89PNG")
            size = output.stat().st_size
            self.assertGreater(size, 10000)
            subprocess.run([SCRIPT, "deformed", folder, "-o", output, "--small"], check=True, capture_output=True)
            self.assertEqual(output.read_bytes()[:4], b"\x89PNG")
            self.assertLess(output.stat().st_size, size / 2)

    def test_several_fields_are_drawn_on_the_deformed_mesh(self):
        for at, cells in ((self.points, self.cells), (POINTS, np.arange(4)[None])):  # in 3D and 2D
            moved = np.stack([2 * at[:, 0], 0 * at[:, 0], 0 * at[:, 0]], axis=1)  # more than the body's size
            self.assertEqual(plot.scale_of(at, moved), 1, "a large displacement is drawn as it is")
            self.assertEqual(plot.scale_of(at, 1e-4 * moved), 500 if len(cells) > 1 else 1000)
            fields = {"displacement": moved, "J": np.full(len(at), 3.0), "stress_xx": at[:, 0]}
            asked = types.SimpleNamespace(inputs=[Path(".")], field="J, stress_xx", scale=None, limits=None)
            with mock.patch.multiple(plot, read_vtu=lambda *_: (at, cells, fields), state_of=lambda _: [Path("a.vtu")]):
                figure = plot.plot_deformed(asked)
            self.assertEqual([axis.get_ylabel() for axis in figure.axes[2:]], ["J", "stress xx"])
            x = np.concatenate([path.vertices for path in figure.axes[0].collections[0].get_paths()])
            self.assertAlmostEqual(np.ptp(x[:, 0]), 3 if len(cells) == 1 else np.ptp(plot.project(at + moved)[0][:, 0]))

    def test_run_without_displacement(self):
        with tempfile.TemporaryDirectory() as folder:
            self.file(folder, with_displacement=False)
            outcome = subprocess.run([SCRIPT, "deformed", folder], capture_output=True, text=True)
            self.assertNotEqual(outcome.returncode, 0)
            self.assertIn("no field 'displacement'; there are: von_mises", outcome.stderr)


class Fields(unittest.TestCase):
    def test_scalars_are_drawn_first_and_vectors_by_their_length(self):
        vectors = f'<DataArray type="Float64" Name="flux" format="ascii" NumberOfComponents="3">{text(3 * POINTS)}</DataArray>'
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.vtu"
            file.write_text(vtu("ascii", text).replace("<PointData>", "<PointData>" + vectors))
            self.assertEqual(plot.fields_of([[file]], None)[1], "theta")
            data, name, limits = plot.fields_of([[file]], "flux")
            np.testing.assert_allclose(data[0][2][name], np.linalg.norm(3 * POINTS, axis=1))
            self.assertEqual(limits[0], 0)


class Mesh(unittest.TestCase):
    PLANE = ('boundary,material,corners\n"","0",0,0,1,0,0,1,1,1\n"","7 \'steel, hard\'",1,0,2,0,1,1,2,1\n'
             '"0","0",0,0,0,1\n"3 \'end\'","7 \'steel, hard\'",2,0,2,1\n')
    CUBE = "boundary,material,corners\n" + "".join(
        f'"{side}","0",' + ",".join(str(c) for corner in corners for c in corner) + "\n"
        for side, corners in ((1, [(1, y, z) for z in (0, 1) for y in (0, 1)]), (5, [(x, y, 1) for y in (0, 1) for x in (0, 1)])))

    def draw(self, content, field=None):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mesh.csv"
            file.write_text(content)
            done = subprocess.run([SCRIPT, "mesh", file, "-o", f"{folder}/mesh.png"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(Path(folder, "mesh.png").stat().st_size, 4000)
            return plot.plot_mesh(types.SimpleNamespace(inputs=[file], field=field)).axes[0]

    def test_cells_and_boundaries_of_a_plane_mesh(self):
        axis = self.draw(self.PLANE)
        cells, faces = axis.collections
        self.assertEqual([len(path.vertices) - 1 for path in cells.get_paths()], [4, 4])
        self.assertEqual(cells.get_paths()[0].vertices[:4].tolist(), [[0, 0], [1, 0], [1, 1], [0, 1]], "corners go around the cell")
        self.assertEqual([path.vertices.tolist() for path in faces.get_paths()], [[[0, 0], [0, 1]], [[2, 0], [2, 1]]])
        self.assertFalse((cells.get_facecolor()[0] == cells.get_facecolor()[1]).all(), "materials have colours")
        self.assertFalse((faces.get_color()[0] == faces.get_color()[1]).all(), "boundaries have colours")
        self.assertEqual([text.get_text() for text in axis.get_legend().get_texts()],
                         ["boundary 0", "boundary 3 'end'", "material 0", "material 7 'steel, hard'"])

    def test_faces_in_three_dimensions(self):
        axis = self.draw(self.CUBE)
        (faces,) = axis.collections
        self.assertEqual(len(faces.get_paths()), 2)
        self.assertEqual([text.get_text() for text in axis.get_legend().get_texts()], ["boundary 1", "boundary 5"])
        axis = self.draw(self.CUBE, "material")
        self.assertEqual([text.get_text() for text in axis.get_legend().get_texts()], ["material 0"])

    def test_what_is_no_mesh(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "mesh.csv"
            file.write_text("x,y\n1,2\n")
            done = subprocess.run([SCRIPT, "mesh", file], capture_output=True, text=True)
            self.assertIn("is no mesh that a program's --mesh has written", done.stderr)
            prm = Path(folder) / "nothing" / "a.prm"
            prm.parent.mkdir()
            prm.touch()
            done = subprocess.run([SCRIPT, "mesh", prm], capture_output=True, text=True)
            self.assertIn("no program 'nothing'", done.stderr)


class Flow(unittest.TestCase):
    def test_plane_of_hexahedra(self):
        points, cells = boxes([0, 0, 0], 1, 2)
        faces, axes, where = plot.on_plane(points, cells, "y=0.6")
        self.assertEqual((len(faces), axes, where), (8, [0, 2], "y = 0.5"), "the nearest plane of nodes, seen by the cells on both sides")
        with self.assertRaises(SystemExit) as caught:
            plot.on_plane(points, cells, "w=1")
        self.assertIn("expected something like z=0.5", str(caught.exception))

    def test_pictures(self):
        points, cells = boxes([0, 0, 0], 1, 3)
        velocity = np.stack([points[:, 1] - 0.5, 0.5 - points[:, 0], 0 * points[:, 0]], axis=1)
        array = lambda name, data, n=1: f'<DataArray type="Float64" Name="{name}" format="ascii" NumberOfComponents="{n}">{text(np.asarray(data))}</DataArray>'
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "solution_0001.vtu").write_text(
                '<VTKFile type="UnstructuredGrid"><UnstructuredGrid>'
                f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{len(cells)}"><Points>{array("points", points, 3)}</Points><Cells>'
                + array("connectivity", cells).replace("Float64", "Int32")
                + array("types", np.full(len(cells), 12)).replace("Float64", "UInt8")
                + f'</Cells><PointData>{array("velocity", velocity, 3)}</PointData></Piece></UnstructuredGrid></VTKFile>'
            )
            for line, rows in enumerate(("x,y,u_x,u_y,p\n0.5,0,0,0,0\n0.5,1,1,0,0\n", "x,y,u_x,u_y,p\n0,0.5,0,0,0\n1,0.5,0,-1,0\n")):
                (folder / f"profile_{line}.csv").write_text(rows)
            for kind in ("flow", "profiles"):
                output = folder / f"{kind}.png"
                done = subprocess.run([SCRIPT, kind, folder, "-o", output], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(output.stat().st_size, 10000)
            (folder / "horizontal_averages.csv").write_text(
                "time,height,T,c,speed,viscosity\n" + "".join(f"{t},{y},{1 - y},0,{t * y},{10 ** y}\n" for t in (0, 1, 2) for y in (0.25, 0.75)))
            before = output.stat().st_size
            subprocess.run([SCRIPT, "profiles", folder, "-o", output], check=True)
            self.assertNotEqual(output.stat().st_size, before, "three averages in place of two profiles")
            (folder / "horizontal_averages.csv").unlink()
            (folder / "profile_1.csv").unlink()
            done = subprocess.run([SCRIPT, "profiles", folder], capture_output=True, text=True)
            self.assertIn("has the run two lines in Output/Profiles?", done.stderr)


class Samples(unittest.TestCase):
    def draw(self, kind, folder, *more):
        output = Path(folder) / f"{kind}.png"
        done = subprocess.run([SCRIPT, kind, folder, "-o", output, *more], capture_output=True, text=True)
        return done.stderr if done.returncode else output.stat().st_size

    def test_pictures(self):
        with tempfile.TemporaryDirectory() as folder:
            for kind, key in (("lines", "Output/Profiles"), ("planes", "Output/Planes")):
                self.assertIn(key, self.draw(kind, folder))
            self.assertIn("statistics.csv does not exist", self.draw("statistics", folder))
            (Path(folder) / "profile_0.csv").write_text("x,y,theta,p\n0,0,1,2\n0.5,0.5,3,2\n1,1,2,2\n")
            grid = "".join(f"{s},{t},{s},{t},{s * t}\n" for t in (0, 1, 2) for s in (0, 0.5))
            (Path(folder) / "plane_0.csv").write_text("s,t,x,y,theta\n" + grid)
            (Path(folder) / "statistics.csv").write_text("step,time,iterations,mean_u,cfl\n1,0.1,3,2,1\n2,0.2,3,4,1\n")
            (Path(folder) / "run.json").write_text('{"statistics": {"mean_u": 4}}')
            for kind in ("lines", "planes", "statistics"):
                self.assertGreater(self.draw(kind, folder), 5000)
            self.assertGreater(self.draw("statistics", folder, "--columns", "cfl", "mean_u"), 5000)
            self.assertIn("has no column 'q'; it has step, time", self.draw("statistics", folder, "--columns", "q"))
            self.assertGreater(self.draw("statistics", folder, "--columns", "cfl", "--against", "mean_u"), 5000)
            self.assertIn("has no column 'r'; it has step, time", self.draw("statistics", folder, "--against", "r"))
            asked = types.SimpleNamespace(inputs=[Path(folder)], columns=["cfl"], against="mean_u")
            axis = plot.plot_statistics(asked).axes[0]
            self.assertEqual((axis.get_xlabel(), axis.lines[0].get_xydata().tolist()), ("mean_u", [[2, 1], [4, 1]]))
            self.assertIn("has no column 'q'; it has theta", self.draw("planes", folder, "--field", "q"))

    def test_what_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "profile_0.csv").write_text("x,y,theta\n1,1,5\n4,5,7\n")
            grid = "".join(f"{s},{t},{s},{t},{10 * t + s}\n" for t in (0, 1, 2) for s in (0, 0.5))
            (Path(folder) / "plane_0.csv").write_text("s,t,x,y,theta\n" + grid)
            arguments = types.SimpleNamespace(inputs=[Path(folder)], field=None, limits=None, columns=None)
            line = plot.plot_lines(arguments).axes[0].lines[0]
            self.assertEqual(line.get_xydata().tolist(), [[0, 5], [5, 7]])
            mesh = plot.plot_planes(arguments).axes[0].collections[0]
            self.assertEqual(np.ravel(mesh.get_array()).tolist(), [0, 0.5, 10, 10.5, 20, 20.5])


class Records(unittest.TestCase):
    def test_pictures_of_records(self):
        timings = lambda seconds: {"timings": {"init": seconds, "rhs": seconds, "solve": seconds}}
        base = {"application": "transport_diffusion", "backend": "host", "device": "a processor", "steps": 100,
                "peak_memory_bytes": {"device": 0, "host": 1e9}}
        runs = [{**base, **timings(8 / n), "threads": n, "dofs": 16641} for n in (1, 2, 4)]
        runs += [{**base, **timings(1e-6 * n), "backend": "cuda", "device": "a GPU", "threads": 4, "dofs": n,
                  "peak_memory_bytes": {"device": 400 * n, "host": 1e9}} for n in (16641, 66049)]
        with tempfile.TemporaryDirectory() as folder:
            for n, run in enumerate(runs):
                (Path(folder) / f"{n}.json").write_text(json.dumps(run))
            for kind in ("dofs", "threads", "memory"):
                output = Path(folder) / f"{kind}.png"
                done = subprocess.run([SCRIPT, kind, folder, "-o", output, "--capacity", "140"], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertGreater(output.stat().st_size, 10000)
            lines = plot.medians(plot.load([Path(folder)]), lambda r: r["threads"], plot.seconds(("rhs", "solve")), lambda r: r["backend"])
            self.assertEqual(lines["host"], [(1, 16), (2, 8), (4, 4)])
            only = subprocess.run([SCRIPT, "threads", Path(folder) / "0.json"], capture_output=True, text=True)
            self.assertIn("different numbers of threads", only.stderr)

    def test_iterations(self):
        """Against a number of run.json or a parameter of the command, its first one; a line for each label."""
        base = {"application": "elasticity", "timings": {}}
        command = 'build/apps/elasticity x.prm --set "Problem/Poisson ratio={}" --set "Discretization/Lengths={}, 1, 1"'
        runs = [{**base, "label": label, "command": command.format(nu, length), "aspect_ratio": length, "iterations": {"mean": n, "max": n}}
                for label, nu, length, n in (("a", "0.3", 1, 5), ("a", "0.499", 4, 20), ("b", "0.3", 16, 7))]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(json.dumps(run) + "\n" for run in runs))
            self.assertEqual([plot.number_of(run, "Problem/Poisson ratio") for run in runs], [0.3, 0.499, 0.3])
            self.assertEqual([plot.number_of(run, "Discretization/Lengths") for run in runs], [1, 4, 16])
            self.assertEqual([plot.number_of(run, "aspect_ratio") for run in runs], [1, 4, 16])
            for against, code in (("Problem/Poisson ratio", 0), ("aspect_ratio", 0), ("Problem/Young modulus", 1)):
                done = subprocess.run([SCRIPT, "iterations", file, "--against", against, "-o", file.with_suffix(".png")], capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("Young modulus", done.stderr)
            self.assertIn("--against", subprocess.run([SCRIPT, "iterations", file], capture_output=True, text=True).stderr)

    def test_lines_of_records(self):
        """Of records.jsonl: a case's runs as shipped and from a zero guess, in lines of their own; no other settings."""
        base = {"application": "transport_diffusion", "backend": "cuda", "device": "a GPU", "threads": 4, "steps": 100, "dofs": 16641, "case": "paper_level7"}
        runs = [{**base, "label": f"cuda, {words}", "timings": {"solve": seconds}}
                for words, seconds in (("zero guess", 2), ("extrapolated guess", 1), ("zero guess, Matrix format=cusparse", 9))]
        runs.append({**runs[0], "case": "other", "timings": {"solve": 7}})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "records.jsonl"
            file.write_text("".join(json.dumps(run) + "\n" for run in runs))
            self.assertEqual(len(plot.load([file])), 4)
            arguments = types.SimpleNamespace(inputs=[file], case="paper_*")
            lines = plot.medians(plot.as_shipped(arguments), lambda r: r["dofs"], plot.seconds(("solve",)), plot.guess)
            self.assertEqual(lines, {", extrapolated guess": [(16641, 1)], ", zero guess": [(16641, 2)]})
            done = subprocess.run([SCRIPT, "dofs", file, "--case", "paper_*", "-o", file.with_suffix(".png")], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)


class AllOfARun(unittest.TestCase):
    def runs(self, folder, changes):
        for n, change in enumerate(changes):
            run = Path(folder) / f"run{n}"
            run.mkdir()
            record = {"application": "template", "backend": "host", "device": "a processor", "threads": 1, "dofs": 100, "steps": 10,
                      "timings": {"init": 1.0, "solve": 2.0}, "errors": {"l2": 1e-2}, **change}  # fmt: skip
            (run / "run.json").write_text(json.dumps(record))
            (run / "statistics.csv").write_text("step,time,iterations,residual\n1,0.1,3,1e-9\n2,0.2,2,2e-9\n")
            (run / "solution_0000.vtu").write_text(vtu("ascii", text))
        return [Path(folder) / f"run{n}" for n in range(len(changes))]

    def pictures(self, changes):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([SCRIPT, *self.runs(folder, changes), "-o", f"{folder}/plots"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return sorted(file.stem for file in Path(folder, "plots").iterdir() if file.stat().st_size > 5000)

    def test_what_the_runs_have_data_for(self):
        self.assertEqual(self.pictures([{}]), ["field", "steps", "timings"])
        self.assertEqual(self.pictures([{}, {"dofs": 400, "errors": {"l2": 2.5e-3}}]), ["convergence", "dofs", "field_run0", "field_run1", "steps", "timings"])
        self.assertEqual(self.pictures([{}, {"threads": 2}]), ["field_run0", "field_run1", "steps", "threads", "timings"])
        self.assertEqual(self.pictures([{}, {"steps": 20}]), ["convergence", "field_run0", "field_run1", "steps", "timings"])

    def test_film_of_all_states(self):
        with tempfile.TemporaryDirectory() as folder:
            (run,) = self.runs(folder, [{}])
            (run / "solution_0001.vtu").write_text(vtu("ascii", text).replace(text(VALUES), text(VALUES[::-1])))
            film = Path(folder) / "film.gif"
            subprocess.run([SCRIPT, "film", run, "-o", film], check=True, capture_output=True)
            self.assertEqual(film.read_bytes()[:6], b"GIF89a")
            self.assertEqual(film.read_bytes().count(b"\x21\xf9\x04"), 2, "frames")
            whole = film.read_bytes()
            subprocess.run([SCRIPT, "film", run, "-o", film, "--limits", "0", "1e-3"], check=True, capture_output=True)
            self.assertNotEqual(film.read_bytes(), whole, "other colours")

    def test_convergence_of_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([SCRIPT, "convergence", *self.runs(folder, [{}])], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("different numbers of unknowns", done.stderr)

    def test_neither_run_nor_kind(self):
        done = subprocess.run([SCRIPT, "filed", "run"], capture_output=True, text=True)
        self.assertIn("'filed' is neither a run nor a kind of picture (field", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
