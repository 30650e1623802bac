//! Bodies that arrive in blocks (Block1, RFC 7959 section 2.5). A few uploads at a time are kept; the one that was heard of
//! least recently makes room for a new one.

use std::collections::BTreeMap;

use units::Picoseconds;

use super::block::Block;
use super::message::code;
use crate::IpEndpoint;

const MOST_UPLOADS: usize = 16;

/// Who uploads what, with which method.
pub(super) type UploadKey = (IpEndpoint, u8, Vec<String>);

#[derive(Debug, Clone, Default)]
pub(super) struct Uploads(BTreeMap<UploadKey, (Picoseconds, Vec<u8>)>);

impl Uploads {
    /// Takes a block: the whole body with the last one, None before that, or the code of an error.
    pub(super) fn take(
        &mut self,
        now: Picoseconds,
        key: UploadKey,
        block: Block,
        payload: &[u8],
        most_bytes: usize,
    ) -> Result<Option<Vec<u8>>, u8> {
        let (_, mut body) = self.0.remove(&key).unwrap_or_default();
        if block.number == 0 {
            body.clear();
        }
        let whole = payload.len() == block.bytes() || !block.more && payload.len() <= block.bytes();
        if block.start() != body.len() {
            return Err(code::REQUEST_ENTITY_INCOMPLETE);
        }
        if !whole {
            return Err(code::BAD_REQUEST);
        }
        if body.len() + payload.len() > most_bytes {
            return Err(code::REQUEST_ENTITY_TOO_LARGE);
        }
        body.extend(payload);
        if !block.more {
            return Ok(Some(body));
        }
        if self.0.len() >= MOST_UPLOADS
            && let Some(oldest) =
                self.0.iter().min_by_key(|(_, (heard, _))| *heard).map(|(key, _)| key.clone())
        {
            self.0.remove(&oldest);
        }
        self.0.insert(key, (now, body));
        Ok(None)
    }
}
