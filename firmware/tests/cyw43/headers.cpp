// The driver's headers as C++ sees them: it only has to compile and link.
#include "cyw43_frames.h"

int main() {
    struct cyw43 cyw43 = {};
    return cyw43_link(&cyw43) == CYW43_LINK_NONE && cyw43_frames_faults(&cyw43) == 0 ? 0 : 1;
}
