"""The Python of README.md, docs/PYTHON.md and docs/MODEL_FILE.md runs, and so do the examples of the
package's docstrings; every public class and function has some."""
import doctest
import importlib
import os
import pkgutil
import re
import sys

import package
import specreg

source = os.environ["SOURCE_DIR"]


def blocks(page):
    text = open(os.path.join(source, page)).read()
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.S | re.M)


def test_pages():
    for page, least in (("README.md", 1), ("docs/PYTHON.md", 2)):
        found, names = blocks(page), {}
        assert len(found) >= least, page
        for block in found:
            exec(compile(block, page, "exec"), names)


def test_docstrings():
    modules = [specreg] + [importlib.import_module("specreg." + m.name)
                           for m in pkgutil.iter_modules(specreg.__path__)]
    tried = 0
    for module in modules:
        result = doctest.testmod(module)
        assert result.failed == 0, module.__name__
        tried += result.attempted
    assert tried > 20


def test_everything_public_has_an_example():
    for name in specreg.__all__:
        thing = getattr(specreg, name)
        if name != "SpecregError" and name != "load":
            assert ">>>" in thing.__doc__, name
            assert "%(" not in thing.__doc__, name
    sys.stdout.flush()


package.run(globals())
