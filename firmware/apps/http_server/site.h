/* What the pages of the demo site ask the board for. */
#ifndef SITE_H
#define SITE_H

#include "http.h"

extern struct http_server site;

void site_open(const struct fsdata *files);

#endif
