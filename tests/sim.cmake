# Kernels of the tests' own, compiled for the simulator: with planted faults, and with answers computed by hand.
set_source_files_properties(sim_planted.cu sim_clean.cu sim_language.cu PROPERTIES LANGUAGE CXX)
add_library(rung_sim_planted OBJECT sim_planted.cu sim_clean.cu sim_language.cu)
target_link_libraries(rung_sim_planted PRIVATE rung_sim_flags)
rung_warnings(rung_sim_planted)
target_link_libraries(rung_tests PRIVATE rung_sim_planted)

# A rung with a kernel that races, for the page that shows one found: its output is made anew with the page.
set_source_files_properties(racy.cu PROPERTIES LANGUAGE CXX)
add_library(rung_sim_racy OBJECT racy.cu)
target_link_libraries(rung_sim_racy PRIVATE rung_sim_flags)
rung_warnings(rung_sim_racy)
add_executable(rung_racy ${PROJECT_SOURCE_DIR}/cli/main.cpp)
target_link_libraries(rung_racy PRIVATE ${rung_parts} rung_sim_racy)
target_link_options(rung_racy PRIVATE ${rung_link_options})
set_target_properties(rung_racy PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                                           BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
rung_warnings(rung_racy)
