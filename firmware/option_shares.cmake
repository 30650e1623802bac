# What lwIP's options are worth: the sink with lwIP's own defaults and with the published tuning, on the raw interface and on
# sockets. `cmake --build ... --target option_shares` builds more of them: the defaults with one option as published, and the
# published tuning with one option as by default.
set(SINK apps/sink/sink.c apps/streams/sink.c apps/streams/pattern.c common/rate.c)

# sink_images(name settings [definitions]): sink-lwip_raw-NAME and sink-lwip_sockets-NAME.
function(sink_images name settings)
  lwip_library(lwip_${name} DEFINITIONS LWIP_SETTINGS_${settings} ${ARGN} OPTIMISE -O3 -flto=auto)
  lwip_library(lwip_threads_${name} DEFINITIONS LWIP_SETTINGS_${settings} AIRWIRE_FREERTOS ${ARGN} LIBRARIES freertos
               OPTIMISE -O3 -flto=auto)
  airwire_image(sink-lwip_raw-${name}
    SOURCES ${SINK} transport/lwip_raw/network.c transport/lwip_raw/datagrams.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
    LIBRARIES lwip_${name} OPTIMISE -O3 -flto=auto IN_RAM)
  airwire_image(sink-lwip_sockets-${name}
    SOURCES ${SINK} transport/lwip_sockets/network.c transport/lwip_sockets/driver_task.c lwip/sys_arch_freertos.c
            freertos/hooks.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
    LIBRARIES lwip_threads_${name} OPTIMISE -O3 -flto=auto IN_RAM)
endfunction()

# The same with the loops of two published servers as settings (apps/sink/loops.h): images of their own, so that the others are not
# longer for it.
function(sink_loops_images name)
  airwire_image(sink_loops-lwip_raw-${name}
    SOURCES ${SINK} transport/lwip_raw/network.c transport/lwip_raw/datagrams.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
    DEFINITIONS SINK_LOOPS LIBRARIES lwip_${name} OPTIMISE -O3 -flto=auto IN_RAM)
  airwire_image(sink_loops-lwip_sockets-${name}
    SOURCES ${SINK} transport/lwip_sockets/network.c transport/lwip_sockets/driver_task.c lwip/sys_arch_freertos.c
            freertos/hooks.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
    DEFINITIONS SINK_LOOPS LIBRARIES lwip_threads_${name} OPTIMISE -O3 -flto=auto IN_RAM)
  if(NOT BOARD_HEADER MATCHES "BOARD_IDEAL_MAC")
    set_target_properties(sink_loops-lwip_raw-${name} sink_loops-lwip_sockets-${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
  endif()
endfunction()

# The same, built by the target alone.
function(sink_share name settings)
  sink_images(${name} ${settings} ${ARGN})
  set_target_properties(lwip_${name} lwip_threads_${name} sink-lwip_raw-${name} sink-lwip_sockets-${name}
                        PROPERTIES EXCLUDE_FROM_ALL TRUE)
  add_dependencies(option_shares sink-lwip_raw-${name} sink-lwip_sockets-${name})
endfunction()

# sink_option(name default published): both variants of one option. lwIP refuses some of them, such as fewer segments than a full
# send buffer may take: a sink does without.
function(sink_option option default published)
  sink_share(with-${option} DEFAULT ${option}=${published} LWIP_DISABLE_TCP_SANITY_CHECKS=1)
  sink_share(without-${option} PUBLISHED ${option}=${default} LWIP_DISABLE_TCP_SANITY_CHECKS=1)
endfunction()

if(NOT BOARD_HEADER MATCHES "BOARD_IDEAL_MAC|BOARD_WIZNET_W5500")
  return()
endif()
sink_images(default DEFAULT)
sink_images(published PUBLISHED)
sink_loops_images(default)
sink_loops_images(published)
add_custom_target(option_shares)
# Defaults of lwIP 2.2 (opt.h), and the published values.
sink_option(MEM_SIZE 1600 24576)
sink_option(MEMP_NUM_PBUF 16 24)
sink_option(MEMP_NUM_TCP_SEG 16 150)
sink_option(PBUF_POOL_SIZE 16 64)
sink_option(TCP_MSS 536 1460)
sink_option(TCP_SND_BUF "\(2*TCP_MSS\)" "\(11*TCP_MSS\)")
sink_option(TCP_WND "\(4*TCP_MSS\)" "\(11*TCP_MSS\)")
