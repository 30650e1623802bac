# Every image: applications by the ways to the network. They are the bench's own, with its knobs.
add_compile_definitions(AIRWIRE_BENCH_KNOBS)
include_directories(apps)

# A board without a network chip measures others, or is measured at its pins.
if(NOT BOARD_HEADER MATCHES "BOARD_IDEAL_MAC|BOARD_WIZNET|BOARD_CYW43439|BOARD_LAN8720")
  include(stopwatch.cmake)
  return()
endif()

set(TRANSPORT_SHARED apps/main.c transport/settings.c transport/report.c transport/tick.c)
set(HARDWARE transport/hardware/network.c transport/hardware/seats.c transport/hardware/streams.c
             transport/hardware/datagrams.c)
set(LWIP_SHARED lwip/interface.c lwip/linger.c lwip/pools_lwip.c lwip/netif_frames.c lwip/port_lwip.c
                transport/bench_knobs.c ${PORT}/checksum.S)
set(LWIP_BUT_CRC ${LWIP_SHARED})
if(BOARD_HEADER MATCHES "BOARD_LAN8720")
  list(APPEND LWIP_SHARED ${PORT}/rmii_crc_dma.c)
endif()

lwip_library(lwip_small DEFINITIONS LWIP_SETTINGS_SMALL OPTIMISE -Os -flto=auto)
freertos_library(freertos)
lwip_library(lwip_fast DEFINITIONS LWIP_SETTINGS_FAST OPTIMISE -O3 -flto=auto)
lwip_library(lwip_threads DEFINITIONS LWIP_SETTINGS_FAST AIRWIRE_FREERTOS LIBRARIES freertos OPTIMISE -O3 -flto=auto)

# Every application on every way for the W5500 and the Pico W; for the other chips those that show what the driver does
# differently. The ideal MAC and the Pico W's radio have no sockets of their own.
set(APPLICATIONS "")
set(WAYS hardware lwip_small lwip_raw lwip_sockets)
if(BOARD_HEADER MATCHES "BOARD_IDEAL_MAC")
  set(APPLICATIONS pingpong_client streams http_server ping)
  set(WAYS lwip_raw lwip_sockets)
elseif(BOARD_HEADER MATCHES "BOARD_LAN8720")
  set(APPLICATIONS streams iperf)
  set(WAYS lwip_raw)
elseif(BOARD_HEADER MATCHES "BOARD_CYW43439")
  set(WAYS lwip_small lwip_raw lwip_sockets)
elseif(BOARD_HEADER MATCHES "BOARD_WIZNET_W6100" OR NOT BOARD_HEADER MATCHES "BOARD_NETWORK_SPI")
  # The W5500 at pins of PIO, and its successor at the same pins: what differs is how the chip is reached.
  set(APPLICATIONS pingpong_client streams)
  set(WAYS hardware lwip_raw)
  set(REACH_ALONE ON)
elseif(NOT BOARD_HEADER MATCHES "BOARD_WIZNET_W5500")
  set(APPLICATIONS pingpong_client streams http_server ping)
  set(WAYS hardware lwip_small lwip_raw)
endif()
macro(leave_out_unless_wanted application way)
  if((APPLICATIONS AND NOT ${application} IN_LIST APPLICATIONS) OR NOT ${way} IN_LIST WAYS)
    return()
  endif()
endmacro()

# On the chip's own sockets: `sockets` says how many share the chip's memory, where it has as many. The W5100 has a transaction
# for each byte, so that time counts more there than size.
set(CHIP_SOCKETS 8)
if(BOARD_HEADER MATCHES "BOARD_WIZNET_W5100")
  set(CHIP_SOCKETS 4)
endif()
set(WIZNET_SIZE WIZNET_SMALL)
if(BOARD_HEADER MATCHES "BOARD_WIZNET_W5100[^S]")
  set(WIZNET_SIZE "")
