/* How watch.c hears of frames over RMII, which raise no pin. */
#ifndef RMII_WAKE_H
#define RMII_WAKE_H

#include <stdbool.h>

bool rmii_on_frame(void (*handler)(void));

#endif
