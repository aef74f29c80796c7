"""Tasks, vector fields, coordinates and documents in Python, paths, cross-validation, plans, spectra, figures,
rows in parts and memory maps, each against a formula, scikit-learn, the command or a refit."""
import os
import subprocess

import numpy as np
import package
import specreg
from sklearn.utils.estimator_checks import check_estimator
from specreg import (MultiTaskRegressor, SpectralClassifier, SpectralRegressor, SpectralTransformer,
                     TextClassifier, VectorFieldRegressor)

rng = np.random.default_rng(4)
X = rng.normal(size=(90, 3))
Z = rng.normal(size=(25, 3))
y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=90)
QUICK = dict(kernel="rbf", param="lambda=log:1e-6:1:7")


def gram(A, B, sigma):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(-1) / (2 * sigma**2))


def near(a, b, tolerance=1e-8):
    assert np.shape(a) == np.shape(b) and np.abs(a - b).max() <= tolerance * np.abs(b).max(), np.abs(a - b).max()


def test_checks_of_scikit_learn():
    for estimator in (MultiTaskRegressor(**QUICK), SpectralTransformer(missing="mean"), SpectralTransformer(),
                      SpectralTransformer("nystrom")):
        assert not estimator._get_tags()["_xfail_checks"]
        check_estimator(estimator)


def test_checks_of_fields():
    """Those that pass as many outputs as inputs; checks that have other shapes are refused by its text."""
    passed = 0
    for estimator, check in check_estimator(VectorFieldRegressor(), generate_only=True):
        try:
            check(estimator)
            passed += 1
        except (ValueError, AssertionError) as error:
            seen = error
            while seen and "as many outputs as inputs" not in str(seen):
                seen = seen.__cause__ or seen.__context__
            assert seen, check
    assert passed >= 15, passed


def test_tasks():
    """Γ = k(x, x') A of the tasks, A = ω11' + (1 - ω)I; a new task has what all have in common."""
    tasks = rng.choice(["b", "a", "c"], 90)
    model = MultiTaskRegressor("rbf:sigma=1.2", outputs="common:omega=0.4", param=1e-2, select="none",
                               scale="none", features="none").fit(X, y, tasks=tasks)
    alike = 0.4 + 0.6 * (tasks[:, None] == tasks[None])
    alpha = np.linalg.solve(gram(X, X, 1.2) * alike + 90 * 1e-2 * np.eye(90), y)
    new = np.array(["a", "b", "c", "unknown", "a"] * 5)
    expected = (gram(Z, X, 1.2) * (0.4 + 0.6 * (new[:, None] == tasks[None]))) @ alpha
    near(model.predict(Z, tasks=new), expected)
    numbers = np.searchsorted(["a", "b", "c"], tasks).astype(float)
    inside = MultiTaskRegressor("rbf:sigma=1.2", outputs="common:omega=0.4", param=1e-2, select="none",
                                scale="none", features="none", task_column=-1)
    inside.fit(np.column_stack([X, numbers]), y)
    known = np.column_stack([Z, np.tile([0.0, 1, 2, 0, 0], 5)])
    near(inside.predict(known)[new != "unknown"], expected[new != "unknown"])
    package.raises(ValueError, "3 tasks for 90 rows", model.fit, X, y, tasks=["a"] * 3)
    package.raises(ValueError, "row 1 of X has no task", model.fit, X, y, tasks=np.array(["a", None] * 45, dtype=object))
    package.raises(ValueError, "has 3 tasks", model.predict, Z)
    package.raises(NotImplementedError, "intervals", model.predict_interval, Z)
    near(model.predict(Z, tasks="b"), model.predict(Z, tasks=["b"] * 25), 0)
    near(model.predict(Z, tasks="others"), gram(Z, X, 1.2) @ alpha * 0.4)
    near(np.array(model.score(Z, expected + 1, tasks=new)), np.array(1 - 25 / ((expected - expected.mean()) ** 2).sum()))
    lower, upper = MultiTaskRegressor(**QUICK).fit(X, y).predict_interval(Z)
    assert (lower < upper).all()
    model.save("tasks.srm")
    loaded = specreg.load("tasks.srm")
    assert loaded.tasks_ == ["a", "b", "c"]
    near(loaded.predict(Z, tasks=new), expected)


