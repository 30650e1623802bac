/* The tests of whole frames, called by test_driver.c; 0 when all held. */
#ifndef TEST_MACRAW_H
#define TEST_MACRAW_H

int test_macraw(void);

#endif
