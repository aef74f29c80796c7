#!/usr/bin/env python3
"""Runs the experiments and writes docs/EXPERIMENTS.md from experiments/page.txt and what they measured.

    tools/python3 experiments/page.py run BUILD [NAME ...]    those without a record
    tools/python3 experiments/page.py write BUILD             docs/EXPERIMENTS.md and its figures
    tools/python3 experiments/page.py tables                  only its section of tables.py, whose results lie in docs

`run` keeps in BUILD/experiments of each run NAME.json, NAME.txt (what it printed) and NAME.run (commit, seconds); a run
that is there is left out, so that it can be stopped and started again. Those whose claims are about time run alone with
all cores, one after the other; then the others side by side with a thread each, as many as there are cores. `write` fills the template. In it {{KIND NAME}} is a line of its own:
claims (which hold, and what was found), table or figure of a run; text from there to {{end}}
stands in their place where the run has no record, and `write` says so; every such line has its {{end}}. In a line, {{value NAME keys format}} is a number
of a record; of a list its mean.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time

import lines

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ.setdefault("SPECREG_DATA", os.path.join(ROOT, "..", "shared", "data"))
FILTERS = ["tikhonov", "nu:nu=5", "landweber", "tsvd", "iterated"]
PAPER = ["--features", "none", "--kernel", "rbf", "--search", "grid"]
ALL = ["ida", "--sets", "all", "--splits", "100"]
IDA = {"ida-" + f.split(":")[0]: [*ALL, "--select", "ida", *PAPER, "--filter", f] for f in FILTERS}
ALONE = "timing school sparse-tasks scale".split()
# those that take longest come first
TOGETHER = ("grls-text faces newsgroups faces-approx usps4 ida-default ida-tsvd ida-iterated ida-landweber ida-nu "
            "ida-tikhonov ida-svm loo saturation unlabelled trend currents field1 field1-wide field2 multitask").split()
RUNS = {name: [name] for name in ALONE + TOGETHER}
RUNS.update(IDA)
RUNS.update({"ida-default": [*ALL], "ida-svm": [*ALL, "--svm"],
             "field1-wide": ["field1", "--width", "1.1313708498984762"]})

NOT_RUN = "*Not run here.*"
PAGE = os.path.join(ROOT, "docs", "EXPERIMENTS.md")
TABLES_HEAD = "## What a user would pick instead"


# -------------------------------------------------------------------------------------- runs

def commit():
    said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def processor_seconds():
    used = os.times()
    return used.children_user + used.children_system


def run_one(build, name, more):
    """True where it went well, or had been run before."""
    record = os.path.join(build, "experiments", name)
    if os.path.exists(record + ".json"):
        return True
    print(f"{time.strftime('%H:%M:%S')} {name}", flush=True)
    command = [os.path.join(build, "specreg-experiments"), *RUNS[name], *more, "--no-progress"]
    begun = time.time()
    with open(record + ".txt", "w") as out:
        done = subprocess.run([*command, "--json", record + ".part"], stdout=out)
    if done.returncode:
        print(f"{name}: exit code {done.returncode}", file=sys.stderr)
        return False
    with open(record + ".run", "w") as f:
        json.dump({"commit": commit(), "seconds": time.time() - begun, "command": command[1:],
                   "begun": time.strftime("%Y-%m-%d %H:%M", time.gmtime(begun))}, f)
    os.rename(record + ".part", record + ".json")
    return True


def run(build, names):
    os.makedirs(os.path.join(build, "experiments"), exist_ok=True)
    begun, before = time.time(), processor_seconds()
    went = [run_one(build, name, []) for name in ALONE if not names or name in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        went += pool.map(lambda name: run_one(build, name, ["--threads", "1"]),
                         [name for name in TOGETHER if not names or name in names])
    print(f"{time.time() - begun:.0f} s, {processor_seconds() - before:.0f} s of processors", flush=True)
    return all(went)


# -------------------------------------------------------------------------------------- the page

def records(build):
    folder, found = os.path.join(build, "experiments"), {}
    for name in RUNS:
        path = os.path.join(folder, name + ".json")
        if os.path.exists(path):
            with open(path) as f:
                found[name] = json.load(f)
    return found


def mean(values):
    values = [v for v in values if v is not None]
    return statistics.fmean(values) if values else math.nan


def spread(values):
    return f"{mean(values):.2f}±{statistics.stdev(values) if len(values) > 1 else 0:.2f}"


def claims(name, record):
    out = []
    for c in record["claims"]:
        verdict = "holds" if c["holds"] else "**does not hold**"
        out.append(f"- *{c['paper'][0].upper() + c['paper'][1:]}*: {verdict}; {c['here']}.")
    return out


def text_table(rows):
    """Columns under each other, two blanks apart."""
    widths = [max(len(r[k]) for r in rows) for k in range(len(rows[0]))]
    return ["```text", *("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() for r in rows), "```"]


def means_of_ida(all_records, names):
    """By run and set."""
    return {n: {s["name"]: s["mean"] for s in all_records[n]["sets"]} for n in names if n in all_records}


def table_ida(all_records):
    """Every filter, default fits and the SVM on each set, and the best published number."""
    by = means_of_ida(all_records, [*IDA, "ida-default", "ida-svm"])
    rows = [["set", *(n[4:] for n in by), "best published", "by"]]
    for s in all_records[next(iter(by))]["sets"]:
        ours = [f"{own[s['name']]:.2f}" if s["name"] in own else "-" for own in by.values()]
        rows.append([s["name"], *ours, f"{s['best_published']:.2f}±{s['best_published_stddev']:.2f}",
                     s["best_published_by"]])
    rows.append(["mean", *(f"{mean(list(own.values())):.2f}" for own in by.values())])
    rows[-1] += [""] * (len(rows[0]) - len(rows[-1]))
    return text_table(rows)


def claims_ida(all_records):
    by = means_of_ida(all_records, IDA)
    beyond, sets = [], all_records[next(iter(by))]["sets"]
    for s in sets:
        best = min(own[s["name"]] for own in by.values() if s["name"] in own)
        if best > s["best_published"] + s["best_published_stddev"]:
            beyond.append(f"{s['name']} {best:.2f}")
    there = f"on {len(sets) - len(beyond)} of {len(sets)} sets"
    return [f"- *The best of these filters is within one published deviation of the best published error, or better*: {there}"
            + (f"; not {', '.join(beyond)}." if beyond else ".")]


def table_faces(record):
    """A line for each size: error with the parameters of folds, beside a constant too, with the printed ones, and the
    paper's."""
    paper = {600: ("1.63±0.32", "2.41±1.39"), 700: ("1.53±0.33", "1.99±0.82"), 800: ("1.48±0.34", "1.60±0.71")}
    by = {(r["train"], r["method"]): r["error"] for r in record["results"]}
    rows = [["train", "nu", "constant", "printed", "paper", "SVM", "printed", "paper"]]
    for n in dict.fromkeys(r["train"] for r in record["results"]):
        ours = [spread(by[n, m]) if (n, m) in by else "-" for m in ("nu", "nu_constant", "nu_printed", "svm", "svm_printed")]
        published = paper.get(n, ("-", "-"))
        rows.append([str(n), *ours[:3], published[0], *ours[3:], published[1]])
    return text_table(rows)