def test_files_of_tasks_and_fields():
    tasks = rng.choice(["Hill", "Lake"], 90)
    with open("schools.csv", "w") as f:
        f.write("a,school,b,y\n" + "".join(f"{a!r},{t},{b!r},{v!r}\n" for (a, b, _), t, v in zip(X.tolist(), tasks, y.tolist())))
    fixed = dict(kernel="rbf:sigma=1.2", outputs="common:omega=0.4", param=1e-2, select="none")
    arrays = MultiTaskRegressor(**fixed).fit(X[:, :2], y, tasks=tasks)
    for column in ("school", 1):
        files = MultiTaskRegressor(**fixed, task_column=column).fit("schools.csv", "y")
        near(files.predict("schools.csv"), arrays.predict(X[:, :2], tasks=tasks))
        near(files.predict(X[:, :2], tasks=tasks), arrays.predict(X[:, :2], tasks=tasks))
        assert files.tasks_ == ["Hill", "Lake"] and files.feature_names_in_.tolist() == ["a", "b"]
        files.save("school.srm")
        near(specreg.load("school.srm").predict(X[:, :2], tasks=tasks), arrays.predict(X[:, :2], tasks=tasks))
    package.raises(ValueError, "task_column", MultiTaskRegressor().fit, "schools.csv", "y")
    np.savetxt("field.csv", np.column_stack([X[:, :2], -X[:, 1], X[:, 0]]), delimiter=",", header="x1,x2,u,v", comments="")
    one = MultiTaskRegressor(**QUICK).fit(X[:, :2], y)
    np.savetxt("points.csv", X[:, :2], delimiter=",", header="x1,x2", comments="")
    near(one.predict_interval("points.csv")[0], one.predict_interval(X[:, :2])[0])
    swirl = VectorFieldRegressor("divfree:sigma=0.9", param=1e-3, select="none")
    near(swirl.fit("field.csv", ["u", "v"]).predict("field.csv"),
         swirl.fit(X[:, :2], np.column_stack([-X[:, 1], X[:, 0]])).predict(X[:, :2]))


def test_functions_of_tasks_and_texts():
    """Paths, folds and importances of tasks are those of files; texts are no file names."""
    tasks = rng.choice(["a", "b"], 90)
    shifted = y + (tasks == "b")
    with open("tasks.csv", "w") as f:
        f.write("t,x1,x2,x3,y\n" + "".join(",".join([t, *map(repr, [*x, v])]) + "\n"
                                          for t, x, v in zip(tasks, X.tolist(), shifted.tolist())))
    model = MultiTaskRegressor("rbf:sigma=1.2", outputs="common:omega=0.4", param=[1e-1, 1e-3], select="kfold:k=3")
    inside = MultiTaskRegressor(**model.get_params()).set_params(task_column=0)
    coded = np.column_stack([tasks == "b", X])
    want = specreg.path(inside.set_params(task_column="t"), "tasks.csv", "y")["value"].to_numpy()
    near(specreg.path(model, X, shifted, tasks=tasks)["value"].to_numpy(), want)
    near(specreg.path(inside.set_params(task_column=0), coded, shifted)["value"].to_numpy(), want)
    assert specreg.cv(model, X, shifted, tasks=tasks, outer=3)["mean"]["r2"] > 0.8
    assert specreg.plan(model, X, shifted, tasks=tasks)["path_points"] == 2
    assert len(list(specreg.path_points(model, X, shifted, tasks=tasks))) == 2
    package.raises(ValueError, "tasks are of MultiTaskRegressor", specreg.path, SpectralRegressor(), X, y, tasks=tasks)
    model.fit(X, shifted, tasks=tasks)
    told = specreg.importance(model, X, shifted, tasks=tasks)
    near(np.array(told["baseline"]), np.array(np.mean((model.predict(X, tasks=tasks) - shifted) ** 2)))
    near(np.array(specreg.importance(inside.fit(coded, shifted), coded, shifted)["baseline"]), np.array(told["baseline"]))
    for at in (0, 2, -1):  # numbers of columns are those of X
        place = at % 4
        inside.set_params(task_column=at).fit(np.insert(X, place, tasks == "b", axis=1), shifted)
        first = specreg.importance(inside, np.insert(X, place, tasks == "b", axis=1), shifted, columns=[int(place == 0)])["columns"]
        near(np.array(first[0]["values"]), np.array(told["columns"][0]["values"]))
        assert first[0]["name"] == "x1" and len(first) == 1
    (curve,) = specreg.partial(model, X, columns=["x1"], points=5, tasks=tasks)["curves"]
    moved = np.column_stack([np.full(90, curve["grid"][2]), X[:, 1:]])
    near(np.array(curve["mean"][2]), np.array([model.predict(moved, tasks=tasks).mean()]))
    assert "<html" in specreg.report(model, data=(X, shifted, tasks)).html
    documents, kinds = ["sea wave", "wood leaf", "sea salt", "wood moss"] * 12, ["sea", "wood"] * 24
    texts = TextClassifier(text="min-docs=1")
    assert specreg.cv(texts, documents, kinds, outer=3)["mean"]["error_rate"] == 0
    with open("documents.csv", "w") as f:
        f.write("text,label\n" + "".join(f"{d},{k}\n" for d, k in zip(documents, kinds)))
    values = specreg.path(texts, documents, kinds)["value"].to_numpy()
    near(values, specreg.path(SpectralClassifier("linear", options={"text": "min-docs=1"}), "documents.csv", "label")["value"].to_numpy())
    package.raises(ValueError, "documents is a table", texts.fit, np.array(documents)[:, None], kinds)
    package.raises(ValueError, "inconsistent", specreg.cv, texts, documents, kinds[1:])
    package.raises(ValueError, "predicts no targets", specreg.importance, SpectralTransformer().fit(X), X, y)
    package.raises(specreg.SpecregError, "documents", specreg.importance, texts.fit(documents, kinds), documents, kinds)


