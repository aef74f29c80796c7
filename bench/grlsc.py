#!/usr/bin/env python3
"""Topics beside the words: 20 Newsgroups by RLSC, G-RLSC and a linear SVM, few and many training documents.

    tools/python3 bench/grlsc.py BUILD ROWS.csv [--runs 10] [--subsets comp,rec,sci,talk]
                                 [--sizes 100,200,400,800,1600,3200] [--jobs 2] [--words subset|train]

Figure 2 of Li, Lee and Leung, "Generalized Regularized Least-Squares Learning with Predefined Features".
ROWS.csv gets a line for every fit as it is made; a run that is started again goes on from there, and the
tables are of all lines in it.  Training and test documents of the data folder ($SPECREG_DATA, else beside
the repository) are merged.  Of each subset the 2,000 words of the highest mutual information with the
class are kept; the kernel is linear in counts divided by the document's largest one.

RLSC           kernel alone
RLSC+1         and a constant that is not penalised: what of the gain is no matter of topics
G-RLSC         and ten topics, learned from the training documents; later documents are folded in
G-RLSC all     the same, topics learned from all documents of the subset, without labels
paper          G-RLSC by the algorithm that the paper prints (variant=paper)
paper all      the same with topics of all documents
RLSC topics    topics of the training documents alone, penalised
SVM            LIBSVM, one against one, C by 3 folds
SVM topics     the same on topics of the training documents alone

lambda by 5 folds.  A topic may live in one document; without it topics depend on each other, and the
printed algorithm has no answer.  Then folds are dealt anew, up to five times (`deal` in ROWS.csv, 0 for
the first); where none goes there is no accuracy.  The documents of a smaller size are among those of a
larger one; classes have their shares in each.
"""
import argparse
import csv
import json
import multiprocessing
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np

from classes import data
from linear import read_libsvm

SUBSETS = {"comp": "comp.", "rec": "rec.", "sci": "sci.", "talk": "talk."}
METHODS = ("RLSC", "RLSC+1", "G-RLSC", "G-RLSC all", "paper", "paper all", "RLSC topics", "SVM", "SVM topics")
FIELDS = ("subset", "size", "run", "method", "accuracy", "parameter", "tests", "seconds", "deal")
DEALS = 5  # of folds that are tried
STEPS = 200000  # of the SVM, at most; on topics with a large C it would go on for minutes
WORDS, TOPICS = 2000, 10


def read_subset(prefix):
    """Counts and labels of the groups whose names begin so; training and test messages together."""
    with open(data("20news/groups.txt")) as f:
        groups = [line.split()[-1] for line in f if line.strip()]
    A, y = read_libsvm(data("20news/train.libsvm.gz"))
    B, z = read_libsvm(data("20news/test.libsvm.gz"))
    from scipy.sparse import csr_matrix, vstack
    columns = max(A.shape[1], B.shape[1])
    A, B = (csr_matrix((m.data, m.indices, m.indptr), shape=(m.shape[0], columns)) for m in (A, B))
    X, labels = vstack([A, B], format="csr"), np.concatenate([y, z]).astype(int)
    wanted = [k + 1 for k, name in enumerate(groups) if name.startswith(prefix)]
    rows = np.flatnonzero(np.isin(labels, wanted))
    return X[rows], labels[rows]


def information(X, y):
    """Mutual information, in nats, of a word being in a document and the document's class."""
    present = (X > 0).astype(float)
    n, total = X.shape[0], np.zeros(X.shape[1])
    with_word = np.asarray(present.sum(axis=0)).ravel()
    for c in np.unique(y):
        both, size = np.asarray(present[y == c].sum(axis=0)).ravel(), np.sum(y == c)
        for joint, word in ((both, with_word), (size - both, n - with_word)):
            ratio = np.where(joint > 0, joint * n / np.maximum(word * size, 1e-300), 1.0)
            total += joint / n * np.log(ratio)
    return total


def most_informative(X, y):
    return np.sort(np.argsort(-information(X, y), kind="stable")[:WORDS])


def order(y, run):
    """All documents at random, so that each beginning has the classes in their shares."""
    rng = np.random.default_rng(run)
    place = np.empty(len(y))
    for c in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == c))
        place[rows] = (np.arange(len(rows)) + rng.random(len(rows))) / len(rows)
    return np.argsort(place)


def scaled(X):
    """Each document divided by its largest count."""
    largest = np.maximum(X.max(axis=1).toarray().ravel(), 1)
    X = X.copy()
    X.data = X.data / np.repeat(largest, np.diff(X.indptr))
    return X


