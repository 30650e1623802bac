/* The one application of an image, which apps/main.c runs. */
#ifndef APPLICATION_H
#define APPLICATION_H

#include "network.h"

extern const struct application application;

#endif
