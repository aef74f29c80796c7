# make install: command, libraries, header, pkg-config file, CMake package, man pages, completion.
# specreg-experiments is not installed.
# What is installed may be moved as a whole: paths in it are relative to its own place.

# At run time Debian's loader takes whichever flavour of OpenBLAS update-alternatives names.
# The library therefore remembers the folder of the flavour it was built for, if it has one of its
# own; where that folder is gone, the loader's ordinary choice is used.
# CMake would give programs that are installed one search path now and another then, and fill the
# first with empty elements, which are the current folder: so both are the same.
option(SPECREG_BLAS_RUNPATH "Installed libspecreg.so looks first where its BLAS was found" ON)
if(SPECREG_BLAS_RUNPATH AND BLAS_LIBRARY_DIRS MATCHES "openblas-")
  set_target_properties(specreg PROPERTIES INSTALL_RPATH "${BLAS_LIBRARY_DIRS}")
endif()
set_target_properties(specreg PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
if(TARGET specreg_hdf5)
  set_target_properties(specreg_hdf5 PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endif()
if(NOT SPECREG_INSTALL)
  return()
endif()

if(TARGET specreg_hdf5)
  install(TARGETS specreg_hdf5 DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/specreg)
endif()
install(TARGETS specreg EXPORT specregTargets)
install(TARGETS specreg_static)
install(DIRECTORY include/specreg TYPE INCLUDE)
install(FILES LICENSE TYPE DOC)
install(DIRECTORY docs TYPE DOC FILES_MATCHING PATTERN "*.md")
foreach(page README.md CHANGELOG.md CITATION.cff)
  install(FILES ${page} TYPE DOC OPTIONAL)
endforeach()

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/specreg)
install(EXPORT specregTargets NAMESPACE specreg:: DESTINATION ${package_dir})
configure_package_config_file(cmake/specregConfig.cmake.in specregConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(specregConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/specregConfig.cmake
              ${PROJECT_BINARY_DIR}/specregConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH SPECREG_PC_PREFIX /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
string(REGEX REPLACE "/$" "" SPECREG_PC_PREFIX ${SPECREG_PC_PREFIX})
list(JOIN SPECREG_PRIVATE_LIBS " " SPECREG_PC_LIBS)
configure_file(cmake/specreg.pc.in specreg.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/specreg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Manual pages of the calls, from the comments of the header.
find_program(SPECREG_AWK awk)
mark_as_advanced(SPECREG_AWK)
if(SPECREG_AWK)
  add_custom_command(OUTPUT man3.stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf man3
    COMMAND ${PROJECT_SOURCE_DIR}/tools/man3 ${PROJECT_SOURCE_DIR}/include/specreg/specreg.h man3
    COMMAND ${CMAKE_COMMAND} -E touch man3.stamp
    DEPENDS include/specreg/specreg.h tools/man3 COMMENT "Manual pages of the library")
  add_custom_target(man3 ALL DEPENDS man3.stamp)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man3/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
endif()

if(TARGET specreg_cli)
  file(RELATIVE_PATH to_lib /x/${CMAKE_INSTALL_BINDIR} /x/${CMAKE_INSTALL_LIBDIR})
  set_target_properties(specreg_cli PROPERTIES BUILD_WITH_INSTALL_RPATH ON
                        INSTALL_RPATH "$ORIGIN;$ORIGIN/${to_lib}")
  install(TARGETS specreg_cli)

  # The command writes its own manual pages and completion; not under a sanitizer, not for a
  # machine other than this one.
  if(NOT SPECREG_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
    add_custom_command(OUTPUT manual.stamp
      COMMAND ${CMAKE_COMMAND} -D COMMAND=$<TARGET_FILE:specreg_cli> -D OUT=${PROJECT_BINARY_DIR}
              -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
      COMMAND ${CMAKE_COMMAND} -E touch manual.stamp
      DEPENDS specreg_cli cmake/manual.cmake COMMENT "Manual pages and shell completion")
    add_custom_target(manual ALL DEPENDS manual.stamp)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/completion/bash/
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/completion/zsh/
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/completion/fish/
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()
