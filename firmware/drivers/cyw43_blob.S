/* What the radio is given at its start (cmake/cyw43_blob.cmake): its firmware and its table of countries out of a registry
 * package, or little in their place for a virtual board alone, and the board's settings. */
    .section .rodata.cyw43_blob, "a"

    .balign 4
    .global cyw43_blob_firmware
cyw43_blob_firmware:
#ifdef CYW43_DUMMY
    .fill 256, 4, 0x756d6d79
#else
    .incbin CYW43_FIRMWARE_FILE
#endif

    .balign 4
    .global cyw43_blob_clm
cyw43_blob_clm:
#ifdef CYW43_DUMMY
    .fill 4, 4, 0x756d6d79
#else
    .incbin CYW43_CLM_FILE
#endif

    .balign 4
    .global cyw43_blob_nvram
cyw43_blob_nvram:
    .include CYW43_NVRAM_FILE
    .balign 4, 0
