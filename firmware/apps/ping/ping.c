/* Nothing but answering ping: the chip does it by itself, or lwIP. */
#include "application.h"
#include "network.h"

static void start(void) {}

const struct application application = {"Answers ping", start, 0};
