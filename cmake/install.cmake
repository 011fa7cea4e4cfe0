# What is installed, and the note beside each built drop-in that says which MPI it serves.
#
#   <prefix>/lib/pario/<name>/libpario_mpiio.so   one folder for each MPI, side by side in one prefix
#   <prefix>/lib/pario/<name>/pario-build.json    read by the pario command
#   <prefix>/lib/pario/<name>/pario-*.cmake       read by find_package(pario)
#   <prefix>/lib/pkgconfig/pario-<name>.pc        and pario.pc, which is the last one installed
include(CMakePackageConfigHelpers)

get_filename_component(default_name ${CMAKE_BINARY_DIR} NAME)
set(PARIO_MPI_NAME ${default_name} CACHE STRING "Name of this build: its folder below lib/pario")
set(pario_folder ${CMAKE_INSTALL_LIBDIR}/pario/${PARIO_MPI_NAME})

# The first library of the wrapper is the MPI itself; the linker name resolves to the file.
list(GET MPI_C_LIBRARIES 0 PARIO_MPI_LIBRARY)
file(REAL_PATH ${PARIO_MPI_LIBRARY} PARIO_MPI_LIBRARY)

set(PARIO_BENCH_PROGRAM bench/pario_bench)
configure_file(${CMAKE_CURRENT_LIST_DIR}/pario-build.json.in ${CMAKE_BINARY_DIR}/src/pario-build.json @ONLY)

set_target_properties(pario_mpiio PROPERTIES EXPORT_NAME mpiio INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS pario_mpiio EXPORT pario LIBRARY DESTINATION ${pario_folder})
install(EXPORT pario NAMESPACE pario:: FILE pario-targets.cmake DESTINATION ${pario_folder})
install(FILES ${CMAKE_BINARY_DIR}/src/pario-build.json DESTINATION ${pario_folder})

configure_file(${CMAKE_CURRENT_LIST_DIR}/pario-mpi.cmake.in ${CMAKE_BINARY_DIR}/pario-mpi.cmake @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pario-mpi.cmake DESTINATION ${pario_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/pario-config.cmake.in ${CMAKE_BINARY_DIR}/pario-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pario)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pario-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pario-config.cmake ${CMAKE_BINARY_DIR}/pario-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pario)

configure_file(${CMAKE_CURRENT_LIST_DIR}/pario.pc.in ${CMAKE_BINARY_DIR}/pario.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pario.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  RENAME pario-${PARIO_MPI_NAME}.pc)
# A link and not a copy: install() leaves a file alone that is less than a second older.
install(CODE "file(CREATE_LINK pario-${PARIO_MPI_NAME}.pc
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/pario.pc\" SYMBOLIC)")

if(TARGET pario_bench)
  set_target_properties(pario_bench PROPERTIES INSTALL_RPATH "$ORIGIN/.." INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS pario_bench RUNTIME DESTINATION ${pario_folder}/bench)
endif()
