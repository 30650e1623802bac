// The driver's headers as C++ sees them: it only has to compile and link.
#include "wiznet_frames.h"
#include "wiznet_sockets.h"

int main() {
    struct wiznet wiznet = {};
    wiznet.chip = &wiznet_w5200;
    return wiznet_knows_link(&wiznet) && wiznet_frames_faults(&wiznet) == 0 && wiznet_socket_count(&wiznet) == 8 ? 0 : 1;
}
