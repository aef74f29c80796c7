"""VTK files of predictions on grids, read by a small reader of the legacy format that knows nothing of
specreg, against the same predictions as CSV and NPY; divergence and curl of the parts by differences on
the grid."""
import array
import ast
import csv
import gzip
import math
import os
import random
import struct
import subprocess

SPECREG = os.environ["SPECREG"]
random.seed(4)


def specreg(*arguments):
    subprocess.run([SPECREG, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def read_vtk(text):
    """Head and arrays by name, as the file format says; every count is checked."""
    lines = text.split("\n")
    assert lines[0].startswith("# vtk DataFile Version "), lines[0]
    assert len(lines[1]) < 256
    assert lines[2] == "ASCII" and lines[3] == "DATASET STRUCTURED_POINTS", lines[2:4]
    words = iter(" ".join(lines[4:]).split())
    head = {}
    for key, convert in (("DIMENSIONS", int), ("ORIGIN", float), ("SPACING", float)):
        assert next(words) == key
        head[key] = [convert(next(words)) for _ in range(3)]
    assert next(words) == "POINT_DATA"
    count = int(next(words))
    assert count == math.prod(head["DIMENSIONS"])
    assert all(s > 0 for s in head["SPACING"])
    arrays = {}
    for kind in words:
        name, number = next(words), next(words)
        assert name not in arrays
        if kind == "VECTORS":
            width = 3
        else:
            assert kind == "SCALARS", kind
            width = int(next(words))
            assert [next(words), next(words)] == ["LOOKUP_TABLE", "default"]
        assert number in ("double", "int"), number
        values = [float(next(words)) for _ in range(count * width)]
        arrays[name] = [values[i * width:(i + 1) * width] for i in range(count)]
    return head, arrays


def read_csv(name):
    with open(name, newline="") as f:
        rows = list(csv.reader(f))
    return rows[0], [[float(v) for v in row] for row in rows[1:]]


def read_npy(name):
    with open(name, "rb") as f:
        data = f.read()
    assert data[:6] == b"\x93NUMPY"
    length = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + length].decode())
    assert head["descr"] == "<f8" and not head["fortran_order"], head
    values = array.array("d", data[10 + length:])
    width = head["shape"][1]
    return [list(values[i * width:(i + 1) * width]) for i in range(head["shape"][0])]


def field(x):
    """A swirl about the last axis and a source."""
    size = math.exp(-sum(v * v for v in x))
    swirl = [-x[1], x[0]] + [0] * (len(x) - 2)
    return [size * (a + 0.5 * b) for a, b in zip(swirl, x)]


def write_field(name, T, n):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(list("xyz"[:T]) + list("uvw"[:T]))
        for _ in range(n):
            x = [random.uniform(-1, 1) for _ in range(T)]
            out.writerow([repr(v) for v in x + field(x)])


def check(T, grid, spec):
    write_field("f.csv", T, 60)
    specreg("fit", "f.csv", "--target", ",".join("uvw"[:T]), "--kernel",
            "helmholtz:sigma=0.9,gamma=0.5", "--param", "lambda=1e-6", "--select", "none", "-o",
            "f.srm")
    for out in ("f.vtk", "g.csv", "g.npy", "z.vtk.gz"):
        specreg("predict", "f.srm", "--grid", grid, "--parts", "-o", out)
    with open("f.vtk") as f:
        text = f.read()
    assert gzip.open("z.vtk.gz", "rt").read() == text
    head, arrays = read_vtk(text)
    names, rows = read_csv("g.csv")
    assert read_npy("g.npy") == rows
    expected = list("xyz"[:T])
    for u in "uvw"[:T]:
        expected += [u, u + ":curlfree", u + ":divfree"]
    assert names == expected, names
    assert head["DIMENSIONS"] == [s[2] for s in spec] + [1] * (3 - T)
    assert list(arrays) == ["field", "curlfree", "divfree"], list(arrays)
    count = math.prod(head["DIMENSIONS"])
    assert len(rows) == count
    step = [1, head["DIMENSIONS"][0], head["DIMENSIONS"][0] * head["DIMENSIONS"][1]]
    for r, row in enumerate(rows):
        for a in range(T):
            i = r // step[a] % head["DIMENSIONS"][a]
            x = head["ORIGIN"][a] + i * head["SPACING"][a]
            assert abs(x - row[a]) <= 1e-15 * max(1, abs(x)), (r, a, x, row)
        for k, name in enumerate(arrays):
            assert arrays[name][r] == [row[T + 3 * t + k] for t in range(T)] + [0.0] * (3 - T)
        near = field(row[:T])
        assert all(abs(arrays["field"][r][t] - near[t]) < 0.1 for t in range(T)), (row, near)
    return head, arrays, step


def check_derivatives(T, head, arrays, step):
    """Central differences of fourth order inside the grid, from the file alone."""
    size = [[0.0, 0.0], [0.0, 0.0]]  # of curl and divergence, and of derivatives, by part
    for part, name in enumerate(("curlfree", "divfree")):
        for r in range(len(arrays[name])):
            at = [r // step[a] % head["DIMENSIONS"][a] for a in range(T)]
            if not all(2 <= at[a] < head["DIMENSIONS"][a] - 2 for a in range(T)):
                continue
            slope = [[sum(w * arrays[name][r + k * step[j]][t] for k, w in
                          ((-2, 1), (-1, -8), (1, 8), (2, -1))) / (12 * head["SPACING"][j])
                      for j in range(T)] for t in range(T)]
            wrong = (sum(slope[t][t] for t in range(T)) if part else
                     max(abs(slope[t][j] - slope[j][t]) for t in range(T) for j in range(T)))
            size[part][0] = max(size[part][0], abs(wrong))
            size[part][1] = max(size[part][1], max(abs(v) for row in slope for v in row))
        print(f"{T}-D, {name}: {size[part][0] / size[part][1]:.2e} of the largest derivative")
        assert size[part][0] <= 1e-6 * size[part][1], size


check_derivatives(2, *check(2, "-0.05:0.05:11,0.2:0.3:11", [(-0.05, 0.05, 11), (0.2, 0.3, 11)]))
check_derivatives(3, *check(3, "-0.05:0.05:7,0.2:0.3:7,0:0.1:6",
                            [(-0.05, 0.05, 7), (0.2, 0.3, 7), (0, 0.1, 6)]))

# Other models: scalars, classes as numbers.
with open("c.csv", "w") as f:
    f.write("a,b,y\n")
    for _ in range(80):
        a, b = random.uniform(-1, 1), random.uniform(-1, 1)
        f.write(f"{a!r},{b!r},{'in' if a * a + b * b < 0.6 else 'out'}\n")
specreg("fit", "c.csv", "-o", "c.srm")
specreg("predict", "c.srm", "--grid", "-1:1:4,-1:1:3", "-o", "c.vtk")
specreg("predict", "c.srm", "--grid", "-1:1:4,-1:1:3", "-o", "c2.csv")
head, arrays = read_vtk(open("c.vtk").read())
assert head["DIMENSIONS"] == [4, 3, 1]
assert list(arrays) == ["label", "score:in", "score:out"], list(arrays)
with open("c2.csv", newline="") as f:
    for r, row in enumerate(csv.DictReader(f)):
        assert arrays["label"][r][0] == ["in", "out"].index(row["label"])
        assert arrays["score:in"][r][0] == float(row["score:in"])
print("all VTK files read back")
