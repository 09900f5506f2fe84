# Kernels of the tests' own, compiled for the simulator: with planted faults, and with answers computed by hand.
set_source_files_properties(sim_planted.cu sim_clean.cu sim_language.cu PROPERTIES LANGUAGE CXX)
add_library(rung_sim_planted OBJECT sim_planted.cu sim_clean.cu sim_language.cu)
target_link_libraries(rung_sim_planted PRIVATE rung_sim_flags)
rung_warnings(rung_sim_planted)
target_link_libraries(rung_tests PRIVATE rung_sim_planted)
