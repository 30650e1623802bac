//! What a network is made of, as a user says it: the cable of the board, the PC, and what runs on that.

use std::net::Ipv4Addr;

use ethernet::{Cable, Direction, HopId, Host, HostOptions, Impairments, Network, PortId, Speed, StationId};
use links::Settings;
use units::Picoseconds;

use super::pc_station::PcStation;
use super::traffic::TrafficSetup;
use super::wifi::WifiChannel;

/// The PC is at this address unless told otherwise.
const PC_ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 168, 1, 1);
/// A locally administered address (IEEE 802, bit 1 of the first byte).
const PC_MAC: [u8; 6] = [0x02, 0x41, 0x57, 0x00, 0x00, 0x01];

/// A network to be built.
#[derive(Debug, Clone)]
pub struct NetworkSetup {
    /// Where its random numbers start.
    pub seed: u64,
    /// The speed of the cable between a board's chip and the switch.
    pub speed: Speed,
    /// What happens to frames on that cable, to the board and from it.
    pub impairments: [Impairments; 2],
    /// The Wi-Fi between the board and that cable; none where the board itself is plugged into it.
    pub wifi: Option<Settings>,
    /// How the PC is a station of the same access point; none where it is on a cable.
    pub pc_wifi: Option<Settings>,
    /// How the PC is a station of the board's own network; none where it is not.
    pub pc_station: Option<PcStation>,
    /// What a station with a radio of its own finds on the air; where nothing is named, an access point that takes whatever is
    /// asked for.
    pub access_points: Vec<cyw43::AccessPoint>,
    /// The PC; none where there is only the switch.
    pub pc: Option<HostOptions>,
    /// What runs on the PC.
    pub traffic: Vec<TrafficSetup>,
}

impl Default for NetworkSetup {
    fn default() -> Self {
        let pc = HostOptions { answers_for_all: true, ..HostOptions::new("PC", PC_MAC, PC_ADDRESS, 24) };
        Self {
            seed: 1,
            speed: Speed::Mbps100,
            impairments: [Impairments::default(), Impairments::default()],
            wifi: None,
            pc_wifi: None,
            pc_station: None,
            access_points: Vec::new(),
            pc: Some(pc),
            traffic: TrafficSetup::services(),
        }
    }
}

impl NetworkSetup {
    /// Has one more client or server run on the PC, in the place of one of its name and of those that the PC runs of its own
    /// accord on the same port.
    ///
    /// # Errors
    /// A sentence that goes on after the name, where another that a user asked for has the port.
    pub(super) fn run_in_place(&mut self, one: TrafficSetup) -> Result<(), String> {
        self.traffic.retain(|other| other.name != one.name);
        if !one.is_client() {
            self.make_way(&one)?;
        }
        self.traffic.push(one);
        Ok(())
    }

    fn make_way(&mut self, one: &TrafficSetup) -> Result<(), String> {
        let pc = self.pc.as_ref();
        let wanted = one.ports(pc);
        let shared = |other: &TrafficSetup| {
            let ports = if other.is_client() { Vec::new() } else { other.ports(pc) };
            ports.into_iter().find(|port| wanted.contains(port))
        };
        let others = self.traffic.iter().filter(|other| !other.is_built_in);
        if let Some((other, port)) = others.filter_map(|other| Some((other, shared(other)?))).next() {
            let (over, port, name) = (port.over.word(), port.port, &other.name);
            return Err(format!(
                ": {over} port {port} is that of {name} already; give one of them another port"
            ));
        }
        self.traffic.retain(|other| shared(other).is_none());
        Ok(())
    }

    /// Adds a client or a server as a user says it on a command line, such as `ping to=board count=10`. A server takes the
    /// place of one of its name; a client whose name is taken gets a number.
    ///
    /// # Errors
    /// A sentence.
    pub fn add_traffic(&mut self, text: &str) -> Result<(), String> {
        self.add(TrafficSetup::from_words(text)?).map(drop)
    }

    /// Adds a client or a server, and gives the name under which it runs.
    ///
    /// # Errors
    /// A sentence.
    pub fn add(&mut self, mut one: TrafficSetup) -> Result<String, String> {
        if self.pc.is_none() {
            return Err(format!("traffic.{}: the network has no PC to run it", one.name));
        }
        one.check(self.pc.as_ref()).map_err(|error| format!("traffic.{}{error}", one.name))?;
        if one.is_client() {
            let taken = |name: &str| self.traffic.iter().any(|other| other.name == name);
            let numbered = (2_u32..).map(|number| format!("{}-{number}", one.name));
            let mut names = std::iter::once(one.name.clone()).chain(numbered);
            one.name = names.find(|name| !taken(name)).expect("there are more numbers than names");
        }
        let name = one.name.clone();
        self.run_in_place(one).map_err(|error| format!("traffic.{name}{error}"))?;
        Ok(name)
    }

    /// Impairs the board's cable in both directions, as a user says it: `loss=1%,delay=5ms`.
    ///
    /// # Errors
    /// A sentence.
    pub fn set_impairments(&mut self, text: &str) -> Result<(), String> {
        let both = super::file::impairments(text)?;
        self.impairments = [both.clone(), both];
        Ok(())
    }

    /// Builds the network: switch and PC, and the channel that the PC may be on; whoever has a chip attaches it.
    pub(super) fn build(&self) -> (Network, Option<StationId>, Option<HopId>) {
        let mut network = Network::new(self.seed);
        let pc = self.pc.as_ref().map(|options| {
            let options = HostOptions { seed: self.seed, ..options.clone() };
            let mut host =
                Host::new(options).expect("the addresses of a PC were checked when they were read");
            if self.pc_station.is_some() {
                // Who joins somebody's network plays nobody else there.
                host.answer_for_all(false);
                host.give_up_address();
            }
            network.add_station("PC", Cable::new(Speed::Mbps1000), Box::new(host))
        });
        let air = pc.zip(self.pc_wifi.as_ref()).map(|(pc, settings)| {
            let mut channel = self.channel();
            let member = channel.add_station(settings, "PC");
            let air = network.add_hop(Box::new(channel));
            network.set_hop(pc, air, member);
            air
        });
        (network, pc, air)
    }

    /// The channel of the access point, without stations.
    pub(super) fn channel(&self) -> WifiChannel {
        WifiChannel::new(&self.wifi_settings(), self.seed)
    }

    /// What is set of the air and of a board's station, or the defaults.
    pub(super) fn wifi_settings(&self) -> Settings {
        self.wifi.clone().unwrap_or_else(|| links::WIFI_HOP.defaults())
    }

    /// The cable of a board's chip.
    pub(super) fn cable(&self) -> Cable {
        Cable::new(self.speed)
    }

    /// What is wrong with that cable.
    pub(super) fn impair(&self, network: &mut Network, port: PortId) {
        for (direction, impairments) in
            [Direction::Inbound, Direction::Outbound].into_iter().zip(&self.impairments)
        {
            network
                .set_impairments(port, direction, impairments.clone())
                .expect("impairments were checked when they were read");
        }
    }

    /// How long a frame's way through the PC takes at the least: card, stack, application, stack.
    pub fn pc_time(&self) -> Picoseconds {
        self.pc.as_ref().map_or(Picoseconds::ZERO, |pc| pc.receive_time + pc.application_time + pc.send_time)
    }
}
