"""same_outputs OLD NEW [FOLDER]: the same command lines with two programs, and what differs.

Each line of same_outputs.commands runs with OLD in one folder and with NEW in another, which begin
with the same data.  Compared are the exit status, standard output and error (without measured times
and memory), and every file that was written: models tensor by tensor, JSON key by key (without
`seconds` and `peak_bytes`), all others byte for byte.  Where a command reads a file that OLD and NEW
wrote differently, NEW also runs on the files of OLD and must print what OLD printed.

Differences in the metadata of models are summed up at the end and are no failure.  Lines of
same_outputs.expected name other differences that are accepted, with the reason.
"""
import gzip
import json
import math
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter

TOOLS = os.path.dirname(os.path.realpath(__file__))
SOURCE = os.path.dirname(TOOLS)
MEASURED = {"seconds", "peak_bytes"}


# ---- the data: formulas of a small random generator of our own


class Random:
    """The generator of Lehmer: the same numbers with every version of Python."""

    def __init__(self, seed):
        self.state = seed * 7919 + 1

    def __call__(self, low=-1.0, high=1.0):
        self.state = self.state * 48271 % 2147483647
        return low + (high - low) * self.state / 2147483647


def write_table(folder, name, header, rows):
    def text(value):
        return f"{value:.5f}" if isinstance(value, float) else str(value)

    with open(os.path.join(folder, name), "w") as f:
        if header:
            f.write(header + "\n")
        for row in rows:
            f.write(",".join(text(value) for value in row) + "\n")


def write_lines(folder, name, lines):
    with open(os.path.join(folder, name), "w") as f:
        f.writelines(line + "\n" for line in lines)


def regression_rows(n, seed):
    r = Random(seed)
    rows = []
    for _ in range(n):
        a, b = r(), r()
        rows.append((a, b, math.sin(3 * a) + b / 2 + 0.1 * r()))
    return rows


def class_rows(n, seed, label):
    r = Random(seed)
    points = [(r(), r()) for _ in range(n)]
    return [(a, b, label(a + 0.1 * r(), b)) for a, b in points]


