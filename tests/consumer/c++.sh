# The public header compiles alone as C++, and C++ calls link against the library.
. "$SOURCE_DIR/tests/consumer/kit"
for CXX in "${CXX:-}" c++ g++ clang++; do
    command -v "$CXX" >/dev/null && break
done
command -v "$CXX" >/dev/null || skip "no C++ compiler"
runs "$CXX" -std=c++11 -pedantic-errors -Wall -Wextra -Werror -I"$SOURCE_DIR/include" \
    "$SOURCE_DIR/tests/consumer/version.cpp" -o version "$BUILD_DIR/libspecreg.so" \
    -Wl,-rpath,"$BUILD_DIR"
runs ./version
