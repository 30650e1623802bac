/* The board's chip: zero at the start, as the driver wants it. */
#include "wiznet.h"

struct wiznet board_wiznet;
