//! The registers of a Cortex-M0+ as GDB numbers them, and the description by which it knows them. A chip reads and sets them by
//! these numbers (`mcu::Debugger`).

use mcu::Register;
use mcu::RegisterRole::{self, General, Status, System};

/// The program counter; R0 to R14 stand before it.
pub const PC: usize = 15;
/// APSR, IPSR and EPSR.
pub const XPSR: usize = 16;
/// The main stack pointer.
pub const MSP: usize = 17;
/// The process stack pointer.
pub const PSP: usize = 18;
/// Whether interrupts wait.
pub const PRIMASK: usize = 19;
/// Which stack pointer is SP, and whether code has privileges.
pub const CONTROL: usize = 20;

/// All of them, by these numbers.
pub const REGISTERS: [Register; CONTROL + 1] = [
    word("r0", General),
    word("r1", General),
    word("r2", General),
    word("r3", General),
    word("r4", General),
    word("r5", General),
    word("r6", General),
    word("r7", General),
    word("r8", General),
    word("r9", General),
    word("r10", General),
    word("r11", General),
    word("r12", General),
    word("sp", General),
    word("lr", General),
    word("pc", General),
    word("xpsr", Status),
    word("msp", System),
    word("psp", System),
    word("primask", System),
    word("control", System),
];

const fn word(name: &'static str, role: RegisterRole) -> Register {
    Register { name, bytes: 4, role }
}

/// GDB unwinds exceptions with the stack pointers of the second feature.
pub const DESCRIPTION: &str = r#"<?xml version="1.0"?>
<!DOCTYPE target SYSTEM "gdb-target.dtd">
<target version="1.0">
  <architecture>arm</architecture>
  <feature name="org.gnu.gdb.arm.m-profile">
    <reg name="r0" bitsize="32" regnum="0" type="int" group="general"/>
    <reg name="r1" bitsize="32" type="int" group="general"/>
    <reg name="r2" bitsize="32" type="int" group="general"/>
    <reg name="r3" bitsize="32" type="int" group="general"/>
    <reg name="r4" bitsize="32" type="int" group="general"/>
    <reg name="r5" bitsize="32" type="int" group="general"/>
    <reg name="r6" bitsize="32" type="int" group="general"/>
    <reg name="r7" bitsize="32" type="int" group="general"/>
    <reg name="r8" bitsize="32" type="int" group="general"/>
    <reg name="r9" bitsize="32" type="int" group="general"/>
    <reg name="r10" bitsize="32" type="int" group="general"/>
    <reg name="r11" bitsize="32" type="int" group="general"/>
    <reg name="r12" bitsize="32" type="int" group="general"/>
    <reg name="sp" bitsize="32" type="data_ptr" group="general"/>
    <reg name="lr" bitsize="32" type="int" group="general"/>
    <reg name="pc" bitsize="32" type="code_ptr" group="general"/>
    <reg name="xpsr" bitsize="32" regnum="16" type="int" group="general"/>
  </feature>
  <feature name="org.gnu.gdb.arm.m-system">
    <reg name="msp" bitsize="32" regnum="17" type="data_ptr" group="system"/>
    <reg name="psp" bitsize="32" regnum="18" type="data_ptr" group="system"/>
    <reg name="primask" bitsize="32" regnum="19" type="int" group="system"/>
    <reg name="control" bitsize="32" regnum="20" type="int" group="system"/>
  </feature>
</target>
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_names_every_register_in_its_order() {
        let named = DESCRIPTION.split("<reg name=\"").skip(1).filter_map(|rest| rest.split('"').next());
        assert!(named.eq(REGISTERS.iter().map(|register| register.name)));
        assert_eq!([PC, XPSR, CONTROL].map(|number| REGISTERS[number].name), ["pc", "xpsr", "control"]);
    }
}
