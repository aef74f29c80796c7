"""Estimators of scikit-learn that mean the same agree to 1e-8: KernelRidge and KernelPCA for every kernel that both
have, RidgeClassifier, Ridge, PCA."""
import numpy as np
import package
from sklearn.decomposition import PCA, KernelPCA
from sklearn.gaussian_process.kernels import RBF, DotProduct, ExpSineSquared, Matern, RationalQuadratic
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from specreg import SpectralClassifier, SpectralRegressor, SpectralTransformer

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


# Those of sklearn.metrics.pairwise but two, sigmoid and additive_chi2, which are not positive definite; and those of
# sklearn.gaussian_process, which KernelRidge and KernelPCA take as well.
KERNELS = [("rbf:gamma=0.7", dict(kernel="rbf", gamma=0.7)),
           ("linear", dict(kernel="linear")),
           ("poly:degree=2,gamma=0.5,coef0=1", dict(kernel="poly", degree=2, gamma=0.5, coef0=1)),
           ("laplace:sigma=2,norm=1", dict(kernel="laplacian", gamma=0.5)),
           ("cosine", dict(kernel="cosine")),
           ("chi2:gamma=0.8", dict(kernel="chi2", gamma=0.8)),
           ("laplace:sigma=2", dict(kernel=Matern(2, nu=0.5))),
           ("matern:nu=0.5,sigma=2", dict(kernel=Matern(2, nu=0.5))),
           ("matern:nu=1.5,sigma=2", dict(kernel=Matern(2, nu=1.5))),
           ("matern:nu=2.5,sigma=2", dict(kernel=Matern(2, nu=2.5))),
           ("rq:alpha=0.6,sigma=1.5", dict(kernel=RationalQuadratic(1.5, 0.6))),
           ("poly:degree=1,coef0=4", dict(kernel=DotProduct(2))),
           ("0.5*rbf:sigma=1 + linear", dict(kernel=0.5 * RBF(1) + DotProduct(0))),
           ("rbf:sigma=1*linear + 2*matern:nu=1.5,sigma=3", dict(kernel=RBF(1) * DotProduct(0) + 2.0 * Matern(3)))]
LINEAR = ("linear", "poly:degree=1,coef0=4")  # as many dimensions as columns


def test_kernel_ridge():
    weights = rng.uniform(0.5, 2, N)
    for ours, theirs in KERNELS:
        ridge = KernelRidge(alpha=N * LAMBDA, **theirs).fit(X, y)
        model = SpectralRegressor(ours, **PLAIN).fit(X, y)
        same(model.predict(Z), ridge.predict(Z), ours)
        if ours not in LINEAR:  # kernel matrices of low rank have many duals; predictions decide
            same(model.dual_coef_, ridge.dual_coef_, ours + ", dual_coef_")
        ridge.set_params(alpha=LAMBDA * weights.sum()).fit(X, y, sample_weight=weights)
        same(model.fit(X, y, sample_weight=weights).predict(Z), ridge.predict(Z), ours + ", weights")
        Y = np.column_stack([y, X[:, 0] ** 2])
        ridge.set_params(alpha=N * LAMBDA).fit(X, Y)
        same(model.fit(X, Y).predict(Z), ridge.predict(Z), ours + ", two targets")


def test_periodic():
    """ExpSineSquared is of distances, ours of columns: the same for one."""
    ridge = KernelRidge(alpha=N * LAMBDA, kernel=ExpSineSquared(0.9, 1.3)).fit(X[:, :1], y)
    model = SpectralRegressor("periodic:period=1.3,sigma=0.9", **PLAIN).fit(X[:, :1], y)
    same(model.predict(Z[:, :1]), ridge.predict(Z[:, :1]), "periodic")


def test_components():
    """Coordinates up to their signs, and eigenvalues, of KernelPCA; PCA is that of the linear kernel."""
    for ours, theirs in KERNELS:
        count = 3 if ours in (*LINEAR, "cosine") else 6
        if theirs["kernel"] in ("laplacian", "chi2"):
            continue  # KernelPCA refuses them
        kernel = KernelPCA(count, **theirs).fit(X)
        model = SpectralTransformer(n_components=count, kernel=ours, scale="none").fit(X)
        told = model.transform(Z)
        same(told * np.sign((told * kernel.transform(Z)).sum(0)), kernel.transform(Z), "KernelPCA, " + ours)
        same(N * model.eigenvalues_, kernel.eigenvalues_, "eigenvalues, " + ours)
    linear = SpectralTransformer(n_components=3, kernel="linear", scale="none").fit(X)
    pca, told = PCA(3).fit(X), linear.transform(Z)
    same(told * np.sign((told * pca.transform(Z)).sum(0)), pca.transform(Z), "PCA")
    same(linear.explained_variance_ratio_, pca.explained_variance_ratio_, "shares")


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
        weights = rng.uniform(0.5, 2, N)
        ridge.set_params(alpha=LAMBDA * weights.sum()).fit(X, labels, weights)
        same(model.fit(X, labels, weights).decision_function(Z), ridge.decision_function(Z), "with weights")
        share = N / kinds / np.bincount(labels)  # "balanced" of scikit-learn
        ridge.set_params(alpha=LAMBDA * share[labels].sum(), class_weight="balanced").fit(X, labels)
        model.set_params(class_weight="balanced").fit(X, labels)
        same(model.decision_function(Z), ridge.decision_function(Z), "balanced")


package.run(globals())
