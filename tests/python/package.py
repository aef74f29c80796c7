"""What the tests of the Python package share: the built package, or the reason why there is none."""
import os
import sys


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


where = os.environ.get("SPECREG_PYTHON") or ""
sanitized = "asan" in os.environ.get("LD_PRELOAD", "")  # times and memory are not those of the library
if "SPECREG_PYTHON" not in os.environ:  # by hand
    where = os.path.join(os.environ["BUILD_DIR"], "python")
if not where:
    skip("Python cannot load a library with this sanitizer")
sys.path.insert(0, where)
try:
    import numpy  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as error:
    skip(f"{error} (Debian: apt-get install python3-sklearn)")


def raises(kind, word, call, *arguments, **named):
    """The call raises an exception of this kind whose text has this word."""
    try:
        call(*arguments, **named)
    except kind as error:
        assert word in str(error), f"'{word}' is not in: {error}"
        return error
    raise AssertionError(f"no {kind} was raised")


def run(tests):
    """Runs the functions of a module that are named test_*."""
    for name, test in list(tests.items()):
        if name.startswith("test_") and callable(test):
            print(name, flush=True)
            test()
