/* Implementation of seats.h. */
#include "seats.h"

struct seat seats[NETWORK_SOCKETS];

unsigned seats_in_all(void) { return socket_count() < NETWORK_SOCKETS ? socket_count() : NETWORK_SOCKETS; }

struct seat *seat_free(void) {
    for (unsigned n = 0; n < seats_in_all(); n++) {
        if (seats[n].role == FREE) {
            return &seats[n];
        }
    }
    return NULL;
}
