# The commit that is built from, as a header that cli/report/commit.cpp alone includes. Asked for in each build, not
# when configuring, which a commit does not start again; a header that would say the same is left as it is, so that
# nothing is compiled for it.
set(RUNG_COMMIT_FOLDER ${PROJECT_BINARY_DIR}/commit)
set(write_commit ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D HEADER=${RUNG_COMMIT_FOLDER}/rung_commit.hpp
                 -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake)
# Once here too: clang-tidy reads sources of a tree that is configured and not built.
execute_process(COMMAND ${write_commit} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(rung_commit COMMAND ${write_commit} BYPRODUCTS ${RUNG_COMMIT_FOLDER}/rung_commit.hpp
                  COMMENT "Asking git for the commit" VERBATIM)
