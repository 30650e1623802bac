/* lwIP's threads, semaphores and mailboxes on FreeRTOS, out of static memory. Empty for images without threads. */
#ifndef LWIP_ARCH_SYS_ARCH_H
#define LWIP_ARCH_SYS_ARCH_H

#include <stdint.h>

#ifdef AIRWIRE_FREERTOS
#include "FreeRTOS.h"
#include "queue.h"
#include "semphr.h"

typedef struct {
    SemaphoreHandle_t handle;
    StaticSemaphore_t memory;
} sys_sem_t;
typedef sys_sem_t sys_mutex_t;

#define MAILBOX_MESSAGES 32u
typedef struct {
    QueueHandle_t handle;
    StaticQueue_t memory;
    void *messages[MAILBOX_MESSAGES];
} sys_mbox_t;
typedef TaskHandle_t sys_thread_t;
/* Words of its stack that the thread never used. */
unsigned sys_thread_least_stack(void);
/* What the task with the sockets waits on in any call of theirs. */
sys_sem_t *sys_socket_semaphore(void);
/* Ends that wait, from an interrupt handler. */
void sys_socket_wake_from_interrupt(void);
/* Forgets that it was ended, where nobody waits. */
void sys_socket_forget_wake(void);

#define sys_sem_valid(sem) ((sem)->handle != NULL)
#define sys_sem_set_invalid(sem) ((sem)->handle = NULL)
#define sys_mbox_valid(box) ((box)->handle != NULL)
#define sys_mbox_set_invalid(box) ((box)->handle = NULL)
#endif

typedef uint32_t sys_prot_t;

#endif
