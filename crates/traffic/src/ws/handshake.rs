//! The opening handshake (RFC 6455, section 4).

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha1::{Digest, Sha1};

use crate::pattern::Pattern;

/// A head that is longer is refused.
const MOST_HEAD_BYTES: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;
/// Section 1.3: what a server puts behind the client's key.
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Section 4.1: a key is 16 bytes in Base64.
const KEY_BYTES: usize = 16;

/// The answer to a key.
pub(super) fn accept(key: &str) -> String {
    let mut digest = Sha1::new();
    digest.update(key.as_bytes());
    digest.update(GUID);
    BASE64.encode(digest.finalize())
}

/// The key of a connection.
pub(super) fn key(seed: u64, connection: u32) -> String {
    BASE64.encode(Pattern::new(seed).bytes(u64::from(connection) * KEY_BYTES as u64, KEY_BYTES))
}

pub(super) fn request(path: &str, host: &str, key: &str) -> Vec<u8> {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n\
         Sec-WebSocket-Version: 13\r\nUser-Agent: airwire\r\n\r\n"
    )
    .into_bytes()
}

/// Collects the head of a request or a response.
#[derive(Debug, Clone, Default)]
pub(super) struct HeadReader(Vec<u8>);

/// A head that does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooLong;

impl HeadReader {
    /// Takes up to the end of the head from `bytes`; gives the head once it is whole.
    pub(super) fn take(&mut self, bytes: &mut &[u8]) -> Result<Option<Vec<u8>>, TooLong> {
        while !bytes.is_empty() {
            let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            let (line, rest) = bytes.split_at(end);
            *bytes = rest;
            if self.0.len() + line.len() > MOST_HEAD_BYTES {
                return Err(TooLong);
            }
            self.0.extend_from_slice(line);
            if self.0.ends_with(b"\n\r\n") || self.0.ends_with(b"\n\n") {
                return Ok(Some(std::mem::take(&mut self.0)));
            }
        }
        Ok(None)
    }
}

/// The header fields that matter.
#[derive(Debug, Default)]
struct Fields {
    upgrades: bool,
    to_websocket: bool,
    key: Option<String>,
    accept: Option<String>,
    version: Option<String>,
    extends: bool,
}

impl Fields {
    fn of(headers: &[httparse::Header<'_>]) -> Self {
        let mut fields = Self::default();
        for header in headers {
            let value = std::str::from_utf8(header.value).unwrap_or("").trim();
            let has = |word: &str| value.split(',').any(|one| one.trim().eq_ignore_ascii_case(word));
            match header.name.to_ascii_lowercase().as_str() {
                "connection" => fields.upgrades |= has("upgrade"),
                "upgrade" => fields.to_websocket |= has("websocket"),
                "sec-websocket-key" => fields.key = Some(value.to_owned()),
                "sec-websocket-accept" => fields.accept = Some(value.to_owned()),
                "sec-websocket-version" => fields.version = Some(value.to_owned()),
                "sec-websocket-extensions" | "sec-websocket-protocol" => fields.extends |= !value.is_empty(),
                _ => {}
            }
        }
        fields
    }
}

/// Whether a server's head opens the connection; else what is wrong with it.
pub(super) fn check_response(head: &[u8], key: &str) -> Result<(), String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    match response.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        _ => return Err("what came is no HTTP response".to_owned()),
    }
    let status = response.code.unwrap_or(0);
    if status != 101 {
        return Err(format!(
            "the server answered the opening handshake with status {status}, and not with 101"
        ));
    }
    let fields = Fields::of(response.headers);
    if !fields.upgrades || !fields.to_websocket {
        return Err("the server's answer does not upgrade to websocket".to_owned());
    }
    if fields.accept.as_deref() != Some(&accept(key)) {
        return Err("the server's Sec-WebSocket-Accept is not that of the key".to_owned());
    }
    if fields.extends {
        return Err("the server chose an extension or a subprotocol that was not offered".to_owned());
    }
    Ok(())
}

/// The answer to a client's head, and whether it opens the connection.
pub(super) fn answer(head: &[u8]) -> (Vec<u8>, bool) {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let parsed = matches!(request.parse(head), Ok(httparse::Status::Complete(_)));
    let fields = Fields::of(request.headers);
    let is_http = parsed && request.method == Some("GET") && request.version == Some(1);
    let key = fields.key.filter(|key| BASE64.decode(key).is_ok_and(|bytes| bytes.len() == KEY_BYTES));
    if is_http && fields.upgrades && fields.to_websocket && fields.version.as_deref() != Some("13") {
        let refusal = "HTTP/1.1 426 Upgrade Required\r\nSec-WebSocket-Version: 13\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return (refusal.into(), false);
    }
    match key.filter(|_| is_http && fields.upgrades && fields.to_websocket) {
        Some(key) => {
            let accept = accept(&key);
            let opening = format!(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
            );
            (opening.into_bytes(), true)
        }
        None => ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".into(), false),
    }
}