def save(path, X, y=None):
    labels = {} if y is None else {"y": y}
    np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, format=b"csr", shape=np.array(X.shape),
             **labels)


class Cell:
    """One subset, size and run: its files, and what they give."""

    deal = 0  # of the folds of the last fit

    def __init__(self, build, folder, X, y, rows, n, run):
        self.program, self.folder, self.run = os.path.join(build, "specreg"), folder, run
        self.y, self.z = y[rows[:n]], y[rows[n:]]
        self.counts = X[rows[:n]], X[rows[n:]]
        self.words = tuple(scaled(m) for m in self.counts)
        for name, m, label in zip(("train", "test"), self.words, (self.y, self.z)):
            save(self.path(name + ".npz"), m, label)

    def path(self, name):
        return os.path.join(self.folder, name)

    def specreg(self, *words):
        subprocess.run([self.program, *words, "--quiet", "--threads", "1"], check=True)

    def learn_topics(self, counts, file):
        save(self.path("learn.npz"), counts)
        self.specreg("features", self.path("learn.npz"), "--plsa", f"topics={TOPICS}", "--seed", str(self.run),
                     "--topics", file, "-o", self.path("unused.csv"))

    def share_topics(self, which, file):
        """WHICH-train.csv and WHICH-test.csv: shares of the topics in a file."""
        for part, counts in zip(("train", "test"), self.counts):
            save(self.path("apply.npz"), counts)
            self.specreg("features", self.path("apply.npz"), "--apply", file, "-o",
                         self.path(f"{which}-{part}.csv"))

    def shares(self, which):
        return tuple(np.loadtxt(self.path(f"{which}-{part}.csv"), delimiter=",", skiprows=1)
                     for part in ("train", "test"))

    def rls(self, train, test, features=None, which=None):
        """Accuracy and lambda of a fit with features that are not penalised, or none."""
        more = ["--features", features] if features else []
        later = ["--features-file", self.path(f"{which}-test.csv")] if which else []
        model, record, result = (self.path(n) for n in ("m.srm", "fit.json", "eval.json"))
        fit = ("fit", train, "-o", model, "--kernel", "linear", "--scale", "none", "--problem",
               "classification", "--select", "kfold", "--json", record, *more)
        for self.deal in range(DEALS):
            try:
                self.specreg(*fit, "--seed", str(self.deal))
                break
            except subprocess.CalledProcessError as reason:
                if reason.returncode != 1:
                    raise
        else:
            return np.nan, np.nan
        self.specreg("eval", model, test, "--json", result, *later)
        with open(record) as f, open(result) as g:
            return 1 - json.load(g)["test"]["error_rate"], json.load(f)["filter"]["lambda"]

    def rls_words(self, features=None, which=None):
        return self.rls(self.path("train.npz"), self.path("test.npz"), features, which)

    def g_rls(self, which, variant=""):
        return self.rls_words(f"file:{self.path(which + '-train.csv')},dependent=drop{variant}", which)

    def rls_topics(self):
        for part, Z, label in zip(("train", "test"), self.shares("own"), (self.y, self.z)):
            np.savez(self.path(f"topics-{part}.npz"), X=Z, y=label)
        return self.rls(self.path("topics-train.npz"), self.path("topics-test.npz"))

    def svm(self, A, B, grid):
        """LIBSVM with kernel values that are computed once; C of the least error of three folds."""
        from sklearn.model_selection import StratifiedKFold
        from sklearn.svm import SVC

        warnings.simplefilter("ignore")  # that it has not converged
        K, L = (np.asarray((M @ A.T).todense() if hasattr(M, "indptr") else M @ A.T) for M in (A, B))
        folds = list(StratifiedKFold(3, shuffle=True, random_state=self.run).split(K, self.y))

        def train(C, a):
            return SVC(kernel="precomputed", C=C, cache_size=500, max_iter=STEPS).fit(K[np.ix_(a, a)], self.y[a])

        def right(C, a, b):
            return np.sum(train(C, a).predict(K[np.ix_(b, a)]) == self.y[b])

        C = max(grid, key=lambda C: sum(right(C, a, b) for a, b in folds))  # the smallest of the best
        return np.mean(train(C, np.arange(len(K))).predict(L) == self.z), C

    def fit(self, method):
        return {
            "RLSC": lambda: self.rls_words(),
            "RLSC+1": lambda: self.rls_words("constant"),
            "G-RLSC": lambda: self.g_rls("own"),
            "G-RLSC all": lambda: self.g_rls("all"),
            "paper": lambda: self.g_rls("own", ",variant=paper"),
            "paper all": lambda: self.g_rls("all", ",variant=paper"),
            "RLSC topics": lambda: self.rls_topics(),
            "SVM": lambda: self.svm(*self.words, (0.01, 0.1, 1.0, 10.0)),
            "SVM topics": lambda: self.svm(*self.shares("own"), (0.1, 1.0, 10.0, 100.0)),
        }[method]()


