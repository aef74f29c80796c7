"""Rules that need neither folds nor held-out rows, through the command, against numpy: which lambda
and which width they take, written from docs/MATH.md, section 4."""
import json
import math
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here (Debian: apt-get install python3-numpy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
N, NOISE, WIDTHS = 120, 0.2, (0.5, 2.0)
LAMBDAS = np.logspace(0, -6, 25)
rng = np.random.default_rng(8)
x = rng.uniform(-6, 6, N)
y = np.sinc(x) + NOISE * rng.normal(size=N)
label = np.where(y > 0.2, 1, -1)


def write(name, target):
    with open(name, "w") as f:
        f.write("x,y\n" + "".join(f"{float(a)!r},{b!r}\n" for a, b in zip(x, target)))


def record(rule, data="train.csv", kernel=f"rbf:sigma={{{WIDTHS[0]},{WIDTHS[1]}}}", param=True, **more):
    command = [SPECREG, "fit", data, "--kernel", kernel, "--scale", "none", "--select", rule, "-q",
               "--json", "out.json", "-o", "model.srm"]
    if param:
        command += ["--param", "lambda={" + ",".join(repr(float(v)) for v in LAMBDAS) + "}"]
    for key, value in more.items():
        command += ["--" + key, value]
    done = subprocess.run(command, capture_output=True, text=True)
    return json.load(open("out.json")) if done.returncode == 0 else done.stderr


class Path:
    def __init__(self, sigma, y):
        self.K = np.exp(-(x[:, None] - x[None]) ** 2 / (2 * sigma ** 2))
        self.A = [np.linalg.solve(self.K + N * v * np.eye(N), y) for v in LAMBDAS]
        self.F = [self.K @ a for a in self.A]
        self.df = [np.trace(np.linalg.solve(self.K + N * v * np.eye(N), self.K)) for v in LAMBDAS]
        self.mse = [np.mean((y - f) ** 2) for f in self.F]

    def gcv(self, i):
        return self.mse[i] / (1 - self.df[i] / N) ** 2 if self.df[i] <= N / 2 else math.inf

    def noise(self):
        i = min(range(len(LAMBDAS)), key=self.gcv)
        return math.sqrt(self.mse[i] / (1 - self.df[i] / N))

    def discrepancy(self, noise):
        reached = (i for i, v in enumerate(self.mse) if v <= noise ** 2)
        return next(reached, len(LAMBDAS) - 1)

    def balancing(self, noise, constant=1):
        def worst(i):
            return max((np.sqrt(np.mean((self.F[i] - self.F[j]) ** 2)) / (noise * math.sqrt(self.df[j] / N))
                        for j in range(i + 1, len(LAMBDAS))), default=0)
        return next(i for i in range(len(LAMBDAS)) if worst(i) <= constant)

    def quasi(self):
        d = [math.sqrt((a - b) @ self.K @ (a - b)) for a, b in zip(self.A, self.A[1:])]
        d = d[:sum(v <= N / 2 for v in self.df) - 1]
        inside = [i for i in range(1, len(d) - 1) if d[i - 1] > d[i] <= d[i + 1]]
        return min(inside or range(len(d)), key=lambda i: d[i])

    def lcurve(self):
        count = sum(v <= N / 2 for v in self.df)
        u = -np.log(LAMBDAS[:count])  # evenly spaced
        p = np.log(self.mse[:count]) / 2
        q = np.log([a @ f for a, f in zip(self.A[:count], self.F)]) / 2
        h = u[1] - u[0]
        dp, dq = (p[2:] - p[:-2]) / (2 * h), (q[2:] - q[:-2]) / (2 * h)
        ddp, ddq = np.diff(p, 2) / h ** 2, np.diff(q, 2) / h ** 2
        return 1 + int(np.argmax((dq * ddp - dp * ddq) / (dp ** 2 + dq ** 2) ** 1.5))


def check(rule, pick, **more):
    """The command's lambda and width are those of `pick`, widths compared by GCV."""
    got = record(rule, **more)
    assert isinstance(got, dict), got
    paths = {s: Path(s, y) for s in WIDTHS}
    best = min(WIDTHS, key=lambda s: paths[s].gcv(pick(paths[s])))
    i = pick(paths[best])
    assert got["kernel"]["sigma"] == best, (rule, got["kernel"], best)
    assert got["filter"]["lambda"] == LAMBDAS[i], (rule, got["filter"], LAMBDAS[i])
    print(f"{rule}: sigma={best}, lambda={LAMBDAS[i]:.3g}")


write("train.csv", [float(v) for v in y])
write("labels.csv", [int(v) for v in label])
check(f"discrepancy:noise={NOISE}", lambda p: p.discrepancy(NOISE))
check("discrepancy", lambda p: p.discrepancy(p.noise()))
check(f"balancing:noise={NOISE}", lambda p: p.balancing(NOISE))
check("balancing:constant=2", lambda p: p.balancing(p.noise(), 2))
check("quasi", Path.quasi)
check("lcurve", Path.lcurve)

# the bound: all kernels and lambdas in one table of counts
got = record("bound", data="labels.csv")
one = record("bound:form=1", data="labels.csv")
for k, row in enumerate(got["selection"]["table"]):
    if k % len(LAMBDAS) == 0:
        p = Path(row["kernel"]["sigma"], label)
    a, f = p.A[k % len(LAMBDAS)], p.F[k % len(LAMBDAS)]
    assert row["value"] == np.sum(label * (f - a) <= 0), row
    assert row["value"] == one["selection"]["table"][k]["value"], row
assert got["selection"]["value"] == min(r["value"] for r in got["selection"]["table"])

# the theory's lambda, and its steps
lam = 2 * math.sqrt(2) * math.log(4 / 0.05) / math.sqrt(N)
got = record("apriori", kernel="rbf:sigma=1", param=False)
assert math.isclose(got["filter"]["lambda"], lam, rel_tol=1e-14)
got = record("apriori", kernel="3*rbf:sigma=1", param=False, filter="nu")  # kappa^2 = 3, step 1/3
assert got["filter"]["t"] == math.ceil(math.sqrt(1 / lam)), got["filter"]

for rule, more, text in [("apriori", {}, "leave --param out"),
                         ("bound", {}, "regression"),
                         ("quasi", {"filter": "cg", "param": False}, "give one kernel"),
                         ("lcurve", {"filter": "tikhonov", "param": False, "kernel": "linear"}, None),
                         ("discrepancy", {"filter": "cg", "param": False, "kernel": "linear"}, "noise=NUMBER")]:
    got = record(rule, **more)
    assert (isinstance(got, dict) if text is None else text in got), (rule, got)
