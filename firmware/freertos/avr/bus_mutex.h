/* The bus of the network chip, which tasks share: a mutex with inheritance of priority. Before the kernel runs there is
 * nobody to share it with. */
#ifndef BUS_MUTEX_H
#define BUS_MUTEX_H

void bus_mutex_start(void);
void bus_take(void);
void bus_give(void);

#endif
