/* Implementation of seats.h. */
#include "seats.h"

struct seat seats[NETWORK_SOCKETS];

unsigned seats_in_all(void) {
    return wiznet_socket_count(&board_wiznet) < NETWORK_SOCKETS ? wiznet_socket_count(&board_wiznet) : NETWORK_SOCKETS;
}

struct seat *seat_free(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role == FREE) {
            return &seats[n];
        }
    }
    return NULL;
}
