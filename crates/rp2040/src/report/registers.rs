//! The registers of a core at one moment, and what their bits mean.

use crate::chip::Rp2040;
use cortexm::{Core, LR, PC, SP};

/// The low registers of an exception's stack frame, the word of its program counter, and that of its xPSR (ARMv6-M
/// Architecture Reference Manual B1.5.6).
const FRAME_REGISTERS: [usize; 6] = [0, 1, 2, 3, 12, LR];
const FRAME_PC: u32 = 24;
const FRAME_XPSR: u32 = 28;
const FRAME_BYTES: u32 = 32;
/// xPSR bit of a frame: four bytes more lie between the frame and what was on the stack.
const FRAME_ALIGNED: u32 = 1 << 9;

/// Reads a word of memory; nothing where nothing is.
pub type ReadWord<'a> = &'a dyn Fn(u32) -> Option<u32>;

/// The registers of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registers {
    /// R0 to R15; R13 is the stack pointer in use.
    pub r: [u32; 16],
    /// APSR, IPSR and EPSR.
    pub xpsr: u32,
    /// The main stack pointer.
    pub main_stack: u32,
    /// The process stack pointer.
    pub process_stack: u32,
    /// Whether the process stack is in use.
    pub on_process_stack: bool,
}

impl Registers {
    /// Those of a core now.
    pub fn of(core: &Core) -> Self {
        let (main_stack, process_stack) = core.stack_pointers();
        Self {
            r: core.registers(),
            xpsr: core.xpsr(),
            main_stack,
            process_stack,
            on_process_stack: core.control & 2 != 0,
        }
    }

    /// The program counter.
    pub fn pc(&self) -> u32 {
        self.r[PC]
    }

    /// The stack pointer.
    pub fn sp(&self) -> u32 {
        self.r[SP]
    }

    /// The number of the exception that is handled, 0 in thread mode.
    pub fn exception(&self) -> u32 {
        self.xpsr & 0x3f
    }

    /// The flags of the APSR, each as a capital where it is set.
    pub fn flags(&self) -> String {
        let letter = |(bit, name): (u32, char)| {
            if self.xpsr >> bit & 1 == 1 { name } else { name.to_ascii_lowercase() }
        };
        [(31, 'N'), (30, 'Z'), (29, 'C'), (28, 'V')].map(letter).iter().collect()
    }

    /// Thread mode, or the handler of which exception.
    pub fn mode(&self) -> String {
        match self.exception() {
            0 => "thread mode".to_owned(),
            number => format!("the handler of {}", exception_name(number)),
        }
    }

    /// Which stack is in use.
    pub fn stack_name(&self) -> &'static str {
        if self.on_process_stack { "process stack" } else { "main stack" }
    }

    /// What a return from an exception restores, if this value of EXC_RETURN is one and its frame can be read.
    pub fn before_exception(&self, return_value: u32, read: ReadWord<'_>) -> Option<Self> {
        let process = return_value == 0xffff_fffd;
        let frame = match return_value {
            0xffff_fff1 | 0xffff_fff9 if self.on_process_stack => self.main_stack,
            0xffff_fff1 | 0xffff_fff9 => self.sp(),
            0xffff_fffd => self.process_stack,
            _ => return None,
        };
        let word = |offset: u32| read(frame.wrapping_add(offset));
        let mut before = *self;
        for (offset, number) in (0..).step_by(4).zip(FRAME_REGISTERS) {
            before.r[number] = word(offset)?;
        }
        before.r[PC] = word(FRAME_PC)? & !1;
        before.xpsr = word(FRAME_XPSR)?;
        let padding = if before.xpsr & FRAME_ALIGNED != 0 { 4 } else { 0 };
        let stack = frame.wrapping_add(FRAME_BYTES + padding);
        if process {
            // The handler's frames are gone from the main stack.
            before.main_stack = self.sp();
            before.process_stack = stack;
        } else {
            before.main_stack = stack;
        }
        before.on_process_stack = process;
        before.r[SP] = stack;
        Some(before)
    }
}

/// Whether a branch to this address returns from an exception.
pub(super) fn is_exception_return(address: u32) -> bool {
    address >= 0xf000_0000
}

/// The names of the NVIC's lines (RP2040 datasheet 2.3.2); those behind them only software pends.
pub const INTERRUPTS: [&str; 26] = [
    "TIMER_IRQ_0",
    "TIMER_IRQ_1",
    "TIMER_IRQ_2",
    "TIMER_IRQ_3",
    "PWM_IRQ_WRAP",
    "USBCTRL_IRQ",
    "XIP_IRQ",
    "PIO0_IRQ_0",
    "PIO0_IRQ_1",
    "PIO1_IRQ_0",
    "PIO1_IRQ_1",
    "DMA_IRQ_0",
    "DMA_IRQ_1",
    "IO_IRQ_BANK0",
    "IO_IRQ_QSPI",
    "SIO_IRQ_PROC0",
    "SIO_IRQ_PROC1",
    "CLOCKS_IRQ",
    "SPI0_IRQ",
    "SPI1_IRQ",
    "UART0_IRQ",
    "UART1_IRQ",
    "ADC_IRQ_FIFO",
    "I2C0_IRQ",
    "I2C1_IRQ",
    "RTC_IRQ",
];

/// The name of an exception by its number (ARMv6-M Architecture Reference Manual B1.5.2).
pub fn exception_name(number: u32) -> String {
    match number {
        2 => "NMI".to_owned(),
        3 => "HardFault".to_owned(),
        11 => "SVCall".to_owned(),
        14 => "PendSV".to_owned(),
        15 => "SysTick".to_owned(),
        16.. => {
            let line = number - 16;
            INTERRUPTS.get(line as usize).map_or_else(|| format!("IRQ {line}"), |name| (*name).to_owned())
        }
        _ => format!("exception {number}"),
    }
}

/// Memory as a debugger sees it.
pub(super) fn reader(chip: &Rp2040) -> impl Fn(u32) -> Option<u32> + '_ {
    |address| chip.read_word(address).ok()
}