def table_newsgroups(record):
    """Errors beside the printed ones, then what each coding adds to those of one against all."""
    by = {(r["coding"], r["method"], r["documents"]): r for r in record["results"]}
    sizes = list(dict.fromkeys(r["documents"] for r in record["results"]))
    head = ["documents a class"] + [c for n in sizes for c in (str(n), "paper")]
    rows = [head]
    for coding, m in dict.fromkeys((r["coding"], r["method"]) for r in record["results"] if "published" in r):
        cells = [by[coding, m, n] for n in sizes]
        rows.append([f"{coding}, {m}"] + [c for r in cells for c in (spread(r["error"]), f"{r['published']:.1f}" if "published" in r else "-")])
    more = [["rlsc, minus ova", *map(str, sizes)]]
    for coding in list(dict.fromkeys(r["coding"] for r in record["results"]))[1:]:
        cells = [by[coding, "rlsc", n]["minus_ova"] for n in sizes]
        more.append([coding] + [f"{mean(d):+.2f}±{statistics.stdev(d) if len(d) > 1 else 0:.2f}" for d in cells])
    return text_table(rows) + [""] + text_table(more)


def table_scale(record):
    rows = [["data", "rows", "centres", "error %", "auc", "processor s"]]
    for r in record["results"]:
        rows.append([r["data"], str(r["n"]), str(r["centres"]), f"{r['error']:.2f}",
                     f"{r['auc']:.4f}" if "auc" in r else "-", f"{r['processor_seconds']:.3g}"])
    return text_table(rows)


