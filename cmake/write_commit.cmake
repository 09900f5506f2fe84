# cmake -D SOURCE=… -D HEADER=… -P write_commit.cmake: "abc1234", "abc1234+changes", or "" where SOURCE is not the root
# of a git checkout (a tarball, perhaps unpacked inside another's repository) or there is no git.
cmake_minimum_required(VERSION 3.25)

# A build that a git hook starts inherits these, and they would name another repository.
foreach(name GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE)
  unset(ENV{${name}})
endforeach()

function(git result output)
  execute_process(COMMAND ${GIT} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE status
                  OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${result} ${status} PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

set(commit "")
find_program(GIT git)
if(GIT AND EXISTS ${SOURCE}/.git)
  git(status commit rev-parse --short=7 HEAD)
  if(NOT status EQUAL 0)
    set(commit "")
  else()
    # What the binary is made of, files that are not committed yet with it: sources are found by globbing.
    git(status changes status --porcelain -- CMakeLists.txt cmake cli kernels reference)
    if(NOT status EQUAL 0 OR NOT changes STREQUAL "")
      string(APPEND commit "+changes")
    endif()
  endif()
endif()

set(text "#define RUNG_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
