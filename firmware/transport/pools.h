/* What a running image holds of each pool of its transport: for a person at the console, and for tests that look for
 * leaks. */
#ifndef POOLS_H
#define POOLS_H

/* A line for each pool: "<name> <in use now>", "most <name> <...>" where the most so far is known, and "no room <name>
 * <how often>" where something was asked for in vain. */
void pools_report(void);
/* The part that all lwIP transports share. */
void pools_report_lwip(void);

#endif
