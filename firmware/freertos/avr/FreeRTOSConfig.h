/* The kernel's configuration on an AVR: static memory only, and the port's own tick, which is the watchdog's 16 ms. */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#include <stdint.h>

#include "board.h"

#define configENABLE_MPU 0
#define configCPU_CLOCK_HZ BOARD_CRYSTAL_HZ
#define configTICK_RATE_HZ 62u
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_16_BITS
#define configMAX_PRIORITIES 3
#define configSTACK_DEPTH_TYPE uint16_t
#define configMINIMAL_STACK_SIZE 160
#define configMAX_TASK_NAME_LEN 8
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 0
#define configUSE_IDLE_HOOK 0
#define configIDLE_SHOULD_YIELD 0
#define configUSE_TICK_HOOK 0
#define configUSE_MUTEXES 1
#define configUSE_TASK_NOTIFICATIONS 0
#define configUSE_TIMERS 0
#define configUSE_MALLOC_FAILED_HOOK 0
#define configCHECK_FOR_STACK_OVERFLOW 2
#define configSUPPORT_STATIC_ALLOCATION 1
#define configSUPPORT_DYNAMIC_ALLOCATION 0
#define configKERNEL_PROVIDED_STATIC_MEMORY 1

#endif
