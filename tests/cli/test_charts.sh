#!/bin/sh
# Charts: at a terminal, and as SVG.  What a picture shows is read back from its coordinates and ticks.
. "$SOURCE_DIR/tests/cli/lib.sh"
data=$SOURCE_DIR/data
ok fit "$data/crescents-train.csv" -q --kernel rbf:sigma=1 -o classes.srm
regression_data numbers.csv 120 2
ok fit numbers.csv -q -o numbers.srm

checking "path, spectrum and eval write pictures by the ending of the name, and tables otherwise"
path="path $data/crescents-train.csv --test $data/crescents-test.csv --kernel rbf:sigma=1"
ok $path -o path.svg --json path.json
ok $path -o path.csv -q
[ "$(wc -l <path.csv)" = 52 ] || fail "path -o path.csv should be a table"
ok spectrum numbers.csv --kernel rbf:sigma=1 -o spectrum.svg --json spectrum.json -q
ok eval classes.srm "$data/crescents-test.csv" -o roc.svg --roc roc.csv -q
ok eval numbers.srm numbers.csv -o measured.svg -q
ok predict numbers.srm numbers.csv -o predicted.csv

checking "what the pictures show is what the numbers say"
cat >read_svg.py <<'PY'
import csv, json, math, re, sys, xml.etree.ElementTree as tree
NS = "{http://www.w3.org/2000/svg}"

def label(text):
    """10 with a raised exponent, or a number."""
    spans = text.findall(NS + "tspan")
    if spans:
        return 10.0 ** int(spans[0].text.replace("\u2212", "-"))
    return float(text.text.replace("\u2212", "-"))

def scale(ticks, at):
    """The value at a coordinate, by the two outer ticks: linear in the values or in their logarithms."""
    (a, u), *_, (b, v) = sorted(ticks)
    middle = sorted(ticks)[1] if len(ticks) > 2 else None
    line = u + (v - u) * (at - a) / (b - a)
    if middle is None or abs(u + (v - u) * (middle[0] - a) / (b - a) - middle[1]) < 0.02 * abs(v - u):
        return line
    return math.exp(math.log(u) + (math.log(v) - math.log(u)) * (at - a) / (b - a))

def curves(name, panel=0, width=460):
    """Coordinates of the paths of a panel, as values."""
    root = tree.parse(name).getroot()
    for e in root.iter():
        assert e.tag[len(NS):] in "svg title style rect line text tspan path circle".split(), e.tag
        assert not any(k.startswith("on") or k.endswith("href") for k in e.attrib)
    left, right = panel * width, (panel + 1) * width
    here = [t for t in root.iter(NS + "text") if t.get("x") and left <= float(t.get("x")) < right]
    xs = [(float(t.get("x")), label(t)) for t in here if t.get("text-anchor") == "middle" and not t.get("font-size")]
    ys = [(float(t.get("y")) - 4, label(t)) for t in here if t.get("text-anchor") == "end" and t.get("class") is None]
    found = []
    for p in root.iter(NS + "path"):
        points = [tuple(map(float, q.split())) for q in re.findall(r"[ML]([-\d.]+ [-\d.]+)", p.get("d"))]
        if points and left <= points[0][0] < right and p.get("fill") == "none":
            found.append([(scale(xs, x), scale(ys, y)) for x, y in points])
    return found

def same(shown, told, what):
    """Every shown point is one of the told ones, to a pixel; the ends are shown."""
    assert len(shown) > 1, what
    span = max(b for _, b in told) - min(b for _, b in told)
    for x, y in shown:
        assert any(abs(x - a) <= 0.03 * abs(a) + 0.004 * (a == 0) + 0.003 and abs(y - b) <= 0.01 * span + 0.02 * abs(b)
                   for a, b in told), (what, x, y)
PY
python3 - <<'PY' || fail "the pictures show something else"
from read_svg import *
table = json.load(open("path.json"))["table"]
shown = curves("path.svg")
assert len(shown) == 3
for curve, key in zip(shown, ("value", "train_error_rate", "test_error_rate")):
    assert len(curve) == len(table) == 51
    for (x, y), row in zip(curve, table):
        assert abs(math.log(x / row["lambda"])) < 0.05 and abs(y - row[key]) < 5e-4, (key, x, y, row)
s = json.load(open("spectrum.json"))
(eigenvalues,) = curves("spectrum.svg", 0)
for i in (0, 3, 10):
    assert abs(math.log(eigenvalues[i][1] / s["eigenvalues"][i])) < 0.2, i
