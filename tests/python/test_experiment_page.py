"""The page of experiments, its template and its figures."""
import importlib
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

ROOT = os.environ["SOURCE_DIR"]
sys.path.insert(0, os.path.join(ROOT, "experiments"))
lines, page = importlib.import_module("lines"), importlib.import_module("page")


def read(*path):
    with open(os.path.join(ROOT, *path)) as f:
        return f.read()


def the_template_names_runs_and_blocks_that_there_are():
    for kind, name in re.findall(r"^\{\{(\w+) (\S+)\}\}$", read("experiments", "page.txt"), re.M):
        assert name in page.RUNS or name == "ida", name
        assert kind == "claims" or (kind, name) in page.JOINT or name in (page.TABLES if kind == "table" else page.FIGURES), (kind, name)


def the_page_is_filled_short_and_names_every_experiment():
    text = read("docs", "EXPERIMENTS.md")
    assert "{{" not in text
    prose = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)  # without tables and commands
    assert len(prose.split()) <= 2500, len(prose.split())
    program = os.path.join(os.environ["BUILD_DIR"], "specreg-experiments")
    names = subprocess.run([program, "list", "-q"], check=True, capture_output=True, text=True).stdout.split()
    assert not [n for n in names if not re.search(rf"experiment {n}\b", text)]
    assert not set(names) - {command[0] for command in page.RUNS.values()}, "page.py runs every experiment"


def claims_say_what_does_not_hold():
    record = {"claims": [{"paper": "a is so", "holds": False, "here": "it is 2"}, {"paper": "b", "holds": True, "here": "3"}]}
    assert page.claims("x", record) == ["- *A is so*: **does not hold**; it is 2.", "- *B*: holds; 3."]


def a_figure_has_its_points_in_their_places():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.svg")
        lines.draw(path, {"one": {"a": [(1, 1), (10, 10), (100, 100)]}}, "x", "y", True, True)
        root = tree.parse(path).getroot()
    (curve,) = [e.get("points") for e in root.iter() if e.tag.endswith("polyline")]
    (x1, y1), (x2, y2), (x3, y3) = [tuple(map(float, p.split(","))) for p in curve.split()]
    assert abs(x2 - (x1 + x3) / 2) < 0.11 and abs(y2 - (y1 + y3) / 2) < 0.11  # 10 lies in the middle of 1 and 100
    assert x1 < x2 < x3 and y1 > y2 > y3  # the origin of SVG is above


def the_section_of_tables_is_that_of_the_template():
    try:
        import tables
        import scipy  # noqa: F401
    except ImportError:
        return
    tables.picture = lambda *_: None  # which lies in docs/figures
    template = page.template_lines()
    own = page.filled(template[template.index(page.TABLES_HEAD):], "", {}, [])
    text = open(page.PAGE).read().rstrip().splitlines()
    assert text[text.index(page.TABLES_HEAD):] == "\n".join(own).rstrip().splitlines(), "page.py tables writes another"


def the_critical_difference_is_that_of_demsar():
    try:
        import scipy  # noqa: F401
    except ImportError:
        return
    import tables
    # Demsar (2006), section 3.2.2: four classifiers, 14 data sets, q = 2.569
    assert abs(tables.critical_difference(["a", "b", "c", "d"], 14) - 1.25) < 0.01


for claim in [v for k, v in list(globals().items()) if callable(v) and k.startswith(("the_", "claims_", "a_"))]:
    claim()
    print("-", claim.__name__.replace("_", " "))
