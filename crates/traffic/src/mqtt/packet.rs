//! The control packets of MQTT 3.1.1 (OASIS standard of 2014-10-29) and of 3.1 (IBM and Eurotech, 2010), both ways: what a
//! broker reads and writes, and what a client does. A packet that the standard calls malformed is an error, with the reason as a sentence.

use thiserror::Error;

/// Quality of service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QualityOfService {
    /// 0.
    AtMostOnce,
    /// 1.
    AtLeastOnce,
    /// 2.
    ExactlyOnce,
}

impl QualityOfService {
    pub(super) fn from_bits(bits: u8) -> Result<Self, Malformed> {
        match bits {
            0 => Ok(Self::AtMostOnce),
            1 => Ok(Self::AtLeastOnce),
            2 => Ok(Self::ExactlyOnce),
            _ => Err(Malformed("a quality of service is 0, 1 or 2")),
        }
    }
}

/// Why a packet was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Malformed(pub &'static str);

/// An application message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publish {
    /// It was sent before.
    pub duplicate: bool,
    /// How surely it is delivered.
    pub quality: QualityOfService,
    /// It is kept for who subscribes later, or was kept.
    pub retain: bool,
    /// Its topic.
    pub topic: String,
    /// 0 where the quality is 0.
    pub packet_id: u16,
    /// Its bytes.
    pub payload: Vec<u8>,
}

/// What is published when a client is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Will {
    /// Its topic.
    pub topic: String,
    /// Its bytes.
    pub payload: Vec<u8>,
    /// How surely it is delivered.
    pub quality: QualityOfService,
    /// Whether it is kept.
    pub retain: bool,
}

/// The first packet of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connect {
    /// 4 for MQTT 3.1.1, 3 for MQTT 3.1, and another for whatever is neither.
    pub level: u8,
    /// Whether the session ends with the connection.
    pub clean_session: bool,
    /// The longest silence of the client; 0 for any.
    pub keep_alive_s: u16,
    /// Who it is.
    pub client_id: String,
    /// What is published when it is lost.
    pub will: Option<Will>,
    /// Who it says it is.
    pub user: Option<String>,
    /// How it proves it.
    pub password: Option<Vec<u8>>,
}

/// A control packet.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names and fields are those of the standard, section 3")]
pub enum Packet {
    Connect(Connect),
    Connack { session_present: bool, code: u8 },
    Publish(Publish),
    Puback(u16),
    Pubrec(u16),
    Pubrel(u16),
    Pubcomp(u16),
    Subscribe { packet_id: u16, filters: Vec<(String, QualityOfService)> },
    Suback { packet_id: u16, codes: Vec<u8> },
    Unsubscribe { packet_id: u16, filters: Vec<String> },
    Unsuback(u16),
    Pingreq,
    Pingresp,
    Disconnect,
}

/// The level of a protocol is the byte behind its name (section 3.1.2.2; in 3.1 the protocol version).
pub(super) const LEVEL_3_1_1: u8 = 4;
pub(super) const LEVEL_3_1: u8 = 3;
const NO_LEVEL: u8 = 0;
/// What 3.1 allows beside the reserved flags of SUBSCRIBE, UNSUBSCRIBE and PUBREL: that it was sent before (2.1, DUP).
const DUPLICATE: u8 = 8;

const CONNECT_USER: u8 = 0x80;
const CONNECT_PASSWORD: u8 = 0x40;
const CONNECT_WILL_RETAIN: u8 = 0x20;
const CONNECT_WILL_QUALITY: u8 = 0x18;
const CONNECT_WILL: u8 = 0x04;
const CONNECT_CLEAN_SESSION: u8 = 0x02;

/// Reads the fields of one packet's body.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or(Malformed("a field ends beyond its packet"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    fn word(&mut self) -> Result<u16, Malformed> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn packet_id(&mut self) -> Result<u16, Malformed> {
        self.word()
            .and_then(|id| if id == 0 { Err(Malformed("a packet identifier is not 0")) } else { Ok(id) })
    }

    fn binary(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::from(self.word()?);
        self.take(length)
    }

    /// Section 1.5.3: UTF-8 without U+0000.
    fn text(&mut self) -> Result<String, Malformed> {
        let text = std::str::from_utf8(self.binary()?).map_err(|_| Malformed("a text is not UTF-8"))?;
        if text.contains('\0') {
            return Err(Malformed("a text has a null character"));
        }
        Ok(text.to_owned())
    }

    fn topic(&mut self) -> Result<String, Malformed> {
        let topic = self.text()?;
        if topic.is_empty() || topic.contains(['+', '#']) {
            return Err(Malformed("a topic to publish on is not empty and has no wildcard"));
        }
        Ok(topic)
    }

    fn filter(&mut self) -> Result<String, Malformed> {
        let filter = self.text()?;
        if super::topic::is_filter(&filter) { Ok(filter) } else { Err(Malformed("a wildcard is misplaced")) }
    }

    fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("a packet goes on after its last field")) }
    }
}

