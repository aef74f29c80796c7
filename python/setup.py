"""The wheel holds the library: the one in ../build, which is built if it is not there or older than its sources."""
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

root = Path(__file__).resolve().parent.parent
header = (root / "include/specreg/specreg.h").read_text()
version = re.search(r'#define SPECREG_VERSION "(.*)"', header).group(1)


def is_built(library):
    sources = [path for folder in ("include", "src") for path in (root / folder).rglob("*.[ch]")]
    return library.exists() and library.stat().st_mtime >= max(path.stat().st_mtime for path in sources)


class build_with_library(build_py):
    def run(self):
        super().run()
        built = root / "build"
        if not is_built(built / "libspecreg.so.1"):
            subprocess.run(["make", "-C", str(root), "all"], check=True)
        package = Path(self.build_lib) / "specreg"
        for name in ("libspecreg.so.1", "specreg-hdf5"):
            if (built / name).exists():
                shutil.copy(built / name, package / name)


class wheel_of_platform(bdist_wheel):
    """ctypes needs no compiled module: one wheel for every Python 3 of this platform."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


setup(
    version=version,
    packages=["specreg"],
    package_data={"specreg": ["py.typed"]},
    cmdclass={"build_py": build_with_library, "bdist_wheel": wheel_of_platform},
    zip_safe=False,
)
