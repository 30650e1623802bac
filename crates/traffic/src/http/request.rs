//! Reads requests out of a stream that may be cut anywhere, one after another; their bodies are passed over.

use httparse::{Request, Status};

use super::body::{Body, Chunks};
use super::content::Content;
use super::response::{Fields, parses_now};

const MOST_HEAD_BYTES: usize = 16 * 1024;
const MOST_HEADERS: usize = 64;

/// A request, body and all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) keep_alive: bool,
    /// Of HTTP/1.0 clients, which know no chunks and are told when a connection is kept.
    pub(super) old_version: bool,
}

/// What reading came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    More,
    /// The client waits for leave to send its body (RFC 9110, section 10.1.1).
    Continue,
    Request(Asked),
    /// The status that says what is wrong with it.
    Bad(u16),
}

#[derive(Debug, Clone, Default)]
pub(super) struct RequestReader {
    head_bytes: Vec<u8>,
    body: Option<(Asked, Body)>,
}

impl RequestReader {
    /// Takes the next bytes, at most one request: how many, and what they came to.
    pub(super) fn take(&mut self, bytes: &[u8]) -> (usize, Reading) {
        let mut at = 0;
        while at < bytes.len() {
            if let Some((_, body)) = &mut self.body {
                match body.take(&bytes[at..], &mut Content::default()) {
                    Ok(taken) => at += taken,
                    Err(_) => return (bytes.len(), Reading::Bad(400)),
                }
            } else {
                let line_end = bytes[at..].iter().position(|byte| *byte == b'\n');
                let end = line_end.map_or(bytes.len(), |offset| at + offset + 1);
                self.head_bytes.extend_from_slice(&bytes[at..end]);
                at = end;
                match self.try_head() {
                    Reading::More => {}
                    other => return (at, other),
                }
            }
            if let Some((asked, _)) = self.body.take_if(|(_, body)| body.is_complete()) {
                return (at, Reading::Request(asked));
            }
        }
        (at, Reading::More)
    }

    fn try_head(&mut self) -> Reading {
        if self.head_bytes.len() > MOST_HEAD_BYTES {
            return Reading::Bad(431);
        }
        if !parses_now(&mut self.head_bytes) {
            return Reading::More;
        }
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = Request::new(&mut headers);
        match request.parse(&self.head_bytes) {
            Ok(Status::Partial) => return Reading::More,
            Ok(Status::Complete(_)) => {}
            Err(httparse::Error::TooManyHeaders) => return Reading::Bad(431),
            Err(_) => return Reading::Bad(400),
        }
        let Ok(fields) = Fields::of(request.headers) else { return Reading::Bad(400) };
        let version = request.version.unwrap_or(0);
        let has = |name: &str| request.headers.iter().any(|header| header.name.eq_ignore_ascii_case(name));
        // RFC 9112 section 3.2: without it no server may answer.
        if version == 1 && !has("host") {
            return Reading::Bad(400);
        }
        // RFC 9112 section 6.1: who says both may mean another end of the body than we do.
        let is_clear = !(fields.chunked && has("content-length"));
        let asked = Asked {
            method: request.method.unwrap_or("").to_owned(),
            path: origin_form(request.path.unwrap_or("")).to_owned(),
            keep_alive: is_clear && fields.keeps_alive(version),
            old_version: version == 0,
        };
        let body = match fields.chunked {
            true => Body::Chunks(Chunks::Size(Vec::new())),
            false => Body::Length(fields.length.unwrap_or(0)),
        };
        let expects = request.headers.iter().any(|header| {
            header.name.eq_ignore_ascii_case("expect") && header.value.eq_ignore_ascii_case(b"100-continue")
        });
        let waits = expects && !body.is_complete();
        self.head_bytes.clear();
        self.body = Some((asked, body));
        if waits { Reading::Continue } else { Reading::More }
    }
}

/// The path of a target, which may also name the server as one for a proxy does (RFC 9112 section 3.2.2).
fn origin_form(target: &str) -> &str {
    let Some(scheme) = target.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://")) else {
        return target;
    };
    let rest = &target[scheme.len()..];
    rest.find('/').map_or("/", |at| &rest[at..])
}
