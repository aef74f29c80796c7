"""Words, mutual information, idf and norms of documents, computed again from the definitions with
Python's own idea of letters: on a small corpus and, where it is here, on the 20 newsgroups."""
import collections
import math
import os
import re
import subprocess
import sys
import tarfile

SPECREG = os.environ["SPECREG"]
CORPUS = os.path.join(os.environ["SOURCE_DIR"], "data/texts/train")
NEWS = os.path.join(os.environ["SPECREG_DATA"], "20news/raw-sample.tar.gz")


def documents(folder):
    for label in sorted(os.listdir(folder)):
        for name in sorted(os.listdir(os.path.join(folder, label))):
            data = open(os.path.join(folder, label, name), "rb").read()
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                text = data.decode("latin-1")
            words = re.findall(r"[^\W\d_]+", text.lower())
            yield label, collections.Counter(w for w in words if 2 <= len(w) <= 25)


def information(with_, all_, n):
    """I(W; C) = H(C) + H(W) - H(C, W)"""
    def entropy(counts):
        return -sum(c / n * math.log(c / n) for c in counts if c)
    present = sum(with_.values())
    joint = list(with_.values()) + [all_[c] - with_[c] for c in all_]
    return entropy(all_.values()) + entropy([present, n - present]) - entropy(joint)


def check(folder, words, min_docs, tf, norm):
    docs = list(documents(folder))
    n = len(docs)
    all_ = collections.Counter(label for label, _ in docs)
    with_ = collections.defaultdict(collections.Counter)
    for label, counts in docs:
        for w in counts:
            with_[w][label] += 1
    score = {w: information(with_[w], all_, n) for w in with_ if sum(with_[w].values()) >= min_docs}
    spec = f"words={words},min-docs={min_docs},tf={tf},norm={norm}"
    subprocess.run([SPECREG, "features", folder, "--text", spec, "-o", "f.libsvm", "--vocabulary",
                    "w.txt", "-q"], check=True)
    chosen = [line.rstrip("\n").split("\t") for line in open("w.txt", encoding="utf-8")
              if not line.startswith("#")]
    assert len(chosen) == min(words, len(score)), (len(chosen), len(score))
    names = [c[0] for c in chosen]
    assert [w.encode() for w in names] == sorted(w.encode() for w in names)
    # Sums of up to 4 * classes terms of size at most 1 round to within this.
    tol = 64 * len(all_) * sys.float_info.epsilon
    worst = min(score[w] for w in names)
    left = max((score[w] for w in score if w not in set(names)), default=0)
    assert worst >= left - tol, (worst, left)
    idf = {}
    for w, count, weight, mi in chosen:
        df = sum(with_[w].values())
        idf[w] = math.log((1 + n) / (1 + df)) + 1
        assert int(count) == df, (w, count, df)
        assert abs(float(weight) - idf[w]) <= tol, (w, weight)
        assert abs(float(mi) - score[w]) <= tol, (w, mi, score[w])
    rows = [line.split() for line in open("f.libsvm")]
    assert len(rows) == n
    for (label, counts), row in zip(docs, rows):
        value = {j + 1: {"count": counts[w], "binary": 1, "log": 1 + math.log(counts[w])}[tf] * idf[w]
                 for j, w in enumerate(names) if counts[w]}
        size = {"l2": math.sqrt(sum(v * v for v in value.values())),
                "l1": sum(value.values()), "none": 1}[norm]
        got = {int(p.split(":")[0]): float(p.split(":")[1]) for p in row[1:]}
        assert row[0] == label and got.keys() == value.keys(), (label, row)
        assert all(abs(got[j] - value[j] / size) <= len(value) * tol * max(1, value[j] / size)
                   for j in value)
    print(f"- {folder}: {n} documents, {len(score)} words in {min_docs} documents, {spec}")


for tf in ("count", "binary", "log"):
    for norm in ("l2", "l1", "none"):
        check(CORPUS, 40, 2, tf, norm)
if os.path.exists(NEWS):
    tarfile.open(NEWS).extractall(".")
    check("train", 1000, 3, "log", "l2")
else:
    print("skipped: no", NEWS, "here")