def write_plain_tables(folder):
    circle = lambda a, b: "yes" if a * a + b * b < 0.6366 else "no"
    third = lambda a, b: "abc"[int(1.5 * (a + b / 2 + 1.5)) % 3]
    write_table(folder, "reg.csv", "x1,x2,y", regression_rows(80, 1))
    write_table(folder, "reg_new.csv", "x1,x2,y", regression_rows(30, 2))
    write_table(folder, "long.csv", "x1,x2,y", regression_rows(1100, 3))
    write_table(folder, "line.csv", "x,y", [(a, y) for a, _, y in regression_rows(50, 4)])
    write_table(folder, "cls.csv", "x1,x2,y", class_rows(90, 5, circle))
    write_table(folder, "three.csv", "x1,x2,y", class_rows(90, 6, third))
    write_table(folder, "unseen.csv", "x1,x2,y", [(0.1, 0.2, "nobody")])
    cell = lambda a, b: "k%02d" % (5 * min(4, max(0, int(2.5 * (a + 1)))) + int(2.49 * (b + 1)))
    write_table(folder, "classes25.csv", "x1,x2,y", class_rows(260, 7, cell))
    r = Random(8)
    aside = lambda i: ("site%d" % (i // 9), 0.0 if i % 11 == 3 else r(0.2, 2))
    put = lambda i, row: row[:2] + aside(i) + row[2:]
    write_table(folder, "wreg.csv", "x1,x2,site,w,y",
                [put(i, row) for i, row in enumerate(regression_rows(80, 9))])
    write_table(folder, "wcls.csv", "x1,x2,site,w,y",
                [put(i, row) for i, row in enumerate(class_rows(90, 10, circle))])
    colours = ["red", "green", "dark blue"]
    mixed = [(a, colours[i % 7 % 3], b, y + (i % 7 % 3)) for i, (a, b, y) in enumerate(regression_rows(60, 11))]
    write_table(folder, "mixed.csv", "x1,colour,x2,y", mixed)
    gaps = [tuple("" if (5 * i + j) % 17 == 0 and j < 3 else v for j, v in enumerate(row))
            for i, row in enumerate(mixed)]
    write_table(folder, "gaps.csv", "x1,colour,x2,y", gaps)
    write_lines(folder, "ragged.csv", ["a,b,y", "1,2,3", "1,2"])
    write_lines(folder, "texts.csv", ["a,y", "1,2", "2,3", "3,4", "x,5", "6,7"])
    splits = [[i for i in range(80) if (i * (s + 3) + s) % 3 != 0] for s in range(6)]
    write_lines(folder, "splits.txt", [" ".join(map(str, s)) for s in splits[:3]])
    write_lines(folder, "ida.txt", [" ".join(map(str, s)) for s in splits])
    points = [(a, b) for a, b, _ in regression_rows(40, 12)]
    gram = [[math.exp(-((a - c) ** 2 + (b - d) ** 2) / 2) for c, d in points] for a, b in points]
    write_table(folder, "gram.csv", ",".join("x%d" % (i + 1) for i in range(40)) + ",y",
                [tuple(repr(v) for v in row) + (math.sin(3 * p[0]) + p[1],) for row, p in zip(gram, points)])


def write_tables_of_outputs(folder):
    r = Random(20)
    multi = []
    for _ in range(40):
        a, b = r(), r()
        s = math.sin(3 * a)
        multi.append((a, b, s + 0.1 * r(), s + b / 2, 0.1 * r() - s))
    write_table(folder, "multi.csv", "x1,x2,u,v,w", multi)
    holes = [tuple("" if i % 5 == 3 and j == 2 + i % 3 else v for j, v in enumerate(row))
             for i, row in enumerate(multi)]
    write_table(folder, "holes.csv", "x1,x2,u,v,w", holes)
    names = "aaaabbbccd"
    tasks, pairs = [], []
    for i in range(61):
        a, b, task = r(), r(), "solo" if i == 60 else names[i % 10]
        tasks.append((a, b, task, math.sin(3 * a) + (task == "b") * b + 0.1 * r()))
        pairs.append((a, b, "left" if i % 3 else "right", "in" if a * a + b * b < 0.6 + 0.2 * (i % 3) else "out"))
    write_table(folder, "tasks.csv", "x1,x2,school,y", tasks)
    write_table(folder, "later.csv", "x1,x2,school,y", [(0.2, 0.3, "b", 0.5), (0.2, 0.3, "new", 0.5)])
    write_table(folder, "ctasks.csv", "x1,x2,t,y", pairs)
    write_lines(folder, "graph.csv", ["0.5,1,0", "1,0.5,2", "0,2,1"])
    write_lines(folder, "matrix.csv", ["2,0.5,0", "0.5,1,-0.5", "0,-0.5,1"])
    write_lines(folder, "labels.txt", ["red", "blue", "red"])
    write_lines(folder, "shifts.csv", ["0,0", "0.1,-0.2", "0.3,0"])
    write_lines(folder, "five.txt", ["p", "q", "p", "q", "p"])
    write_lines(folder, "chain.csv", ["0.5,1,0,0,0", "1,0,1,0,0", "0,1,0,1,0", "0,0,1,0,1", "0,0,0,1,0.5"])
    with open(os.path.join(SOURCE, "data", "flow.csv")) as f:
        flow = f.read().split("\n")[:20]
    write_lines(folder, "wflow.csv", [flow[0] + ",w"] + [line + ",1.5" for line in flow[1:]])


def write_tables_of_features(folder):
    r = Random(30)
    trend = []
    for i in range(60):
        x, z = r(0, 10), r()
        trend.append((x, z, "red" if i % 2 else "blue", 30 + 2 * x + math.sin(3 * z) + 0.1 * r()))
    write_table(folder, "trend.csv", "x,z,colour,y", trend)
    write_table(folder, "file.csv", "slope", [(x,) for x, _, _, _ in trend])
    sparse, classes, counts = [], [], []
    for i in range(60):
        columns = sorted({1 + int(r(0, 0.99999) ** 2 * 120) for _ in range(8)})
        values = [r() for _ in columns]
        entries = " ".join(f"{c}:{v:.4f}" for c, v in zip(columns, values))
        score = sum(v * math.cos(c) for c, v in zip(columns, values))
        sparse.append(f"{score + 0.05 * r():.4f} {entries}")
        classes.append(f"{'+1' if score + 0.2 * r() > 0 else '-1'} {entries}")
        topic = i % 3
        words = sorted({1 + 8 * topic + int(r(0, 7.99)) for _ in range(5)} | {25 + int(r(0, 4.99))})
        counts.append(f"{topic + 0.1 * r():.4f} " + " ".join(f"{w}:{1 + int(r(0, 3.99))}" for w in words))
    write_lines(folder, "sparse.libsvm", sparse)
    write_lines(folder, "sclass.libsvm", classes)
    write_lines(folder, "counts.svm", counts)


def write_data(folder):
    write_plain_tables(folder)
    write_tables_of_outputs(folder)
    write_tables_of_features(folder)
    for name in ("crescents-train.csv", "crescents-test.csv", "flow.csv"):
        shutil.copy(os.path.join(SOURCE, "data", name), folder)
    shutil.copytree(os.path.join(SOURCE, "data", "texts"), os.path.join(folder, "texts"))
    golden = os.path.join(SOURCE, "tests", "golden")
    for name in os.listdir(golden):
        if name.endswith((".csv", ".srm")):
            shutil.copy(os.path.join(golden, name), folder)


# ---- the command lines


class Command:
    """A line of the table: its text, the arguments, its input, and whether it is to be refused."""

    def __init__(self, text, refused=False):
        self.text = text
        self.refused = refused
        self.words = shlex.split(text)
        self.input = None
        if len(self.words) > 1 and self.words[-2] == "<":
            self.input = self.words[-1]
            del self.words[-2:]


def with_followers(command):
    """A fit without -o writes m.srm, which then predicts and is scored on the table it learned."""
    words = command.words
    if command.refused or words[:1] != ["fit"] or "-o" in words:
        return [command]
    names = [w for w in ("--missing",) if w in words]
    rest = "".join(f" {name} {words[words.index(name) + 1]}" for name in names)
    return [Command(command.text + " -o m.srm --json m.json"),
            Command(f"predict m.srm {words[1]}{rest} -o m.csv"),
            Command(f"eval m.srm {words[1]}{rest}")]


def read_commands(real):
    """The table: Command, or a list of words for what is done to files in between."""
    commands = []
    with open(os.path.join(TOOLS, "same_outputs.commands")) as f:
        lines = [line.strip() for line in f]
    for line in lines:
        if line.startswith("@"):
            commands.append(line[1:].split())
        elif line.startswith("!"):
            commands.append(Command(line[1:].strip(), refused=True))
        elif line.startswith("?") and real:
            commands.append(Command(line[1:].strip().replace("REAL", real)))
        elif line and line[0] not in "#?":
            commands.extend(with_followers(Command(line)))
    return commands


def change_files(folder, words):
    source = os.path.join(folder, words[1])
    content = read(source)
    if words[0] == "half":
        lines = content.splitlines(keepends=True)
        content = b"".join(lines[:(len(lines) + 1) // 2])
    elif words[0] == "tear":
        content = content[:len(content) * 2 // 3]
    elif words[0] == "flip":
        middle = len(content) - 20
        content = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1:]
    else:
        sys.exit(f"same_outputs.commands: what is '@ {words[0]}'?")
    with open(os.path.join(folder, words[-1]), "wb") as f:
        f.write(content)


# ---- running


def read(path):
    with open(path, "rb") as f:
        return f.read()


def start(program, folder, command):
    environment = dict(os.environ, OMP_NUM_THREADS="2", XDG_CACHE_HOME="/dev/null", LC_ALL="C")
    with open(os.path.join(folder, command.input) if command.input else os.devnull, "rb") as given:
        return subprocess.Popen([program] + command.words, cwd=folder, env=environment, stdin=given,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def contents(folder):
    """name -> (when it was written, inode, size) of every file, to see what a command wrote."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            s = os.stat(path)
            found[os.path.relpath(path, folder)] = (s.st_mtime_ns, s.st_ino, s.st_size)
    return found


class Outcome:
    """What a command printed and wrote in its folder."""

    def __init__(self, process, folder, before):
        try:
            self.out, self.err = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            self.out, self.err = process.communicate()
            self.err += b"killed after 300 s\n"
        self.status = process.returncode
        after = contents(folder)
        self.files = {name: read(os.path.join(folder, name))
                      for name, stamp in after.items() if before.get(name) != stamp}


def inputs_that_differ(command, old, new):
    """Whether the command reads a file that the two programs wrote differently."""
    words = command.words
    for i, word in enumerate(words):
        if i and words[i - 1] in ("-o", "--output", "--json", "--model", "--topics", "--vocabulary", "--roc", "--csv"):
            continue
        paths = [os.path.join(folder, word) for folder in (old, new)]
        if all(os.path.isfile(p) for p in paths) and read(paths[0]) != read(paths[1]):
            return True
    return False


# ---- comparing: each function gives a list of differences, as texts


def short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 160 else text[:157] + "..."


def without_measurements(text):
    """A printed text without the time and memory a run took, and the size of a model's file."""
    lines = []
    printed = text.decode("utf-8", "replace").split("\n")
    timed = printed[0].endswith(" seconds")  # a table of experiment ida, the last column of which is measured
    for line in printed:
        if timed:
            line = re.sub(r" +\d[\d.]*$|; \d[\d.]* s in all$", " N", line)
        if re.match(r"(time|seconds) ", line) and " about " not in line:
            line = re.sub(r"\d[\d.]*(e[-+]\d+)?( ?(s|ms|min|h|[KMGT]iB|bytes)\b)?", "N", line)
        if line.startswith("model "):
            line = re.sub(r"\(\d[\d.]* ([KMGT]iB|bytes)\)", "(N)", line)
        lines.append(line)
    return lines


def compare_text(what, old, new):
    a, b = without_measurements(old), without_measurements(new)
    found = [f"{what} line {i + 1}: {short(x)} -> {short(y)}" for i, (x, y) in enumerate(zip(a, b)) if x != y]
    if len(a) != len(b):
        found.append(f"{what}: {len(a)} lines -> {len(b)} lines")
    return found


def compare_values(at, old, new, ignored):
    if type(old) is not type(new):
        return [f"{at}: {short(old)} -> {short(new)}"]
    if isinstance(old, dict):
        found = [f"{at}.{key}: is gone" for key in old if key not in new]
        found += [f"{at}.{key}: is new" for key in new if key not in old]
        both = [key for key in old if key in new]
        if not found and list(old) != list(new):
            found.append(f"{at}: the order of the keys")
        for key in both:
            if key not in ignored:
                found += compare_values(f"{at}.{key}", old[key], new[key], ignored)
        return found
    if isinstance(old, list):
        if len(old) != len(new):
            return [f"{at}: {len(old)} entries -> {len(new)}"]
        found = []
        for i, (x, y) in enumerate(zip(old, new)):
            found += compare_values(f"{at}[{i}]", x, y, ignored)
        return found
    return [] if old == new else [f"{at}: {short(old)} -> {short(new)}"]


class Number(str):
    """A number of a JSON text as it is written."""


def parse_json(content):
    """A JSON text with its numbers as they are written; None when it is none."""
    try:
        return json.loads(content, parse_float=Number, parse_int=Number)
    except ValueError:
        return None


def compare_json(what, old, new):
    a, b = parse_json(old), parse_json(new)
    if a is None or b is None:
        return compare_text(what, old, new)
    planned = isinstance(a, dict) and "search_engine" in a  # a plan's seconds are computed, not measured
    return compare_values(what, a, b, set() if planned else MEASURED)


def parse_model(content):
    """Tensors, name -> (dtype, shape, bytes), and metadata of a model file."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        length = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8:8 + length])
    except (ValueError, struct.error):
        return {"file that is no model": ("", [], content)}, {}
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        low, high = entry["data_offsets"]
        tensors[name] = (entry["dtype"], entry["shape"], content[8 + length + low:8 + length + high])
    return tensors, metadata


def compare_tensors(what, old, new):
    found = [f"{what}: tensor {name} is gone" for name in old if name not in new]
    found += [f"{what}: tensor {name} is new" for name in new if name not in old]
    for name in old:
        if name not in new or old[name] == new[name]:
            continue
        (dtype, shape, content), (dtype2, shape2, content2) = old[name], new[name]
        if (dtype, shape) != (dtype2, shape2):
            found.append(f"{what}: tensor {name}: {dtype} {shape} -> {dtype2} {shape2}")
        else:
            count = sum(content[i:i + 8] != content2[i:i + 8] for i in range(0, len(content), 8))
            found.append(f"{what}: tensor {name}: {count} of {len(content) // 8} numbers")
    return found


def compare_metadata(old, new):
    """The keys that differ, to the depth where they do; texts that are JSON are looked into."""
    found = []
    for key in sorted(set(old) | set(new)):
        if key == "checksum" or old.get(key) == new.get(key):
            continue
        a, b = (parse_json(m.get(key, "")) for m in (old, new))
        if key not in old or key not in new or a is None or b is None:
            found.append(f"{key}: {short(old.get(key, 'absent'))} -> {short(new.get(key, 'absent'))}")
        else:
            found += compare_values(key, a, b, set()) or [f"{key}: its spelling"]
    return found


def compare_file(name, old, new, metadata):
    if old == new:
        return []
    if name.endswith((".srm", ".srm.gz")):
        (tensors, meta), (tensors2, meta2) = parse_model(old), parse_model(new)
        metadata += compare_metadata(meta, meta2)
        return compare_tensors(name, tensors, tensors2)
    if name.endswith(".json"):
        return compare_json(name, old, new)
    if name.endswith((".csv", ".txt", ".libsvm", ".ck", ".vtk", ".tsv")):
        a, b = old.split(b"\n"), new.split(b"\n")
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return [f"{name} line {i + 1}: {short(x.decode('utf-8', 'replace'))}"
                        f" -> {short(y.decode('utf-8', 'replace'))}"]
    return [f"{name}: {len(old)} bytes -> {len(new)} bytes, not the same"]


def compare(command, old, new, metadata):
    found = []
    if old.status != new.status:
        found.append(f"exit status: {old.status} -> {new.status}")
    if "--json" in command.words and command.words[command.words.index("--json") + 1] == "-":
        found += compare_json("stdout", old.out, new.out)
    else:
        found += compare_text("stdout", old.out, new.out)
    found += compare_text("stderr", old.err, new.err)
    found += [f"{name}: is not written" for name in sorted(set(old.files) - set(new.files))]
    found += [f"{name}: is written, too" for name in sorted(set(new.files) - set(old.files))]
    for name in sorted(set(old.files) & set(new.files)):
        found += compare_file(name, old.files[name], new.files[name], metadata)
    return found


# ---- the whole


class Expected:
    """The lines of same_outputs.expected, and which of them were met."""

    def __init__(self):
        self.entries, self.met = [], set()
        with open(os.path.join(TOOLS, "same_outputs.expected")) as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    parts = [part.strip() for part in line.split(" :: ")]
                    if len(parts) != 3 or not all(parts):
                        sys.exit(f"same_outputs.expected: not 'COMMAND :: DIFFERENCE :: REASON': {line.strip()}")
                    self.entries.append(parts)

    def accepts(self, command, difference):
        for i, (which, what, _) in enumerate(self.entries):
            if re.search(which, command) and re.search(what, difference):
                self.met.add(i)
                return True
        return False

    def report(self, count):
        if count:
            print(f"{count} differences are expected:")
        for i, (which, what, reason) in enumerate(self.entries):
            print(f"    {'' if i in self.met else 'NOT MET: '}{which} :: {what}: {reason}")


class Comparison:
    """Two programs, the folders they work in, and what was found so far."""

    def __init__(self, old, new, folder):
        self.programs = (old, new)
        self.folders = tuple(os.path.join(folder, name) for name in ("old", "new"))
        self.crossed = os.path.join(folder, "new_with_files_of_old")
        self.expected = Expected()
        self.metadata, self.models = Counter(), 0
        self.commands = self.differing = self.accepted = self.crossings = 0
        self.wrong_lines = []
        for at in self.folders:
            os.makedirs(at)
        write_data(self.folders[0])
        shutil.copytree(self.folders[0], self.folders[1], dirs_exist_ok=True)

    def run(self, command):
        crossing = inputs_that_differ(command, *self.folders)
        if crossing:
            shutil.rmtree(self.crossed, ignore_errors=True)
            shutil.copytree(self.folders[0], self.crossed)
        before = [contents(at) for at in self.folders]
        processes = [start(p, at, command) for p, at in zip(self.programs, self.folders)]
        old, new = (Outcome(*all_of) for all_of in zip(processes, self.folders, before))
        if (old.status != 0) != command.refused:
            self.wrong_lines.append(f"{command.text}: status {old.status} of OLD: {old.err.decode()[:200]}")
        self.list_differences(command, command.text, old, new)
        if crossing:
            self.crossings += 1
            known = contents(self.crossed)
            again = Outcome(start(self.programs[1], self.crossed, command), self.crossed, known)
            self.list_differences(command, command.text + " [NEW with the files of OLD]", old, again)

    def list_differences(self, command, title, old, new):
        metadata = []
        found = compare(command, old, new, metadata)
        unexplained = [d for d in found if not self.expected.accepts(title, d)]
        self.commands += 1
        self.accepted += len(found) - len(unexplained)
        self.models += bool(metadata)
        self.metadata.update(metadata)
        if unexplained:
            self.differing += 1
            print(f"specreg {title}")
            for difference in unexplained[:6]:
                print(f"    {difference}")
            if len(unexplained) > 6:
                print(f"    ... and {len(unexplained) - 6} more")
            sys.stdout.flush()

    def report(self, seconds):
        if self.metadata:
            print(f"metadata of {self.models} models differ, which is no failure:")
            kinds = Counter()
            for text, count in self.metadata.items():
                kinds[re.sub(r"\[\d+\]", "[]", text.split(": ")[0])] += count
            for key, count in kinds.most_common(20):
                example = next(t for t in self.metadata if re.sub(r"\[\d+\]", "[]", t.split(": ")[0]) == key)
                print(f"    {key} ({count} times), such as {example}")
        self.expected.report(self.accepted)
        for line in self.wrong_lines:
            print(f"same_outputs.commands: not what the table says: {line}")
        print(f"{self.commands} command lines, {self.crossings} of them NEW with files of OLD, in {seconds:.0f} s: "
              f"{self.differing} differ")


def temporary_folder():
    """In memory where there is such a place: the programs sync every file they write."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.mkdtemp(prefix="same_outputs.", dir=place)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: same_outputs OLD NEW [FOLDER]")
    old, new = (os.path.realpath(name) for name in sys.argv[1:3])
    for program in (old, new):
        if not os.access(program, os.X_OK):
            sys.exit(f"same_outputs: {program} is no program")
    folder = sys.argv[3] if len(sys.argv) == 4 else temporary_folder()
    if os.path.isdir(folder) and os.listdir(folder):
        sys.exit(f"same_outputs: {folder} is not empty")
    real = os.environ.get("SPECREG_DATA") or os.path.join(SOURCE, "..", "shared", "data")
    real = os.path.realpath(real) if os.path.isdir(os.path.join(real, "ida")) else None
    began = time.time()
    comparison = Comparison(old, new, folder)
    for command in read_commands(real):
        if isinstance(command, Command):
            comparison.run(command)
        else:
            for at in comparison.folders:
                change_files(at, command)
    comparison.report(time.time() - began)
    if len(sys.argv) == 3:
        shutil.rmtree(folder)
    sys.exit(1 if comparison.differing or comparison.wrong_lines else 0)


if __name__ == "__main__":
    main()
