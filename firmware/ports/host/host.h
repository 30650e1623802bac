/* What this port has beyond the HAL: its pins follow a file, at which the transport's loop looks. */
#ifndef HOST_H
#define HOST_H

/* A file descriptor that is readable when host_pins_read() has something to do; -1 for none. */
int host_pins_open(void);
void host_pins_read(void);

#endif
