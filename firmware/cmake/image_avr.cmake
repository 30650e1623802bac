# airwire_image() for an AVR: an application on the small stack, as ELF and Intel HEX. avr-libc has start and vectors.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON) # __flash is one
set(PORT ${CMAKE_SOURCE_DIR}/ports/avr)
file(READ ${BOARD_DIR}/board.h BOARD_HEADER)
if(NOT BOARD_HEADER MATCHES "BOARD_MCU \"(at[a-z0-9]+)\"")
  message(FATAL_ERROR "The board of ${BOARD_DIR}/board.h has no AVR: build it with cmake/arm-none-eabi.cmake.")
endif()
set(MCU ${CMAKE_MATCH_1})

# The same bytes wherever the sources lie; each function a section of its own, so that what nobody calls stays out.
set(PREFIX_MAPS -fdebug-prefix-map=${CMAKE_SOURCE_DIR}=firmware -fdebug-prefix-map=${CMAKE_BINARY_DIR}=build
                -fdebug-prefix-map=${BOARD_DIR}=board -fdebug-prefix-map=${FREERTOS_DIR}=freertos)
add_compile_options(-mmcu=${MCU} -g -gdwarf-4 -ffunction-sections -fdata-sections -fno-common ${PREFIX_MAPS})
# Pages lie in flash, which an AVR reads by instructions of its own: pointers of 24 bits reach both.
add_compile_definitions(FSDATA_ADDRESS_SPACE=__memx NETWORK_CONSTANT=__memx)
add_compile_definitions(SPI_WITHOUT_DMA SPI_HAS_EXCHANGE_EACH WIZNET_CONFIG="wiznet_board.h" WIZNET_MOST_SOCKETS=1u)
set(OUR_WARNINGS -Wall -Wextra -Werror)
include_directories(${BOARD_DIR} hal common drivers drivers/wiznet transport transport/small apps ports/avr)

set(PORT_SOURCES ${PORT}/clock.c ${PORT}/gpio.c ${PORT}/console.c ${PORT}/random.c ${PORT}/watchdog.c ${PORT}/spi.c
                 common/console_text.c common/decimal.c)
include(drivers/wiznet/sources.cmake)
set(DRIVER_SOURCES drivers/watch.c drivers/wiznet_board.c drivers/frames_wiznet.c ${AIRWIRE_WIZNET_DRIVER})

# airwire_image(name SOURCES ... [LIBRARIES ...] [DEFINITIONS ...])
function(airwire_image name)
  cmake_parse_arguments(PARSE_ARGV 1 image "" "" "SOURCES;LIBRARIES;DEFINITIONS")
  add_executable(${name} ${image_SOURCES} ${PORT_SOURCES} ${DRIVER_SOURCES})
  target_compile_options(${name} PRIVATE -O2 ${OUR_WARNINGS})
  target_compile_definitions(${name} PRIVATE ${image_DEFINITIONS})
  target_link_libraries(${name} PRIVATE ${image_LIBRARIES})
  target_link_options(${name} PRIVATE -mmcu=${MCU} -Wl,--gc-sections -Wl,-Map=${name}.map -T ${PORT}/settings.ld)
  set_target_properties(${name} PROPERTIES SUFFIX .elf LINK_DEPENDS ${PORT}/settings.ld)
  add_custom_command(TARGET ${name} POST_BUILD COMMAND ${CMAKE_OBJCOPY} -O ihex -R .eeprom ${name}.elf ${name}.hex)
endfunction()

# FreeRTOS with its port for ATmegas. The compiler's warnings about its code are its own affair.
function(freertos_library name)
  set(port ${FREERTOS_DIR}/portable/ThirdParty/GCC/ATmega)
  add_library(${name} STATIC ${FREERTOS_DIR}/tasks.c ${FREERTOS_DIR}/queue.c ${FREERTOS_DIR}/list.c ${port}/port.c)
  target_include_directories(${name} PUBLIC freertos/avr ${FREERTOS_DIR}/include ${port})
  target_compile_options(${name} PRIVATE -O2 -w)
endfunction()
