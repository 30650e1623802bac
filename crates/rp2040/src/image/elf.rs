//! Which ELFs are for the RP2040: Arm, and of Arm's cores ARMv6-M; and what to say of the others.

use mcu::image::{ArmAttributes, ElfHead};

/// The machine number of Arm (ELF for the Arm Architecture, 5.2).
const ARM: u16 = 40;

/// Machines that users of the RP2040 meet, by number and name.
const MACHINES: [(u16, &str); 8] = [
    (62, "x86-64"),
    (3, "x86"),
    (183, "AArch64"),
    (243, "RISC-V (such as the RP2350's other cores, or an ESP32-C3)"),
    (94, "Xtensa (such as an ESP32 or ESP8266)"),
    (83, "AVR"),
    (105, "MSP430"),
    (8, "MIPS"),
];

/// Why an ELF is for another machine.
pub(super) fn check_machine(head: &ElfHead) -> Result<(), String> {
    let &ElfHead { machine, is_32_bit, is_little_endian } = head;
    if machine != ARM {
        let known = MACHINES.iter().find(|(number, _)| *number == machine);
        let name = known.map_or_else(|| format!("machine number {machine}"), |(_, name)| (*name).into());
        return Err(format!(
            "it is an ELF for {name}, not for the RP2040's Arm cores. Build it with a compiler for Arm, for \
             cortex-m0plus"
        ));
    }
    if is_little_endian && is_32_bit {
        return Ok(());
    }
    let what = if is_32_bit { "big-endian" } else { "not a 32-bit file" };
    Err(format!("it is an ELF for Arm, but {what}. Build it for the RP2040: -mcpu=cortex-m0plus -mthumb"))
}

/// Architectures by the value of Tag_CPU_arch.
const ARCHITECTURES: [(u64, &str); 21] = [
    (0, "one older than ARMv4"),
    (1, "ARMv4"),
    (2, "ARMv4T, as an ARM7TDMI has"),
    (3, "ARMv5T"),
    (4, "ARMv5TE"),
    (5, "ARMv5TEJ"),
    (6, "ARMv6"),
    (7, "ARMv6KZ, as an ARM1176 has"),
    (8, "ARMv6T2"),
    (9, "ARMv6K"),
    (10, "ARMv7, as a Cortex-M3 has"),
    (13, "ARMv7E-M, as a Cortex-M4 or M7 has"),
    (14, "ARMv8-A"),
    (15, "ARMv8-R"),
    (16, "ARMv8-M Baseline, as a Cortex-M23 has"),
    (17, "ARMv8-M Mainline, as the RP2350's Cortex-M33 has"),
    (18, "ARMv8.1-A"),
    (19, "ARMv8.2-A"),
    (20, "ARMv8.3-A"),
    (21, "ARMv8.1-M Mainline, as a Cortex-M55 has"),
    (22, "ARMv9-A"),
];

/// Whether an ARMv6-M core (11, or 12 with system extensions) can run the code. An assembler that was told no core states the
/// oldest architecture that has its instructions, which for those of ARMv6-M is at most ARMv6K.
fn suit_the_rp2040(attributes: &ArmAttributes) -> bool {
    let &ArmAttributes { names_a_cpu, architecture, profile } = attributes;
    let told_no_core = !names_a_cpu && profile == 0 && architecture <= 9 && architecture != 8;
    matches!(architecture, 11 | 12) || told_no_core
}

/// Why an ELF for Arm is for another core.
pub(super) fn check_attributes(attributes: &ArmAttributes) -> Result<(), String> {
    if suit_the_rp2040(attributes) {
        return Ok(());
    }
    let known = ARCHITECTURES.iter().find(|(number, _)| *number == attributes.architecture);
    let name = known.map_or("one that is not known here", |(_, name)| name);
    Err(format!(
        "it is an ELF for another Arm core than the RP2040's Cortex-M0+ (ARMv6-M): its attributes state \
         {name}. Build it for the RP2040: -mcpu=cortex-m0plus, or PICO_BOARD=pico"
    ))
}

/// What is at an address in other chips.
pub(super) fn whose_memory(address: u32) -> &'static str {
    match address {
        0x0000_0000..0x0000_4000 => {
            ", where the RP2040 has its boot ROM and nRF, SAM and LPC chips have their flash"
        }
        0x0000_4000..0x0800_0000 => ", where nRF, SAM and LPC chips have their flash",
        0x0800_0000..0x1000_0000 => ", where STM32 chips have their flash",
        0x4000_0000..0x5000_0000 => ", where ESP32 chips have their code",
        _ => "",
    }
}