def test_fields():
    """A field without divergence, by the formula of docs/FIELDS.md in two dimensions."""
    P = rng.uniform(-1, 1, size=(40, 2))
    V = np.column_stack([-P[:, 1], P[:, 0]])
    model = VectorFieldRegressor("divfree:sigma=0.9", param=1e-3, select="none").fit(P, V)
    u = P[:, None] - P[None]
    r2 = (u**2).sum(-1)[..., None, None] / 0.81
    block = np.exp(-r2 / 2) / 0.81 * (u[..., :, None] * u[..., None, :] / 0.81 + (1 - r2) * np.eye(2))
    K = block.transpose(0, 2, 1, 3).reshape(80, 80)
    f = K @ np.linalg.solve(K + 40 * 1e-3 * np.eye(80), V.ravel())
    near(model.predict(P), f.reshape(40, 2))
    both = VectorFieldRegressor("helmholtz:sigma=0.9,gamma=0.5", param=1e-3, select="none").fit(P, V)
    near(sum(both.predict_parts(P).values()), both.predict(P))
    both.save("field.srm")
    near(specreg.load("field.srm").predict(P), both.predict(P), 0)
    package.raises(ValueError, "as many outputs as inputs", model.fit, P, V[:, 0])


def test_components():
    """Coordinates as scikit-learn's: test_package_agree.py."""
    ours = SpectralTransformer(n_components=8, kernel="linear", scale="none").fit(X)
    assert ours.transform(X).shape == (90, 3)  # more there are not
    specreg.save(ours, "kpca.srm")
    near(specreg.load("kpca.srm").transform(Z), ours.transform(Z), 0)
    frame = SpectralTransformer(n_components=2).set_output(transform="pandas").fit_transform(X)
    assert list(frame.columns) == ["pc1", "pc2"]


def test_nystrom():
    """Inner products of all rows' coordinates are the kernel where every row is a centre."""
    ours = SpectralTransformer("nystrom", n_components=90, kernel="rbf:sigma=0.5", scale="none").fit(X)
    B = ours.transform(X)
    near(B @ B.T, gram(X, X, 0.5))


