//! What the RP2040 says of a run that ended, from its reports.

use mcu::image::Symbols;
use mcu::{Fault, FaultReport, Reports, Stop};

use crate::chip::Rp2040;
use crate::report;

impl Reports for Rp2040 {
    fn fault(&self) -> Option<Fault> {
        Rp2040::fault(self)
    }

    fn fault_report(&self, symbols: &Symbols, fault: Fault) -> FaultReport {
        let report = report::FaultReport::of(self, symbols, fault);
        FaultReport { at: report.at, text: report.to_string() }
    }

    fn describe_stop(&self, symbols: &Symbols, stop: Stop) -> String {
        report::describe_stop(self, symbols, stop)
    }

    fn describe_cores(&self, symbols: &Symbols) -> String {
        report::describe_cores(self, symbols)
    }

    fn wakes_from_outside(&self) -> Vec<String> {
        report::wakes_from_outside(self)
    }

    fn describe_stopped_clock(&self) -> Option<String> {
        report::describe_stopped_clock(self)
    }

    fn describe_hang(&self, symbols: &Symbols) -> Option<String> {
        report::describe_hang(self, symbols)
    }

    fn end_status(&self, fault: Fault) -> Option<u32> {
        report::end_status(self, fault)
    }
}
