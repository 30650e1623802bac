# Images for boards with an AVR: applications on the small stack, in its loop or as a task of FreeRTOS.
set(SMALL transport/small/network.c transport/small/ip.c transport/small/arp.c transport/small/checksum.c)
set(SMALL_STREAMS transport/small/streams.c transport/small/tcp.c transport/small/segment.c transport/small/ring.c)
set(SMALL_DATAGRAMS transport/small/datagrams.c transport/small/udp.c)
set(TRANSPORT_SHARED apps/main.c transport/settings.c transport/report.c transport/tick.c)

# In 2 KB of RAM frames are no longer than an Internet host must take at least (RFC 791, 3.1: 576 bytes of a packet).
set(SMALL_SIZES "")
if(MCU STREQUAL atmega328p)
  set(SMALL_SIZES SMALL_FRAME_BYTES=590u SMALL_RING_BYTES=128u SMALL_LISTENERS=1u SMALL_ARP_ENTRIES=2u)
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
