# Every header compiles alone: one source for each, `#include` and nothing else. Not part of the
# default build; `./dev lint` builds it.
function(cellblock_header_check target root)
  set(sources "")
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH name ${root} ${header})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${name}\"\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${sources})
endfunction()

# The public ones with nothing in reach but themselves.
file(GLOB public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/cellblock/*.hpp)
cellblock_header_check(cellblock_public_header_checks ${PROJECT_SOURCE_DIR}/include
                       ${public_headers})
target_include_directories(cellblock_public_header_checks PRIVATE ${PROJECT_SOURCE_DIR}/include)

file(GLOB_RECURSE private_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.hpp)
cellblock_header_check(cellblock_private_header_checks ${PROJECT_SOURCE_DIR}/src
                       ${private_headers})
target_link_libraries(cellblock_private_header_checks PRIVATE cellblock_flags Python::Python
                      spdlog::spdlog nlohmann_json::nlohmann_json CLI11::CLI11 PkgConfig::LIBEDIT)
add_custom_target(cellblock_header_checks)
add_dependencies(cellblock_header_checks cellblock_public_header_checks
                 cellblock_private_header_checks)
