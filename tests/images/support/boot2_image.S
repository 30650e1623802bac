/* The padded boot2 of the build, BOOT2_FILE, as the first 256 bytes of a flash image. */
    .section .boot2, "a"
    .incbin BOOT2_FILE