endif()
function(hardware_image application sockets)
  leave_out_unless_wanted(${application} hardware)
  if(sockets GREATER CHIP_SOCKETS)
    set(sockets ${CHIP_SOCKETS})
  endif()
  airwire_image(${application}-hardware
    SOURCES apps/${application}/${application}.c ${HARDWARE} ${TRANSPORT_SHARED} ${ARGN}
    DEFINITIONS NETWORK_SOCKETS=${sockets}u ${WIZNET_SIZE} SOCKETS ${sockets} OPTIMISE -Os -flto=auto)
endfunction()

# On lwIP's raw interface in little memory, from flash, without UDP.
function(lwip_small_image application)
  leave_out_unless_wanted(${application} lwip_small)
  airwire_image(${application}-lwip_small
    SOURCES apps/${application}/${application}.c transport/lwip_raw/network.c ${TRANSPORT_SHARED} ${LWIP_SHARED} ${ARGN}
    LIBRARIES lwip_small OPTIMISE -Os -flto=auto)
endfunction()

# On lwIP's raw interface: by the settings for speed.
function(lwip_raw_image application)
  leave_out_unless_wanted(${application} lwip_raw)
  airwire_image(${application}-lwip_raw
    SOURCES apps/${application}/${application}.c transport/lwip_raw/network.c transport/lwip_raw/datagrams.c
            ${TRANSPORT_SHARED} ${LWIP_SHARED} ${ARGN}
    LIBRARIES lwip_fast OPTIMISE -O3 -flto=auto IN_RAM)
endfunction()

# On lwIP's sockets with FreeRTOS.
function(lwip_sockets_image application)
  leave_out_unless_wanted(${application} lwip_sockets)
  airwire_image(${application}-lwip_sockets
    SOURCES apps/${application}/${application}.c transport/lwip_sockets/network.c transport/lwip_sockets/driver_task.c
            lwip/sys_arch_freertos.c freertos/hooks.c ${TRANSPORT_SHARED} ${LWIP_SHARED} ${ARGN}
    LIBRARIES lwip_threads OPTIMISE -O3 -flto=auto IN_RAM)
endfunction()

hardware_image(pingpong_client 1)
hardware_image(pingpong_server 4)
lwip_raw_image(pingpong_client)
lwip_raw_image(pingpong_server)
lwip_sockets_image(pingpong_client)
lwip_sockets_image(pingpong_server)

# The web server, with the pages of SITE_DIR.
if(SITE_DIR)
  include(protocols/http/sources.cmake)
  include(protocols/fsdata/sources.cmake)
  set(HTTP_CORE ${AIRWIRE_HTTP_SOURCES} ${AIRWIRE_FSDATA_SOURCES})
  set(PAGES apps/http_server/pages.c apps/http_server/site.c ${HTTP_CORE} ${SITE_DIR}/fsdata.c ${PORT}/adc.c)
  include_directories(protocols/http protocols/fsdata ${SITE_DIR})
  hardware_image(http_server 8 ${PAGES} COMPILE -O2)
  lwip_small_image(http_server ${PAGES} DEFINITIONS HTTP_CLIENTS=2u)
  # Rows of the suites compare the places of its code on the W5500, where the smaller server is.
  set(HTTP_READING "")
  if(BOARD_HEADER MATCHES "BOARD_CYW43439")
    set(HTTP_READING DEFINITIONS HTTP_RUNS=1)
  endif()
  lwip_raw_image(http_server ${PAGES} ${HTTP_READING})
  lwip_sockets_image(http_server ${PAGES} ${HTTP_READING})
endif()

# Both families at once, so that a suite compares them in one image.
if(TARGET pingpong_server-lwip_raw AND BOARD_HEADER MATCHES "BOARD_WIZNET_W5500")
  lwip_library(lwip_ipv6 DEFINITIONS LWIP_SETTINGS_FAST LWIP_IPV6=1 OPTIMISE -O3 -flto=auto)
  function(lwip_ipv6_image application)
    airwire_image(${application}-lwip_raw-ipv6
      SOURCES apps/${application}/${application}.c transport/lwip_raw/network.c transport/lwip_raw/datagrams.c
              ${TRANSPORT_SHARED} ${LWIP_SHARED} ${ARGN}
      LIBRARIES lwip_ipv6 OPTIMISE -O3 -flto=auto IN_RAM)
  endfunction()
  lwip_ipv6_image(pingpong_server)
  if(SITE_DIR)
    lwip_ipv6_image(http_server ${PAGES})
  endif()
