//! The commands behind GDB's `monitor`.

use std::fmt::Write;

use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd};

use super::target::Debugged;

const HELP: &str = "reset [halt]  resets the chip; it stands still at its first instruction
reset run     resets the chip and lets it run until GDB's next command
time          the virtual time, cycles and instructions
pins          the level of every pin, and which of them the chip drives
help          this list
After a reset GDB still shows the registers from before; `maintenance flush register-cache` makes it read them anew.
";

impl MonitorCmd for Debugged<'_> {
    fn handle_monitor_cmd(&mut self, command: &[u8], mut out: ConsoleOutput<'_>) -> Result<(), Self::Error> {
        let text = String::from_utf8_lossy(command);
        let words: Vec<&str> = text.split_whitespace().collect();
        let answer = match words[..] {
            ["reset"] | ["reset", "halt"] => self.reset(false),
            ["reset", "run"] => self.reset(true),
            ["time"] => self.time(),
            ["pins"] => self.pins(),
            [] | ["help"] => HELP.to_owned(),
            _ => format!("no command {:?}; there are:\n{HELP}", text.trim()),
        };
        out.write_raw(answer.as_bytes());
        Ok(())
    }
}

impl Debugged<'_> {
    fn reset(&mut self, run: bool) -> String {
        self.plan.forget_stops();
        let result = self.chip.reset_now();
        self.runs_unasked = run && result.is_ok();
        match result {
            Ok(()) if run => "the chip was reset and runs\n".to_owned(),
            Ok(()) => {
                format!("the chip was reset and stands at {:#010x}\n", self.chip.core(0).pc)
            }
            Err(error) => format!("the chip was reset and does not start: {error}\n"),
        }
    }

    fn time(&self) -> String {
        let counts = self.chip.counts();
        let mut text = format!(
            "virtual time {}, cycle {} ({} at {} Hz now)\n",
            self.chip.now(),
            counts.cycles,
            self.chip.facts().clock_name,
            self.chip.clock_hz()
        );
        for core in 0..self.cores() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "core {core}: {} instructions, {} cycles asleep, {} exceptions",
                counts.instructions[core], counts.idle_cycles[core], counts.exceptions[core]
            );
        }
        text
    }

    fn pins(&self) -> String {
        let (levels, driven) = (self.chip.levels(), self.chip.driven());
        let pin = |pin: u8| {
            let level = if levels >> pin & 1 == 1 { "high" } else { "low" };
            let by = if driven >> pin & 1 == 1 { ", driven by the chip" } else { "" };
            format!("GP{pin} {level}{by}\n")
        };
        (0..self.chip.facts().gpio_count).map(pin).collect()
    }
}
