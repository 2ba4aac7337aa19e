# find_package(cortorch CONFIG REQUIRED) with -Dcortorch_ROOT=<checkout, or what `cortorch.paths.cmake_dir()` says>:
# the target `cortorch`, compiled with the flags of the project that asks for it.
if(NOT TARGET cortorch)
    add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/.." "${CMAKE_BINARY_DIR}/cortorch" EXCLUDE_FROM_ALL)
endif()