fn connect(mut fields: Fields<'_>) -> Result<Packet, Malformed> {
    let protocol = fields.text()?;
    let level = fields.byte()?;
    if !matches!((protocol.as_str(), level), ("MQTT", _) | ("MQIsdp", 3)) {
        return Err(Malformed("the protocol is not MQTT"));
    }
    if !matches!((protocol.as_str(), level), ("MQTT", LEVEL_3_1_1) | ("MQIsdp", LEVEL_3_1)) {
        let refused = Connect {
            // The level of 3.1 under the name of 3.1.1 is no version at all.
            level: if level == LEVEL_3_1 { NO_LEVEL } else { level },
            clean_session: true,
            keep_alive_s: 0,
            client_id: String::new(),
            will: None,
            user: None,
            password: None,
        };
        return Ok(Packet::Connect(refused));
    }
    let flags = fields.byte()?;
    let has = |flag: u8| flags & flag != 0;
    // MQTT 3.1 leaves open what these are.
    let is_strict = level == LEVEL_3_1_1;
    if is_strict && has(1) {
        return Err(Malformed("the reserved connect flag is set"));
    }
    if is_strict && !has(CONNECT_WILL) && has(CONNECT_WILL_RETAIN | CONNECT_WILL_QUALITY) {
        return Err(Malformed("there are will flags but no will"));
    }
    if is_strict && has(CONNECT_PASSWORD) && !has(CONNECT_USER) {
        return Err(Malformed("there is a password but no user"));
    }
    let keep_alive_s = fields.word()?;
    let client_id = fields.text()?;
    let will = if has(CONNECT_WILL) {
        Some(Will {
            quality: QualityOfService::from_bits((flags & CONNECT_WILL_QUALITY) >> 3)?,
            retain: has(CONNECT_WILL_RETAIN),
            topic: fields.topic()?,
            payload: fields.binary()?.to_vec(),
        })
    } else {
        None
    };
    // In MQTT 3.1 the packet may end before them (section 3.1, "User name and password flags").
    let follows = |fields: &Fields<'_>| is_strict || !fields.0.is_empty();
    let user = if has(CONNECT_USER) && follows(&fields) { Some(fields.text()?) } else { None };
    let password =
        if has(CONNECT_PASSWORD) && follows(&fields) { Some(fields.binary()?.to_vec()) } else { None };
    fields.end()?;
    let clean_session = has(CONNECT_CLEAN_SESSION);
    Ok(Packet::Connect(Connect { level, clean_session, keep_alive_s, client_id, will, user, password }))
}

fn publish(flags: u8, mut fields: Fields<'_>) -> Result<Packet, Malformed> {
    let quality = QualityOfService::from_bits(flags >> 1 & 3)?;
    let duplicate = flags & 8 != 0;
    if duplicate && quality == QualityOfService::AtMostOnce {
        return Err(Malformed("a message of quality 0 is no duplicate"));
    }
    let topic = fields.topic()?;
    let packet_id = if quality == QualityOfService::AtMostOnce { 0 } else { fields.packet_id()? };
    let payload = fields.0.to_vec();
    Ok(Packet::Publish(Publish { duplicate, quality, retain: flags & 1 != 0, topic, packet_id, payload }))
}

/// Items until the packet ends, at least one.
fn items<'a, T>(
    mut fields: Fields<'a>,
    item: impl Fn(&mut Fields<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let mut all = vec![item(&mut fields)?];
    while !fields.0.is_empty() {
        all.push(item(&mut fields)?);
    }
    Ok(all)
}

/// A packet of a level from the first byte of its fixed header and its body.
pub(super) fn decode(level: u8, first: u8, body: &[u8]) -> Result<Packet, Malformed> {
    let (kind, flags) = (first >> 4, first & 15);
    let reserved = match kind {
        3 => flags,
        6 | 8 | 10 => 2,
        _ => 0,
    };
    let may_repeat = level == LEVEL_3_1 && matches!(kind, 6 | 8 | 10);
    if flags != reserved && !(may_repeat && flags == reserved | DUPLICATE) {
        return Err(Malformed("the reserved flags of a fixed header are wrong"));
    }
    let mut fields = Fields(body);
    let alone = |packet: Packet, fields: Fields<'_>| fields.end().map(|()| packet);
    match kind {
        1 => connect(fields),
        2 => {
            let (flags, code) = (fields.byte()?, fields.byte()?);
            alone(Packet::Connack { session_present: flags & 1 != 0, code }, fields)
        }
        3 => publish(flags, fields),
        4 => alone(Packet::Puback(fields.packet_id()?), fields),
        5 => alone(Packet::Pubrec(fields.packet_id()?), fields),
        6 => alone(Packet::Pubrel(fields.packet_id()?), fields),
        7 => alone(Packet::Pubcomp(fields.packet_id()?), fields),
        8 => {
            let packet_id = fields.packet_id()?;
            let item = |fields: &mut Fields<'_>| {
                Ok((fields.filter()?, fields.byte().and_then(QualityOfService::from_bits)?))
            };
            Ok(Packet::Subscribe { packet_id, filters: items(fields, item)? })
        }
        9 => Ok(Packet::Suback { packet_id: fields.packet_id()?, codes: items(fields, Fields::byte)? }),
        10 => Ok(Packet::Unsubscribe {
            packet_id: fields.packet_id()?,
            filters: items(fields, Fields::filter)?,
        }),
        11 => alone(Packet::Unsuback(fields.packet_id()?), fields),
        12 => alone(Packet::Pingreq, fields),
        13 => alone(Packet::Pingresp, fields),
        14 => alone(Packet::Disconnect, fields),
        _ => Err(Malformed("there is no such control packet")),
    }
}

