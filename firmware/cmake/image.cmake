# airwire_image(): an application on a way to the network, as ELF and UF2.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(PORT ${CMAKE_SOURCE_DIR}/ports/rp2040)

# The same bytes wherever the sources lie; each function a section of its own, so that what nobody calls stays out.
set(PREFIX_MAPS
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=firmware -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
    -ffile-prefix-map=${BOARD_DIR}=board -ffile-prefix-map=${LWIP_DIR}=lwip -ffile-prefix-map=${FREERTOS_DIR}=freertos)
# A search builds an image for each candidate, of which nobody asks for a source line.
set(DEBUG -g)
if(LWIP_TUNED_DIR)
  set(DEBUG -g0)
endif()
add_compile_options(
  $<$<COMPILE_LANGUAGE:C>:${DEBUG}> -ffunction-sections -fdata-sections -fno-common -ffreestanding -fno-tree-loop-distribute-patterns
  ${PREFIX_MAPS})
add_link_options(${PREFIX_MAPS})
set(OUR_WARNINGS -Wall -Wextra -Werror)

include_directories(${BOARD_DIR} hal common drivers drivers/wiznet drivers/cyw43 drivers/ideal_mac drivers/rmii transport ports/rp2040)

file(READ ${BOARD_DIR}/board.h BOARD_HEADER)
string(REGEX MATCH "BOARD_FLASH_BYTES ([0-9]+)" found "${BOARD_HEADER}")
set(BOARD_FLASH_BYTES ${CMAKE_MATCH_1})

# uart.c and adc.c belong to the images that use them.
set(PORT_SOURCES
    ${PORT}/startup.c ${PORT}/memcpy.S ${PORT}/clock.c ${PORT}/gpio.c ${PORT}/console.c ${PORT}/random.c ${PORT}/watchdog.c
    common/console_text.c common/decimal.c common/library_functions.c)
# For speed in the small images too: most of their time goes into short transactions of SPI.
set_source_files_properties(${PORT}/spi.c PROPERTIES COMPILE_OPTIONS -O3)
# What the compiler calls by itself must be there after optimisation at link time.
set_source_files_properties(common/library_functions.c ${PORT}/startup.c PROPERTIES COMPILE_OPTIONS -fno-lto)
# The driver of the chip that the board has.
if(NOT BOARD_HEADER MATCHES "BOARD_IDEAL_MAC|BOARD_WIZNET|BOARD_CYW43439|BOARD_LAN8720")
  set(DRIVER_SOURCES "")
elseif(BOARD_HEADER MATCHES "BOARD_CYW43439")
  include(drivers/cyw43/sources.cmake)
  include(cmake/cyw43_blob.cmake)
  set(DRIVER_SOURCES ${CMAKE_SOURCE_DIR}/drivers/watch.c ${CMAKE_SOURCE_DIR}/drivers/frames_cyw43.c ${AIRWIRE_CYW43_DRIVER}
      ${CYW43_BLOB_SOURCE} ${PORT}/gspi.c)
elseif(BOARD_HEADER MATCHES "BOARD_LAN8720")
  set(RMII ${CMAKE_SOURCE_DIR}/drivers/rmii)
  set(DRIVER_SOURCES ${CMAKE_SOURCE_DIR}/drivers/watch.c ${CMAKE_SOURCE_DIR}/drivers/frames_rmii.c ${RMII}/rmii_mac.c
      ${RMII}/mdio.c ${RMII}/phy.c ${PORT}/rmii.c)
elseif(BOARD_HEADER MATCHES "BOARD_IDEAL_MAC")
  set(DRIVER_SOURCES ${CMAKE_SOURCE_DIR}/drivers/watch.c ${CMAKE_SOURCE_DIR}/drivers/ideal_mac/ideal_mac.c)
else()
  include(drivers/wiznet/sources.cmake)
  set(DRIVER_SOURCES ${CMAKE_SOURCE_DIR}/drivers/watch.c ${CMAKE_SOURCE_DIR}/drivers/wiznet_board.c
      ${CMAKE_SOURCE_DIR}/drivers/frames_wiznet.c ${AIRWIRE_WIZNET_DRIVER} ${PORT}/spi.c)
  add_compile_definitions(WIZNET_CONFIG="wiznet_board.h")
endif()

# boot2, once: its code linked alone, then padded, with its checksum.
add_executable(boot2 ${PORT}/boot2_quad.c)
target_compile_options(boot2 PRIVATE -Os ${OUR_WARNINGS})
target_link_options(boot2 PRIVATE -nostdlib -Wl,--build-id=none -Wl,--no-warn-rwx-segments -T ${PORT}/boot2.ld)
set(BOOT2_SOURCE ${CMAKE_BINARY_DIR}/boot2.S)
add_custom_command(
  OUTPUT ${BOOT2_SOURCE}
  COMMAND ${CMAKE_OBJCOPY} -O binary $<TARGET_FILE:boot2> boot2.bin
  COMMAND ${CMAKE_COMMAND} -DINPUT=boot2.bin -DOUTPUT=${BOOT2_SOURCE} -P ${CMAKE_SOURCE_DIR}/cmake/boot2_checksum.cmake
  DEPENDS boot2 cmake/boot2_checksum.cmake)
add_library(boot2_padded OBJECT ${BOOT2_SOURCE})