(share,) = curves("spectrum.svg", 1)
assert abs(share[-1][1] - sum(s["target_share"])) < 0.01
roc = [(float(r["fpr"]), float(r["tpr"])) for r in csv.DictReader(open("roc.csv"))]
same(curves("roc.svg", 0, 344)[0], roc, "roc")
y = [float(r["y"]) for r in csv.DictReader(open("numbers.csv"))]
p = [float(r["y"]) for r in csv.DictReader(open("predicted.csv"))]
dots = curves("measured.svg", 0, 344)[0]
assert len(dots) == len(y) and all(abs(a - x) < 0.02 and abs(b - z) < 0.02 for (a, b), x, z in zip(dots, y, p))
PY

checking "names from files stay text"
sed '1s/y/<script>"\&y/' numbers.csv >odd.csv
ok fit odd.csv -q -o odd.srm --kernel rbf:sigma=1
ok eval odd.srm odd.csv -o odd.svg -q
grep -q '&lt;script&gt;&quot;&amp;y, measured' odd.svg || fail "the name should be escaped"
python3 -c 'from read_svg import *; curves("odd.svg", 0, 344)' || fail "not XML"

checking "without a terminal there is a chart only if asked for, in plain letters, as wide as COLUMNS says"
ok $path
grep -q 'chosen' "$out" && fail "there should be no chart"
ok $path --plot yes
prints '^ +error rate - lambda - rbf, sigma 1$'
prints 'chosen: lambda '
LC_ALL=C grep -q '[^ -~]' "$out" && fail "in a locale without Unicode letters should be plain"
LC_ALL=C.UTF-8 COLUMNS=60 "$SPECREG" $path --plot yes >"$out" 2>"$err" || fail "should succeed"
grep -q '⣀' "$out" || fail "there should be Braille letters"
COLUMNS=39 "$SPECREG" $path --plot yes >"$out" 2>"$err" && grep -q chosen "$out" && fail "39 columns are too narrow"
ok spectrum numbers.csv --kernel rbf:sigma=1 --plot yes
prints 'eigenvalue of K/n - index'
ok eval classes.srm "$data/crescents-test.csv" --plot yes
prints 'true positive rate'
ok eval classes.srm "$data/crescents-test.csv" --plot yes -q
[ ! -s "$out" ] || fail "-q should leave the chart out"

checking "what cannot be drawn, or asked"
refused 2 "--plot is auto, yes or no, not 'maybe'" $path --plot maybe
refused 2 'ends in .svg' eval classes.srm "$data/crescents-test.csv" -o roc.csv
refused 2 'one file' eval classes.srm "$data/crescents-test.csv" "$data/crescents-test.csv" -o roc.svg
refused 2 'a table, not a picture' path numbers.csv --kernel rbf:sigma=1 --grid -1:1:3,-1:1:3 -o p.svg
refused 1 'a path of one point is no curve' path numbers.csv --kernel rbf:sigma=1 --param lambda=1 -o p.svg
{ head -n 1 "$data/crescents-test.csv"; grep upper "$data/crescents-test.csv"; } >upper.csv
refused 1 'no ROC curve' eval classes.srm upper.csv -o p.svg
refused 1 'nowhere' spectrum numbers.csv -o nowhere/p.svg

python3 - "$SPECREG" "$data/crescents-train.csv" <<'PY' || exit 1
import fcntl, os, pty, re, struct, subprocess, sys, termios
try:
    for fd in pty.openpty():
        os.close(fd)
except OSError as error:
    print(f"- not checked, there are no pseudo-terminals: {error}")
    sys.exit(0)

def at_terminal(width, *more, **environment):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    given = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
    p = subprocess.Popen([sys.argv[1], "spectrum", sys.argv[2], "--kernel", "rbf:sigma=1", "--no-progress", *more],
                         stdin=slave, stdout=slave, stderr=slave, env=given)
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(master)
    assert p.wait() == 0, shown
    return shown.decode().replace("\r\n", "\n")

def chart_of(shown):
    lines = shown.split("\n")
    first = [i for i, line in enumerate(lines) if "eigenvalue of K/n" in line and "index" in line]
    return lines[first[0]:first[0] + 15] if first else []

print("- at a terminal: a chart with colours, as wide as it is, and none where it is too narrow")
shown = chart_of(at_terminal(80))
assert any("\x1b[36m" in line for line in shown), shown
for width in (40, 50, 80, 200):
    shown = chart_of(at_terminal(width, NO_COLOR="1"))
    assert shown and max(map(len, shown)) <= min(width, 80), (width, shown)
    assert not any("\x1b" in line for line in shown) and re.search("[\u2801-\u28ff]", "".join(shown)), shown
assert not any("\x1b" in line for line in chart_of(at_terminal(80, TERM="dumb")))
assert chart_of(at_terminal(80, LC_ALL="C")) and all(ord(c) < 128 for c in "".join(chart_of(at_terminal(80, LC_ALL="C", NO_COLOR="1"))))
assert not chart_of(at_terminal(39)) and not chart_of(at_terminal(80, "--plot", "no"))
PY
