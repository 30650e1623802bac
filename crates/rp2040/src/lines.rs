//! The wires between the blocks of the chip: interrupt lines to both cores' NVIC and data requests to the DMA.

/// An interrupt line (RP2040 datasheet 2.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Irq(pub u8);

#[allow(missing_docs)]
impl Irq {
    pub const TIMER_0: Self = Self(0);
    pub const TIMER_1: Self = Self(1);
    pub const TIMER_2: Self = Self(2);
    pub const TIMER_3: Self = Self(3);
    pub const PWM_WRAP: Self = Self(4);
    pub const USBCTRL: Self = Self(5);
    pub const XIP: Self = Self(6);
    pub const PIO0_0: Self = Self(7);
    pub const PIO0_1: Self = Self(8);
    pub const PIO1_0: Self = Self(9);
    pub const PIO1_1: Self = Self(10);
    pub const DMA_0: Self = Self(11);
    pub const DMA_1: Self = Self(12);
    pub const IO_BANK0: Self = Self(13);
    pub const IO_QSPI: Self = Self(14);
    pub const SIO_PROC0: Self = Self(15);
    pub const SIO_PROC1: Self = Self(16);
    pub const CLOCKS: Self = Self(17);
    pub const SPI0: Self = Self(18);
    pub const SPI1: Self = Self(19);
    pub const UART0: Self = Self(20);
    pub const UART1: Self = Self(21);
    pub const ADC_FIFO: Self = Self(22);
    pub const I2C0: Self = Self(23);
    pub const I2C1: Self = Self(24);
    pub const RTC: Self = Self(25);
}

/// A data request to the DMA (RP2040 datasheet 2.5.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dreq(pub u8);

#[allow(missing_docs)]
impl Dreq {
    /// The first of PIO block 0: four of transmission, then four of reception.
    pub const PIO0_TX0: Self = Self(0);
    pub const PIO1_TX0: Self = Self(8);
    pub const SPI0_TX: Self = Self(16);
    pub const SPI0_RX: Self = Self(17);
    pub const SPI1_TX: Self = Self(18);
    pub const SPI1_RX: Self = Self(19);
    pub const UART0_TX: Self = Self(20);
    pub const UART0_RX: Self = Self(21);
    pub const UART1_TX: Self = Self(22);
    pub const UART1_RX: Self = Self(23);
    pub const PWM_WRAP0: Self = Self(24);
    pub const I2C0_TX: Self = Self(32);
    pub const I2C0_RX: Self = Self(33);
    pub const I2C1_TX: Self = Self(34);
    pub const I2C1_RX: Self = Self(35);
    pub const ADC: Self = Self(36);
    pub const XIP_STREAM: Self = Self(37);
    pub const XIP_SSITX: Self = Self(38);
    pub const XIP_SSIRX: Self = Self(39);
}

/// The state of all lines.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Lines {
    irq: u32,
    dreq: u64,
    pulses: u64,
    irq_changed: bool,
    dreq_rose: bool,
}

impl Lines {
    /// Sets the level of an interrupt line.
    pub fn set_irq(&mut self, irq: Irq, level: bool) {
        let bit = 1 << irq.0;
        let before = self.irq;
        self.irq = if level { before | bit } else { before & !bit };
        self.irq_changed |= self.irq != before;
    }

    /// Sets a data request that is a level: it stands while a FIFO has room, or holds something.
    pub fn set_dreq(&mut self, dreq: Dreq, level: bool) {
        let bit = 1 << dreq.0;
        let before = self.dreq;
        self.dreq = if level { before | bit } else { before & !bit };
        self.dreq_rose |= self.dreq & !before != 0;
    }

    /// Sets the levels of several data requests, a bit each; those of `mask` that are not in `levels` fall.
    #[inline]
    pub(crate) fn set_dreqs(&mut self, mask: u64, levels: u64) {
        let before = self.dreq;
        self.dreq = before & !mask | levels;
        self.dreq_rose |= self.dreq & !before != 0;
    }

    /// Whether nobody has news of a line that was not taken yet.
    #[inline]
    pub(crate) fn are_settled(&self) -> bool {
        !(self.irq_changed | self.dreq_rose)
    }

    /// Asks for one transfer: a request that is an event (a PWM wrap).
    pub fn pulse_dreq(&mut self, dreq: Dreq) {
        self.pulses |= 1 << dreq.0;
        self.dreq_rose = true;
    }

    /// The interrupt lines that are high, a bit each.
    pub fn irq(&self) -> u32 {
        self.irq
    }

    /// The data requests that stand as levels, a bit each.
    pub fn dreq(&self) -> u64 {
        self.dreq
    }

    /// Takes the requests that came as events since the last call.
    pub(crate) fn take_pulses(&mut self) -> u64 {
        std::mem::take(&mut self.pulses)
    }

    /// Whether an interrupt line changed since the last call.
    pub(crate) fn take_irq_changed(&mut self) -> bool {
        std::mem::take(&mut self.irq_changed)
    }

    /// Whether a data request rose since the last call.
    pub(crate) fn take_dreq_rose(&mut self) -> bool {
        std::mem::take(&mut self.dreq_rose)
    }
}
