# Arm Cortex-M with clang; C library, libgcc and link come from arm-none-eabi-gcc.
# CT_TARGET_FLAGS chooses the core, such as "-mcpu=cortex-m55 -mfloat-abi=hard".
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CT_TARGET_FLAGS)

find_program(CT_GCC arm-none-eabi-gcc REQUIRED)
# newlib's headers stand beside its libraries: .../lib/libc.a, .../include.
execute_process(COMMAND ${CT_GCC} -print-file-name=libc.a OUTPUT_VARIABLE libc OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET libc PARENT_PATH newlib)
cmake_path(GET newlib PARENT_PATH newlib)

find_program(CT_CLANG NAMES clang-19 clang REQUIRED)
set(CMAKE_C_COMPILER ${CT_CLANG})
set(CMAKE_C_COMPILER_TARGET arm-none-eabi)
# newlib is compiled with the short enums of the Arm ABI for bare metal.
set(CMAKE_C_FLAGS_INIT "${CT_TARGET_FLAGS} -fshort-enums -isystem ${newlib}/include")
set(CMAKE_C_LINK_EXECUTABLE "${CT_GCC} ${CT_TARGET_FLAGS} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
