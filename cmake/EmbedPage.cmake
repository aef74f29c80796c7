# Makes C arrays of a page: what stands before @DATA@, and what stands behind it.
#     cmake -DPAGE=web/dist/page.html -DOUT=page_template.c -P cmake/EmbedPage.cmake
file(READ ${PAGE} page HEX)
set(marker "404441544140") # @DATA@
string(FIND "${page}" ${marker} at)
string(FIND "${page}" ${marker} last REVERSE)
math(EXPR odd "${at} % 2")
if(at LESS 0 OR NOT at EQUAL last OR odd)
  message(FATAL_ERROR "${PAGE}: @DATA@ must stand in it once")
endif()
string(LENGTH ${marker} length)
math(EXPR rest "${at} + ${length}")
string(SUBSTRING "${page}" 0 ${at} head)
string(SUBSTRING "${page}" ${rest} -1 tail)
foreach(part head tail)
  string(REGEX REPLACE "(................................................................)" "\\1\n" ${part} "${${part}}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," ${part} "${${part}}")
endforeach()
file(WRITE ${OUT} "#include \"page/page.h\"\n
/* Made by cmake/EmbedPage.cmake. */
const char sri_page_head[] = {\n${head}0};
const char sri_page_tail[] = {\n${tail}0};\n")
