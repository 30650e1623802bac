//! Takes an address by DHCP and gives back whatever comes to TCP port 1234, over a WIZnet chip in MACRAW mode by interrupt and DMA.

#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_futures::yield_now;
use embassy_net::tcp::TcpSocket;
use embassy_net::{Config, Stack, StackResources, StaticConfigV4};
#[cfg(feature = "w5100s")]
use embassy_net_wiznet::chip::W5100S as Chip;
#[cfg(feature = "w5500")]
use embassy_net_wiznet::chip::W5500 as Chip;
#[cfg(feature = "w6100")]
use embassy_net_wiznet::chip::W6100 as Chip;
use embassy_net_wiznet::{Device, Runner, State};
use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::peripherals::{DMA_CH0, DMA_CH1, SPI0};
use embassy_rp::spi::{self, Async, Spi};
use embassy_rp::{bind_interrupts, dma};
use embassy_time::{Delay, Duration};
use embedded_hal_bus::spi::ExclusiveDevice;
use embedded_io_async::Write;
use static_cell::StaticCell;
use {defmt_rtt as _, panic_probe as _};

bind_interrupts!(struct Interrupts {
    DMA_IRQ_0 => dma::InterruptHandler<DMA_CH0>, dma::InterruptHandler<DMA_CH1>;
});

const PORT: u16 = 1234;
const MAC: [u8; 6] = [0x02, 0, 0, 0, 0, 0x01];

type Bus = ExclusiveDevice<Spi<'static, SPI0, Async>, Output<'static>, Delay>;

#[embassy_executor::task]
async fn ethernet(runner: Runner<'static, Chip, Bus, Input<'static>, Output<'static>>) -> ! {
    runner.run().await
}

#[embassy_executor::task]
async fn network(mut runner: embassy_net::Runner<'static, Device<'static>>) -> ! {
    runner.run().await
}

async fn address(stack: Stack<'static>) -> StaticConfigV4 {
    loop {
        if let Some(config) = stack.config_v4() {
            return config;
        }
        yield_now().await;
    }
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let p = embassy_rp::init(Default::default());
    let mut config = spi::Config::default();
    config.frequency = 50_000_000;
    let spi = Spi::new(p.SPI0, p.PIN_18, p.PIN_19, p.PIN_16, p.DMA_CH0, p.DMA_CH1, Interrupts, config);
    let bus = ExclusiveDevice::new(spi, Output::new(p.PIN_17, Level::High), Delay).unwrap();
    let interrupt = Input::new(p.PIN_21, Pull::Up);
    let reset = Output::new(p.PIN_20, Level::High);
    static STATE: StaticCell<State<8, 8>> = StaticCell::new();
    let state = STATE.init(State::new());
    let (device, runner) = embassy_net_wiznet::new(MAC, state, bus, interrupt, reset).await.unwrap();
    spawner.spawn(ethernet(runner).unwrap());
    static RESOURCES: StaticCell<StackResources<3>> = StaticCell::new();
    let resources = RESOURCES.init(StackResources::new());
    let (stack, runner) = embassy_net::new(device, Config::dhcpv4(Default::default()), resources, 1);
    spawner.spawn(network(runner).unwrap());
    defmt::info!("address {}", address(stack).await.address);
    echo(stack).await
}

async fn echo(stack: Stack<'static>) -> ! {
    let (mut received, mut sent, mut bytes) = ([0; 4096], [0; 4096], [0; 4096]);
    loop {
        let mut socket = TcpSocket::new(stack, &mut received, &mut sent);
        socket.set_timeout(Some(Duration::from_secs(10)));
        if socket.accept(PORT).await.is_err() {
            continue;
        }
        defmt::info!("from {}", socket.remote_endpoint());
        while let Ok(count @ 1..) = socket.read(&mut bytes).await {
            if socket.write_all(&bytes[..count]).await.is_err() {
                break;
            }
        }
    }
}
