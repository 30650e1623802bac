/* An image's loop as a task of FreeRTOS, beside the kernel's idle task. */
#ifndef KERNEL_H
#define KERNEL_H

/* Runs it for good. */
void kernel_run(void (*task)(const void *argument), const void *argument);
/* Lets whoever else is ready run. */
void kernel_yield(void);

#endif
