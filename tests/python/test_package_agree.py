"""Estimators of scikit-learn that mean the same agree to 1e-8: KernelRidge for every kernel that both have,
RidgeClassifier, Ridge."""
import numpy as np
import package
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from specreg import SpectralClassifier, SpectralRegressor

rng = np.random.default_rng(8)
N, P = 120, 3
X, Z = rng.uniform(0.1, 2, size=(N, P)), rng.uniform(0.1, 2, size=(40, P))
y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=N)
LAMBDA = 1e-3
PLAIN = dict(filter="tikhonov", select="none", scale="none", features="none", param=LAMBDA)


def same(ours, theirs, what):
    difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
    print(f"{what:40} {difference:.1e}")
    assert difference < 1e-8, what


def test_kernel_ridge():
    pairs = [("rbf:gamma=0.7", dict(kernel="rbf", gamma=0.7)),
             ("linear", dict(kernel="linear")),
             ("poly:degree=2,gamma=0.5,coef0=1", dict(kernel="poly", degree=2, gamma=0.5, coef0=1)),
             ("laplace:sigma=2,norm=1", dict(kernel="laplacian", gamma=0.5)),
             ("cosine", dict(kernel="cosine")),
             ("chi2:gamma=0.8", dict(kernel="chi2", gamma=0.8))]
    weights = rng.uniform(0.5, 2, N)
    for ours, theirs in pairs:
        ridge = KernelRidge(alpha=N * LAMBDA, **theirs).fit(X, y)
        model = SpectralRegressor(ours, **PLAIN).fit(X, y)
        same(model.predict(Z), ridge.predict(Z), ours)
        if ours != "linear":  # kernel matrices of low rank have many duals; predictions decide
            same(model.dual_coef_, ridge.dual_coef_, ours + ", dual_coef_")
        ridge.set_params(alpha=LAMBDA * weights.sum()).fit(X, y, sample_weight=weights)
        same(model.fit(X, y, sample_weight=weights).predict(Z), ridge.predict(Z), ours + ", weights")
        Y = np.column_stack([y, X[:, 0] ** 2])
        ridge.set_params(alpha=N * LAMBDA).fit(X, Y)
        same(model.fit(X, Y).predict(Z), ridge.predict(Z), ours + ", two targets")


def test_precomputed():
    def gram(A, B):
        return (A @ B.T + 1) ** 2

    ridge = KernelRidge(alpha=N * LAMBDA, kernel="precomputed").fit(gram(X, X), y)
    model = SpectralRegressor("precomputed", **PLAIN).fit(gram(X, X), y)
    same(model.predict(gram(Z, X)), ridge.predict(gram(Z, X)), "precomputed")
    assert model._get_tags()["pairwise"]


def test_offset_is_that_of_ridge():
    model = SpectralRegressor("linear", **dict(PLAIN, features="constant")).fit(X, y)
    same(model.predict(Z), Ridge(alpha=N * LAMBDA).fit(X, y).predict(Z), "Ridge")


def test_ridge_classifier():
    for kinds in (2, 3):
        labels = np.digitize(y, np.quantile(y, np.arange(1, kinds) / kinds))
        ridge = RidgeClassifier(alpha=N * LAMBDA).fit(X, labels)
        model = SpectralClassifier("linear", **dict(PLAIN, features="constant")).fit(X, labels)
        same(model.decision_function(Z), ridge.decision_function(Z), f"RidgeClassifier, {kinds} classes")
        assert (model.predict(Z) == ridge.predict(Z)).all()


package.run(globals())
