//! Which part is on which pin and bus of a board, and what passed there: everything around the MCU that is no part's own state.

use std::ops::Range;

use lan::{DeviceId, Lan, NetDevice, UsbNetwork};
use mcu::outside::BOARD_WINDOW;
use mcu::{Facts, Reaction};
use sim::Passive;
use units::Picoseconds;

use super::Passed;
use super::activity::Activity;
use super::i2c_wires::I2cWires;
use super::outputs::Outputs;
use super::routes::Routes;

/// What the parts are put on. They are known by their places.
#[derive(Debug, Clone)]
pub(super) struct Buses {
    /// Which pins of the MCU may do what.
    pub(super) facts: &'static Facts,
    /// The level of every pin, a bit each.
    pub(super) levels: u32,
    /// Who listens on which pins.
    pub(super) listeners: Vec<(u32, usize)>,
    pub(super) spi: [SpiBus; 2],
    pub(super) i2c: [I2cBus; 2],
    pub(super) i2c_wires: Vec<I2cWires>,
    pub(super) windows: Vec<Window>,
    pub(super) interrupts: Vec<Interrupt>,
    /// The PC's end of the network on USB.
    pub(super) usb_network: Option<DeviceId<UsbNetwork>>,
    /// Who does things of its own accord.
    pub(super) timed: Vec<usize>,
    /// The signal generator, once there is one.
    pub(super) pulses: Option<usize>,
    /// At the pins with an ADC input, the first of them input 0.
    pub(super) microvolts: Vec<Option<i32>>,
    pub(super) routes: Routes,
    /// What the MCU's pins have to do with each other and with levels from the start.
    pub(super) joints: Vec<Joint>,
    /// Pins with a clock that a part takes as such, a bit each.
    pub(super) clocks: u32,
    /// Pins with a resistor to the supply.
    pub(super) pulled_up: Vec<u8>,
    pub(super) activity: Option<Activity>,
    pub(super) passed: [Passed; 2],
    /// The network's next event, as the MCU was told.
    pub(super) told: Option<Picoseconds>,
    pub(super) notes: Vec<String>,
    pub(super) outputs: Outputs,
}

/// Who is on an SPI port: first those with a chip select.
#[derive(Debug, Clone, Default)]
pub(super) struct SpiBus {
    pub(super) parts: Vec<usize>,
    /// How many have a chip select.
    pub(super) selected: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct I2cBus {
    pub(super) parts: Vec<usize>,
    /// The one that acknowledged its address.
    pub(super) meant: Option<usize>,
}

/// A part's place in the address space that is the board's.
#[derive(Debug, Clone)]
pub(super) struct Window {
    pub(super) offsets: Range<u32>,
    pub(super) part: usize,
}

/// An interrupt output, with its level as the MCU was last told.
#[derive(Debug, Clone)]
pub(super) struct Interrupt {
    pub(super) device: DeviceId<dyn NetDevice>,
    pub(super) pin: u8,
    /// There is a resistor between it and the pin.
    pub(super) is_weak: bool,
    pub(super) told_low: Option<bool>,
}

/// What a part has to do with the MCU's pins.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Joint {
    Wire { pin: u8, to: u8 },
    Level { pin: u8, level: Option<bool> },
    Clock { pin: u8, rise: Picoseconds, hz: u64 },
}

impl Buses {
    /// Those of an MCU that nothing is connected to.
    pub(super) fn of(facts: &'static Facts) -> Self {
        Self {
            facts,
            levels: 0,
            listeners: Vec::new(),
            spi: Default::default(),
            i2c: Default::default(),
            i2c_wires: Vec::new(),
            windows: Vec::new(),
            interrupts: Vec::new(),
            usb_network: None,
            timed: Vec::new(),
            pulses: None,
            microvolts: facts.adc_gpios.clone().map(|_| None).collect(),
            routes: Routes::default(),
            joints: Vec::new(),
            clocks: 0,
            pulled_up: Vec::new(),
            activity: None,
            passed: Default::default(),
            told: None,
            notes: Vec::new(),
            outputs: Outputs::behind(facts.gpio_count),
        }
    }

    /// Sets the voltage at a pin with an ADC input.
    pub(super) fn set_microvolts(&mut self, pin: u8, microvolts: Option<i32>) {
        let input = pin.checked_sub(*self.facts.adc_gpios.start());
        if let Some(input) = input.and_then(|input| self.microvolts.get_mut(usize::from(input))) {
            *input = microvolts;
        }
    }

    /// Which part an address belongs to, and where in its window it is.
    pub(super) fn window(&self, address: u32) -> Option<(usize, u32)> {
        let offset = address.wrapping_sub(BOARD_WINDOW);
        let window = self.windows.iter().find(|window| window.offsets.contains(&offset))?;
        Some((window.part, offset - window.offsets.start))
    }

    /// What the MCU has to hear of the network: interrupt outputs that changed, and another time of the next event.
    pub(super) fn tell(&mut self, lan: Option<&Lan>, reactions: &mut Vec<Reaction>) {
        self.tell_but(0, lan, reactions);
    }

    /// The same, after the MCU was told otherwise of the interrupt outputs on some pins, a bit each.
    pub(super) fn follow(&mut self, lan: Option<&Lan>, pins: u32, reactions: &mut Vec<Reaction>) {
        self.tell_but(pins, lan, reactions);
    }

    fn tell_but(&mut self, told: u32, lan: Option<&Lan>, reactions: &mut Vec<Reaction>) {
        let Some(lan) = lan else { return };
        for interrupt in &mut self.interrupts {
            let low = lan.interrupt_is_low(interrupt.device);
            if told >> interrupt.pin & 1 == 1 {
                interrupt.told_low = Some(low);
            } else if interrupt.told_low != Some(low) {
                interrupt.told_low = Some(low);
                let (pin, level) = (interrupt.pin, Some(!low));
                reactions.push(match interrupt.is_weak {
                    true => Reaction::Pull { pin, level },
                    false => Reaction::Pin { pin, level },
                });
            }
        }
        let usb = self.usb_network.and_then(|device| lan.device(device));
        if usb.is_some_and(UsbNetwork::has_frame) {
            reactions.push(Reaction::UsbFrames);
        }
        if lan.next_event() != self.told {
            self.told = lan.next_event();
            reactions.push(Reaction::Rescheduled);
        }
    }
}
