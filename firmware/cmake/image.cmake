# The firmware image: app + baked models + start-up, UART driver, console and protocol, linked with the library.
file(GLOB sources CONFIGURE_DEPENDS
    "${CT_APP}/*.c" "${CT_BAKED}/*.c" firmware/console/*.c firmware/protocol/*.c)
list(APPEND sources "firmware/uart/${CT_UART}.c" ${CT_BOARD_SOURCES})

if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    file(GLOB startup CONFIGURE_DEPENDS firmware/startup/*.c)
    list(APPEND sources ${startup} firmware/platform/cortex_m.c)
else()
    list(APPEND sources firmware/platform/host.c)
endif()

add_library(ct_image OBJECT ${sources})
target_include_directories(ct_image PRIVATE
    "${CT_GENERATED}" "${CT_BAKED}" firmware/console firmware/platform firmware/protocol firmware/startup firmware/uart)
target_link_libraries(ct_image PRIVATE ct_options PUBLIC cortorch)
target_compile_options(ct_image PRIVATE -Os)  # what is fast or slow is in the library

add_executable(image)
# The same image, linked although it does not fit, so that its parts can be measured.
add_executable(oversized EXCLUDE_FROM_ALL)
foreach(name image oversized)
    target_link_libraries(${name} PRIVATE ct_image)
    set_target_properties(${name} PROPERTIES SUFFIX .elf LINKER_LANGUAGE C)
    target_link_options(${name} PRIVATE -Wl,--gc-sections)
endforeach()

if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    foreach(name image oversized)
        target_link_options(${name} PRIVATE
            -nostartfiles --specs=nano.specs "-T${CT_GENERATED}/image.ld" "-Wl,-Map=${name}.map"
            -Wl,--fatal-warnings -Wl,--orphan-handling=error -Wl,-z,noexecstack)
        set_target_properties(${name} PROPERTIES LINK_DEPENDS "${CT_GENERATED}/image.ld")
    endforeach()
    target_link_options(oversized PRIVATE -Wl,--noinhibit-exec)
else()
    target_compile_definitions(ct_image PRIVATE CT_HOST _POSIX_C_SOURCE=200809L)
endif()