def test_documents():
    words = {"sea": ["wave", "ship", "salt", "wind"], "wood": ["tree", "leaf", "moss", "wind"],
             "city": ["street", "tram", "shop", "light"]}
    kinds = rng.choice(list(words), 120)
    documents = [" ".join(rng.choice(words[k], 6)) for k in kinds]
    model = TextClassifier().fit(documents[:90], kinds[:90])
    assert model.score(documents[90:], kinds[90:]) > 0.9
    proba = model.predict_proba(documents[90:])
    assert np.allclose(proba.sum(1), 1) and (model.classes_[proba.argmax(1)] == model.predict(
        documents[90:])).all()
    assert model.decision_function(documents[90:]).shape == (30, 3)
    model.save("text.srm")
    with open("new.txt", "w") as f:
        f.writelines(d + "\n" for d in documents[90:])
    told = subprocess.run([os.environ["SPECREG"], "predict", "text.srm", "new.txt"], check=True,
                          capture_output=True, text=True).stdout.split("\n")[1:31]
    assert [line.split(",")[0] for line in told] == model.predict(documents[90:]).tolist()
    assert (specreg.load("text.srm").predict(documents) == model.predict(documents)).all()
    package.raises(ValueError, "pass a list", model.predict, "one text")
    package.raises(ValueError, "document 1", model.predict, ["a", 3])
    package.raises(ValueError, "documents and", model.fit, documents, kinds[:3])


