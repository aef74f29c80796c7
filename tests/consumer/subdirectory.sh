# A user with the sources as a part of the own project.
. "$SOURCE_DIR/tests/consumer/kit"
runs "$CMAKE" -S "$SOURCE_DIR/tests/consumer/subdirectory" -B build -DSPECREG_SOURCE="$SOURCE_DIR" \
    -DCMAKE_BUILD_TYPE=Debug
runs "$CMAKE" --build build --parallel 2 --target with_specreg with_specreg_static
runs build/with_specreg
runs build/with_specreg_static
runs "$CMAKE" --install build --prefix "$PWD/prefix"
[ -z "$(ls prefix 2>/dev/null)" ] || failed "a part of a project installs nothing by itself"
