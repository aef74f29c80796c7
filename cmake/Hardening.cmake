# What Debian and others compile their packages with: the stack is checked, so are sizes that the C
# library can see, tables of functions are read-only, jumps go to where they may.  tests/hardening
# reads the result from the files.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
  string(MAKE_C_IDENTIFIER "SPECREG_TAKES${flag}" known)
  check_c_compiler_flag("-Werror ${flag}" ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug") # needs an optimizing compiler
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
foreach(flag relro now noexecstack)
  check_linker_flag(C "-Wl,-z,${flag}" SPECREG_LINKS_${flag})
  if(SPECREG_LINKS_${flag})
    add_link_options("LINKER:-z,${flag}")
  endif()
endforeach()
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
