/* A port of hal/rmii.h in memory: what a wire would carry comes and goes as whole frames with their check sequences. */
#ifndef SIMULATED_PORT_H
#define SIMULATED_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A frame comes in behind those before, with its check sequence or with a wrong one. */
void port_receives(const uint8_t *frame, size_t bytes, bool is_intact);
/* The bytes of a frame that has not ended yet. */
void port_is_receiving(size_t bytes);
/* The frame that is being sent, check sequence and all; 0 bytes when there is none. */
size_t port_sending(uint8_t *frame, size_t room);
/* That frame is out of the ring. */
void port_has_sent(void);
uint32_t port_crc(uint32_t crc, uint8_t byte);

#endif
