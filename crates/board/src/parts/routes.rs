//! Wires between pins, as buses see them: SPI and UART are spoken in frames here, so a wire from a transmitting pin to a
//! receiving one carries frames (functions of the pins: RP2040 datasheet 1.4.3). Which of its pins a port really uses is
//! not asked; a wire counts where it joins a pin that may transmit to one that may receive.

/// GPIO modulo 4 tells what a pin is to SPI, and which half of each eight belongs to which port.
const SPI_RECEIVES: u8 = 0;
const SPI_TRANSMITS: u8 = 3;
/// The same for UART.
const UART_TRANSMITS: u8 = 0;
const UART_RECEIVES: u8 = 1;

/// What the wires join.
#[derive(Debug, Clone, Default)]
pub(super) struct Routes {
    spi_loops: [bool; 2],
    /// Of each UART: which UARTs hear what it sends.
    uarts: [[bool; 2]; 2],
}

impl Routes {
    pub(super) fn wire(&mut self, pin: u8, to: u8) {
        for (from, to) in [(pin, to), (to, pin)] {
            if from % 4 == SPI_TRANSMITS && to % 4 == SPI_RECEIVES && spi_port(from) == spi_port(to) {
                self.spi_loops[spi_port(from)] = true;
            }
            if from % 4 == UART_TRANSMITS && to % 4 == UART_RECEIVES {
                self.uarts[uart_port(from)][uart_port(to)] = true;
            }
        }
    }

    pub(super) fn spi_loops(&self, port: u8) -> bool {
        self.spi_loops[usize::from(port & 1)]
    }

    pub(super) fn uarts_behind(&self, port: u8) -> impl Iterator<Item = u8> + use<> {
        let heard = self.uarts[usize::from(port & 1)];
        (0..2u8).filter(move |&port| heard[usize::from(port)])
    }
}

/// SPI0 has GPIO 0 to 7 and 16 to 23, SPI1 the others.
fn spi_port(pin: u8) -> usize {
    usize::from(pin >> 3 & 1)
}

/// UART0 has GPIO 0 to 3, 12 to 19 and 28 up, UART1 4 to 11 and 20 to 27.
fn uart_port(pin: u8) -> usize {
    usize::from((pin + 4) >> 3 & 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_pins_are_those_of_the_datasheet() {
        let spi1: Vec<u8> = (0..30).filter(|&pin| spi_port(pin) == 1).collect();
        assert_eq!(spi1, [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29]);
        let uart1: Vec<u8> = (0..30).filter(|&pin| uart_port(pin) == 1).collect();
        assert_eq!(uart1, [4, 5, 6, 7, 8, 9, 10, 11, 20, 21, 22, 23, 24, 25, 26, 27]);
    }

    #[test]
    fn a_wire_carries_frames_whichever_end_is_named_first() {
        for (pin, to) in [(19, 16), (16, 19)] {
            let mut routes = Routes::default();
            routes.wire(pin, to);
            assert!(routes.spi_loops(0) && !routes.spi_loops(1));
        }
        let mut routes = Routes::default();
        routes.wire(5, 0);
        assert_eq!(routes.uarts_behind(0).collect::<Vec<_>>(), [1]);
        assert_eq!(routes.uarts_behind(1).count(), 0);
    }
}