def test_functions():
    estimator = SpectralRegressor("rbf:sigma=1.5", param=[1e-1, 1e-3], select="loo", scale="none",
                                  features="none")
    table = specreg.path(estimator, X, y)
    K = gram(X, X, 1.5)
    for row in table.to_dict("records"):
        H = K @ np.linalg.inv(K + 90 * row["lambda"] * np.eye(90))
        near(row["df"], np.trace(H))
        near(row["train_mse"], np.mean((y - H @ y) ** 2))
        near(row["value"], np.mean(((y - H @ y) / (1 - np.diag(H))) ** 2))
    told = specreg.spectrum(estimator, X, y)
    near(np.array(told["eigenvalues"])[:20], np.linalg.eigvalsh(K)[::-1][:20] / 90)
    labels = np.where(y > 0, "up", "down")
    record = specreg.cv(SpectralClassifier(**QUICK), X, labels, outer=3)
    assert len(record["folds"]) == 3 and record["mean"]["error_rate"] < 0.25
    assert specreg.plan(estimator, X, y)["path_points"] == 2
    np.savetxt("train.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    near(specreg.path(estimator, "train.csv", "y")["value"].to_numpy(), table["value"].to_numpy())
    weighted = specreg.path(estimator, X, y, sample_weight=np.full(90, 2.0), groups=None)
    near(weighted["value"].to_numpy(), table["value"].to_numpy())


def test_points_of_a_path():
    import threading
    threads = threading.active_count()
    estimator = SpectralRegressor("rbf:sigma={1.5,3}", param=[1e-1, 1e-3], select="loo", scale="none",
                                  features="none")
    points = list(specreg.path_points(estimator, X, y, predict=X[:7] + 0.1))
    assert [(p.kernel, p.parameter, p.value) for p in points] == [
        (0, "lambda", 1e-1), (0, "lambda", 1e-3), (1, "lambda", 1e-1), (1, "lambda", 1e-3)]
    for p in points:
        sigma = (3, 1.5)[p.kernel]  # from smooth to rough
        K = gram(X, X, sigma)
        alpha = np.linalg.solve(K + 90 * p.value * np.eye(90), y)
        near(p.coefficients[:, 0], alpha)
        near(p.predictions[:, 0], gram(X[:7] + 0.1, X, sigma) @ alpha)
        assert p.terms.shape == (0, 1) and p.term_names == []
        assert p.name == f"sigma={sigma:g} lambda={p.value:g}", p.name
    # with a constant, from files: [K + n lambda I, 1; 1', 0] [alpha; b] = [y; 0]
    np.savetxt("points.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    plain = SpectralRegressor("rbf:sigma=1.5", param=[1e-2], select="loo", scale="none")
    (p,) = specreg.path_points(plain, "points.csv", "y", predict="points.csv")
    K = gram(X, X, 1.5)
    system = np.block([[K + 0.9 * np.eye(90), np.ones((90, 1))], [np.ones((1, 90)), np.zeros((1, 1))]])
    alpha = np.linalg.solve(system, np.append(y, 0))
    near(p.coefficients[:, 0], alpha[:-1])
    near(p.terms[:, 0], alpha[-1:])
    near(p.predictions[:, 0], K @ alpha[:-1] + alpha[-1])
    # a fit with one point is its model
    labels = np.where(y > 0, "up", np.where(y > -0.5, "level", "down"))
    one = SpectralClassifier("rbf:sigma=1.5", param=[1e-2], select="none")
    (p,) = specreg.path_points(one, X, labels, predict=X[:5])
    one.fit(X, labels)
    near(p.coefficients, one.dual_coef_)
    near(p.predictions, one.decision_function(X[:5]))
    for p in specreg.path_points(estimator, X, y):  # leaving the loop ends the work
        break
    assert p.predictions is None and p.coefficients.shape == (90, 1)
    package.raises(ValueError, "columns", list, specreg.path_points(estimator, X, y, predict=X[:, :2]))
    package.raises(ValueError, "inconsistent", list, specreg.path_points(estimator, X, y[:5]))
    assert threading.active_count() == threads


def test_rows_without_targets():
    bare = {"scale": "none", "features": "none"}
    more = np.random.default_rng(8).normal(size=(40, 3))
    Z = np.vstack([X, more])
    K = gram(Z, Z, 1.5) / 130
    padded = np.append(130 / 90 * y, np.zeros(40))
    want = gram(more, Z, 1.5) @ np.linalg.solve(K + 0.01 * np.eye(130), padded) / 130
    model = SpectralRegressor("rbf:sigma=1.5", param=[0.01], select="none", **bare)
    near(model.fit(X, y, unlabelled=more).predict(more), want)
    assert model.record_["unlabelled"]["rows"] == 40 and model.X_fit_.shape == (130, 3)
    near(SpectralRegressor(**model.get_params()).fit(X, np.column_stack([y, y]), unlabelled=more).predict(more)[:, 1],
         want)
    # the same from gaps, from files, and by splits of scikit-learn
    gaps = SpectralRegressor("rbf:sigma=1.5", param=[0.01], select="none", options={"unlabelled": "more.csv"}, **bare)
    np.savetxt("more.csv", more, delimiter=",", header="x1,x2,x3", comments="")
    np.savetxt("train.csv", np.column_stack([X, y]), delimiter=",", header="x1,x2,x3,y", comments="")
    near(gaps.fit(X, y).predict(more), want)
    near(model.fit("train.csv", "y", unlabelled="more.csv").predict(more), want)
    package.raises(ValueError, "name of a file", model.fit, "train.csv", "y", unlabelled=more)
    package.raises(ValueError, "features", model.fit, X, y, unlabelled=more[:, :2])
    # paths, spectra and cross-validation of them
    told = specreg.path(model, X, y, unlabelled=more)
    fitted = gram(X, Z, 1.5) @ np.linalg.solve(K + 0.01 * np.eye(130), padded) / 130
    near(told["train_mse"][0], ((fitted - y) ** 2).mean())
    near(specreg.path(model, "train.csv", "y", unlabelled="more.csv")["train_mse"][0], told["train_mse"][0])
    (point,) = specreg.path_points(model, X, y, predict=more, unlabelled=more)
    near(point.predictions[:, 0], want)
    assert point.coefficients.shape == (130, 1)
    near(specreg.spectrum(model, X, y, unlabelled=more)["eigenvalues"][:5], np.linalg.eigvalsh(K)[:-6:-1])
    assert specreg.plan(model, X, y, unlabelled=more)["seconds"] > 0
    told = specreg.cv(model, X, y, unlabelled=more, outer=3)
    assert [f["n_train"] for f in told["folds"]] == [60, 60, 60], told["folds"]
    alone = specreg.cv(model, X, y, outer=3)
    assert abs(told["mean"]["mse"] - alone["mean"]["mse"]) > 1e-6
    package.raises(ValueError, "has 2 features, X has 3", specreg.path, model, X, y, unlabelled=more[:, :2])
    from sklearn.model_selection import KFold
    folds = SpectralRegressor("rbf:sigma=1.5", param=[0.1, 0.01], select=KFold(3), **bare).fit(X, y, unlabelled=more)
    errors = []
    for train, test in KFold(3).split(X):
        error = []
        for lam in (0.1, 0.01):
            Z = np.vstack([X[train], more])
            padded = np.append(len(Z) / 60 * y[train], np.zeros(40))
            a = np.linalg.solve(gram(Z, Z, 1.5) + len(Z) * lam * np.eye(len(Z)), padded)
            error.append(((gram(X[test], Z, 1.5) @ a - y[test]) ** 2).mean())
        errors.append(error)
    near(folds.cv_error_, np.mean(errors, 0).min())
    # labels travel along neighbours: two arcs, two labels each
    t = np.linspace(0, np.pi, 60)
    arcs = np.vstack([np.column_stack([np.cos(t), np.sin(t)]), np.column_stack([1 - np.cos(t), 0.4 - np.sin(t)])])
    known = [20, 40, 80, 100]
    rest = np.delete(np.arange(120), known)
    model = SpectralClassifier("rbf:sigma=0.3", param=[1e-4], select="none", scale="none",
                               options={"laplacian": "strength=1e6,neighbours=5"})
    labels = np.repeat(["a", "b"], 60)
    model.fit(arcs[known], labels[known], np.ones(4), unlabelled=arcs[rest], groups=[0, 1, 2, 3])
    assert model.classes_.tolist() == ["a", "b"] and (model.predict(arcs[rest]) == labels[rest]).all()
    package.raises(ValueError, "without tasks", MultiTaskRegressor().fit, X, y, unlabelled=more)
    package.raises(ValueError, "vector fields", VectorFieldRegressor().fit, X, X, unlabelled=more)
    import scipy.sparse
    package.raises(ValueError, "dense", model.fit, scipy.sparse.csr_matrix(arcs[known]), labels[known],
                   unlabelled=arcs[rest])


def test_figures():
    try:
        import matplotlib
        matplotlib.use("Agg")
    except ImportError:
        return
    estimator = SpectralRegressor(**QUICK)
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1]
    display = specreg.PathDisplay.from_estimator(estimator, X, y, ax=axes)
    best = estimator.fit(X, y)
    assert min(display.curves["value"]) == best.cv_error_ and display.ax_ is axes and display.figure_ is axes.figure
    again = specreg.PathDisplay.from_path(best.path_).plot()
    near(again.curves["value"], display.curves["value"], 0)
    assert len(display.lines_) == 2 and display.ax_.get_xlabel() == "lambda"
    drawn = specreg.SpectrumDisplay.from_estimator(SpectralRegressor("rbf:sigma=1"), X, y)
    assert drawn.ax_.get_yscale() == "log"
    from sklearn.inspection import PartialDependenceDisplay
    PartialDependenceDisplay.from_estimator(best, X, [0, 1])


def test_rows_in_parts():
    """As the one fit of all rows by the same centres: those of the first part."""
    A, b = rng.normal(size=(900, 6)), rng.normal(size=900)
    b += np.sin(A[:, 0])
    model = SpectralRegressor("rbf:sigma=1", approx="rectangle:m=300", param=1e-2, select="none",
                              scale="none", features="none")
    for part in range(3):
        model.partial_fit(A[300 * part:300 * part + 300], b[300 * part:300 * part + 300])
    Knm, Kmm = gram(A, A[:300], 1), gram(A[:300], A[:300], 1)
    near(model.predict(A), Knm @ np.linalg.solve(Knm.T @ Knm + 900 * 1e-2 * Kmm, Knm.T @ b))
    package.raises(ValueError, "", model.partial_fit, A[:300], b[:300])  # the same rows again
    package.raises(ValueError, "features", model.partial_fit, A[:, :1], b)


def test_classes_in_parts():
    """As least squares on codes of the classes, one against all; texts and numbers are kept as they are."""
    A = rng.normal(size=(600, 4))
    kind = np.digitize(np.sin(2 * A[:, 0]) + A[:, 1], [-0.5, 0.5])
    Knm, Kmm = gram(A, A[:200], 1), gram(A[:200], A[:200], 1)
    codes = np.where(kind[:, None] == np.arange(3), 1.0, -1.0)
    want = Knm @ np.linalg.solve(Knm.T @ Knm + 600 * 1e-2 * Kmm, Knm.T @ codes)
    few = dict(kernel="rbf:sigma=1", approx="rectangle:m=200", param=1e-2, select="none", scale="none", features="none")
    for classes in (np.array(["a,b", "c", "d"]), np.array([7, 8, 9])):
        model = SpectralClassifier(**few)
        for part in np.split(np.arange(600), 3):
            model.partial_fit(A[part], classes[kind[part]], classes=classes)
        near(model.decision_function(A), want)
        assert (model.predict(A) == classes[want.argmax(1)]).all()
        model.save("parts.srm")
        assert specreg.load("parts.srm").classes_.tolist() == classes.tolist()
        before = model.predict(A)
        package.raises(ValueError, "first part had not", model.partial_fit, A[:2], ["x", "y"])
        package.raises(ValueError, "", model.partial_fit, A[:200], classes[kind[:200]])  # the same rows again
        assert (model.predict(A) == before).all()
    package.raises(ValueError, "no row of the classes [3]", SpectralClassifier(**few).partial_fit, A, A[:, 0] > 0, [0, 1, 3])
    package.raises(ValueError, "1 class", SpectralClassifier(**few).partial_fit, A, np.ones(600))


def test_memory_maps():
    A = rng.normal(size=(5000, 3))
    b = np.sin(A[:, 0]) + 0.1 * rng.normal(size=5000)
    np.save("rows.npy", A)
    mapped = np.load("rows.npy", mmap_mode="r")
    few = dict(kernel="rbf:sigma=2", approx="rectangle:m=60")
    array = SpectralRegressor(**few).fit(A, b)
    from_map = SpectralRegressor(**few).fit(mapped, b)
    assert from_map.record_["data"]["file"].endswith("rows.npy")
    near(from_map.predict(mapped), array.predict(A), 1e-12)
    changed = np.load("rows.npy", mmap_mode="c")
    changed[:] = A[::-1]  # the file stays as it was
    back = SpectralRegressor(**few).fit(A[::-1], b[::-1])
    near(SpectralRegressor(**few).fit(changed, b[::-1]).predict(A), back.predict(A), 1e-12)
    near(SpectralRegressor(**few).fit(mapped[::-1], b[::-1]).predict(A), back.predict(A), 1e-12)
    kinds = np.where(b > 0, 'with "comma", up', "down")
    classes = SpectralClassifier(**few).fit(mapped, kinds)
    assert classes.classes_.tolist() == ["down", 'with "comma", up']
    assert (classes.predict(mapped) == SpectralClassifier(**few).fit(A, kinds).predict(A)).all()
    package.raises(ValueError, "inconsistent", SpectralRegressor(**few).fit, mapped, b[:-1])


def test_types():
    try:
        import mypy.api
    except ImportError:
        print("    no mypy here (Debian: apt-get install mypy)")
        return
    folder = os.path.join(os.environ["SOURCE_DIR"], "python")
    os.environ["MYPYPATH"] = folder
    strict = ["--config-file", os.path.join(folder, "pyproject.toml"), "--cache-dir", os.path.join(os.environ["BUILD_DIR"], "mypy")]
    out, err, status = mypy.api.run([*strict, os.path.join(folder, "specreg")])
    assert status == 0, out + err
    # as users see them: everything is exported, fit gives the estimator, wrong parameters are found
    with open("user.py", "w") as f:
        f.write("import specreg\n" + "".join(f"specreg.{name}\n" for name in specreg.__all__)
                + "specreg.SpectralRegressor('rbf', n_jobs=1).fit([[1]], [1]).predict_interval([[1]], level=0.5)\n")
    out, err, status = mypy.api.run([*strict, "user.py"])
    assert status == 0, out + err
    for wrong in ("SpectralRegressor(gamma=1)", "SpectralRegressor('rbf', 'nu')", "SpectralRegressor().fit([], []).predict_interval()"):
        with open("user.py", "w") as f:
            f.write(f"import specreg\nspecreg.{wrong}\n")
        out, err, status = mypy.api.run([*strict, "user.py"])
        assert status == 1 and "user.py:2" in out, (wrong, out)


def test_plans_of_files_look_at_all_of_them_and_refuse_arrays_beside_them():
    for name, rows in (("plan1.npy", X[:40]), ("plan2.npy", X[40:])):
        np.save(name, rows)
    estimator = SpectralRegressor("rbf:sigma=1", approx="rectangle:m=20")
    told = specreg.plan(estimator, ["plan1.npy", "plan2.npy"])
    assert told["data"]["n"] == 90 and told["approx"]["m"] == 20
    assert specreg.plan(SpectralRegressor("rbf:sigma=1"), "plan1.npy")["data"]["n"] == 40
    for function in (specreg.plan, specreg.path):
        package.raises(ValueError, "a column of theirs", function, estimator, "plan1.npy", groups=[1] * 40)


package.run(globals())
