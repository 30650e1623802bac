/* What streams and datagrams need of the small stack's loop. It does not know them, so that an image without them does
 * not have them. */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stddef.h>

/* Has a function called whenever something may have happened to the connection. */
void loop_serve_by(void (*serve)(void));
/* Sends the frame of so many bytes; false for none, and where it cannot leave. */
bool loop_transmit(size_t bytes);

#endif
