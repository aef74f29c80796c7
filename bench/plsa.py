#!/usr/bin/env python3
"""Topics of counts: time, peak memory and perplexity beside scikit-learn's NMF, in one run.

    tools/python3 bench/plsa.py BUILD COUNTS.libsvm[.gz] [--topics 10] [--sweeps 50] [--threads 1]

NMF with the Kullback-Leibler loss and multiplicative updates maximises the same likelihood: at its end
the rows of W, and those of H, can be divided by their sums.  Its sweep updates W, then H with the new
W; EM's updates both at once.  Where it is not installed it is left out.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np

from linear import read_libsvm


def specreg(args, folder):
    record = os.path.join(folder, "plsa.json")
    subprocess.run([os.path.join(args.build, "specreg"), "features", args.counts, "--plsa",
                    f"topics={args.topics},sweeps={args.sweeps}{args.more}", "--threads",
                    str(args.threads), "-o", os.path.join(folder, "shares.csv"), "--json", record,
                    "--quiet"], check=True)
    r = json.load(open(record))
    s = r["seconds"]
    print(f"specreg: read {s['read']:.2f} s, learn {s['learn']:.2f} s ({r['sweeps']} sweeps), shares of "
          f"all documents {s['total'] - s['read'] - s['learn']:.2f} s, {r['peak_bytes'] >> 20} MiB")
    every = max(1, r["sweeps"] // 10)
    for key in ("perplexity", "held_perplexity"):
        if key in r:
            shown = [f"{p:.1f}" for p in r[key][every - 1::every]]
            print(f"  {key}, every {every} sweeps: {' '.join(shown)}")


def perplexity(X, W, H):
    """Of the mixture that W H is, with rows of H and of W divided by their sums."""
    totals = H.sum(axis=1)
    W = W * totals
    W /= np.maximum(W.sum(axis=1, keepdims=True), 1e-300)
    H = H / totals[:, None]
    X = X.tocoo()
    p = np.einsum("ij,ij->i", W[X.row], H[:, X.col].T)
    return np.exp(-np.sum(X.data * np.log(np.maximum(p, 1e-300))) / X.data.sum())


def nmf(X, args):
    try:
        from sklearn.decomposition import NMF
    except ImportError:
        print("scikit-learn is not installed")
        return
    warnings.simplefilter("ignore")  # that it has not converged
    peer = NMF(args.topics, beta_loss="kullback-leibler", solver="mu", init="random", tol=0,
               max_iter=args.sweeps, random_state=0)
    start = time.perf_counter()
    W = peer.fit_transform(X)
    seconds = time.perf_counter() - start
    print(f"NMF (kullback-leibler, mu): {seconds:.2f} s ({peer.n_iter_} sweeps), perplexity "
          f"{perplexity(X, W, peer.components_):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("counts")
    parser.add_argument("--topics", type=int, default=10)
    parser.add_argument("--sweeps", type=int, default=50)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--more", default="", help="more of --plsa, such as ,held-out=0.1")
    args = parser.parse_args()
    X, _ = read_libsvm(args.counts)
    print(f"{X.shape[0]} x {X.shape[1]}, {X.nnz} entries")
    with tempfile.TemporaryDirectory() as folder:
        specreg(args, folder)
    nmf(X, args)


if __name__ == "__main__":
    main()
