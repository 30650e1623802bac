# Where cargo has the sources of lwIP and FreeRTOS: LWIP_DIR and FREERTOS_DIR; and in CYW43_FIRMWARE_DIR what a Pico W's radio
# is given. Their hashes are locked in packages/Cargo.lock;
# cargo fetches what is missing.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../packages/Cargo.lock)
execute_process(
  COMMAND cargo metadata --locked --format-version 1 --manifest-path ${CMAKE_CURRENT_LIST_DIR}/../packages/Cargo.toml
  OUTPUT_VARIABLE metadata
  ERROR_VARIABLE problem
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cargo cannot fetch lwIP, FreeRTOS and the radio's firmware (firmware/packages/Cargo.toml): ${problem}")
endif()
string(REGEX MATCH "\"manifest_path\":\"([^\"]*/lwip-[0-9.]+)/Cargo.toml\"" found "${metadata}")
set(LWIP_DIR ${CMAKE_MATCH_1}/src)
string(REGEX MATCH "\"manifest_path\":\"([^\"]*/freertos-next-[0-9.]+)/Cargo.toml\"" found "${metadata}")
set(FREERTOS_DIR ${CMAKE_MATCH_1}/FreeRTOS-Kernel)
string(REGEX MATCH "\"manifest_path\":\"([^\"]*/cyw43-firmware-[0-9.]+)/Cargo.toml\"" found "${metadata}")
set(CYW43_FIRMWARE_DIR ${CMAKE_MATCH_1}/dist/cyw43-firmware)
