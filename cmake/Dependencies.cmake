# What the library stands on, all by pkg-config; docs/DEPENDENCIES.md says what each is for.
find_package(PkgConfig REQUIRED)
if(SPECREG_OPENMP)
  find_package(OpenMP REQUIRED COMPONENTS C)
else()
  add_compile_options(-Wno-unknown-pragmas -Wno-unused-variable) # which only pragmas name
endif()
find_package(Threads REQUIRED)
include(CheckFunctionExists)
include(CheckSymbolExists)

set(SPECREG_BLAS "openblas;cblas;blas" CACHE STRING
    "pkg-config names of a library with the CBLAS interface, tried in this order")

# Debian keeps the flavours of OpenBLAS in folders of their own and lets openblas.pc be one of
# them.  The OpenMP flavour shares its thread pool with our OpenMP code, so it comes first.
execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --variable pc_path pkg-config
                OUTPUT_VARIABLE folders OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REPLACE ":" ";" folders "${folders}")
set(flavour "")
foreach(folder IN LISTS folders)
  get_filename_component(candidate "${folder}/../openblas-openmp/pkgconfig" ABSOLUTE)
  if(EXISTS "${candidate}/openblas.pc" AND NOT flavour)
    set(flavour "${candidate}")
  endif()
endforeach()
set(saved_path "$ENV{PKG_CONFIG_PATH}")
set(ENV{PKG_CONFIG_PATH} "${saved_path}:${flavour}")
pkg_search_module(BLAS REQUIRED IMPORTED_TARGET ${SPECREG_BLAS})
set(ENV{PKG_CONFIG_PATH} "${saved_path}")

pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(DEPS REQUIRED IMPORTED_TARGET zlib libxxhash libutf8proc)
if(SPECREG_HDF5)
  pkg_search_module(HDF5 IMPORTED_TARGET hdf5 hdf5-serial)
endif()
if(SPECREG_ZSTD)
  pkg_check_modules(ZSTD IMPORTED_TARGET libzstd)
endif()
if(SPECREG_ZIP)
  pkg_check_modules(ZIP IMPORTED_TARGET libzip)
endif()

add_library(specreg_deps INTERFACE)
target_link_libraries(specreg_deps INTERFACE PkgConfig::BLAS PkgConfig::LAPACKE PkgConfig::JANSSON
                      PkgConfig::DEPS Threads::Threads ${CMAKE_DL_LIBS} m)
set(SPECREG_PRIVATE_LIBS ${BLAS_LDFLAGS} ${LAPACKE_LDFLAGS})
if(OpenMP_C_FOUND)
  target_link_libraries(specreg_deps INTERFACE OpenMP::OpenMP_C)
endif()
if(ZSTD_FOUND)
  target_link_libraries(specreg_deps INTERFACE PkgConfig::ZSTD)
  target_compile_definitions(specreg_deps INTERFACE SPECREG_HAVE_ZSTD=1)
  list(APPEND SPECREG_PRIVATE_LIBS ${ZSTD_LDFLAGS})
endif()
if(ZIP_FOUND)
  target_link_libraries(specreg_deps INTERFACE PkgConfig::ZIP)
  target_compile_definitions(specreg_deps INTERFACE SPECREG_HAVE_ZIP=1)
  list(APPEND SPECREG_PRIVATE_LIBS ${ZIP_LDFLAGS})
endif()
foreach(library IN LISTS OpenMP_C_LIB_NAMES)
  list(APPEND SPECREG_PRIVATE_LIBS -l${library})
endforeach()
list(APPEND SPECREG_PRIVATE_LIBS -lm)

# OpenBLAS lets us say how many threads it may use; other libraries follow OMP_NUM_THREADS.
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::BLAS)
check_symbol_exists(openblas_set_num_threads cblas.h SPECREG_HAVE_OPENBLAS_THREADS)
unset(CMAKE_REQUIRED_LIBRARIES)
if(SPECREG_HAVE_OPENBLAS_THREADS)
  target_compile_definitions(specreg_deps INTERFACE SPECREG_HAVE_OPENBLAS_THREADS=1)
endif()

# The divide-and-conquer of src/backend/cpu/eigen.c calls these steps of LAPACK's dstedc, which a
# library may hide; without them dsyevd decomposes.
set(CMAKE_REQUIRED_LIBRARIES PkgConfig::BLAS PkgConfig::LAPACKE)
set(SPECREG_HAVE_DLAED ON)
foreach(step dlaed2_ dlaed4_ dlamrg_)
  check_function_exists(${step} SPECREG_HAVE_${step})
  if(NOT SPECREG_HAVE_${step})
    set(SPECREG_HAVE_DLAED OFF)
    message(STATUS "LAPACK does not offer ${step}: dsyevd decomposes matrices")
  endif()
endforeach()
unset(CMAKE_REQUIRED_LIBRARIES)

message(STATUS "BLAS: ${BLAS_LINK_LIBRARIES}; HDF5: ${HDF5_FOUND}; libzip: ${ZIP_FOUND}; zstd: ${ZSTD_FOUND}; OpenMP: ${OpenMP_C_FOUND}")
