# A user with find_package(specreg).
. "$SOURCE_DIR/tests/consumer/kit"
runs "$CMAKE" --install "$BUILD_DIR" --prefix "$PWD/first"
mv first prefix
runs "$CMAKE" -S "$SOURCE_DIR/tests/consumer/cmake" -B build -DCMAKE_PREFIX_PATH="$PWD/prefix"
runs "$CMAKE" --build build
runs build/shared
runs build/static