fn put_binary(body: &mut Vec<u8>, bytes: &[u8]) {
    let length = u16::try_from(bytes.len()).expect("a text or binary field of MQTT has at most 65535 bytes");
    body.extend(length.to_be_bytes());
    body.extend(bytes);
}

fn encode_connect(connect: &Connect) -> Vec<u8> {
    let mut flags = if connect.clean_session { CONNECT_CLEAN_SESSION } else { 0 };
    if let Some(will) = &connect.will {
        flags |= CONNECT_WILL | (will.quality as u8) << 3;
        flags |= if will.retain { CONNECT_WILL_RETAIN } else { 0 };
    }
    flags |= if connect.user.is_some() { CONNECT_USER } else { 0 };
    flags |= if connect.password.is_some() { CONNECT_PASSWORD } else { 0 };
    let mut body = Vec::new();
    put_binary(&mut body, if connect.level == LEVEL_3_1 { b"MQIsdp" } else { b"MQTT" });
    body.extend([connect.level, flags]);
    body.extend(connect.keep_alive_s.to_be_bytes());
    put_binary(&mut body, connect.client_id.as_bytes());
    if let Some(will) = &connect.will {
        put_binary(&mut body, will.topic.as_bytes());
        put_binary(&mut body, &will.payload);
    }
    if let Some(user) = &connect.user {
        put_binary(&mut body, user.as_bytes());
    }
    if let Some(password) = &connect.password {
        put_binary(&mut body, password);
    }
    body
}

fn encode_publish(publish: &Publish) -> (u8, Vec<u8>) {
    let flags = u8::from(publish.duplicate) << 3 | (publish.quality as u8) << 1 | u8::from(publish.retain);
    let mut body = Vec::with_capacity(publish.topic.len() + publish.payload.len() + 4);
    put_binary(&mut body, publish.topic.as_bytes());
    if publish.quality != QualityOfService::AtMostOnce {
        body.extend(publish.packet_id.to_be_bytes());
    }
    body.extend(&publish.payload);
    (0x30 | flags, body)
}

impl Packet {
    /// The bytes of the packet.
    ///
    /// # Panics
    /// When a text or a binary field is longer than 65535 bytes, or the packet longer than 268435455.
    pub fn encode(&self) -> Vec<u8> {
        let id = |kind: u8, id: &u16| (kind, id.to_be_bytes().to_vec());
        let (first, body) = match self {
            Self::Connect(connect) => (0x10, encode_connect(connect)),
            Self::Connack { session_present, code } => (0x20, vec![u8::from(*session_present), *code]),
            Self::Publish(publish) => encode_publish(publish),
            Self::Puback(packet_id) => id(0x40, packet_id),
            Self::Pubrec(packet_id) => id(0x50, packet_id),
            Self::Pubrel(packet_id) => id(0x62, packet_id),
            Self::Pubcomp(packet_id) => id(0x70, packet_id),
            Self::Subscribe { packet_id, filters } => {
                let mut body = packet_id.to_be_bytes().to_vec();
                for (filter, quality) in filters {
                    put_binary(&mut body, filter.as_bytes());
                    body.push(*quality as u8);
                }
                (0x82, body)
            }
            Self::Suback { packet_id, codes } => (0x90, [&packet_id.to_be_bytes()[..], codes].concat()),
            Self::Unsubscribe { packet_id, filters } => {
                let mut body = packet_id.to_be_bytes().to_vec();
                filters.iter().for_each(|filter| put_binary(&mut body, filter.as_bytes()));
                (0xA2, body)
            }
            Self::Unsuback(packet_id) => id(0xB0, packet_id),
            Self::Pingreq => (0xC0, Vec::new()),
            Self::Pingresp => (0xD0, Vec::new()),
            Self::Disconnect => (0xE0, Vec::new()),
        };
        framed(first, &body)
    }
}

/// The fixed header with its remaining length (section 2.2.3), and the body.
fn framed(first: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![first];
    let mut left = body.len();
    assert!(left < 1 << 28, "a control packet has at most 268435455 bytes, this one {left}");
    loop {
        let more = if left > 127 { 0x80 } else { 0 };
        bytes.push((left & 0x7F) as u8 | more);
        left >>= 7;
        if left == 0 {
            break;
        }
    }
    bytes.extend(body);
    bytes
}
