"""pip builds a wheel that holds the library; in a new venv it passes the doctests of the package, and a model
travels between it and the command.  As a variant all tests of the package run there."""
import glob
import os
import subprocess
import sys

import package

source, build = os.environ["SOURCE_DIR"], os.environ["BUILD_DIR"]
if os.path.realpath(build) != os.path.realpath(os.path.join(source, "build")):
    package.skip("the wheel takes the library of the release build")
try:
    import setuptools  # noqa: F401
    import venv
    import wheel  # noqa: F401
except ImportError as error:
    package.skip(f"{error} (Debian: apt-get install python3-venv python3-wheel)")


def run(*command, **named):
    done = subprocess.run(command, capture_output=True, text=True, **named)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel():
    try:
        venv.create("env", system_site_packages=True, with_pip=False, symlinks=True)
    except Exception as error:
        package.skip(f"no venv: {error}")
    python = os.path.abspath("env/bin/python3")
    # pip of the system; no network, and nothing that the build would have to fetch
    run(python, "-m", "pip", "install", os.path.join(source, "python"), "--no-build-isolation", "--no-index",
        "--no-deps", "--quiet", "--disable-pip-version-check")
    inside = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SPECREG_LIBRARY")}
    at = run(python, "-c", "import specreg; print(specreg.__file__, specreg.__version__)", env=inside).split()
    assert at[0].startswith(os.path.abspath("env") + "/"), at
    folder = os.path.dirname(at[0])
    assert not os.path.islink(os.path.join(folder, "libspecreg.so.1"))
    code = ("import doctest, importlib, pkgutil, specreg\n"
            "found = [doctest.testmod(importlib.import_module('specreg.' + m.name))"
            " for m in pkgutil.iter_modules(specreg.__path__)] + [doctest.testmod(specreg)]\n"
            "assert sum(f.attempted for f in found) > 20 and not sum(f.failed for f in found), found\n"
            "import numpy as np\n"
            "X = np.linspace(0, 1, 30)[:, None]\n"
            "specreg.SpectralRegressor(kernel='rbf').fit(X, X[:, 0] ** 2).save('square.srm')\n")
    run(python, "-c", code, env=inside)
    assert "kernel" in run(os.environ["SPECREG"], "info", "square.srm")


def test_all_in_the_venv():
    """Every other test of the package, with the wheel's files and library."""
    if "SPECREG_TEST_WHOLE" not in os.environ:
        return
    (installed,) = glob.glob(os.path.abspath("env/lib/python3*/site-packages"))
    inside = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SPECREG_LIBRARY")}
    inside["SPECREG_PYTHON"] = installed
    tests = sorted(glob.glob(os.path.join(source, "tests/python/test_package_*.py")))
    assert len(tests) > 8
    for test in tests:
        name = os.path.basename(test)[:-3]
        if name == "test_package_install":
            continue
        os.mkdir(name)
        done = subprocess.run([os.path.abspath("env/bin/python3"), test], cwd=name, env=inside, capture_output=True,
                              text=True)
        print(f"    {name} {'skipped' if done.returncode == 77 else 'passed' if not done.returncode else 'FAILED'}",
              flush=True)
        assert done.returncode in (0, 77), done.stdout + done.stderr


def test_no_file_is_left_out():
    ours = {os.path.basename(p) for p in glob.glob(os.path.join(source, "python/specreg/*.py"))}
    there = {os.path.basename(p) for p in glob.glob("env/lib/python3*/site-packages/specreg/*.py")}
    assert ours == there, ours ^ there


def test_python_path():
    told = run("make", "-s", "-C", source, "python-path").strip()
    assert os.path.realpath(told) == os.path.realpath(os.path.join(build, "python"))
    run(sys.executable, "-c", "import specreg", env={**os.environ, "PYTHONPATH": told})


package.run(globals())