# Each source, compiled once for all images that want it with the same options: most of an image is in its neighbours too.
# object_of(result source libraries definitions options)
function(object_of result source libraries definitions options)
  string(MD5 key "${source};${libraries};${definitions};${options}")
  string(SUBSTRING ${key} 0 12 key)
  get_filename_component(stem ${source} NAME_WE)
  set(object ${stem}-${key})
  if(NOT TARGET ${object})
    add_library(${object} OBJECT ${source})
    target_compile_options(${object} PRIVATE ${options} ${OUR_WARNINGS})
    target_compile_definitions(${object} PRIVATE ${definitions})
    target_link_libraries(${object} PRIVATE ${libraries})
    set_target_properties(${object} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
  set(${result} $<TARGET_OBJECTS:${object}> PARENT_SCOPE)
endfunction()

# airwire_image(name SOURCES ... [LIBRARIES ...] [DEFINITIONS ...] [SOCKETS n] OPTIMISE ... [COMPILE ...] [IN_RAM])
# SOCKETS: how many of a WIZnet chip's it uses; one carries the frames of a stack in software.
# COMPILE: options for its sources alone, beside OPTIMISE, which the linker has too.
# IN_RAM: all code but the start runs from SRAM, where no fetch waits for the flash.
function(airwire_image name)
  cmake_parse_arguments(PARSE_ARGV 1 image "IN_RAM" "SOCKETS" "SOURCES;LIBRARIES;DEFINITIONS;OPTIMISE;COMPILE")
  if(NOT image_SOCKETS)
    set(image_SOCKETS 1)
  endif()
  set(RAM_CODE "")
  if(image_IN_RAM)
    set(RAM_CODE "*(EXCLUDE_FILE(*startup.c.obj) .text EXCLUDE_FILE(*startup.c.obj) .text.*)")
  endif()
  configure_file(${PORT}/flash.ld.in ${CMAKE_BINARY_DIR}/${name}.ld @ONLY)
  set(objects "")
  foreach(source IN LISTS image_SOURCES PORT_SOURCES DRIVER_SOURCES)
    set(libraries "${image_LIBRARIES}")
    set(definitions "${image_DEFINITIONS};WIZNET_MOST_SOCKETS=${image_SOCKETS}u")
    # Of an image no more than its options concerns the port: so much of it is compiled once for all of a board.
    if(source IN_LIST PORT_SOURCES)
      set(libraries "")
      set(definitions "")
    endif()
    object_of(object ${source} "${libraries}" "${definitions}" "${image_OPTIMISE};${image_COMPILE}")
    list(APPEND objects ${object})
  endforeach()
  add_executable(${name} ${objects} $<TARGET_OBJECTS:boot2_padded>)
  target_link_libraries(${name} PRIVATE ${image_LIBRARIES} c_nano gcc)
  target_link_options(${name} PRIVATE ${image_OPTIMISE} -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--build-id=none
                      -Wl,--no-warn-rwx-segments -Wl,-Map=${name}.map -T ${CMAKE_BINARY_DIR}/${name}.ld)
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINKER_LANGUAGE C LINK_DEPENDS "${CMAKE_BINARY_DIR}/${name}.ld;${PORT}/flash.ld.in")
  add_custom_command(
    TARGET ${name} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} -O binary ${name}.elf ${name}.bin
    COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_BINARY_DIR}/${name}.bin -DOUTPUT=${name}.uf2 -DCC=${CMAKE_C_COMPILER}
            -DOBJCOPY=${CMAKE_OBJCOPY} -P ${CMAKE_SOURCE_DIR}/cmake/make_uf2.cmake)
endfunction()

# lwip_library(name DEFINITIONS ... [LIBRARIES ...] OPTIMISE ...): lwIP with one of the settings files. The compiler's warnings
# about lwIP's own code are its own affair.
function(lwip_library name)
  cmake_parse_arguments(PARSE_ARGV 1 library "" "" "DEFINITIONS;LIBRARIES;OPTIMISE")
  file(GLOB sources ${LWIP_DIR}/api/*.c ${LWIP_DIR}/core/*.c ${LWIP_DIR}/core/ipv4/*.c)
  if("LWIP_IPV6=1" IN_LIST library_DEFINITIONS)
    file(GLOB over_ipv6 ${LWIP_DIR}/core/ipv6/*.c)
    list(APPEND sources ${over_ipv6})
  endif()
  list(APPEND sources ${LWIP_DIR}/netif/ethernet.c)
  # It checks that structures can be packed (lwip/arch/cc.h).
  set_source_files_properties(${LWIP_DIR}/core/init.c PROPERTIES COMPILE_OPTIONS
                              "-DPACK_STRUCT_STRUCT=__attribute__((packed))")
  # A board whose images do without it has no use for it.
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(${name} PUBLIC ${LWIP_DIR}/include lwip)
  target_link_libraries(${name} PUBLIC ${library_LIBRARIES})
  target_compile_definitions(${name} PUBLIC ${library_DEFINITIONS})
  target_compile_options(${name} PRIVATE ${library_OPTIMISE})
endfunction()

# FreeRTOS for images with threads.
function(freertos_library name)
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${FREERTOS_DIR}/tasks.c ${FREERTOS_DIR}/queue.c ${FREERTOS_DIR}/list.c
              ${FREERTOS_DIR}/portable/GCC/ARM_CM0/port.c ${FREERTOS_DIR}/portable/GCC/ARM_CM0/portasm.c)
  target_include_directories(${name} PUBLIC freertos ${FREERTOS_DIR}/include ${FREERTOS_DIR}/portable/GCC/ARM_CM0)
  target_compile_options(${name} PRIVATE -O2)
endfunction()
