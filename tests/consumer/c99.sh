# The public header compiles alone as strict C99.
. "$SOURCE_DIR/tests/consumer/kit"
cp "$SOURCE_DIR/include/specreg/specreg.h" .
runs "$CC" -std=c99 -pedantic-errors -Wall -Wextra -Werror -fsyntax-only -x c specreg.h
