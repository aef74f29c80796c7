"""DataFrames with columns of texts in tasks, coordinates, paths, cross-validation and importances: each the same as
columns of 0 and 1."""
import numpy as np
import package
import specreg
from specreg import MultiTaskRegressor, SpectralClassifier, SpectralRegressor, SpectralTransformer

try:
    import pandas as pd
except ImportError as error:
    package.skip(f"{error} (Debian: apt-get install python3-pandas)")

rng = np.random.default_rng(6)
N = 80
size, colour = rng.normal(size=N), rng.choice(["red", "green", "blue"], N)
school = rng.choice(["Hill", "Lake", "Mill"], N)
frame = pd.DataFrame({"size": size, "colour": colour})
hot = np.column_stack([size, *(colour == c for c in ("blue", "green", "red"))]).astype(float)
y = np.sin(size) + (colour == "red") + 0.5 * (school == "Lake")
FIXED = dict(kernel="rbf:sigma=1.3", param=1e-2, select="none", scale="none")


def near(a, b, tolerance=1e-10):
    assert np.shape(a) == np.shape(b) and np.abs(a - b).max() <= tolerance * np.abs(b).max(), np.abs(a - b).max()


def test_tasks():
    model = MultiTaskRegressor(**FIXED, outputs="common:omega=0.4")
    new = np.roll(school, 7)
    expected = model.fit(hot, y, tasks=school).predict(hot, tasks=new)
    assert np.ptp(expected - model.predict(hot, tasks=school)) > 0.1  # tasks matter
    model.fit(frame, y, tasks=school)
    near(model.predict(frame, tasks=new), expected)
    assert model.tasks_ == ["Hill", "Lake", "Mill"] and model.feature_names_in_.tolist() == ["size", "colour"]
    # the task among the columns, by number and by name; with a name that the table itself takes
    for at, column in ((1, 1), (1, "school"), (0, 0), (2, "task"), (2, -1)):
        name = column if isinstance(column, str) else "school"
        whole, other = frame.copy(), frame.copy()
        whole.insert(at, name, school)
        other.insert(at, name, new)
        inside = MultiTaskRegressor(**FIXED, outputs="common:omega=0.4", task_column=column).fit(whole, y)
        near(inside.predict(other), expected)
        assert inside.n_features_in_ == 3
    # only the task is a text
    numbers = pd.DataFrame({"size": size, "school": school})
    inside = MultiTaskRegressor(**FIXED, outputs="common:omega=0.4", task_column="school").fit(numbers, y)
    near(inside.predict(numbers), model.fit(size[:, None], y, tasks=school).predict(size[:, None], tasks=school))
    # one task, and an input whose name the table takes
    near(model.fit(frame, y).predict(frame), model.fit(hot, y).predict(hot))
    clash = frame.rename(columns={"size": "task"})
    near(model.fit(clash, y, tasks=school).predict(clash, tasks=new), expected)
    weights = rng.uniform(0.5, 2, N)
    near(model.fit(frame, y, weights, tasks=school).predict(frame, tasks=new),
         model.fit(hot, y, weights, tasks=school).predict(hot, tasks=new))
    gap = numbers.assign(school=[None, *school[1:]])
    package.raises(ValueError, "NaN", inside.fit, gap, y)
    package.raises(ValueError, "row 0 of X has no task", inside.set_params(missing="mean").fit, gap, y)
    package.raises(ValueError, "'school' is no column", inside.fit, hot, y)
    package.raises(ValueError, "task_column=9 is no column", inside.set_params(task_column=9).fit, hot, y)
    # a task that is a number, by its name
    numbers = numbers.assign(school=np.searchsorted(["Hill", "Lake", "Mill"], school).astype(float))
    inside.set_params(task_column="school", missing="error").fit(numbers, y)
    assert inside.tasks_ == ["0", "1", "2"]
    near(inside.predict(numbers), model.fit(size[:, None], y, tasks=school).predict(size[:, None], tasks=school))
    near(model.fit(size[:, None], y, tasks=numbers["school"].astype(int)).predict(size[:, None], tasks=numbers["school"]),
         inside.predict(numbers))
    package.raises(ValueError, "feature names", model.fit(frame, y, tasks=school).predict, frame[["size"]])
    package.raises(ValueError, "inconsistent numbers", model.fit, frame, y[1:])


def test_coordinates():
    from sklearn.decomposition import KernelPCA

    ours = SpectralTransformer(n_components=3, kernel="rbf:gamma=0.3", scale="none").fit(frame)
    theirs = KernelPCA(3, kernel="rbf", gamma=0.3).fit_transform(hot)
    told = ours.transform(frame)
    near(told * np.sign((told * theirs).sum(0)), theirs, 1e-8)
    near(ours.transform(frame[5:9]), told[5:9])
    named = frame.rename(columns={"size": "target"})
    near(SpectralTransformer(n_components=3, kernel="rbf:gamma=0.3", scale="none").fit(named).transform(named), told)
    assert list(ours.set_output(transform="pandas").transform(frame).columns) == ["pc1", "pc2", "pc3"]
    basis = SpectralTransformer("nystrom", n_components=N, kernel="rbf:sigma=0.9", scale="none")
    B = basis.fit_transform(frame)
    squares = ((hot[:, None] - hot[None]) ** 2).sum(-1)
    near(B @ B.T, np.exp(-squares / (2 * 0.81)), 1e-7)
    package.raises(ValueError, "NaN", ours.fit, frame.assign(colour=[None, *colour[1:]]))
    package.raises(ValueError, "feature names", ours.transform, frame[["colour"]])
    package.raises(ValueError, "minimum of 2", ours.fit, frame[:1])


def test_paths_and_importances():
    model = SpectralRegressor(kernel="rbf:sigma=1.3", param=[1e-1, 1e-3], select="loo", scale="none")
    near(specreg.path(model, frame, y)["value"].to_numpy(), specreg.path(model, hot, y)["value"].to_numpy())
    kinds = np.where(y > 0.5, "high", "low")
    classes = SpectralClassifier(kernel="rbf", param="lambda=log:1e-6:1:7", scale="none")
    told, arrays = (specreg.cv(classes, rows, kinds, outer=3)["mean"] for rows in (frame, hot))
    assert told["error_rate"] == arrays["error_rate"]
    assert specreg.plan(model, frame, y)["path_points"] == 2
    model.fit(frame, y)
    told = specreg.importance(model, frame, y, repeats=20)["columns"]
    mixed = rng.permutation(N)
    by_name = {c["name"]: c["mean"] for c in told}
    apart = {"size": frame.assign(size=size[mixed]), "colour": frame.assign(colour=colour[mixed])}
    for name, rows in apart.items():  # one permutation beside the mean of twenty
        worse = np.mean((model.predict(rows) - y) ** 2) - np.mean((model.predict(frame) - y) ** 2)
        assert 0.5 < worse / by_name[name] < 2, (name, worse, by_name)
    package.raises(ValueError, "columns of numbers", specreg.path, model, frame, y, unlabelled=hot)
    (curve,) = specreg.partial(model, frame, columns=["colour"])["curves"]
    red, blue = (model.predict(frame.assign(colour=c)).mean() for c in ("red", "blue"))
    found = {value: mean[0] for value, mean in zip(curve["grid"], curve["mean"])}
    near(np.array([found["red"], found["blue"]]), np.array([red, blue]), 1e-9)


package.run(globals())
