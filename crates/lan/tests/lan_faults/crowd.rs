//! All sockets at once.

use traffic::small::{Server, Service};
use wiznet::Model;

use crate::driver::{Driver, MODELS, PC, UDP, ms, sn, us};
use crate::exchange::{Exchange, Exchanger, Opening, Step, pattern, transfer_bytes};

/// Datagrams to the PC's echo service and back, one at a time.
struct Echoes {
    n: u8,
    to_come: u32,
    waiting_for: Option<Vec<u8>>,
}

impl Echoes {
    const ROUNDS: u32 = 100;

    fn open(driver: &mut Driver, n: u8) -> Self {
        driver.open(n, UDP, 3000 + u16::from(n));
        driver.aim(n, PC, 7);
        Self { n, to_come: Self::ROUNDS, waiting_for: None }
    }

    /// Whether something moved.
    fn step(&mut self, driver: &mut Driver) -> bool {
        driver.take_interrupts(self.n);
        if let Some(expected) = &self.waiting_for {
            let waiting = driver.size(self.n, sn::RX_RSR);
            if waiting == 0 {
                return false;
            }
            let received = driver.receive(self.n, waiting);
            let length = (expected.len() as u16).to_be_bytes();
            let header = match driver.model {
                Model::W6100 => [&length[..], &PC.octets(), &[0, 7]].concat(),
                _ => [&PC.octets()[..], &[0, 7], &length].concat(),
            };
            assert!(received == [&header, &expected[..]].concat(), "{:?}, socket {}", driver.model, self.n);
            self.waiting_for = None;
            self.to_come -= 1;
        } else if self.to_come > 0 {
            let payload = pattern(self.to_come, (self.to_come * 97 % 1400 + 1) as usize);
            driver.send(self.n, &payload);
            self.waiting_for = Some(payload);
        } else {
            return false;
        }
        true
    }
}

#[test]
fn all_sockets_move_tcp_and_udp_at_once_and_nothing_is_lost() {
    for (model, tcp_is_odd) in MODELS.into_iter().flat_map(|model| [(model, 0), (model, 1)]) {
        let mut driver = Driver::new(model);
        let talks = Exchanger::new(Opening::Listen(7000), transfer_bytes()).seat(&mut driver);
        driver.spi.lan_mut().seat("echo", Box::new(Server::new(Service::Echo, 7)));
        let (mut transfers, mut echoes) = (Vec::new(), Vec::new());
        for n in 0..driver.sockets() {
            if n % 2 == tcp_is_odd {
                driver.connect(n, 4000 + u16::from(n), 7000);
                transfers.push(Exchange::new(n, transfer_bytes()));
            } else {
                echoes.push(Echoes::open(&mut driver, n));
            }
        }
        run_all(&mut driver, &mut transfers, &mut echoes);
        for (talk, transfer) in transfers.iter_mut().enumerate() {
            transfer.finish(&mut driver, &talks, talk);
        }
    }
}

fn run_all(driver: &mut Driver, transfers: &mut [Exchange], echoes: &mut [Echoes]) {
    let end = driver.now() + ms(600_000);
    loop {
        let mut moved = false;
        for transfer in transfers.iter_mut().filter(|transfer| !transfer.is_done()) {
            let step = transfer.step(driver);
            assert!(matches!(step, Step::Moved | Step::Idle), "{:?}: {step:?}", driver.model);
            moved |= step == Step::Moved;
        }
        for echo in echoes.iter_mut() {
            moved |= echo.step(driver);
        }
        let done = transfers.iter().all(Exchange::is_done) && echoes.iter().all(|echo| echo.to_come == 0);
        if done {
            return;
        }
        assert!(driver.now() < end, "{:?}: it does not come to an end", driver.model);
        if !moved {
            driver.wait(us(50));
        }
    }
}

#[test]
fn eight_clients_of_eight_listeners_are_all_served() {
    for model in [Model::W5200, Model::W5500, Model::W6100] {
        let mut driver = Driver::new(model);
        let at = driver.now();
        let calls: Vec<_> = (0..8u8)
            .map(|n| {
                driver.listen(n, 80 + u16::from(n));
                let call = Opening::Call(80 + u16::from(n), at + ms(10));
                Exchanger::new(call, transfer_bytes()).seat(&mut driver)
            })
            .collect();
        let mut transfers: Vec<Exchange> = (0..8).map(|n| Exchange::new(n, transfer_bytes())).collect();
        for n in 0..8 {
            crate::exchange::wait_for_client(&mut driver, n, ms(5_000));
        }
        run_all(&mut driver, &mut transfers, &mut []);
        for (transfer, call) in transfers.iter_mut().zip(&calls) {
            transfer.finish(&mut driver, call, 0);
        }
    }
}
