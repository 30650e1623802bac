/* The start of every image: its application, on the transport that it is linked with. */
#include "application.h"

int main(void) {
    network_run(&application);
    return 0;
}
