/* Pins by the numbers that a board file has: eight to a port, in the order of the ports' letters. */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>
#include <stdint.h>

#include "board.h"

/* The first port's PINx; DDRx and PORTx stand behind it, and the next port behind them. Of the inputs with an interrupt
 * of their own INT0 comes first. */
#if defined(__AVR_ATmega1284P__)
#define FIRST_PORT 0x20u /* PINA */
#define PIN_OF_INT0 26u  /* PD2 */
#define PIN_OF_INT1 27u  /* PD3 */
#define PIN_OF_SS 12u    /* PB4 */
#elif defined(__AVR_ATmega328P__)
#define FIRST_PORT 0x23u /* PINB */
#define PIN_OF_INT0 18u  /* PD2 */
#define PIN_OF_INT1 19u  /* PD3 */
#define PIN_OF_SS 2u     /* PB2 */
#else
#error "ports/avr knows the ports of the ATmega1284P and of the ATmega328P alone: add those of this one to pins.h"
#endif

/* With a number that the compiler knows, a change of one bit is one instruction (SBI, CBI). */
#define PIN_REGISTER(pin, which) (*(volatile uint8_t *)(uintptr_t)(FIRST_PORT + 3u * ((pin) / 8u) + (which)))
#define PIN_IN(pin) PIN_REGISTER(pin, 0u)
#define PIN_DDR(pin) PIN_REGISTER(pin, 1u)
#define PIN_PORT(pin) PIN_REGISTER(pin, 2u)
#define PIN_BIT(pin) ((uint8_t)(1u << (pin) % 8u))

#endif