endif()

set(STREAMS apps/streams/services.c apps/streams/sink.c apps/streams/source.c apps/streams/echo.c apps/streams/pattern.c common/rate.c)
hardware_image(streams 4 ${STREAMS})
lwip_raw_image(streams ${STREAMS})
lwip_sockets_image(streams ${STREAMS})

# Both together, to be soaked with; and with faults that a soak must find.
if(SITE_DIR)
  include_directories(apps/http_server apps/streams)
  hardware_image(mixed_server 8 ${PAGES} ${STREAMS})
  lwip_raw_image(mixed_server ${PAGES} ${STREAMS})
  lwip_sockets_image(mixed_server ${PAGES} ${STREAMS})
  if(TARGET mixed_server-lwip_raw AND BOARD_HEADER MATCHES "BOARD_WIZNET_W5500")
    airwire_image(mixed_server-lwip_raw-faulty
      SOURCES apps/mixed_server/mixed_server.c apps/mixed_server/faults.c transport/lwip_raw/network.c
              transport/lwip_raw/datagrams.c ${TRANSPORT_SHARED} ${LWIP_SHARED} ${PAGES} ${STREAMS}
      DEFINITIONS WITH_FAULTS LIBRARIES lwip_fast OPTIMISE -O3 -flto=auto IN_RAM)
  endif()
endif()

include_directories(protocols/iperf)
set(IPERF apps/iperf/server.c apps/iperf/tcp_client.c apps/iperf/udp_client.c protocols/iperf/iperf_header.c
          protocols/iperf/iperf_session.c common/rate.c)
hardware_image(iperf 2 ${IPERF})
lwip_raw_image(iperf ${IPERF})
lwip_sockets_image(iperf ${IPERF})

include_directories(protocols/oneway)
set(ONEWAY apps/oneway/way_network.c apps/oneway/way_uart.c protocols/oneway/oneway_message.c common/crc32.c
           ${PORT}/uart.c)
hardware_image(oneway 1 ${ONEWAY})
lwip_raw_image(oneway ${ONEWAY})
lwip_sockets_image(oneway ${ONEWAY})

hardware_image(serial_pingpong 1 ${PORT}/uart.c)

include_directories(protocols/coap)
set(COAP_CLIENT protocols/coap/coap_client.c protocols/coap/coap_message.c)
hardware_image(coap_client 1 ${COAP_CLIENT})
lwip_raw_image(coap_client ${COAP_CLIENT})
lwip_sockets_image(coap_client ${COAP_CLIENT})

include_directories(protocols/mqtt)
hardware_image(mqtt_client 1 protocols/mqtt/mqtt_client.c)
lwip_raw_image(mqtt_client protocols/mqtt/mqtt_client.c)
lwip_sockets_image(mqtt_client protocols/mqtt/mqtt_client.c)

# ping on lwIP with the settings for little memory.
hardware_image(ping 1)
if(REACH_ALONE)
  return()
endif()
airwire_image(ping-lwip_raw
  SOURCES apps/ping/ping.c transport/lwip_raw/network.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
  LIBRARIES lwip_small OPTIMISE -O3 IN_RAM)

if(BOARD_HEADER MATCHES "BOARD_LAN8720")
  include(rmii.cmake)
  return()
endif()
include(option_shares.cmake)
include(http_shares.cmake)

# No applications: they test on the board what is written for it alone.
if(BOARD_HEADER MATCHES "BOARD_WIZNET_W5500")
  airwire_image(library_functions SOURCES tests/board/library_functions.c ${PORT}/checksum.S OPTIMISE -O2)
  airwire_image(gpio_handlers SOURCES tests/board/gpio_handlers.c OPTIMISE -O2)
endif()
