//! What a reset reaches: the whole chip, what the watchdog's WDSEL registers select, or a core alone.

use crate::bus::{Bus, ResetCause};
use crate::peripherals::psm::stage;

/// Who selects one of these restarts everything: all register blocks come after them.
const BEFORE_BLOCKS: u32 = stage::ROSC | stage::XOSC | stage::CLOCKS | stage::RESETS;

impl Bus {
    /// SYSRESETREQ of a core resets this core and nothing else (RP2040 datasheet 2.4.2.9).
    pub(super) fn request_core_reset(&mut self, core: usize) {
        self.ask_for_reset(ResetCause::Cores(1 << core));
    }

    /// The boot ROM starts the whole chip anew.
    pub(super) fn request_reset(&mut self) {
        self.ask_for_reset(ResetCause::Software);
    }

    fn ask_for_reset(&mut self, cause: ResetCause) {
        self.reset = Some(match (self.reset, cause) {
            (Some(ResetCause::Cores(before)), ResetCause::Cores(cores)) => ResetCause::Cores(before | cores),
            (Some(whole), ResetCause::Cores(_)) => whole,
            _ => cause,
        });
        self.attention = true;
    }

    /// The watchdog fired: what the two WDSEL registers select is reset, which is nothing after power-on (RP2040 datasheet
    /// 2.13.5, 2.14.3 and 4.7).
    pub(super) fn watchdog_fired(&mut self) {
        let stages = self.blocks.psm.watchdog_stages();
        if stages & BEFORE_BLOCKS != 0 {
            self.ask_for_reset(ResetCause::Watchdog);
            return;
        }
        self.blocks.resets.watchdog_fired();
        self.reset_held_blocks();
        // Whoever ran ahead or waited did so because of what the blocks were about to do.
        self.pio_outlook_changed();
        self.lose_patience();
        if stages & stage::XIP != 0 {
            self.reset_flash_interface();
        }
        if stages & stage::SIO != 0 {
            self.blocks.sio.reset(&mut self.io);
        }
        let cores = [stage::PROC0, stage::PROC1].map(|core| u8::from(stages & core != 0));
        if cores != [0, 0] {
            self.ask_for_reset(ResetCause::Cores(cores[0] | cores[1] << 1));
        }
    }

    /// Blocks that went into reset go back to their state after reset.
    pub(super) fn reset_held_blocks(&mut self) {
        let reset = self.blocks.resets.take_reset();
        if reset != 0 {
            self.blocks.reset(reset, &mut self.io);
            self.clock_pins_changed();
            self.flash_pins_changed();
        }
    }

    /// Everything but the flash chip, the surroundings, and what a reset by the watchdog leaves alone, goes back to its
    /// state after reset.
    pub(crate) fn reset_blocks(&mut self, cause: ResetCause) {
        self.flow = None;
        self.blocks.power_cycle(&mut self.io, cause == ResetCause::Watchdog);
        self.look_at_clocks();
        self.reset_flash_interface();
        self.settle();
    }

    fn reset_flash_interface(&mut self) {
        self.ssi.reset(&mut self.io);
        self.xip = Default::default();
        self.flash_settings_changed();
    }

    /// What belongs to a core goes back to its state after reset: NVIC, SysTick, SCB, MPU and the event register. The NVIC
    /// finds the lines as they are.
    pub(crate) fn reset_private(&mut self, core: usize) {
        self.ppb[core] = Default::default();
        self.events[core] = false;
        self.tick_changed();
        self.arm_systick(core, self.cycle_now());
        self.core_interrupts_changed(core);
    }
}