def measure(task):
    """All methods that are asked for, of one subset, size and run: lines of the file."""
    args, subset, X, y, n, run, methods = task
    rows = order(y, run)
    with tempfile.TemporaryDirectory() as folder:
        basis = rows[:n] if args.words == "train" else rows
        X = X[:, most_informative(X[basis], y[basis])]
        cell = Cell(args.build, folder, X, y, rows, n, run)
        cell.learn_topics(cell.counts[0], cell.path("own.txt"))
        cell.learn_topics(X, cell.path("all.txt"))
        for which in ("own", "all"):
            cell.share_topics(which, cell.path(which + ".txt"))
        lines = []
        for method in methods:
            start, cell.deal = time.perf_counter(), 0
            accuracy, parameter = cell.fit(method)
            lines.append((subset, n, run, method, f"{accuracy:.6f}", f"{parameter:.6g}", len(y) - n,
                          f"{time.perf_counter() - start:.2f}", cell.deal))
    return lines


def read_rows(path):
    if not os.path.exists(path):
        return []
    with open(path, newline="") as f:
        return [r for r in csv.DictReader(f) if r["deal"]]  # not a line that was cut off


def tasks(args):
    """Smaller sizes first, then later runs, so that an early end leaves whole runs."""
    done = {(r["subset"], int(r["size"]), int(r["run"]), r["method"]) for r in read_rows(args.rows)}
    loaded = {subset: read_subset(SUBSETS[subset]) for subset in args.subsets}
    for run in range(args.runs):
        for subset, (X, y) in loaded.items():
            for n in args.sizes:
                missing = [m for m in args.methods if (subset, n, run, m) not in done]
                if n < len(y) and missing:
                    yield args, subset, X, y, n, run, missing


def table(rows, subset):
    of = {}
    for r in rows:
        if r["accuracy"] != "nan":
            of.setdefault((int(r["size"]), r["method"]), []).append(100 * float(r["accuracy"]))
    tests = {int(r["size"]): r["tests"] for r in rows}
    print(f"\n{subset}: accuracy, %, mean +- deviation over runs\n{'documents':>9s} {'test':>5s} {'runs':>4s} "
          + " ".join(f"{m:>12s}" for m in METHODS))
    for n in sorted(tests):
        runs = max(len(of.get((n, m), ())) for m in METHODS)
        cells = (of.get((n, m), ()) for m in METHODS)
        shown = (f"{np.mean(c):5.1f} +- {np.std(c, ddof=len(c) > 1):3.1f}" if c else "" for c in cells)
        print(f"{n:9d} {tests[n]:>5s} {runs:4d} " + " ".join(f"{s:>12s}" for s in shown))


def numbers(text):
    return [int(t) for t in text.split(",")]


def names(known):
    def parse(text):
        wanted = text.split(",")
        unknown = [t for t in wanted if t not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(known)}")
        return wanted
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("rows", metavar="ROWS.csv")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--subsets", type=names(SUBSETS), default=list(SUBSETS))
    parser.add_argument("--sizes", type=numbers, default=[100, 200, 400, 800, 1600, 3200])
    parser.add_argument("--methods", type=names(METHODS), default=list(METHODS))
    parser.add_argument("--words", choices=("subset", "train"), default="subset",
                        help="words by the classes of all documents, as in the paper, or of the training ones")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    fresh = not os.path.exists(args.rows)
    with open(args.rows, "a", newline="") as f, multiprocessing.Pool(args.jobs) as pool:
        out = csv.writer(f, lineterminator="\n")
        if fresh:
            out.writerow(FIELDS)
        for lines in pool.imap_unordered(measure, tasks(args)):
            out.writerows(lines)
            f.flush()
    rows = read_rows(args.rows)
    for subset in SUBSETS:
        found = [r for r in rows if r["subset"] == subset]
        if found:
            table(found, subset)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
