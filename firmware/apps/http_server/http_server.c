/* The web server and nothing else. */
#include "application.h"
#include "network.h"
#include "pages.h"

const struct application application = {"HTTP server", pages_start, pages_tick};
