"""The model file opens without the library: the lines of docs/MODEL_FILE.md predict what the library does."""
import json
import os
import re
import struct
import subprocess

import numpy as np
import package
import specreg

text = open(os.path.join(os.environ["SOURCE_DIR"], "docs/MODEL_FILE.md")).read()
(lines,) = re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)
rng = np.random.default_rng(2)
X = rng.normal(size=(80, 3)) * [1, 10, 0.1] + [0, 5, 0]
y = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2]])
New = rng.normal(size=(30, 3)) * [1, 10, 0.1]


def test_ten_lines_predict():
    assert len([line for line in lines.splitlines() if line.strip()]) <= 11
    for target in (y[:, 0], y):
        model = specreg.SpectralRegressor(kernel="rbf").fit(X, target)
        model.save("model.srm")
        names = {"X": New}
        exec(lines, names)
        expected = model.predict(New).reshape(len(New), -1)
        assert np.abs(names["f"] - expected).max() < 1e-10 * np.abs(expected).max()


def test_a_file_of_the_command():
    np.savetxt("train.csv", np.column_stack([X, y[:, 0]]), delimiter=",", header="a,b,c,y", comments="")
    subprocess.run([os.environ["SPECREG"], "fit", "train.csv", "--kernel", "rbf", "-q", "-o", "model.srm"],
                   check=True)
    names = {"X": New}
    exec(lines, names)
    assert np.abs(names["f"][:, 0] - specreg.load("model.srm").predict(New)).max() < 1e-10 * 30


def test_it_is_safetensors():
    """Offsets begin at 0, are in order, without gaps, and end with the file; the header has a multiple of 8 bytes."""
    data = open("model.srm", "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + n])
    assert n % 8 == 0 and all(isinstance(v, str) for v in header.pop("__metadata__").values())
    end = 0
    for tensor in sorted(header.values(), key=lambda t: t["data_offsets"]):
        assert tensor["dtype"] == "F64" and tensor["data_offsets"][0] == end
        end = tensor["data_offsets"][1]
        assert end - tensor["data_offsets"][0] == 8 * np.prod(tensor["shape"])
    assert 8 + n + end == len(data)


package.run(globals())
