# deal.II can be built without what every program here needs; a compiler would tell that by names it does not know.
foreach(feature MPI P4EST MUPARSER)
  if(NOT DEAL_II_WITH_${feature})
    list(APPEND missing DEAL_II_WITH_${feature})
  endif()
endforeach()
if(missing)
  string(REPLACE ";" ", " missing "${missing}")
  message(FATAL_ERROR "adamant needs deal.II with MPI, p4est and muParser; the one in '${deal.II_DIR}' was "
    "configured without ${missing}")
endif()
