/* A UF2 file for the RP2040 out of a raw image (UF2 specification; RP2040 datasheet 2.8.5): FILE is the image, BLOCKS
 * how many blocks of 256 bytes it has, BASE where it goes in flash, BYTES its size. The build turns this into a file. */
    .section .uf2, "a"
    .set block, 0
    .rept BLOCKS
    .4byte 0x0a324655, 0x9e5d5157, 0x2000, BASE + 256 * block, 256, block, BLOCKS, 0xe48bff56
    .if block + 1 < BLOCKS
    .incbin FILE, 256 * block, 256
    .zero 476 - 256
    .else
    .incbin FILE, 256 * block
    .zero 476 - 256 + 256 * BLOCKS - BYTES
    .endif
    .4byte 0x0ab16f30
    .set block, block + 1
    .endr
