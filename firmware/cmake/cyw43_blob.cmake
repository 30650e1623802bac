# What the radio of a Pico W is given at its start, as CYW43_BLOB_SOURCE with its sizes in cyw43_blob.h. Firmware and table of
# countries come out of the registry package; with -DCYW43_DUMMY=ON a kilobyte stands for them, which a virtual board takes and a
# real one does not. -DCYW43_NVRAM=FILE names the board's settings, key=value a line.
option(CYW43_DUMMY "A kilobyte in the place of the radio's firmware, for virtual boards alone" OFF)
set(CYW43_NVRAM ${CMAKE_CURRENT_LIST_DIR}/../drivers/cyw43_nvram.txt CACHE FILEPATH "The settings of the radio's board")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CYW43_NVRAM})

# Each line with a NUL behind it.
file(STRINGS ${CYW43_NVRAM} lines REGEX "^[^#]+=")
set(nvram "")
set(nvram_bytes 0)
foreach(line IN LISTS lines)
  string(STRIP "${line}" line)
  string(LENGTH "${line}" length)
  math(EXPR nvram_bytes "${nvram_bytes} + ${length} + 1")
  string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" line "${line}")
  string(APPEND nvram "    .asciz \"${line}\"\n")
endforeach()
if(nvram_bytes EQUAL 0)
  message(FATAL_ERROR "${CYW43_NVRAM} has no line of the form key=value: the radio's firmware does not start without settings.")
endif()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cyw43_nvram.inc CONTENT "${nvram}" @ONLY)

set(firmware ${CYW43_FIRMWARE_DIR}/43439A0.bin)
set(clm ${CYW43_FIRMWARE_DIR}/43439A0_clm.bin)
set(firmware_bytes 1024)
set(clm_bytes 16)
if(NOT CYW43_DUMMY)
  file(SIZE ${firmware} firmware_bytes)
  file(SIZE ${clm} clm_bytes)
endif()
math(EXPR firmware_bytes "(${firmware_bytes} + 3) / 4 * 4")
math(EXPR nvram_bytes "(${nvram_bytes} + 3) / 4 * 4")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cyw43/cyw43_blob.h CONTENT [[
/* What the radio is given at its start, aligned to words; the first two are whole words. */
#ifndef CYW43_BLOB_H
#define CYW43_BLOB_H

#define CYW43_BLOB_FIRMWARE_BYTES @firmware_bytes@u
#define CYW43_BLOB_NVRAM_BYTES @nvram_bytes@u
#define CYW43_BLOB_CLM_BYTES @clm_bytes@u
extern const unsigned char cyw43_blob_firmware[], cyw43_blob_nvram[], cyw43_blob_clm[];

#endif
]] @ONLY)
include_directories(${CMAKE_BINARY_DIR}/cyw43)
set(CYW43_BLOB_SOURCE ${CMAKE_CURRENT_LIST_DIR}/../drivers/cyw43_blob.S)
set_source_files_properties(
  ${CYW43_BLOB_SOURCE} PROPERTIES
  COMPILE_DEFINITIONS "CYW43_FIRMWARE_FILE=\"${firmware}\";CYW43_CLM_FILE=\"${clm}\";CYW43_NVRAM_FILE=\"${CMAKE_BINARY_DIR}/cyw43_nvram.inc\";$<$<BOOL:${CYW43_DUMMY}>:CYW43_DUMMY>"
  OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/cyw43_nvram.inc")
