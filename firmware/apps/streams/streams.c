/* Streams to measure a board by: a sink (discard, RFC 863), a source (as chargen, RFC 864) and an echo (RFC 862), in
 * one image. Each is a file. */
#include "streams.h"
#include "application.h"
#include "network.h"

const struct application application = {"Sink, source and echo", services_start, services_tick};
