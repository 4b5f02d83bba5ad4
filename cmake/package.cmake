# For other projects: find_package(adamant) finds what `cmake --install` puts down, or this build folder.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adamant)
get_property(modules GLOBAL PROPERTY adamant_targets)
install(TARGETS adamant adamant_core adamant_flags ${modules} EXPORT adamantTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY lib/ modules/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adamant FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh"
  PATTERN tests EXCLUDE)
install(EXPORT adamantTargets NAMESPACE adamant:: DESTINATION ${package_dir})
export(EXPORT adamantTargets NAMESPACE adamant:: FILE ${PROJECT_BINARY_DIR}/adamantTargets.cmake)
configure_package_config_file(cmake/adamantConfig.cmake.in ${PROJECT_BINARY_DIR}/adamantConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/adamantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/adamantConfig.cmake ${PROJECT_BINARY_DIR}/adamantConfigVersion.cmake
  DESTINATION ${package_dir})

# Programs under names of their own, with their parameter files, the template's source to copy, and man pages made from
# --help where help2man is found.
set(data_dir ${CMAKE_INSTALL_DATADIR}/adamant)
find_program(ADAMANT_HELP2MAN help2man)
foreach(app ${adamant_programs})
  set(name adamant-${app})
  install(PROGRAMS $<TARGET_FILE:${app}> DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME ${name})
  install(CODE "if(CMAKE_INSTALL_DO_STRIP)
      execute_process(COMMAND ${CMAKE_STRIP} \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${name}\")
    endif()")
  if(ADAMANT_HELP2MAN)
    install(CODE "set(page \"${PROJECT_BINARY_DIR}/man/${name}.1\")
      file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/man\")
      file(CREATE_LINK $<TARGET_FILE:${app}> \"${PROJECT_BINARY_DIR}/man/${name}\" SYMBOLIC)
      execute_process(COMMAND ${ADAMANT_HELP2MAN} --no-info --section=1 --output=\${page}
        \"--name=one of the programs of adamant\" \"${PROJECT_BINARY_DIR}/man/${name}\" RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR \"help2man made no man page of ${app}\")
      endif()
      execute_process(COMMAND gzip -9nf \${page})
      file(INSTALL \${page}.gz DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\")")
  endif()
endforeach()
install(DIRECTORY prm DESTINATION ${data_dir})
install(DIRECTORY apps/template DESTINATION ${data_dir}/apps)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# `cpack` in the build folder makes a Debian package; configure with -DADAMANT_NATIVE=OFF, so that it runs elsewhere.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME adamant)
set(CPACK_PACKAGE_CONTACT "The adamant developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "adaptive finite elements and geometric multigrid on CPUs and GPUs")
set(CPACK_PACKAGE_DESCRIPTION "Solves time-dependent partial differential equations with adaptive finite elements
(deal.II) and global-coarsening multigrid on host threads or one GPU: programs for
transport-diffusion, elasticity and flows, and the library that they are made of.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdeal.ii-dev, libboost-program-options-dev, nlohmann-json3-dev, g++, cmake")
include(CPack)
