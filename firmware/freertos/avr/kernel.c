/* Implementation of kernel.h, and what the kernel calls when a stack was too small. */
#include "kernel.h"

#include "FreeRTOS.h"
#include "bus_mutex.h"
#include "console.h"
#include "task.h"

#define STACK_BYTES 640u
#define PRIORITY 1u

static void (*run)(const void *argument);

/* A function of the kernel's type, which hands on what is constant. */
static void run_task(void *argument) { run(argument); }

void kernel_run(void (*task)(const void *argument), const void *argument) {
    static StaticTask_t memory;
    static StackType_t stack[STACK_BYTES];
    run = task;
    bus_mutex_start();
    xTaskCreateStatic(run_task, "network", STACK_BYTES, (void *)(uintptr_t)argument, PRIORITY, stack, &memory);
    vTaskStartScheduler();
}

void kernel_yield(void) { taskYIELD(); }

void vApplicationStackOverflowHook(TaskHandle_t task, char *name) {
    (void)task;
    taskDISABLE_INTERRUPTS();
    console_text("error: FreeRTOS: ");
    console_text(name);
    console_text(" has run over its stack\n");
    for (;;) { /* for the watchdog */
    }
}
