/* Implementation of bus_mutex.h. */
#include "bus_mutex.h"

#include "FreeRTOS.h"
#include "semphr.h"

static SemaphoreHandle_t mutex;

void bus_mutex_start(void) {
    static StaticSemaphore_t memory;
    mutex = xSemaphoreCreateMutexStatic(&memory);
}

/* Whoever has it gives it within one transaction. */
void bus_take(void) { xSemaphoreTake(mutex, portMAX_DELAY); }

void bus_give(void) { xSemaphoreGive(mutex); }
