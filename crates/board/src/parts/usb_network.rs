//! The network that the image offers on USB, and a PC that uses it: frames of the PC's driver go to the PC's TCP/IP, and back.
//! The driver itself is in the chip, because it takes part in every USB transaction.

use lan::{DeviceId, UsbNetwork};

use super::{Part, Wiring};
use crate::file::PartEntry;
use crate::fits::Misfit;
use crate::kinds::{Kind, no_header};
use mcu::Facts;

pub(crate) const KIND: Kind = Kind {
    name: "usb-network",
    help: "the network that the image offers on USB (CDC ECM, CDC NCM or RNDIS), and the PC as its user; the PC asks for an \
           address there",
    fields: &[],
    has_ethernet: true,
    outputs: &[],
    build: |_| Ok(Box::new(OnUsb { device: None })),
    fits,
    header: no_header,
};

/// The microcontroller has a USB device controller.
fn fits(_: &PartEntry, facts: &Facts) -> Result<(), Misfit> {
    if facts.has_usb {
        return Ok(());
    }
    let words = format!("is usb-network, but the {} has no USB; leave this chip out", facts.title);
    Err(Misfit::of("kind", words))
}

#[derive(Debug, Clone)]
struct OnUsb {
    device: Option<DeviceId<UsbNetwork>>,
}

impl Part for OnUsb {
    fn connect(&mut self, wiring: &mut Wiring<'_>) {
        self.device = wiring.attach(UsbNetwork::default());
        self.device.into_iter().for_each(|device| wiring.usb_network(device));
    }

    fn snapshot(&self) -> Option<Box<dyn Part>> {
        Some(Box::new(self.clone()))
    }
}
