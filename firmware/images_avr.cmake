# Images for boards with an AVR: applications on the small stack, in its loop or as a task of FreeRTOS.
set(SMALL transport/small/network.c transport/small/ip.c transport/small/arp.c transport/small/checksum.c)
set(SMALL_STREAMS transport/small/streams.c transport/small/tcp.c transport/small/tcp_input.c transport/small/tcp_output.c
                  transport/small/segment.c transport/small/ring.c)
set(SMALL_DATAGRAMS transport/small/datagrams.c transport/small/udp.c)
set(TRANSPORT_SHARED apps/main.c transport/settings.c transport/report.c transport/tick.c)

# In 2 KB of RAM frames are no longer than an Internet host must take at least (RFC 791, 3.1: 576 bytes of a packet).
set(SMALL_SIZES "")
if(MCU STREQUAL atmega328p)
  set(SMALL_SIZES SMALL_FRAME_BYTES=590u SMALL_RING_BYTES=128u SMALL_LISTENERS=1u SMALL_ARP_ENTRIES=2u)
elseif(MCU STREQUAL atmega2560)
  # In 8 KB a direction of a stream has one full segment.
  set(SMALL_SIZES SMALL_RING_BYTES=1460u)
endif()

function(small_image application)
  airwire_image(${application}-small
    SOURCES apps/${application}/${application}.c ${SMALL} ${TRANSPORT_SHARED} ${ARGN} DEFINITIONS ${SMALL_SIZES})
endfunction()

small_image(ping)
small_image(pingpong_server ${SMALL_STREAMS})
small_image(pingpong_client ${SMALL_STREAMS})

include_directories(protocols/coap)
small_image(coap_client ${SMALL_DATAGRAMS} protocols/coap/coap_client.c protocols/coap/coap_message.c)

# Constants are in RAM as variables are, and these have more sentences than 2 KB hold beside a stream.
if(NOT MCU STREQUAL atmega328p)
  include_directories(protocols/mqtt)
  small_image(mqtt_client ${SMALL_STREAMS} protocols/mqtt/mqtt_client.c)
endif()

# A serial line needs a USART beside the console's, and pins that the network chip does not have.
if(MCU STREQUAL atmega2560)
  small_image(serial_pingpong ${PORT}/uart.c)
endif()

# The web server, with its pages in flash.
if(SITE_DIR AND NOT MCU STREQUAL atmega328p)
  include(protocols/http/sources.cmake)
  include(protocols/fsdata/sources.cmake)
  include_directories(apps/http_server protocols/http protocols/fsdata ${SITE_DIR})
  small_image(http_server ${SMALL_STREAMS} apps/http_server/pages.c apps/http_server/site.c ${AIRWIRE_HTTP_SOURCES}
    ${AIRWIRE_FSDATA_SOURCES} ${SITE_DIR}/fsdata.c ${PORT}/adc.c)
  # There is one connection: a client that says nothing must not keep it from others for long.
  target_compile_definitions(http_server-small PRIVATE HTTP_CLIENTS=1u HTTP_IDLE_MS=2000u ADC_WITHOUT_TEMPERATURE)
  if(MCU STREQUAL atmega1284p)
    target_compile_definitions(http_server-small PRIVATE SMALL_RING_BYTES=1460u)
  endif()
endif()

# In a task that asks the chip over and over, with a mutex around each transaction; and with a driver that keeps no pointers
# and reads registers byte by byte, interrupts held meanwhile: as a published firmware has all of it.
if(MCU STREQUAL atmega1284p)
  freertos_library(freertos)
  function(task_image name)
    airwire_image(${name}
      SOURCES apps/ping/ping.c ${SMALL} ${TRANSPORT_SHARED} freertos/avr/kernel.c freertos/avr/bus_mutex.c ${ARGN}
      DEFINITIONS AIRWIRE_FREERTOS BOARD_BUS_IS_SHARED LIBRARIES freertos)
  endfunction()
  task_image(ping-small_task)
  task_image(ping-small_task-bytes drivers/frames_by_bytes.c)
  target_compile_definitions(ping-small_task-bytes PRIVATE FRAMES_BY_BYTES SPI_HOLDS_INTERRUPTS)
endif()
