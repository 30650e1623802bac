/* lwIP's semaphores, mailboxes and threads on FreeRTOS, out of static memory. */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "lwip/err.h"
#include "lwip/sys.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

/* lwIP's one thread, which runs its timers. */
#define STACK_WORDS 768u

/* Only the application's task uses sockets. */
int errno;

void sys_init(void) {}

sys_prot_t sys_arch_protect(void) {
    taskENTER_CRITICAL();
    return 0;
}

void sys_arch_unprotect(sys_prot_t protection) {
    (void)protection;
    taskEXIT_CRITICAL();
}

err_t sys_sem_new(sys_sem_t *semaphore, u8_t count) {
    semaphore->handle = xSemaphoreCreateBinaryStatic(&semaphore->memory);
    if (count) {
        xSemaphoreGive(semaphore->handle);
    }
    return ERR_OK;
}

void sys_sem_free(sys_sem_t *semaphore) {
    vSemaphoreDelete(semaphore->handle);
    semaphore->handle = NULL;
}

void sys_sem_signal(sys_sem_t *semaphore) { xSemaphoreGive(semaphore->handle); }

/* A tick is a millisecond. */
u32_t sys_arch_sem_wait(sys_sem_t *semaphore, u32_t limit_ms) {
    return xSemaphoreTake(semaphore->handle, limit_ms ? limit_ms : portMAX_DELAY) ? 0 : SYS_ARCH_TIMEOUT;
}

static sys_sem_t sockets;

sys_sem_t *sys_socket_semaphore(void) {
    if (!sockets.handle) {
        sys_sem_new(&sockets, 0);
    }
    return &sockets;
}

void sys_socket_wake_from_interrupt(void) {
    BaseType_t woken = pdFALSE;
    xSemaphoreGiveFromISR(sockets.handle, &woken);
    portYIELD_FROM_ISR(woken);
}

void sys_socket_forget_wake(void) { xSemaphoreTake(sockets.handle, 0); }

err_t sys_mutex_new(sys_mutex_t *mutex) {
    mutex->handle = xSemaphoreCreateMutexStatic(&mutex->memory);
    return ERR_OK;
}

void sys_mutex_lock(sys_mutex_t *mutex) { xSemaphoreTake(mutex->handle, portMAX_DELAY); }

void sys_mutex_unlock(sys_mutex_t *mutex) { xSemaphoreGive(mutex->handle); }

void sys_mutex_free(sys_mutex_t *mutex) {
    vSemaphoreDelete(mutex->handle);
    mutex->handle = NULL;
}

err_t sys_mbox_new(sys_mbox_t *mailbox, int messages) {
    (void)messages;
    mailbox->handle =
        xQueueCreateStatic(MAILBOX_MESSAGES, sizeof(void *), (uint8_t *)mailbox->messages, &mailbox->memory);
    return ERR_OK;
}

void sys_mbox_free(sys_mbox_t *mailbox) {
    vQueueDelete(mailbox->handle);
    mailbox->handle = NULL;
}

void sys_mbox_post(sys_mbox_t *mailbox, void *message) { xQueueSend(mailbox->handle, &message, portMAX_DELAY); }

err_t sys_mbox_trypost(sys_mbox_t *mailbox, void *message) {
    return xQueueSend(mailbox->handle, &message, 0) ? ERR_OK : ERR_MEM;
}

err_t sys_mbox_trypost_fromisr(sys_mbox_t *mailbox, void *message) {
    BaseType_t woken = pdFALSE;
    BaseType_t sent = xQueueSendFromISR(mailbox->handle, &message, &woken);
    portYIELD_FROM_ISR(woken);
    return sent ? ERR_OK : ERR_MEM;
}

u32_t sys_arch_mbox_fetch(sys_mbox_t *mailbox, void **message, u32_t limit_ms) {
    void *dropped;
    TickType_t limit = limit_ms ? limit_ms : portMAX_DELAY;
    return xQueueReceive(mailbox->handle, message ? message : &dropped, limit) ? 0 : SYS_ARCH_TIMEOUT;
}

u32_t sys_arch_mbox_tryfetch(sys_mbox_t *mailbox, void **message) {
    void *dropped;
    return xQueueReceive(mailbox->handle, message ? message : &dropped, 0) ? 0 : SYS_MBOX_EMPTY;
}

static TaskHandle_t thread;

unsigned sys_thread_least_stack(void) { return uxTaskGetStackHighWaterMark(thread); }

sys_thread_t sys_thread_new(const char *name, lwip_thread_fn function, void *argument, int stack_words, int priority) {
    static StaticTask_t task;
    static StackType_t stack[STACK_WORDS];
    static bool is_used;
    (void)stack_words;
    LWIP_ASSERT("there are no more threads than sys_arch has memory for", !is_used);
    is_used = true;
    thread = xTaskCreateStatic(function, name, STACK_WORDS, argument, (UBaseType_t)priority, stack, &task);
    return thread;
}
