/* Waits for the chip's interrupt pin, or for the next poll, and takes the frames that are there. Long DMA transfers let
 * other tasks run. Whoever uses the chip holds lwIP's core lock. */
#include "driver_task.h"

#include "FreeRTOS.h"
#include "frames.h"
#include "interface.h"
#include "lwip/tcpip.h"
#include "network_settings.h"
#include "semphr.h"
#include "spi.h"
#include "task.h"
#include "watch.h"

#define PRIORITY 4u
#define STACK_WORDS 512u
#define FRAMES_AT_A_TIME 8u
#define LONGEST_WAIT_MS 250u
/* Longer than any DMA transfer: an interrupt that is lost does not stop the board. */
#define DMA_WAIT_MS 2u

static TaskHandle_t driver;
static SemaphoreHandle_t dma_is_done;

static void wake_driver(void) {
    BaseType_t woken = pdFALSE;
    vTaskNotifyGiveFromISR(driver, &woken);
    portYIELD_FROM_ISR(woken);
}

static void wait_for_dma(void) { xSemaphoreTake(dma_is_done, DMA_WAIT_MS); }

static void tell_dma_done(void) {
    BaseType_t woken = pdFALSE;
    xSemaphoreGiveFromISR(dma_is_done, &woken);
    portYIELD_FROM_ISR(woken);
}

static const struct spi_waiter waiter = {wait_for_dma, tell_dma_done};

static void run(void *argument) {
    (void)argument;
    bool has_more = false; /* the pin may be quiet by then: its interrupt is acknowledged before the frames are taken */
    for (;;) {
        if (watch_is_calling() || has_more) {
            LOCK_TCPIP_CORE();
            has_more = interface_receive(FRAMES_AT_A_TIME);
            interface_settle();
            UNLOCK_TCPIP_CORE();
        }
        if (!has_more) {
            uint32_t quiet_us = watch_quiet_us(LONGEST_WAIT_MS * 1000u);
            ulTaskNotifyTake(pdTRUE, (quiet_us + 999u) / 1000u);
        }
    }
}

unsigned driver_task_least_stack(void) { return uxTaskGetStackHighWaterMark(driver); }

void driver_task_start(void) {
    static StaticTask_t task;
    static StackType_t stack[STACK_WORDS];
    static StaticSemaphore_t memory;
    dma_is_done = xSemaphoreCreateBinaryStatic(&memory);
    driver = xTaskCreateStatic(run, "driver", STACK_WORDS, NULL, PRIORITY, stack, &task);
    watch_set_waker(wake_driver);
    LOCK_TCPIP_CORE();
    frames_set_waiter(&waiter);
    UNLOCK_TCPIP_CORE();
}
