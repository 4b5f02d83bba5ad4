"""Whether two runs of a parameter file have the same results: statistics.csv, run.json, profiles and the nodal values
of VTU files.

A difference is relative to the scale of its quantity, not to the quantity itself, which may vanish by symmetry or be a
difference of large numbers. QUANTITIES says by its name of what kind a quantity is. The scale is the largest absolute
value of the kind in

  statistics.csv          all its rows and all VTU files
  run.json and profiles   all of them and the last VTU file, which are of one state
  a VTU file              that file

and in addition, as SCALES says, what one of these amounts to: a velocity that is computed from displacements has
their rounding, divided by the time step. What QUANTITIES does not name is a kind of its own, of all components of a
vector and all entries of a list. Where an extreme of a profile lies is compared by the profile's value there: two
places of the same value are both right. VTU files have float32, of which one rounding is no difference. Where points
come in another order they are sorted.
"""

import base64
import csv
import json
import math
import re
import struct
import zlib

QUANTITIES = [
    ("relative", r"remesh_mass_change|error_against_double"),
    ("displacement", r"^displacement\b|^/displacements/|^point\d+_u"),
    ("velocity", r"^velocity\b|velocity_at_points|(^|/)u_[xyz]|/max_velocity$|/u_l2$"),
    ("pressure", r"^pressure$|mean_pressure|pressure_at_point|(^|/)p(/|$)|/p_l2$|/pressure_l2$"),
    ("solution", r"^(theta|u|first_sample)$|/errors/l2$"),
    ("composition", r"^composition$|/composition/(min|max)$|^least$|^most$"),
    ("stress", r"stress_|von_mises"),
    ("energy", r"(strain|kinetic)_energy|work_of_load"),
    ("momentum", r"^(angular_)?momentum_"),
    ("divergence", r"/remesh_divergence/"),
]
SCALES = {  # of a kind: what else gives its scale, from the largest values of kinds and the time step
    "relative": lambda largest, step: 1.0,
    "velocity": lambda largest, step: largest.get("displacement", 0.0) / step if step else 0.0,
}
COMPONENT = re.compile(r"([_/]u?[xyz](?=/|$))|(/\d+(?=/|$))")
PLACE = re.compile(r"/profiles/(\d+)/(\w+)/(min|max)_at$")
# How a run went, and on what.
WAY = re.compile(r"iteration|residual|newton|timing|second|memory|bytes|evaluations|backtrack|updates|applications|"
                 r"levels_by_cells|flop", re.IGNORECASE)
LEFT_OUT = {"backend", "device", "devices", "threads", "hardware", "command", "date", "precision", "tolerance",
            "levels", "setup", "commit", "version", "solver", "ranks", "balance", "exchange", "matrix_format",
            "copy_bandwidth", "v_cycle", "nonlinear", "redone", "unfinished_solves"}


def kind(name):
    return next((kind for kind, pattern in QUANTITIES if re.search(pattern, name)), COMPONENT.sub("", name))


# --- Files ------------------------------------------------------------------------------------------------------------


def array(text):
    """The bytes of a VTU file's DataArray: zlib in base64."""
    (blocks,) = struct.unpack("<I", base64.b64decode(text[:8])[:4])
    length = 4 * (3 + blocks)
    encoded = (length + 2) // 3 * 4
    sizes = struct.unpack(f"<{3 + blocks}I", base64.b64decode(text[:encoded])[:length])
    raw, data, begin = base64.b64decode(text[encoded:]), [], 0
    for size in sizes[3:]:
        data.append(zlib.decompress(raw[begin:begin + size]))
        begin += size
    return b"".join(data)


def fields(files):
    """{name: values} of the floating-point arrays in the pieces of one state; components have names x, y, z behind a
    slash."""
    found = {}
    pattern = (r'<DataArray type="Float(32|64)"(?: Name="([^"]*)")?(?: NumberOfComponents="(\d+)")?[^>]*>'
               r'\s*([^<]*?)\s*</DataArray>')
    for text in (file.read_text() for file in files):
        for bits, name, components, encoded in re.findall(pattern, text):
            data, n = array(encoded), int(components or 1)
            values = struct.unpack(f"<{8 * len(data) // int(bits)}{'f' if bits == '32' else 'd'}", data)
            for c in range(n):
                found.setdefault((name or "points") + (f"/{'xyz'[c]}" if n > 1 else ""), []).extend(values[c::n])
    return found


def states(folder):
    """The VTU files of each state, by its name; of several ranks a state may have several."""
    found = {}
    for file in sorted(folder.glob("*.vtu")):
        found.setdefault(re.sub(r"(_\d{4,})(\.\d+)?\.vtu$", r"\1", file.name), []).append(file)
    return found


def columns(file):
    """{name: numbers} of a CSV file; what is missing is NaN."""
    if not file.is_file():
        return {}
    names, *rows = list(csv.reader(file.read_text().splitlines())) or [[]]
    number = lambda word: float(word) if word not in ("", "-") else math.nan
    return {name: [number(row[i]) for row in rows] for i, name in enumerate(names) if not WAY.search(name)}


