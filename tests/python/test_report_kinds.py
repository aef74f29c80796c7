"""What a report page shows of fields, of outputs and tasks, and of documents, against predictions: arrows on a
grid and their parts, the matrix that the options name, and what one word changes in the scores."""
import csv
import json
import os
import re
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here (Debian: apt-get install python3-numpy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
rng = np.random.default_rng(8)


def run(*arguments):
    subprocess.run([SPECREG, *arguments, "-q"], check=True)


def write(name, head, rows):
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(head)
        out.writerows(rows)


def report(*arguments):
    run("report", *arguments, "-o", "page.html")
    page = open("page.html", encoding="utf-8").read()
    (data,) = re.findall(r'id="specreg-data">(.*?)</script>', page, re.S)
    (one,) = json.loads(data)["reports"]
    return one


def near(a, b, tolerance):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape and np.abs(a - b).max() <= tolerance * np.abs(b).max(), np.abs(a - b).max()


def check_fields():
    """Arrows are predictions on the grid; the parts are those of predict --parts and add up."""
    X = rng.uniform([0, -2], [3, 1], size=(60, 2))
    U = np.column_stack([np.sin(X[:, 1]), X[:, 0] - X[:, 1]])
    write("flow.csv", ["x", "y", "u", "v"], np.hstack([X, U]).tolist())
    run("fit", "flow.csv", "--target", "u,v", "--kernel", "helmholtz:sigma=1,gamma=0.4", "--param", "lambda=1e-3",
        "-o", "flow.srm")
    one = report("flow.srm", "--data", "flow.csv")
    f = one["field"]
    points = [(x, y) for y in f["y"] for x in f["x"]]
    write("grid.csv", ["x", "y"], points)
    run("predict", "flow.srm", "grid.csv", "--parts", "-o", "p.csv")
    rows = list(csv.DictReader(open("p.csv")))
    for axis, name in enumerate("uv"):
        near(np.ravel(f[name]), [r[name] for r in rows], 2e-4)
        for part in ("curlfree", "divfree"):
            near(np.ravel(f[part][name]), [r[f"{name}:{part}"] for r in rows], 2e-4)
        near(np.add(f["curlfree"][name], f["divfree"][name]), f[name], 1e-3)
        near(f["points"][name], U[:, axis], 1e-4)
        near(f["points"]["xy"[axis]], X[:, axis], 1e-4)
    near([f["x"][0], f["x"][-1], f["y"][0], f["y"][-1]], [*X[:, 0].min(keepdims=True), X[:, 0].max(),
                                                          X[:, 1].min(), X[:, 1].max()], 1e-4)
    assert report("flow.srm")["field"]["u"] == f["u"] and "points" not in report("flow.srm")["field"]
    write("file.csv", ["x"], X[:, :1].tolist())
    run("fit", "flow.csv", "--target", "u,v", "--kernel", "curlfree:sigma=1", "--param", "lambda=0.1", "--features", "file:file.csv",
        "-o", "file.srm")
    one = report("file.srm")  # whose grid has no rows in that file
    assert one["field"] is None and any("The field is not shown" in text for text in one["cannot"])
    space = rng.normal(size=(30, 3))
    write("space.csv", ["x", "y", "z", "u", "v", "w"], np.hstack([space, space[:, ::-1]]).tolist())
    run("fit", "space.csv", "--target", "u,v,w", "--problem", "field", "--kernel", "divfree:sigma=1", "--param", "lambda=0.1",
        "-o", "space.srm")
    one = report("space.srm")
    assert one["field"] is None and "Arrows are drawn of fields in the plane." in one["cannot"]


def check_matrices():
    """common:omega=w is w 11' + (1 - w) I, between outputs and between tasks; a learned one is in the model."""
    X = rng.normal(size=(40, 2))
    write("two.csv", ["a", "b", "y", "z"], np.hstack([X, X @ [[1, 2], [3, -1]]]).tolist())
    common = 0.3 * np.ones((2, 2)) + 0.7 * np.eye(2)
    fit = ["--kernel", "rbf:sigma=1", "--param", "lambda=0.01"]
    run("fit", "two.csv", "--target", "y,z", "--outputs", "common:omega=0.3", *fit, "-o", "two.srm")
    one = report("two.srm")
    near(one["matrix"]["values"], common, 1e-6)
    assert one["matrix"]["names"] == ["y", "z"] and one["matrix"]["what"] == "outputs"
    write("tasks.csv", ["task", "a", "b", "y"], [[f"t{i % 2}", *X[i], X[i, 0]] for i in range(40)])
    run("fit", "tasks.csv", "--task-column", "task", "--outputs", "common:omega=0.3", *fit, "-o", "tasks.srm")
    one = report("tasks.srm")
    near(one["matrix"]["values"], common, 1e-6)
    assert one["matrix"]["names"] == ["t0", "t1"] and one["matrix"]["what"] == "tasks"
    run("fit", "two.csv", "--target", "y,z", "--outputs", "learn", *fit, "-o", "learned.srm", "--json", "l.json")
    learned = json.load(open("l.json"))["outputs"]
    near(report("learned.srm")["matrix"]["values"], learned["learned"], 1e-4)
    run("fit", "two.csv", "--target", "y,z", *fit, "-o", "alone.srm")
    assert report("alone.srm")["matrix"] is None


def check_words():
    """The weight of a word is what one occurrence changes in the score of a class."""
    topics = {"sea": "boat wave wind sail", "wood": "tree leaf root wind", "<b>": "salt oven boil leaf"}
    with open("docs.txt", "w") as file:
        for _ in range(40):
            for label, words in topics.items():
                file.write(label + "\t" + " ".join(rng.choice(words.split(), 4)) + " the\n")
    for coding in ("ova", "simplex"):
        run("fit", "docs.txt", "--text", "min-docs=1,tfidf=no,norm=none", "--coding", coding, "--param", "lambda=0.1",
            "-o", "docs.srm")
        told = report("docs.srm")["words"]
        assert sorted(c["class"] for c in told) == sorted(topics)
        for c in told:
            weight = {w["word"]: w["weight"] for w in c["for"] + c["against"]}
            assert list(weight.values())[: len(c["for"])] == sorted((w["weight"] for w in c["for"]), reverse=True)
            assert all(w["weight"] > 0 for w in c["for"]) and all(w["weight"] < 0 for w in c["against"])
            with open("one.txt", "w") as file:
                file.write("nothing\n" + "".join(word + "\n" for word in weight))
            run("predict", "docs.srm", "one.txt", "-o", "one.csv")
            score = [float(r["score:" + c["class"]]) for r in csv.DictReader(open("one.csv"))]
            near(list(weight.values()), np.subtract(score[1:], score[0]), 2e-4)
    run("fit", "docs.txt", "--text", "min-docs=1", "--kernel", "rbf:sigma=1", "--param", "lambda=0.1", "-o", "rbf.srm")
    one = report("rbf.srm")
    assert one["words"] is None and any("linear kernels only" in text for text in one["cannot"])


check_fields()
check_matrices()
check_words()
