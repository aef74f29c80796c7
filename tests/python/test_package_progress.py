"""verbose=1 shows a bar of tqdm for each stage; here a module takes its place that writes down what it is told.
Without tqdm nothing is shown."""
import sys
import types

import numpy as np
import package
from specreg import SpectralRegressor

X = np.random.default_rng(0).normal(size=(300, 2))
y = np.sin(X[:, 0])
model = SpectralRegressor("rbf", param="lambda=log:1e-6:1:7", verbose=1)
bars = []


class Bar:
    def __init__(self, total, desc):
        self.total, self.desc, self.n, self.is_closed = total, desc, 0, False
        bars.append(self)

    def update(self, steps):
        assert not self.is_closed
        self.n += steps

    def close(self):
        self.is_closed = True


class Interrupted(Bar):
    def update(self, steps):
        raise KeyboardInterrupt


def as_tqdm(kind):
    bars.clear()
    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = kind
    sys.modules["tqdm"], sys.modules["tqdm.auto"] = types.ModuleType("tqdm"), auto


def test_bars():
    as_tqdm(Bar)
    model.fit(X, y)
    assert "search" in [bar.desc for bar in bars], [bar.desc for bar in bars]
    assert all(bar.is_closed and 0 <= bar.n <= bar.total for bar in bars)
    assert any(bar.n == bar.total > 1 for bar in bars), [(bar.desc, bar.n, bar.total) for bar in bars]
    count = len(bars)
    model.set_params(verbose=0).fit(X, y)
    assert len(bars) == count
    model.set_params(verbose=1)


def test_an_exception_in_a_bar_ends_the_fit():
    as_tqdm(Interrupted)
    package.raises(KeyboardInterrupt, "", model.fit, X, y)
    as_tqdm(Bar)
    assert model.fit(X, y).predict(X).shape == (300,)


def test_without_tqdm():
    as_tqdm(Bar)
    sys.modules["tqdm.auto"] = None  # importing it fails
    assert model.fit(X, y).predict(X).shape == (300,)
    assert not bars


package.run(globals())
