/* The web server and nothing else. */
#include "network.h"
#include "pages.h"

const struct application application = {"HTTP server", pages_start, pages_tick};
