//! The registers of a board's cores, by the names that the microcontroller gives them.

use mcu::{Register, RegisterRole};

use super::{Board, BoardError};

impl Board {
    /// The registers of a core that programs see, by their names.
    ///
    /// # Errors
    /// When there is no such core.
    pub fn registers(&self, core: usize) -> Result<Vec<(&'static str, u32)>, BoardError> {
        self.check_core(core)?;
        let all = self.chip.facts().gdb.registers.iter().enumerate();
        let seen = all.filter(|(_, register)| register.role != RegisterRole::System);
        Ok(seen.map(|(number, register)| (register.name, self.chip.register(core, number))).collect())
    }

    /// Sets a register of a core.
    ///
    /// # Errors
    /// When there is no such core, or no such register that can be set.
    pub fn set_register(&mut self, core: usize, name: &str, value: u32) -> Result<(), BoardError> {
        self.check_core(core)?;
        let settable = |register: &&Register| register.role == RegisterRole::General;
        let all = self.chip.facts().gdb.registers;
        let Some(number) = all.iter().position(|register| settable(&register) && register.name == name)
        else {
            let names: Vec<&str> = all.iter().filter(settable).map(|register| register.name).collect();
            let message = format!("there is no register {name} to set; {}", fields::hint(name, &names));
            return Err(BoardError::Refused(message));
        };
        self.chip.set_register(core, number, value);
        Ok(())
    }

    /// Whether the microcontroller has a core of that number.
    ///
    /// # Errors
    /// With a sentence where it has not.
    pub fn check_core(&self, core: usize) -> Result<(), BoardError> {
        let there = match self.chip.facts().cores {
            cores if core < cores => return Ok(()),
            1 => "there is core 0 alone".to_owned(),
            2 => "there are 0 and 1".to_owned(),
            cores => format!("there are 0 to {}", cores - 1),
        };
        Err(BoardError::Refused(format!("there is no core {core}; {there}")))
    }
}
