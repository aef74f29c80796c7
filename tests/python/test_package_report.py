#!/usr/bin/env python3
"""specreg.report(): pages from estimators, models, records and files; shown by a notebook in a frame of its own."""
import html
import json
import os
import re
import tempfile

import package
import numpy as np
import specreg

rng = np.random.default_rng(4)
X = rng.normal(size=(60, 2))
y = X[:, 0] + 0.1 * rng.normal(size=60)
model = specreg.SpectralRegressor("rbf:sigma=1").fit(X, y)
classes = specreg.SpectralClassifier("rbf:sigma=1").fit(X, np.where(y > 0, "<b>", "'&"))


def data(page):
    (text,) = re.findall(r'id="specreg-data">(.*?)</script>', page, re.S)
    return json.loads(text)["reports"]


page = model.report()
(r,) = data(page.html)
assert r["title"] == "SpectralRegressor" or r["title"] == "model", r["title"]
assert r["portrait"]["spectrum"] and r["rows"]["by"] == "loo"
frame = page._repr_html_()
assert frame.startswith("<iframe") and "srcdoc=" in frame
assert html.unescape(re.search(r'srcdoc="([^"]*)"', frame).group(1)) == page.html

(r,) = data(specreg.report(classes, data=(X[:20], np.where(y > 0, "<b>", "'&")[:20])).html)
assert r["rows"]["by"] == "file" and len(r["rows"]["true"]) == 20 and sorted(r["rows"]["labels"]) == ["'&", "<b>"]
error = np.mean(classes.predict(X[:20]) != np.where(y > 0, "<b>", "'&")[:20])
assert abs(r["eval"]["test"]["error_rate"] - error) < 1e-12
assert r["importance"]["columns"] and r["partial"]

with tempfile.TemporaryDirectory() as folder:
    path, to = os.path.join(folder, "m.srm"), os.path.join(folder, "p.html")
    model.save(path)
    many = specreg.report(path, model.model_, model.record_, specreg.cv(model, X, y), path=to)
    with open(to, encoding="utf-8") as file:
        assert file.read() == str(many)
    assert [r["source"] for r in data(many.html)] == ["fit", "fit", "fit", "cv"]
    assert data(many.html)[0]["title"] == "m.srm"
    package.raises(OSError, "no", many.save, os.path.join(folder, "no", "p.html"))
package.raises(ValueError, "needs a model", specreg.report)
package.raises(ValueError, "not fitted", specreg.report, specreg.SpectralRegressor())
package.raises(ValueError, "record", specreg.report, {"a": 1})
print("ok")
