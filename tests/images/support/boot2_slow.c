/* boot2 for any serial flash: every miss is a read command 03h on one data line, SCK = clk_sys / 4. Works at
 * once and is slow: 64 SCK cycles for 32 bits (RP2040 datasheet 4.10.13 for the fields). */
#include "boot2_exit.h"
#include "registers.h"

static void configure_flash(void) {
    SSI_SSIENR = 0;
    SSI_BAUDR = 4;
    SSI_CTRLR0 = 31u << 16       /* DFS_32: frames of 32 bits */
                 | 3u << 8;      /* TMOD: send command and address, then read */
    SSI_CTRLR1 = 0;              /* NDF: one frame a read */
    SSI_SPI_CTRLR0 = 0x03u << 24 /* XIP_CMD: read data */
                     | 2u << 8   /* INST_L: 8 bits */
                     | 6u << 2;  /* ADDR_L: 24 bits, in nibbles */
    SSI_SSIENR = 1;
}
