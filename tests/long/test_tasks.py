"""100,000 independent tasks of one row each, in 2 GiB: K is the identity, so that f = y / (1 + n lambda)
for every row.  The saved model says the same; coupled tasks are refused with the numbers."""
import os
import random
import subprocess
import sys

SPECREG, TASKS = os.environ["SPECREG"], 100000
rng = random.Random(3)
y = [rng.gauss(0, 1) for _ in range(TASKS)]
with open("tasks.csv", "w") as f:
    f.write("task,x,y\n" + "".join(f"t{i},{rng.random()!r},{v!r}\n" for i, v in enumerate(y)))
FIT = ["fit", "tasks.csv", "--task-column", "task", "--target", "y", "--kernel", "rbf:sigma=1", "--scale", "none",
       "--features", "none", "--select", "none", "--param", f"lambda={1 / TASKS}", "--memory", "2G", "-o", "t.srm", "-q"]


def command(*arguments):
    return subprocess.run([SPECREG, *arguments], capture_output=True, text=True)


done = command(*FIT)
if done.returncode:
    sys.exit(f"fit: {done.stderr}")
done = command("predict", "t.srm", "tasks.csv", "-o", "out.csv", "-q")
if done.returncode:
    sys.exit(f"predict: {done.stderr}")
F = [float(line) for line in open("out.csv").read().split()[1:]]
worst = max(abs(a - b / 2) for a, b in zip(F, y))
print(f"{len(F)} tasks, largest error {worst:.1e}")
if len(F) != TASKS or worst > 1e-9:
    sys.exit("not y / 2")
done = command(*FIT, "--outputs", "common:omega=0.5")
if done.returncode != 1 or "of memory" not in done.stderr:
    sys.exit(f"coupled tasks: {done.returncode}: {done.stderr}")
