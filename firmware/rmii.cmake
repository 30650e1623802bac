# The table of docs/explanation/rmii-by-pio.md: iperf with the check sequence by the processor or by the DMA's sniffer, and with
# all code in SRAM or lwIP and the application in flash. What runs for each frame is in SRAM either way.
set(RMII_FAST "RMII_FAST=__attribute__((section(\".ram_text\"),noinline))")
lwip_library(lwip_rmii DEFINITIONS LWIP_SETTINGS_RMII OPTIMISE -O3)

# raw_server is the server in lwIP's callbacks, which is what the table is of; the rings hold two frames and a half, as published.
function(rmii_image name crc)
  cmake_parse_arguments(PARSE_ARGV 2 image "IN_RAM" "" "DEFINITIONS")
  set(in_ram "")
  if(image_IN_RAM)
    set(in_ram IN_RAM)
  endif()
  airwire_image(raw_server-${name}
    SOURCES apps/raw_server/raw_server.c common/rate.c transport/settings.c transport/report.c ${LWIP_BUT_CRC}
            ${PORT}/rmii_crc_${crc}.c
    DEFINITIONS ${RMII_FAST} ${image_DEFINITIONS} LIBRARIES lwip_rmii OPTIMISE -O3 ${in_ram})
endfunction()

rmii_image(cpu_sram cpu IN_RAM)
rmii_image(cpu_flash cpu)
rmii_image(dma_sram dma IN_RAM)
rmii_image(dma_flash dma)
# The same with rings that hold more than a window of four segments: what a ring that overflows is worth.
rmii_image(cpu_sram-8k cpu IN_RAM DEFINITIONS RMII_RING_BITS=13u)
rmii_image(cpu_flash-8k cpu DEFINITIONS RMII_RING_BITS=13u)

