//! What the datasheets say of the chips' pins, interrupts and clocks, for whoever draws a board around them.

use mcu::{CodeMemory, Facts, GdbFacts, GdbRegion, McuKind, Register, RegisterRole, Setup, SetupError};

use crate::chip::{Avr, DATA, EEPROM, PC_NUMBER, RESET};
use crate::chips::{ATMEGA328P, ATMEGA1284P, ATMEGA2560, Part};
use crate::image::IMAGES;

/// The core goes up to 20 MHz at 4.5 V ("Speed Grades"); boards run it faster, such as at 22.1184 MHz.
const CRYSTAL_HZ: std::ops::RangeInclusive<u64> = 400_000..=24_000_000;
/// Arduino's boards have this one.
const USUAL_CRYSTAL_HZ: u64 = 16_000_000;
/// GDB has the registers of an AVR itself, by the same numbers, and takes no other description of them.
const GDB_DESCRIPTION: &str = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">\
     <target version=\"1.0\"><architecture>avr</architecture></target>";

/// The chip of a kind: what differs between them are the tables, and functions that know their own.
macro_rules! kind {
    ($(#[$doc:meta])* $kind:ident, $facts:ident, $part:ident, $place:literal, $regions:ident) => {
        static $regions: [GdbRegion; 2] = [
            GdbRegion { kind: "ram", start: DATA, bytes: $part.ram_start as u32 + $part.ram_bytes as u32 },
            GdbRegion { kind: "ram", start: EEPROM, bytes: $part.eeprom_bytes as u32 },
        ];

        static $facts: Facts = Facts {
            name: $part.name,
            title: $part.title,
            cores: 1,
            gpio_count: $part.gpio_count,
            pin_name: |gpio| $part.pin_name(gpio),
            adc_gpios: *$part.adc_gpios.start()..=*$part.adc_gpios.end(),
            crystal_hz: CRYSTAL_HZ,
            usual_crystal_hz: USUAL_CRYSTAL_HZ,
            flash_bytes: $part.flash_bytes as u64..=$part.flash_bytes as u64,
            usual_flash_bytes: $part.flash_bytes,
            rom_bytes: 0,
            buttons: &[RESET],
            interrupts: &$part.vectors,
            spi_ports: 1,
            spi_receives: |gpio| ($part.spi[2] == gpio).then_some(0),
            spi_transmits: |gpio| ($part.spi[1] == gpio).then_some(0),
            spi_clocks: |gpio| ($part.spi[0] == gpio).then_some(0),
            joins_boards: true,
            clock_name: "clk_CPU",
            // SPI2X ("SPSR").
            least_spi_divider: 2,
            dma_channels: 0,
            uart_transmits: |gpio| usart(&$part, gpio, 1),
            uart_receives: |gpio| usart(&$part, gpio, 0),
            i2c_ports: 1,
            i2c_data: |gpio| i2c(&$part, gpio),
            // CLKO gives the clock of the processor, and no chip of a board takes that.
            clock_outputs: &[],
            clock_inputs: &[],
            has_usb: false,
            has_board_window: false,
            exception: |vector| exception(&$part, vector),
            code_memory: |address| CodeMemory {
                name: if address < $part.flash_bytes { "flash" } else { "no memory" },
                is_one: false,
            },
            gdb: GdbFacts {
                description: GDB_DESCRIPTION,
                registers: &REGISTERS,
                pc: PC_NUMBER,
                regions: &$regions,
                flash_start: 0,
                sector_bytes: $part.page_bytes,
            },
            images: &IMAGES[$place],
        };

        $(#[$doc])*
        pub static $kind: McuKind = McuKind { facts: &$facts, build: |setup| build(&$part, setup) };
    };
}

kind!(
    /// The ATmega328P in a table of microcontrollers.
    KIND_328P, FACTS_328P, ATMEGA328P, 0, REGIONS_328P
);
kind!(
    /// The ATmega1284P in a table of microcontrollers.
    KIND_1284P, FACTS_1284P, ATMEGA1284P, 1, REGIONS_1284P
);
kind!(
    /// The ATmega2560 in a table of microcontrollers.
    KIND_2560, FACTS_2560, ATMEGA2560, 2, REGIONS_2560
);

fn build(part: &'static Part, setup: &Setup) -> Result<Box<dyn mcu::Mcu>, SetupError> {
    Ok(Box::new(Avr::new(part, setup)?))
}

/// The facts of a part.
pub(crate) fn facts_of(part: &Part) -> &'static Facts {
    let all = [&FACTS_328P, &FACTS_1284P, &FACTS_2560];
    all.into_iter().find(|facts| facts.name == part.name).expect("every part has its facts")
}

/// R0 to R31, SREG, SP and the program counter, as GDB numbers them.
static REGISTERS: [Register; PC_NUMBER + 1] = {
    let mut registers = [Register { name: "", bytes: 1, role: RegisterRole::General }; PC_NUMBER + 1];
    let names = [
        "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
        "r16", "r17", "r18", "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29",
        "r30", "r31", "sreg", "sp", "pc",
    ];
    let mut number = 0;
    while number < registers.len() {
        registers[number].name = names[number];
        number += 1;
    }
    registers[PC_NUMBER - 1].bytes = 2;
    registers[PC_NUMBER].bytes = 4;
    registers
};

/// The first two USARTs are the consoles and the ports of a board.
fn usart(part: &Part, gpio: u8, which: usize) -> Option<u8> {
    let found = part.usarts.iter().take(2).position(|pins| pins[which] == gpio)?;
    Some(found as u8)
}

/// Boards find SCL behind SDA, which is so where its pins stand in that order.
fn i2c(part: &Part, gpio: u8) -> Option<u8> {
    let [sda, scl] = part.twi;
    (gpio == sda && scl == sda + 1).then_some(0)
}

fn exception(part: &Part, vector: u8) -> String {
    let name = usize::from(vector).checked_sub(1).and_then(|vector| part.vectors.get(vector));
    name.map_or_else(|| format!("vector {vector}"), |name| (*name).to_owned())
}
