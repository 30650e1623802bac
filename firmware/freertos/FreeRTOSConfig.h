/* The kernel's configuration: static memory only, 1 kHz tick, sleep when idle. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "clock.h"

#define configENABLE_MPU 0
#define configCPU_CLOCK_HZ (clock_system_hz())
#define configTICK_RATE_HZ 1000u
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 128
#define configMAX_TASK_NAME_LEN 8
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configUSE_IDLE_HOOK 1
#define configIDLE_SHOULD_YIELD 0
#define configUSE_TICK_HOOK 0
#define configUSE_MUTEXES 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_TIMERS 0
#define configUSE_MALLOC_FAILED_HOOK 0
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define INCLUDE_vTaskDelay 1
#define INCLUDE_xTaskGetSchedulerState 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define INCLUDE_uxTaskGetStackHighWaterMark 1

void freertos_assertion_failed(void);
#define configASSERT(condition)                                                                                        \
    if (!(condition)) {                                                                                                \
        freertos_assertion_failed();                                                                                   \
    }

/* The port's names of its handlers are the vector table's. */
#define SVC_Handler svcall_handler
#define PendSV_Handler pendsv_handler
#define SysTick_Handler systick_handler
#define configCHECK_HANDLER_INSTALLATION 0

#endif