def table_centres(record):
    """Areas under the ROC and the share of the trace."""
    sizes = list(dict.fromkeys(r["centres"] for r in record["results"]))
    by = {(r["method"], r["centres"]): r for r in record["results"]}
    rows = [["area under the ROC", *map(str, sizes)]]
    for m in ("subset", "rectangle", "nystrom", "ic"):
        rows.append([m, *(f"{by[m, n]['area']:.4f}" for n in sizes)])
    for m, label in (("rectangle", "trace, random"), ("ic", "trace, ic")):
        rows.append([label, *(f"{by[m, n]['captured']:.2f}" for n in sizes)])
    areas = f"RLSC of all rows {record['rlsc']['area']:.4f}"
    if "svm" in record:
        areas += f", SVM {record['svm']['area']:.4f}"
    return text_table(rows)[:-1] + [areas, "```"]


def ratio(r, ours, other):
    """How many times a mean is the other one."""
    return f"{mean(r[ours]) / mean(r[other]):.2f}"


def rows_of_fields(results, first=()):
    """A line for each noise and gamma: the angle of the field kernel over that of components, by size."""
    by = {}
    for r in results:
        by.setdefault((r["noise"], r.get("gamma")), {})[r["n"]] = ratio(r, "field", "components")
    return [[*first, f"{noise:g}", *([] if gamma is None else [f"{gamma:g}"]), *at.values()]
            for (noise, gamma), at in by.items()]


def table_field1(all_records):
    sizes = dict.fromkeys(str(r["n"]) for r in all_records["field1"]["results"])
    rows = [["width", "noise", "gamma", *sizes]]
    for name, width in (("field1", "0.8"), ("field1-wide", "0.8√2")):
        if name in all_records:
            rows += rows_of_fields(all_records[name]["results"], (width,))
    return text_table(rows)


def table_field2(record):
    sizes = dict.fromkeys(str(r["n"]) for r in record["results"])
    return text_table([["noise", *sizes], *rows_of_fields(record["results"])])


def table_school(record):
    paper = {"nu": ("31±3", "106"), "landweber": ("32±4", "2015"), "tikhonov": ("32±3", "5900")}
    rows = [["method", "explained %", "paper", "median omega", "seconds", "paper"]]
    for m in record["methods"]:
        explained, omega = m["explained_variance"], m.get("omega")
        published = paper.get(m["method"], ("-", "-"))
        rows.append([m["method"].replace("_", " "), f"{mean(explained):.1f}±{statistics.stdev(explained):.1f}"
                     if len(explained) > 1 else f"{explained[0]:.1f}", published[0],
                     f"{statistics.median(omega):.2f}" if omega else "-", f"{mean(m['seconds']):.2f}", published[1]])
    return text_table(rows)


def table_currents(record):
    rows = [["data", "points", "field over components"]]
    rows += [[r["set"], str(r["n"]), f"{mean(r['field_mse']) / mean(r['components_mse']):.3f}"] for r in record["results"]]
    return text_table(rows)


def curves(results, x, y, key):
    out = {}
    for r in results:
        at = mean(r[y]) if isinstance(r[y], list) else r[y]
        if math.isfinite(at):
            out.setdefault(key(r), []).append((r[x], at))
    return out


