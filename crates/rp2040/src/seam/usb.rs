//! The RP2040's USB port, from the PC at the other end of its cable (`usb_host`).

use mcu::{DiskAnswer, InputReport, UsbDevice, UsbPort};

use crate::chip::Rp2040;
use crate::peripherals::usb::{HidInput, HidReport};

/// The console's serial port.
const FIRST_SERIAL: usize = 0;

impl UsbPort for Rp2040 {
    fn device(&self) -> Option<UsbDevice> {
        let usb = self.usb();
        let device = usb.descriptors().filter(|_| usb.configured())?;
        let disk = usb.host().mass_storage().filter(|disk| disk.blocks > 0);
        Some(UsbDevice {
            vendor_id: device.vendor_id,
            product_id: device.product_id,
            manufacturer: device.manufacturer.clone(),
            product: device.product.clone(),
            serial: device.serial.clone(),
            interface_classes: device.interfaces.iter().map(|interface| interface.class).collect(),
            functions: device.functions(),
            has_network: usb.host().has_network(),
            disk_sectors: disk.map(|disk| disk.blocks),
            disk_sector_bytes: disk.map(|disk| disk.block_bytes),
        })
    }

    fn serial_is_open(&self) -> bool {
        self.usb().host().serial_open(FIRST_SERIAL)
    }

    fn take_input_reports(&mut self) -> Vec<InputReport> {
        self.take_hid_reports().into_iter().map(input_report).collect()
    }

    fn read_disk(&mut self, first: u32, sectors: u16) -> bool {
        Rp2040::read_disk(self, first, sectors)
    }

    fn write_disk(&mut self, first: u32, data: &[u8]) -> bool {
        Rp2040::write_disk(self, first, data)
    }

    fn take_disk(&mut self) -> Vec<DiskAnswer> {
        let answers = Rp2040::take_disk(self).into_iter();
        answers.map(|sectors| DiskAnswer { at: sectors.at, ok: sectors.ok, data: sectors.data }).collect()
    }
}

fn input_report(report: HidReport) -> InputReport {
    let kind = match report.input {
        HidInput::Keyboard { .. } => "keyboard",
        HidInput::Mouse { .. } => "mouse",
        HidInput::Other => "other",
    };
    InputReport { time_ps: report.at.ps(), kind, content: report.bytes }
}
