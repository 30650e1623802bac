# What the place of its code is worth to the web server, and what lwIP's own server does with the same pages.
if(NOT SITE_DIR OR NOT BOARD_HEADER MATCHES "BOARD_WIZNET_W5500")
  return()
endif()

# http_server_image(name options...): the web server on lwIP's raw interface, with the same optimisation wherever it lies.
function(http_server_image name)
  airwire_image(http_server-lwip_raw-${name}
    SOURCES apps/http_server/http_server.c ${PAGES} transport/lwip_raw/network.c transport/lwip_raw/datagrams.c
            ${TRANSPORT_SHARED} ${LWIP_SHARED}
    LIBRARIES lwip_fast OPTIMISE -O3 -flto=auto ${ARGN})
endfunction()

http_server_image(flash)
# What runs for each byte of a request, and the tags, from SRAM; all else from the flash.
http_server_image(handlers DEFINITIONS "HTTP_FAST=__attribute__((section(\".ram_text\"),noinline))")

# No option for speed is left out: connections stay open, and the headers are made at run time as by default.
airwire_image(lwip_httpd-lwip_raw
  SOURCES apps/lwip_httpd/lwip_httpd.c ${LWIP_DIR}/apps/http/httpd.c ${LWIP_DIR}/apps/http/fs.c ${HTTP_CORE}
          ${SITE_DIR}/fsdata.c transport/lwip_raw/network.c transport/lwip_raw/datagrams.c ${TRANSPORT_SHARED} ${LWIP_SHARED}
  DEFINITIONS LWIP_HTTPD_CUSTOM_FILES=1 LWIP_HTTPD_DYNAMIC_HEADERS=1 LWIP_HTTPD_SUPPORT_11_KEEPALIVE=1
  LIBRARIES lwip_fast OPTIMISE -O3 -flto=auto IN_RAM)
set_source_files_properties(${LWIP_DIR}/apps/http/httpd.c ${LWIP_DIR}/apps/http/fs.c PROPERTIES COMPILE_OPTIONS -w)
