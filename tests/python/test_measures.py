"""eval's measures of classifiers are scikit-learn's: precision, recall, F1, areas, curves, log-loss,
top-k error, for several codings and numbers of classes; the labels and scores are predict's."""
import csv
import json
import os
import subprocess
import sys

import numpy as np

try:
    from sklearn import metrics
except ImportError:
    print("skipped: no scikit-learn here (Debian: apt-get install python3-sklearn)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
rng = np.random.default_rng(3)


def run(*arguments):
    subprocess.run([SPECREG, *arguments, "-q"], check=True)


def draw(name, n, k, classes):
    """Heaps on a circle that overlap; features of one decimal, so that scores have ties."""
    label = rng.integers(0, classes, n)
    angle = 2 * np.pi * label / k
    X = np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.6 * rng.normal(size=(n, 2))
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["x1", "x2", "y"])
        out.writerows([f"{a:.1f}", f"{b:.1f}", f"c{c}"] for (a, b), c in zip(X, label))
    return np.array([f"c{c}" for c in label])


def close(what, ours, theirs):
    assert ours is not None and abs(ours - theirs) < 1e-12 * max(1, abs(theirs)), (what, ours, theirs)


def predictions(k):
    subprocess.run([SPECREG, "predict", "m.srm", "test.csv", "--proba", "-o", "p.csv", "-q"],
                   check=True)
    rows = list(csv.DictReader(open("p.csv")))
    labels = [key[6:] for key in rows[0] if key.startswith("score:")]
    score = np.array([[float(r["score:" + c]) for c in labels] for r in rows])
    proba = np.array([[float(r["prob:" + c]) for c in labels] for r in rows])
    return labels, np.array([r["label"] for r in rows]), score, proba


def check_curve(roc, label, truth, score, drop):
    fpr, tpr, threshold = metrics.roc_curve(truth == label, score, drop_intermediate=False)
    ours = [p for p in roc if p["class"] == label]
    assert ours[0]["threshold"] is None and ours[0]["fpr"] == ours[0]["tpr"] == 0
    theirs = {t: (f, p) for t, f, p in zip(threshold[1:], fpr[1:], tpr[1:])}
    assert len({p["threshold"] for p in ours}) == len(ours)
    for p in ours[1:]:
        close("fpr", p["fpr"], theirs[p["threshold"]][0])
        close("tpr", p["tpr"], theirs[p["threshold"]][1])
    if drop:  # corners: at most two for each row of the class, and the ends
        assert len(ours) <= 2 * np.sum(truth == label) + 2
    else:
        assert len(ours) == len(theirs) + 1
    area = np.trapz([p["tpr"] for p in ours], [p["fpr"] for p in ours])
    close("area under the corners", area, metrics.roc_auc_score(truth == label, score))


def check(k, coding, present):
    draw("train.csv", 40 * k, k, k)
    truth = draw("test.csv", 300, k, present)
    run("fit", "train.csv", "--coding", coding, "--kernel", "rbf:sigma=1", "-o", "m.srm")
    top = 2 if k < 6 else 5
    run("eval", "m.srm", "test.csv", "--json", "e.json", "--roc", "roc.csv", "--csv", "classes.csv",
        *(["--top-k", "2"] if k < 6 else []))
    test = json.load(open("e.json"))["test"]
    labels, said, score, proba = predictions(k)
    here = labels[:present]
    assert (np.array(test["confusion"]["counts"]) ==
            metrics.confusion_matrix(truth, said, labels=labels)).all()
    close("error rate", test["error_rate"], np.mean(said != truth))
    close("log-loss", test["log_loss"], metrics.log_loss(truth, proba, labels=labels))
    parts = metrics.precision_recall_fscore_support(truth, said, labels=labels, zero_division=0)
    for c, one in enumerate(test["classes"]):
        assert one["label"] == labels[c] and one["support"] == parts[3][c]
        for key, value in zip(("precision", "recall", "f1"), parts):
            close(key, one[key] or 0, value[c])
    for kind in ("macro", "micro"):
        parts = metrics.precision_recall_fscore_support(truth, said, labels=here, average=kind,
                                                        zero_division=0)
        for key, value in zip(("precision", "recall", "f1"), parts):
            if kind == "macro" or present == k:
                close(kind, test[kind][key], value)
    close("balanced", test["balanced_error"],
          1 - np.mean([np.mean(said[truth == c] == c) for c in here]))
    close("balanced accuracy", test["balanced_accuracy"], 1 - test["balanced_error"])
    close("accuracy", test["accuracy"], metrics.accuracy_score(truth, said))
    close("mcc", test["mcc"], metrics.matthews_corrcoef(truth, said))
    close("f1", test["f1"], metrics.f1_score(truth, said, labels=here, average="macro"))
    hit = np.array([[t == c for c in labels] for t in truth])
    close("brier", test["brier"], np.mean(np.sum((proba - hit) ** 2, axis=1)) / (2 if k == 2 else 1))
    share = np.mean(truth == max(here, key=lambda c: np.sum(truth == c)))
    close("baseline", test["baseline"]["error_rate"], 1 - share)
    close("top-k", test["top_k"]["error_rate"],
          np.mean([t not in [labels[i] for i in np.argsort(-s, kind="stable")[:top]]
                   for t, s in zip(truth, score)]))
    if k == 2:
        margin = (score[:, 1] - score[:, 0]) / 2
        close("auc", test["auc"], metrics.roc_auc_score(truth == labels[1], margin))
        check_curve(test["roc"], labels[1], truth, margin, False)
    else:
        areas = [metrics.roc_auc_score(truth == c, score[:, i]) for i, c in enumerate(here)]
        for one, area in zip(test["classes"], areas):
            close("auc", one["auc"], area)
        close("mean auc", test["auc"], np.mean(areas))
        for i, c in enumerate(here):
            check_curve(test["roc"], c, truth, score[:, i], True)
    for one in test["classes"][present:]:
        assert one["auc"] is None and one["recall"] is None and one["support"] == 0
        assert not [p for p in test["roc"] if p["class"] == one["label"]]
    # the files say what the record says
    curve = list(csv.DictReader(open("roc.csv")))
    assert [(r["class"], float(r["fpr"]), float(r["tpr"])) for r in curve] == \
        [(p["class"], p["fpr"], p["tpr"]) for p in test["roc"]]
    for row, one in zip(csv.DictReader(open("classes.csv")), test["classes"]):
        assert row["class"] == one["label"]
        for key in ("support", "predicted", "precision", "recall", "f1", "auc"):
            assert (float(row[key]) if row[key] else None) == one[key], (row, one)
    print(f"{k} classes, {present} of them in the test, {coding}: as in scikit-learn")


for coding in ("ova", "ab", "simplex", "bch:15"):
    check(2, coding, 2)
    check(3, coding, 3)
check(7, "ova", 7)
check(7, "bch:31,decode=loss", 7)
check(7, "bch:15,decode=hamming", 5)
check(4, "ova", 3)
