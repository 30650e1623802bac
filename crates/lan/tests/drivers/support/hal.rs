//! The traits of embedded-hal and embedded-hal-async on an SPI controller in virtual time, so that drivers meant for
//! microcontrollers find their bus, pins and delays. A transaction runs to its end before anything else of the driver's
//! side goes on, as with a processor that waits for its SPI.

use std::cell::RefCell;
use std::convert::Infallible;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use embedded_hal::delay::DelayNs;
use embedded_hal::digital::{self, OutputPin};
use embedded_hal::spi::{self, Operation, SpiBus, SpiDevice};
use embedded_hal_async::digital::Wait;
use lan::SpiController;
use units::Picoseconds;

use super::executor;

/// A controller that a driver, its pins and its delays share.
pub(crate) type Shared = Rc<RefCell<SpiController>>;

/// A chip on the bus with a chip select of its own.
#[derive(Debug, Clone)]
pub(crate) struct Device(pub(crate) Shared);

impl Device {
    fn run(&self, operations: &mut [Operation<'_, u8>]) {
        let mut controller = self.0.borrow_mut();
        controller.select(true);
        for operation in operations {
            match operation {
                Operation::Read(bytes) => controller.read(bytes),
                Operation::Write(bytes) => controller.write(bytes),
                Operation::TransferInPlace(bytes) => controller.transfer(bytes),
                Operation::Transfer(answer, bytes) => exchange(&mut controller, answer, bytes),
                Operation::DelayNs(ns) => controller.wait(Picoseconds::from_ns(i64::from(*ns))),
            }
        }
        controller.select(false);
    }
}

/// As many bytes as the longer of the two; zeros go out where there is nothing to send.
fn exchange(controller: &mut SpiController, answer: &mut [u8], bytes: &[u8]) {
    let mut both = bytes.to_vec();
    both.resize(bytes.len().max(answer.len()), 0);
    controller.transfer(&mut both);
    let count = answer.len();
    answer.copy_from_slice(&both[..count]);
}

impl spi::ErrorType for Device {
    type Error = Infallible;
}

impl SpiDevice for Device {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        self.run(operations);
        Ok(())
    }
}

impl embedded_hal_async::spi::SpiDevice for Device {
    async fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        self.run(operations);
        Ok(())
    }
}

/// The bus without chip select, which is tied low.
#[derive(Debug, Clone)]
pub(crate) struct TiedLow(Shared);

impl TiedLow {
    /// Ties chip select low.
    pub(crate) fn new(controller: Shared) -> Self {
        controller.borrow_mut().select(true);
        Self(controller)
    }
}

impl spi::ErrorType for TiedLow {
    type Error = Infallible;
}

impl SpiBus for TiedLow {
    fn read(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.borrow_mut().read(bytes);
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.0.borrow_mut().write(bytes);
        Ok(())
    }

    fn transfer(&mut self, answer: &mut [u8], bytes: &[u8]) -> Result<(), Infallible> {
        exchange(&mut self.0.borrow_mut(), answer, bytes);
        Ok(())
    }

    fn transfer_in_place(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.borrow_mut().transfer(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Waits in virtual time.
#[derive(Debug, Clone)]
pub(crate) struct Delay(pub(crate) Shared);

impl DelayNs for Delay {
    fn delay_ns(&mut self, ns: u32) {
        self.0.borrow_mut().wait(Picoseconds::from_ns(i64::from(ns)));
    }
}

/// The chip's reset input.
#[derive(Debug, Clone)]
pub(crate) struct ResetPin(pub(crate) Shared);

impl digital::ErrorType for ResetPin {
    type Error = Infallible;
}

impl OutputPin for ResetPin {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.borrow_mut().set_reset(false);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.borrow_mut().set_reset(true);
        Ok(())
    }
}

/// The chip's interrupt output.
#[derive(Debug, Clone)]
pub(crate) struct InterruptPin(pub(crate) Shared);

impl InterruptPin {
    /// Each event of the network ends in a look at the pin, so that no edge is missed that lasts until the next event.
    async fn wait_until(&self, low: bool) {
        poll_fn(|context| {
            if self.0.borrow().interrupt_is_low() == low {
                return Poll::Ready(());
            }
            executor::wake_at_next_event(context.waker());
            Poll::Pending
        })
        .await;
    }
}

impl digital::ErrorType for InterruptPin {
    type Error = Infallible;
}

impl Wait for InterruptPin {
    async fn wait_for_high(&mut self) -> Result<(), Infallible> {
        self.wait_until(false).await;
        Ok(())
    }

    async fn wait_for_low(&mut self) -> Result<(), Infallible> {
        self.wait_until(true).await;
        Ok(())
    }

    async fn wait_for_rising_edge(&mut self) -> Result<(), Infallible> {
        self.wait_until(true).await;
        self.wait_for_high().await
    }

    async fn wait_for_falling_edge(&mut self) -> Result<(), Infallible> {
        self.wait_until(false).await;
        self.wait_for_low().await
    }

    async fn wait_for_any_edge(&mut self) -> Result<(), Infallible> {
        let low = self.0.borrow().interrupt_is_low();
        self.wait_until(!low).await;
        Ok(())
    }
}
