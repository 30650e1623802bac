/* What the kernel calls when there is nothing to do, and when something is wrong. */
#include "FreeRTOS.h"
#include "console.h"
#include "task.h"

void vApplicationIdleHook(void) { __asm__ volatile("wfi"); }

static _Noreturn void stop(const char *sentence) {
    taskDISABLE_INTERRUPTS();
    console_text("error: FreeRTOS: ");
    console_text(sentence);
    console_put('\n');
    for (;;) { /* for the watchdog */
    }
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    console_text(name);
    stop(" has run over its stack");
}

void freertos_assertion_failed(void) { stop("an assertion does not hold"); }
