//! The two exchanges of JSON: what a test is to be, and what came of it.

use serde_json::{Value, json};
use units::{PS_PER_S, Picoseconds};

use super::{BLOCK_BYTES, MOST_BLOCK_BYTES, MOST_STREAMS, stream_id};
use crate::bulk::Amount;

/// However long a client asks for.
const MOST_SECONDS: u64 = 24 * 3600;

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameters {
    /// The client ends the test after this; a server needs it to tell when a client has been forgotten.
    pub(super) amount: Amount,
    pub(super) streams: u32,
    pub(super) from_client: bool,
    pub(super) from_server: bool,
    pub(super) block_bytes: u32,
}

/// Why parameters are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NoJson,
    /// UDP and SCTP.
    OtherProtocol,
}

impl Parameters {
    pub(super) fn text(&self) -> String {
        let (seconds, bytes) = match self.amount {
            // Whole seconds; the client's own clock ends the test.
            Amount::Time(time) => (time.ps().max(0).unsigned_abs().div_ceil(PS_PER_S.unsigned_abs()), 0),
            Amount::Bytes(bytes) => (0, bytes),
        };
        let mut parameters = json!({
            "tcp": true,
            "omit": 0,
            "time": seconds,
            "num": bytes,
            "blockcount": 0,
            "parallel": self.streams,
            "len": self.block_bytes,
            "pacing_timer": 1000,
            "client_version": "3.12",
        });
        if self.from_server {
            parameters["reverse"] = Value::Bool(true);
        }
        parameters.to_string()
    }

    pub(super) fn parse(text: &[u8]) -> Result<Self, Refusal> {
        let value: Value = serde_json::from_slice(text).map_err(|_| Refusal::NoJson)?;
        if !value.is_object() {
            return Err(Refusal::NoJson);
        }
        let is = |name: &str| value[name].as_bool().unwrap_or(false);
        if is("udp") || is("sctp") {
            return Err(Refusal::OtherProtocol);
        }
        let number = |name: &str, usual: u64| value[name].as_u64().unwrap_or(usual);
        let block_bytes = number("len", BLOCK_BYTES.into());
        let bytes = number("num", 0).max(number("blockcount", 0).saturating_mul(block_bytes));
        let seconds = number("time", 10).saturating_add(number("omit", 0)).min(MOST_SECONDS);
        let both = is("bidirectional");
        Ok(Self {
            amount: match bytes {
                0 => Amount::Time(Picoseconds::new(seconds as i64 * PS_PER_S)),
                bytes => Amount::Bytes(bytes),
            },
            streams: number("parallel", 1).clamp(1, MOST_STREAMS.into()) as u32,
            from_client: both || !is("reverse"),
            from_server: both || is("reverse"),
            block_bytes: block_bytes.clamp(1, MOST_BLOCK_BYTES.into()) as u32,
        })
    }
}

/// What one side says of its streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Report {
    /// Bytes on all streams.
    pub(super) bytes: u64,
    /// Segments that were sent again, where the side that sent can tell.
    pub(super) retransmits: Option<u64>,
}

/// The results of streams in their order: bytes and time.
pub(super) fn report_text(streams: &[(u64, Picoseconds)]) -> String {
    let of_stream = |(index, (bytes, time)): (usize, &(u64, Picoseconds))| {
        json!({
            "id": stream_id(index),
            "bytes": bytes,
            // Not known: there is no system here to ask.
            "retransmits": -1,
            "jitter": 0,
            "errors": 0,
            "packets": 0,
            "start_time": 0,
            "end_time": time.ps() as f64 / PS_PER_S as f64,
        })
    };
    json!({
        "cpu_util_total": 0,
        "cpu_util_user": 0,
        "cpu_util_system": 0,
        "sender_has_retransmits": 0,
        "streams": streams.iter().enumerate().map(of_stream).collect::<Vec<Value>>(),
    })
    .to_string()
}

impl Report {
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        let streams = value["streams"].as_array()?;
        let mut report = Self::default();
        for stream in streams {
            report.bytes = report.bytes.saturating_add(stream["bytes"].as_u64()?);
            if let Some(count) = stream["retransmits"].as_u64() {
                report.retransmits = Some(report.retransmits.unwrap_or(0).saturating_add(count));
            }
        }
        let tells = value["sender_has_retransmits"].as_i64() == Some(1);
        report.retransmits = report.retransmits.filter(|_| tells);
        Some(report)
    }
}
