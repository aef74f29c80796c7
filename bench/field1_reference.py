#!/usr/bin/env python3
"""`specreg experiment field1` a second time, in NumPy and from the paper's formulas alone: kernels as
matrices, the nu-method on their eigenvalues, five folds, the angle of equation 33.

    tools/python3 bench/field1_reference.py [--repeats 30] [--sizes 10,20] [--spread 0.67] [--width 0.8]
                                            [--gamma 0.5] [--choose mse|angle] [--seed 1]

For each noise and number of points: the mean angle with the field kernel and with a Gaussian kernel for
each component, in degrees, their ratio, and the mean gamma that was chosen."""
import argparse
import math

import numpy as np

STEPS, FOLDS, GAMMAS = 700, 5, np.linspace(0, 1, 11)
CENTRES = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]], float)


def angles(F, Y):
    """Degrees between (f, 1) and (y, 1), along the last axis."""
    a, b = (np.concatenate([V, np.ones(V.shape[:-1] + (1,))], -1) for V in (F, Y))
    a, b = (V / np.linalg.norm(V, axis=-1, keepdims=True) for V in (a, b))
    return np.degrees(2 * np.arctan2(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1)))


def field(X, gamma, spread):
    U = X[:, None] - CENTRES
    height = np.exp(-(U**2).sum(-1) / (2 * spread**2))
    gradient = -(U * height[..., None]).sum(1) / spread**2
    turned = np.stack([-gradient[:, 1], gradient[:, 0]], 1)
    return (1 - gamma) * gradient + gamma * turned


def gaussian(A, B, width):
    return np.exp(-(((A[:, None] - B) / width)**2).sum(-1) / 2)


def helmholtz(A, B, width, gamma):
    """Equations 26 and 27 for d = 2, as a matrix of 2 x 2 blocks."""
    U = (A[:, None] - B) / width
    square, outer = (U**2).sum(-1)[..., None, None], U[..., :, None] * U[..., None, :]
    blocks = (1 - gamma) * (np.eye(2) - outer) + gamma * (outer + (1 - square) * np.eye(2))
    blocks *= np.exp(-square / 2) / width**2
    return blocks.transpose(0, 2, 1, 3).reshape(2 * len(A), 2 * len(B))


def path(K, y, rows, kappa2, n):
    """Predictions after 1 .. STEPS steps of the nu-method with nu = 1 (STEPS x rows)."""
    values, Q = np.linalg.eigh(K)
    s = np.maximum(values, 0) / (n * kappa2)
    left = before = np.ones_like(s)
    g = np.zeros((STEPS, len(s)))
    for t in range(1, STEPS + 1):
        u = (t - 1) * (2 * t - 3) * (2 * t + 1) / ((t + 1) * (2 * t + 3) * (2 * t - 1))
        w = 6 / 5 if t == 1 else 4 * (2 * t + 1) * t / ((t + 1) * (2 * t + 3))
        left, before = left + u * (left - before) - w * s * left, left
        g[t - 1] = np.where(values > 1e-14, (1 - left) / np.maximum(values, 1e-300), 0)
    return g * (Q.T @ y) @ (rows @ Q).T


def fold_losses(kernel, X, Y, kappa2, choose):
    losses, fold = np.zeros(STEPS), np.arange(len(X)) % FOLDS
    for k in range(FOLDS):
        train, held = fold != k, fold == k
        F = path(kernel(X[train], X[train]), Y[train].ravel(), kernel(X[held], X[train]), kappa2,
                 train.sum()).reshape(STEPS, -1, Y.shape[1])
        losses += ((F - Y[held])**2).sum((1, 2)) if choose == "mse" else angles(
            F, np.broadcast_to(Y[held], F.shape)).sum(1)
    return losses


def predict(kernel, X, Y, test, kappa2, step):
    return path(kernel(X, X), Y.ravel(), kernel(test, X), kappa2, len(X))[step].reshape(-1, Y.shape[1])


def once(rng, n, noise, o):
    side = np.linspace(-2, 2, 70)
    grid = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
    order = rng.permutation(len(grid))
    X, test = grid[order[:n]], grid[order[n:]]
    Y = field(X, o.gamma, o.spread) + noise * rng.normal(size=(n, 2))
    truth = field(test, o.gamma, o.spread)
    best = math.inf
    for gamma in GAMMAS:
        kernel = lambda A, B, gamma=gamma: helmholtz(A, B, o.width, gamma)
        losses = fold_losses(kernel, X, Y, 1 / o.width**2, o.choose)
        if losses.min() < best:
            best, step, chosen, found = losses.min(), losses.argmin(), kernel, gamma
    ours = angles(predict(chosen, X, Y, test, 1 / o.width**2, step), truth).mean()
    kernel = lambda A, B: gaussian(A, B, o.width)
    parts = []
    for y in (Y[:, :1], Y[:, 1:]):
        step = fold_losses(kernel, X, y, 1, o.choose).argmin()
        parts.append(predict(kernel, X, y, test, 1, step))
    return ours, angles(np.hstack(parts), truth).mean(), found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--repeats", type=int, default=30)
    p.add_argument("--sizes", type=lambda text: [int(n) for n in text.split(",")], default=[10, 20])
    p.add_argument("--spread", type=float, default=math.sqrt(0.45))
    p.add_argument("--width", type=float, default=0.8)
    p.add_argument("--gamma", type=float, default=0.5)
    p.add_argument("--choose", choices=["mse", "angle"], default="mse")
    p.add_argument("--seed", type=int, default=1)
    o = p.parse_args()
    rng = np.random.default_rng(o.seed)
    print(" noise      n    field  components  ratio  gamma found")
    for noise in (0, 0.3):
        for n in o.sizes:
            ours, theirs, found = np.mean([once(rng, n, noise, o) for _ in range(o.repeats)], axis=0)
            print(f"{noise:6} {n:6} {ours:8.2f} {theirs:11.2f} {ours / theirs:6.2f} {found:12.2f}", flush=True)


if __name__ == "__main__":
    main()
