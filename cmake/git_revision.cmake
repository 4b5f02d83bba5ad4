# Writes RESULT from TEMPLATE with the revision of SOURCE; leaves the file alone where nothing changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=10 HEAD
  OUTPUT_VARIABLE ADAMANT_GIT_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(ADAMANT_GIT_REVISION "unknown")
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
    OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND ADAMANT_GIT_REVISION "+")
  endif()
endif()
set(PROJECT_VERSION ${VERSION})
configure_file(${TEMPLATE} ${RESULT} @ONLY)