def figure_centres(path, record):
    x = record["false_positives"]
    shown = {"RLSC, all": record["rlsc"]["found"]}
    if "svm" in record:
        shown["SVM"] = record["svm"]["found"]
    shown.update({f"{r['method']} {r['centres']}": r["found"] for r in record["results"]
                  if r["method"] in ("rectangle", "nystrom") and r["centres"] in (1024, 1000, 256, 250)})
    lines.draw(path, {record["experiment"]: {k: list(zip(x, v)) for k, v in shown.items()}}, "false positives",
               "found", log_x=True)


def figure_sparse(path, record):
    panels = {f"noise {100 * s:g} %": curves([r for r in record["results"] if r["noise"] == s], "n", "angle",
                                             lambda r: r["method"]) for s in (0.0, 0.2)}
    panels["processor seconds"] = curves([r for r in record["results"] if r["noise"] == 0.0], "n",
                                         "processor_seconds", lambda r: r["method"])
    lines.draw(path, panels, "training points", "angle, degrees; seconds", True, True)


def figure_timing(path, record):
    panels = {}
    for way, title in (("validation", "tasks, validation set"), ("loo", "vectors, leave-one-out")):
        results = [r for r in record["results"] if r["selection"] == way]
        panels[title] = curves(results, "n", "processor_seconds", lambda r: f"{r['filter']}, {r['engine']}")
    lines.draw(path, panels, "points of each task", "processor seconds", True, True)


def figure_grls(path, record):
    panels = {s: curves([r for r in record["results"] if r["subset"] == s], "n", "accuracy", lambda r: r["method"])
              for s in dict.fromkeys(r["subset"] for r in record["results"])}
    lines.draw(path, panels, "training documents", "accuracy, %", True)


TABLES = {"faces": table_faces, "newsgroups": table_newsgroups, "scale": table_scale, "usps4": table_centres,
          "faces-approx": table_centres, "school": table_school, "field2": table_field2, "currents": table_currents}
# blocks of several records, and those that they cannot do without
JOINT = {("table", "ida"): (table_ida, IDA), ("claims", "ida"): (claims_ida, IDA),
         ("table", "field1"): (table_field1, ["field1"])}
FIGURES = {"usps4": figure_centres, "faces-approx": figure_centres, "sparse-tasks": figure_sparse,
           "timing": figure_timing, "grls-text": figure_grls}


def block(kind, name, found):
    """The lines of {{KIND NAME}}, or None where there is no record."""
    if (kind, name) in JOINT:
        make, needs = JOINT[kind, name]
        return make(found) if all(n in found for n in needs) else None
    if name not in found:
        return None
    if kind == "claims":
        return claims(name, found[name])
    if kind == "table":
        return TABLES[name](found[name])
    FIGURES[name](os.path.join(ROOT, "docs", "figures", name + ".svg"), found[name])
    return [f"![{name}](figures/{name}.svg)"]


def tables_block():
    """The tables beside scikit-learn, as far as they are filled."""
    path = os.path.join(ROOT, "docs", "figures", "tables.jsonl")
    if not os.path.exists(path):
        return [NOT_RUN]
    import tables  # which needs numpy and scipy
    with open(path) as f:
        sets = tables.summary([json.loads(line) for line in f])
    shown = [m for m in tables.METHODS if any(m in s["errors"] for s in sets.values())]
    sets = {name: s for name, s in sets.items() if len(s["errors"]) > len(shown) // 2}
    whole = [s for s in sets.values() if all(m in s["errors"] for m in shown)]
    mean_rank = {m: mean([tables.ranks(s["errors"], shown)[m] for s in whole]) for m in shown}
    width = tables.critical_difference(shown, len(whole))
    rows = [["set", "splits", *shown]]
    rows += [[name, str(len(s["splits"])), *(f"{s['errors'][m].mean():.4g}" if m in s["errors"] else "-" for m in shown)]
             for name, s in sets.items()]
    rows.append(["mean rank", str(len(whole)), *(f"{mean_rank[m]:.2f}" for m in shown)])
    rows.append(["processor s", "", *(f"{mean([s['processor'][m] for s in whole]):.2g}" for m in shown)])
    tables.picture(os.path.join(ROOT, "docs", "figures", "tables.svg"), mean_rank, width, len(whole))
    behind = [name for name, s in sets.items() if s["errors"]["specreg"].mean() > min(
        s["errors"][m].mean() for m in tables.RIVALS if m in s["errors"])]
    return text_table(rows) + ["", "Behind boosting or the forest: " + (", ".join(behind) or "none") + ".", "",
                               f"Critical difference of mean ranks (Nemenyi, 5 %): {width:.2f}.", "",
                               "![Mean ranks and their critical difference](figures/tables.svg)"]


def value(match, found):
    name, keys, how = match.group(1).split()
    at = found.get(name)
    for key in keys.split(".") if at is not None else []:
        at = at[int(key)] if isinstance(at, list) else at[key]
    return "0" if at is None else format(mean(at) if isinstance(at, list) else at, how)


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), "unknown processor")
    return f"{model}, {os.cpu_count()} cores"


