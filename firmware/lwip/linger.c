/* Implementation of linger.h. */
#include "linger.h"

#include "lwip/tcp.h"

/* In half seconds, as lwIP counts. */
#define LINGER_INTERVALS 2u

/* What still comes is answered by a reset from now on, and lwIP's own limits hold. */
static err_t on_lingered(void *argument, struct tcp_pcb *pcb) {
    (void)argument;
    if (pcb->state == FIN_WAIT_1 || pcb->state == FIN_WAIT_2) {
        tcp_poll(pcb, NULL, 0);
        tcp_close(pcb);
    }
    return ERR_OK;
}

void linger_and_close(struct tcp_pcb *pcb) {
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL); /* lwIP's own takes what comes and drops it */
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    tcp_poll(pcb, on_lingered, LINGER_INTERVALS);
    if (tcp_shutdown(pcb, 0, 1) == ERR_OK) {
        return;
    }
    tcp_poll(pcb, NULL, 0);
    if (tcp_close(pcb) != ERR_OK) {
        tcp_abort(pcb);
    }
}
