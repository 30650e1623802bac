# The table of docs/explanation/rmii-by-pio.md: iperf with the check sequence by the processor or by the DMA's sniffer, and with
# all code in SRAM or lwIP and the application in flash. What runs for each frame is in SRAM either way.
set(RMII_FAST "RMII_FAST=__attribute__((section(\".ram_text\"),noinline))")
lwip_library(lwip_rmii DEFINITIONS LWIP_SETTINGS_RMII OPTIMISE -O3)

# The server in lwIP's callbacks, which is what the table is of, and on the transport, as all other applications are.
function(rmii_image name crc)
  airwire_image(raw_server-${name}
    SOURCES apps/raw_server/raw_server.c common/rate.c transport/settings.c transport/report.c ${LWIP_BUT_CRC}
            ${PORT}/rmii_crc_${crc}.c
    DEFINITIONS ${RMII_FAST} LIBRARIES lwip_rmii OPTIMISE -O3 ${ARGN})
  airwire_image(iperf-rmii_${name}
    SOURCES apps/iperf/iperf.c ${IPERF} transport/lwip_raw/network.c transport/lwip_raw/datagrams.c ${TRANSPORT_SHARED}
            ${LWIP_BUT_CRC} ${PORT}/rmii_crc_${crc}.c
    DEFINITIONS ${RMII_FAST} LIBRARIES lwip_rmii OPTIMISE -O3 ${ARGN})
endfunction()

rmii_image(cpu_sram cpu IN_RAM)
rmii_image(cpu_flash cpu)
rmii_image(dma_sram dma IN_RAM)
rmii_image(dma_flash dma)