def leaves(record, path=""):
    """The numbers of a run.json that are results. The place of an extreme is one leaf, a list."""
    if isinstance(record, dict):
        for key, value in record.items():
            if key not in LEFT_OUT and not WAY.search(key):
                yield from leaves(value, f"{path}/{key}")
    elif isinstance(record, list) and not PLACE.search(path):
        for i, value in enumerate(record):
            yield from leaves(value, f"{path}/{i}")
    elif isinstance(record, list) or isinstance(record, (int, float)) and not isinstance(record, bool):
        yield path, [float(x) for x in record] if isinstance(record, list) else [float(record)]


class Results:
    """What a run has written."""

    def __init__(self, folder):
        self.statistics = columns(folder / "statistics.csv")
        self.record = dict(leaves(json.loads((folder / "run.json").read_text())))
        self.profiles = [columns(folder / f"profile_{k}.csv") for k in range(len(list(folder.glob("profile_*.csv"))))]
        self.states = {name: fields(files) for name, files in states(folder).items()}
        time, step = (self.statistics.get(name, [0.0])[:1] for name in ("time", "step"))
        self.step = time[0] / step[0] if step and step[0] else 0.0

    def scales(self, *parts):
        """Kind -> scale, from {name: values} of several parts."""
        largest = {}
        for part in parts:
            for name, values in part.items():
                if not PLACE.search(name):
                    most = max((abs(x) for x in values if math.isfinite(x)), default=0.0)
                    largest[kind(name)] = max(largest.get(kind(name), 0.0), most)
        more = {name: scale(largest, self.step) for name, scale in SCALES.items()}
        return {name: max(value, more.get(name, 0.0)) for name, value in largest.items()}


# --- Differences ------------------------------------------------------------------------------------------------------


def difference(a, b, scale, rounding=0.0):
    """The largest difference of two lists relative to scale, beyond one rounding; infinite where lengths, NaN or
    infinite values differ."""
    same = lambda x, y: x == y or math.isnan(x) and math.isnan(y)
    if len(a) != len(b) or not all(math.isfinite(x - y) or same(x, y) for x, y in zip(a, b)):
        return math.inf
    worst = max((abs(x - y) - rounding * max(abs(x), abs(y)) for x, y in zip(a, b) if math.isfinite(x - y)),
                default=0.0)
    return max(worst, 0.0) / (scale or 1.0)


def of_place(host, path, place, scale):
    """How far the profile's value at another run's place of an extreme is from the extreme."""
    if not all(map(math.isfinite, place)):
        return math.inf
    k, name, end = PLACE.search(path).groups()
    profile = host.profiles[int(k)]
    points = zip(*(profile[axis] for axis in "xyz"[:len(place)]))
    nearest = min(range(len(profile[name])), key=lambda i, points=list(points): math.dist(points[i], place))
    return difference(host.record[f"/profiles/{k}/{name}/{end}"], [profile[name][nearest]], scale)


def differences(where, a, b, scales, rounding=0.0, special=None):
    """(difference, where) of all names in {name: values} of a first run, which another one must have, too."""
    for name in a:
        if name not in b:
            yield math.inf, f"{where}: {name} is missing"
        elif special and PLACE.search(name):
            yield special(name, b[name], scales[kind(PLACE.search(name)[2])]), f"{where}: {name}"
        else:
            yield difference(a[name], b[name], scales[kind(name)], rounding), f"{where}: {name}"


def in_order(state):
    """A state with its points sorted, and the values of each field at equal points."""
    points = list(zip(*(state[name] for name in ("points/x", "points/y", "points/z"))))
    return {name: [value for _, value in sorted(zip(points, values))] for name, values in state.items()}


def of_states(name, a, b, scales):
    if any(a[axis] != b.get(axis) for axis in ("points/x", "points/y", "points/z")):
        a, b = in_order(a), in_order(b)
    return differences(f"{name}.vtu", a, b, scales, 2.0 ** -23)


def compare(host_folder, other_folder):
    """What differs most between the folders of two runs: (difference, where)."""
    host, other = Results(host_folder), Results(other_folder)
    found = [(0.0, "")]
    found += differences("statistics.csv", host.statistics, other.statistics,
                         host.scales(host.statistics, *host.states.values()))
    last = [host.states[name] for name in sorted(host.states)[-1:]]
    end = host.scales(host.record, *host.profiles, *last)
    found += differences("run.json", host.record, other.record, end, special=lambda *place: of_place(host, *place))
    if len(host.profiles) != len(other.profiles) or list(host.states) != list(other.states):
        found.append((math.inf, "other files"))
    for k, (a, b) in enumerate(zip(host.profiles, other.profiles)):
        found += differences(f"profile_{k}.csv", a, b, end)
    for name in host.states if list(host.states) == list(other.states) else []:
        found += of_states(name, host.states[name], other.states[name], host.scales(host.states[name]))
    return max(found)
