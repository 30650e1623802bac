/* The task that takes frames from the chip. */
#ifndef DRIVER_TASK_H
#define DRIVER_TASK_H

void driver_task_start(void);
/* Words of its stack that it never used. */
unsigned driver_task_least_stack(void);

#endif
