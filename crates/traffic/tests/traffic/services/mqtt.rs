//! MQTT: what the OASIS standard of MQTT 3.1.1 asks for, section by section, and streams of any bytes.

mod delivery;
mod packets;
mod properties;
mod refusals;
mod sessions;
mod version_3_1;

use proptest::prelude::*;
use traffic::mqtt::{Broker, Connect, Packet, Publish, QualityOfService, Reader, Settings, Will};
use traffic::{Connection, Declared, Machine};

use super::seat::{End, Seat, s};

use QualityOfService::{AtLeastOnce, AtMostOnce, ExactlyOnce};

fn broker(pairs: &[(&str, &str)]) -> Seat<Broker> {
    Seat::new(Broker::new(Settings::from_options(pairs).unwrap()))
}

fn connect(client_id: &str) -> Connect {
    let client_id = client_id.to_owned();
    Connect {
        level: 4,
        clean_session: true,
        keep_alive_s: 0,
        client_id,
        will: None,
        user: None,
        password: None,
    }
}

fn packets(bytes: &[u8]) -> Vec<Packet> {
    let mut reader = Reader::new(1 << 20);
    reader.push(bytes);
    std::iter::from_fn(|| reader.next_packet().expect("the broker sends MQTT")).collect()
}

fn say(seat: &mut Seat<Broker>, connection: Connection, packet: &Packet) -> Vec<Packet> {
    packets(&seat.receive(connection, &packet.encode()))
}

fn heard(seat: &mut Seat<Broker>, connection: Connection) -> Vec<Packet> {
    packets(&seat.take(connection))
}

fn join_as(seat: &mut Seat<Broker>, connect: Connect) -> (Connection, Vec<Packet>) {
    let connection = seat.accept();
    let answer = say(seat, connection, &Packet::Connect(connect));
    (connection, answer)
}

fn join(seat: &mut Seat<Broker>, client_id: &str) -> Connection {
    let (connection, answer) = join_as(seat, connect(client_id));
    assert_eq!(answer, [Packet::Connack { session_present: false, code: 0 }]);
    connection
}

fn subscribe(
    seat: &mut Seat<Broker>,
    connection: Connection,
    filter: &str,
    quality: QualityOfService,
) -> Vec<Packet> {
    say(seat, connection, &Packet::Subscribe { packet_id: 10, filters: vec![(filter.to_owned(), quality)] })
}

fn message(topic: &str, quality: QualityOfService, payload: &str) -> Publish {
    let packet_id = if quality == AtMostOnce { 0 } else { 7 };
    let (topic, payload) = (topic.to_owned(), payload.as_bytes().to_vec());
    Publish { duplicate: false, quality, retain: false, topic, packet_id, payload }
}

fn kept(topic: &str, payload: &str) -> Packet {
    Packet::Publish(Publish { retain: true, ..message(topic, AtMostOnce, payload) })
}

fn ended(seat: &Seat<Broker>, connection: Connection) -> bool {
    seat.ends.get(&connection).is_some_and(|(_, end)| *end == End::Finished)
}
