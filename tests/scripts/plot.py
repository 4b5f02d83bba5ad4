#!/usr/bin/python3
"""scripts/plot reads deal.II's two ways of writing VTU, and says what is wrong with a file it cannot draw."""

import base64
import importlib.machinery
import importlib.util
import struct
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
