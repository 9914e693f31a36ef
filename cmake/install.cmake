# What `cmake --install` puts where: the library with its headers and package config, the program,
# and the zygote, which nobody starts by hand, in libexec.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(cellblock_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cellblock)
set(cellblock_libexec_dir ${CMAKE_INSTALL_LIBEXECDIR}/cellblock)

install(TARGETS cellblock EXPORT cellblock-targets)
install(DIRECTORY include/cellblock TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
# Apart: who does not ask for it needs no Python to build.
install(TARGETS cellblock_in_process EXPORT cellblock-in-process-targets)
install(EXPORT cellblock-in-process-targets NAMESPACE cellblock::
        DESTINATION ${cellblock_config_dir})
install(EXPORT cellblock-targets NAMESPACE cellblock:: DESTINATION ${cellblock_config_dir})
if(TARGET cellblock-cli)
  install(TARGETS cellblock-cli)
endif()
if(TARGET cellblock-zygote)
  install(TARGETS cellblock-zygote DESTINATION ${cellblock_libexec_dir})
endif()

# A static library hands its private dependencies on to whoever links it. Asked of the target: the
# variable BUILD_SHARED_LIBS may be unset.
get_target_property(cellblock_type cellblock TYPE)
if(cellblock_type STREQUAL "STATIC_LIBRARY")
  set(CELLBLOCK_IS_STATIC ON)
else()
  set(CELLBLOCK_IS_STATIC OFF)
endif()
configure_package_config_file(cmake/cellblock-config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/cellblock-config.cmake
                              INSTALL_DESTINATION ${cellblock_config_dir}
                              PATH_VARS cellblock_libexec_dir)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/cellblock-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cellblock-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/cellblock-config-version.cmake
        DESTINATION ${cellblock_config_dir})
