# cmake --install: the binary, its man page (help2man) and completions, all made by running what was built.
# cpack -G DEB: the same as a package. Where help2man is missing, there is no man page, and configuring says so.
include(GNUInstallDirs)
set(extras ${PROJECT_BINARY_DIR}/extras)
find_program(RUNG_HELP2MAN help2man)
mark_as_advanced(RUNG_HELP2MAN)

set(completions ${PROJECT_SOURCE_DIR}/cmake/completions.sh)
add_custom_command(
  OUTPUT ${extras}/rung.bash ${extras}/_rung
  COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}
  COMMAND ${completions} $<TARGET_FILE:rung> bash > ${extras}/rung.bash
  COMMAND ${completions} $<TARGET_FILE:rung> zsh > ${extras}/_rung
  DEPENDS rung ${completions}
  VERBATIM)
set(extra_files ${extras}/rung.bash ${extras}/_rung)
if(RUNG_HELP2MAN)
  add_custom_command(
    OUTPUT ${extras}/rung.1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${extras}
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/manual.sh $<TARGET_FILE:rung> ${RUNG_HELP2MAN} > ${extras}/rung.1
    DEPENDS rung ${PROJECT_SOURCE_DIR}/cmake/manual.sh
    VERBATIM)
  list(APPEND extra_files ${extras}/rung.1)
  install(FILES ${extras}/rung.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "rung: no help2man, so no man page")
endif()
add_custom_target(rung_extras ALL DEPENDS ${extra_files})

install(TARGETS rung DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${extras}/rung.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rung)
install(FILES ${extras}/_rung DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rung)
set(CPACK_PACKAGE_CONTACT "The rung developers <rung@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Not stripped: the simulator names file and line of what it finds from the binary's own -g1.
set(CPACK_STRIP_FILES OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# From the libraries the binary names. CUDA's runtime is linked in; cuBLAS, NVML and the driver are looked for as it runs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
include(CPack)
