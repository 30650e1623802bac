/* Pins by the numbers that a board file has: in the order of the ports' letters, eight to a port of the smaller chips,
 * and those that boards reach of the ATmega2560's. */
#ifndef PINS_H
#define PINS_H

#include <avr/io.h>
#include <stdint.h>

#include "board.h"

/* Where a pin's PINx stands, with DDRx and PORTx behind it, and which of its bits the pin is. Two inputs with
 * interrupts of their own are used: those of an Arduino's D2 and D3. */
#if defined(__AVR_ATmega1284P__) || defined(__AVR_ATmega328P__)
#define PIN_ADDRESS(pin) (FIRST_PORT + 3u * ((pin) / 8u))
#define PIN_PLACE(pin) ((pin) % 8u)
#define INTERRUPT_CONTROL EICRA
#define INTERRUPT_FIRST INT0
#define INTERRUPT_VECTORS INT0_vect, INT1_vect
#if defined(__AVR_ATmega1284P__)
#define FIRST_PORT 0x20u     /* PINA */
#define PIN_OF_INTERRUPT 26u /* PD2, and PD3 behind it */
#define PIN_OF_SS 12u        /* PB4 */
#else
#define FIRST_PORT 0x23u     /* PINB */
#define PIN_OF_INTERRUPT 18u /* PD2, and PD3 behind it */
#define PIN_OF_SS 2u         /* PB2 */
#endif
#elif defined(__AVR_ATmega2560__)
/* PA0 and 1, PB, PD0 to 3, PE, PF0 to 3, PG5, PH3 to 6, PL0. */
#define PIN_ADDRESS(pin)                                                                                               \
    ((pin) < 2u    ? 0x20u                                                                                             \
     : (pin) < 10u ? 0x23u                                                                                             \
     : (pin) < 14u ? 0x29u                                                                                             \
     : (pin) < 22u ? 0x2cu                                                                                             \
     : (pin) < 26u ? 0x2fu                                                                                             \
     : (pin) < 27u ? 0x32u                                                                                             \
     : (pin) < 31u ? 0x100u                                                                                            \
                   : 0x109u)
#define PIN_PLACE(pin)                                                                                                 \
    ((pin) < 2u    ? (pin)                                                                                             \
     : (pin) < 10u ? (pin) - 2u                                                                                        \
     : (pin) < 14u ? (pin) - 10u                                                                                       \
     : (pin) < 22u ? (pin) - 14u                                                                                       \
     : (pin) < 26u ? (pin) - 22u                                                                                       \
     : (pin) < 27u ? 5u                                                                                                \
     : (pin) < 31u ? (pin) - 24u                                                                                       \
                   : 0u)
#define INTERRUPT_CONTROL EICRB
#define INTERRUPT_FIRST INT4
#define INTERRUPT_VECTORS INT4_vect, INT5_vect
#define PIN_OF_INTERRUPT 18u /* PE4, and PE5 behind it */
#define PIN_OF_SS 2u         /* PB0 */
#else
#error "ports/avr knows the ports of the ATmega328P, ATmega1284P and ATmega2560 alone: add those of this one to pins.h"
#endif

/* With a number that the compiler knows, a change of one bit is one instruction (SBI, CBI). */
#define PIN_REGISTER(pin, which) (*(volatile uint8_t *)(uintptr_t)(PIN_ADDRESS(pin) + (which)))
#define PIN_IN(pin) PIN_REGISTER(pin, 0u)
#define PIN_DDR(pin) PIN_REGISTER(pin, 1u)
#define PIN_PORT(pin) PIN_REGISTER(pin, 2u)
#define PIN_BIT(pin) ((uint8_t)(1u << PIN_PLACE(pin)))

#endif
