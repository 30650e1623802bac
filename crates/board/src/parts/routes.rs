//! Wires between pins, as buses see them: SPI and UART are spoken in frames here, so a wire from a transmitting pin to a
//! receiving one carries frames (functions of the pins: `mcu::Facts`). Which of its pins a port really uses is
//! not asked; a wire counts where it joins a pin that may transmit to one that may receive.

use mcu::Facts;

/// What the wires join.
#[derive(Debug, Clone, Default)]
pub(super) struct Routes {
    spi_loops: [bool; 2],
    /// Of each UART: which UARTs hear what it sends.
    uarts: [[bool; 2]; 2],
}

impl Routes {
    pub(super) fn wire(&mut self, facts: &Facts, pin: u8, to: u8) {
        for (from, to) in [(pin, to), (to, pin)] {
            if let Some(port) = (facts.spi_transmits)(from)
                && (facts.spi_receives)(to) == Some(port)
            {
                self.spi_loops[usize::from(port)] = true;
            }
            if let (Some(from), Some(to)) = ((facts.uart_transmits)(from), (facts.uart_receives)(to)) {
                self.uarts[usize::from(from)][usize::from(to)] = true;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_carries_frames_whichever_end_is_named_first() {
        let facts = crate::mcus::MCUS[0].facts;
        for (pin, to) in [(19, 16), (16, 19)] {
            let mut routes = Routes::default();
            routes.wire(facts, pin, to);
            assert!(routes.spi_loops(0) && !routes.spi_loops(1));
        }
        let mut routes = Routes::default();
        routes.wire(facts, 5, 0);
        assert_eq!(routes.uarts_behind(0).collect::<Vec<_>>(), [1]);
        assert_eq!(routes.uarts_behind(1).count(), 0);
    }
}
