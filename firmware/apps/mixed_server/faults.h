/* What a soak has to find: an image with these faults is built for its test alone. */
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

void faults_tick(uint32_t now_ms);

#endif