def runs_of(build, found):
    out = {}
    for name in found:
        with open(os.path.join(build, "experiments", name + ".run")) as f:
            out[name] = json.load(f)
    return out


def commits(build, found):
    return ", ".join(sorted({r["commit"] for r in runs_of(build, found).values()})) or commit()


def minutes(build, found):
    """By the clock: runs that are alone, and the others two at a time."""
    seconds = {name: r["seconds"] for name, r in runs_of(build, found).items()}
    return sum(t if name in ALONE else t / 2 for name, t in seconds.items()) / 60


def filled(template, build, found, missing):
    """The lines of a template; `missing` gets what has no record."""
    out, skipping = [], False
    for k, line in enumerate(template):
        mark = re.fullmatch(r"\{\{(claims|table|figure) (\S+)\}\}", line)
        if line == "{{tables}}":
            out += tables_block()
        elif line == "{{end}}":
            skipping = False
        elif mark:
            made = block(mark.group(1), mark.group(2), found)
            instead = template[k + 1:template.index("{{end}}", k)]
            skipping = made is not None
            out += made or []
            if made is None:
                missing.append(mark.group(1) + " " + mark.group(2))
                out += [NOT_RUN] if mark.group(1) == "table" and not "".join(instead) else []
        elif not skipping:
            for mark, told in (("machine", lambda: machine()), ("commits", lambda: commits(build, found)),
                               ("minutes", lambda: f"{minutes(build, found):.0f}")):
                if "{{%s}}" % mark in line:
                    line = line.replace("{{%s}}" % mark, told())
            out.append(re.sub(r"\{\{value ([^}]*)\}\}", lambda m: value(m, found), line))
    return out


def template_lines():
    with open(os.path.join(ROOT, "experiments", "page.txt")) as f:
        return f.read().splitlines()


def put(page, out, missing):
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(out).rstrip() + "\n")
    with open(page, "w") as f:
        f.write(text)
    words = len(re.sub(r"^```.*?^```", "", text, flags=re.S | re.M).split())
    print(f"{page}: {words} words without tables and commands" + (f"; without a record: {', '.join(missing)}" if missing else ""))


def write(build):
    missing = []
    put(PAGE, filled(template_lines(), build, records(build), missing), missing)


def write_tables():
    """The last section of the page from that of the template."""
    template = template_lines()
    with open(PAGE) as f:
        old = f.read().splitlines()
    put(PAGE, old[:old.index(TABLES_HEAD)] + filled(template[template.index(TABLES_HEAD):], "", {}, []), [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "write", "tables"))
    parser.add_argument("build", nargs="?")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNS))
    args = parser.parse_args()
    if set(args.names) - set(RUNS):
        parser.error(f"unknown: {', '.join(sorted(set(args.names) - set(RUNS)))}")
    if args.what == "tables":
        write_tables()
        return
    if not args.build:
        parser.error("which build?")
    if args.what == "run":
        sys.exit(not run(args.build, args.names))
    write(args.build)


if __name__ == "__main__":
    main()
