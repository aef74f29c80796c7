"""`specreg export --format onnx`: a real runtime (onnxruntime-node, which npm fetches by the lock file of
tests/onnx) gives the command's scores and labels; what the graph cannot carry is refused."""
import json
import os
import subprocess
import sys

import numpy as np
from exported import Sparse, everything, run

RUN = """
const ort = require("onnxruntime-node"), fs = require("fs");
(async () => {
  const out = {};
  for (const [name, x] of Object.entries(JSON.parse(fs.readFileSync("rows.json")))) {
    const session = await ort.InferenceSession.create(name + ".onnx");
    const flat = Float64Array.from(x.flat().map((v) => v === null ? NaN : v));
    const got = await session.run({X: new ort.Tensor("float64", flat, [x.length, x[0].length])});
    out[name] = {scores: Array.from(got.scores.data), label: got.label ? Array.from(got.label.data) : null};
  }
  fs.writeFileSync("out.json", JSON.stringify(out));
})().catch((e) => { console.error(String(e)); process.exit(1); });
"""
source = os.environ["SOURCE_DIR"]
fetched = subprocess.run(["sh", "-c", f". '{source}/tests/browser/lib.sh'; need_packages '{source}/tests/onnx'"])
if fetched.returncode:
    sys.exit(fetched.returncode)
environment = dict(os.environ, NODE_PATH=os.path.join(source, "tests/onnx/node_modules"))

REFUSED = {"r8": "kernel periodic", "r9": "kernel cosine", "r10": "kernel hamming", "n0": "kernel chi2",
           "n1": "kernel intersection", "sobolev": "kernel sobolev", "c5": "decoded by votes", "c7": "decoded by loss",
           "c8": "decoded by hamming", "tasks": "tasks"}


def rows_of(case):
    """New rows: numbers, and texts as the numbers of their categories in sorted order; null for gaps."""
    if isinstance(case, Sparse):
        return case.X.tolist()
    known = sorted({v for row in case.rows for v in row[:-1] if isinstance(v, str)} - {"", "unknown"})
    inputs = [j for j, name in enumerate(case.header) if name not in ("y", "z", "label")]
    if case.name.startswith("gaps"):
        inputs = [0, 1, 2]
    return [[(None if v == "" else known.index(v) if v in known else -1) if isinstance(v, str) else float(v)
             for v in (row[j] for j in inputs)] for row in case.rows]


cases, rows = {}, {}
for case in everything():
    if case.name in REFUSED or case.name[0] == "f":
        run("export", case.model, "no.onnx", fails=(1, REFUSED.get(case.name, "vector fields")))
        assert not os.path.exists("no.onnx")
        continue
    run("export", case.model, case.name + ".onnx", "-q")
    cases[case.name], rows[case.name] = case, rows_of(case)
with open("rows.json", "w") as file:
    json.dump(rows, file)
subprocess.run(["node", "-e", RUN], check=True, env=environment)
with open("out.json") as file:
    out = json.load(file)
worst = 0
for name, case in cases.items():
    got = np.array(out[name]["scores"], dtype=float).reshape(case.scores.shape)
    error = np.abs(got - case.scores).max() / np.abs(case.scores).max()
    assert error < 1e-10, (name, error)
    assert out[name]["label"] == case.labels, name
    worst = max(worst, error)
assert len(cases) > 25
print(f"{len(cases)} models; largest difference, relative to the scores: {worst:.1e}")
