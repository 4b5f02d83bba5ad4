# For other projects: find_package(adamant) finds what `cmake --install` puts down, or this build folder.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/adamant)
install(TARGETS adamant adamant_core adamant_flags EXPORT adamantTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY lib/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/adamant FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
install(EXPORT adamantTargets NAMESPACE adamant:: DESTINATION ${package_dir})
export(EXPORT adamantTargets NAMESPACE adamant:: FILE ${PROJECT_BINARY_DIR}/adamantTargets.cmake)
configure_package_config_file(cmake/adamantConfig.cmake.in ${PROJECT_BINARY_DIR}/adamantConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/adamantConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/adamantConfig.cmake ${PROJECT_BINARY_DIR}/adamantConfigVersion.cmake
  DESTINATION ${package_dir})
