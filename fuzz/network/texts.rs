//! What users write of networks: any text is understood or refused in one line, and what is understood can be used.

use std::path::Path;

use ethernet::{Cable, Direction, Frame, Impairments, Network, Speed};
use lan::{Lan, NetworkSetup, Passive};
use units::Picoseconds;

/// A network file; one that is understood makes a network.
pub fn network_file(data: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(data) else { return Err("not a text".to_owned()) };
    let setup = NetworkSetup::parse(Path::new("network.toml"), text).map_err(|error| error.to_string());
    if let Err(message) = &setup {
        assert!(message.starts_with("network.toml:") && !message.contains('\n'), "{message}");
    }
    let mut lan = Lan::new(&setup?);
    lan.advance(Picoseconds::from_ns(1_000_000));
    Ok(())
}

/// A client or a server of a command line; what is understood runs on a network.
pub fn traffic_words(data: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(data) else { return Err("not a text".to_owned()) };
    // A file of this machine says nothing that could be repeated.
    if ["file", "certificate"].iter().any(|word| text.contains(word)) {
        return Err("names a file".to_owned());
    }
    let mut setup = NetworkSetup::default();
    setup.add_traffic(text).map_err(one_line)?;
    let mut lan = Lan::new(&setup);
    lan.advance(Picoseconds::from_ns(1_000_000));
    Ok(())
}

/// Impairments; those that are understood read the same when they are written, and frames pass through them or are counted.
pub fn impairments(data: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(data) else { return Err("not a text".to_owned()) };
    let impairments: Impairments = match text.parse() {
        Ok(impairments) => impairments,
        Err(error) => return Err(one_line(format!("{error}"))),
    };
    let again: Impairments = impairments.to_string().parse().expect("what was written is understood");
    assert_eq!(again, impairments, "written as {impairments}");
    let mut network = Network::new(1);
    let [from, to] = ["from", "to"].map(|name| network.add_port(name, Cable::new(Speed::Mbps100)));
    network
        .set_impairments(from, Direction::Outbound, impairments)
        .map_err(|error| one_line(error.to_string()))?;
    for n in 0..50 {
        network.send(from, Picoseconds::from_ns(n * 20_000), Frame::new(vec![0xFF; 60 + n as usize * 20]));
    }
    let mut arrived = 0;
    while let Some(at) = network.next_event() {
        network.advance(at);
        while network.take_arrival(to).is_some() {
            arrived += 1;
        }
    }
    let sent = network.counters(from).sent;
    assert_eq!(sent.offered_frames + sent.duplicated_frames, sent.delivered_frames + sent.dropped_frames());
    assert!(arrived <= sent.delivered_frames);
    Ok(())
}

fn one_line(message: String) -> String {
    assert!(!message.is_empty() && !message.contains('\n'), "{message}");
    message
}
