//! From a request to its response, both without their message layer: the checks of its options, its body out of blocks, the
//! resource's answer, and the block of that which was asked for (RFC 7252 section 5, RFC 7959).

use units::Picoseconds;

use super::Server;
use super::block::Block;
use super::message::{Message, MessageType, code, option};
use super::resources::{Answer, Asked};
use crate::IpEndpoint;

/// What the server knows of a request beside its message.
pub(super) struct Request<'a> {
    pub(super) from: IpEndpoint,
    pub(super) message: &'a Message,
    pub(super) path: Vec<String>,
}

impl Server {
    /// The response without its message layer; `changed` becomes the path whose observers have to be told.
    pub(super) fn respond(
        &mut self,
        now: Picoseconds,
        from: IpEndpoint,
        message: &Message,
        changed: &mut Option<Vec<String>>,
    ) -> Message {
        let plain = |code| Message::new(MessageType::NonConfirmable, code, 0);
        if message.values(option::PROXY_URI).chain(message.values(option::PROXY_SCHEME)).next().is_some() {
            return plain(code::PROXYING_NOT_SUPPORTED);
        }
        let path: Result<Vec<String>, _> =
            message.values(option::URI_PATH).map(|segment| String::from_utf8(segment.to_vec())).collect();
        let blocks = (Block::of(message, option::BLOCK1), Block::of(message, option::BLOCK2));
        let (Ok(path), (Ok(block1), Ok(block2))) = (path, blocks) else { return plain(code::BAD_REQUEST) };
        let request = Request { from, message, path };
        match self.body(now, &request, block1) {
            Ok(body) => self.carry_out(now, &request, &body, (block1, block2), changed),
            Err(code) => {
                let mut response = plain(code);
                if let Some(block) = block1 {
                    let exponent = block.exponent().min(self.settings.block_exponent());
                    let taken = Block::new(block.number, code == code::CONTINUE, exponent);
                    response.add_number(option::BLOCK1, taken.value());
                }
                response
            }
        }
    }

    /// The whole body, or the code to respond with before there is one.
    fn body(
        &mut self,
        now: Picoseconds,
        request: &Request<'_>,
        block1: Option<Block>,
    ) -> Result<Vec<u8>, u8> {
        let payload = &request.message.payload;
        let Some(block) = block1 else { return Ok(payload.clone()) };
        let key = (request.from, request.message.code, request.path.clone());
        let body = self.uploads.take(now, key, block, payload, self.settings.most_store_bytes)?;
        body.ok_or(code::CONTINUE)
    }

    fn carry_out(
        &mut self,
        now: Picoseconds,
        request: &Request<'_>,
        body: &[u8],
        (block1, block2): (Option<Block>, Option<Block>),
        changed: &mut Option<Vec<String>>,
    ) -> Message {
        let Request { message, path, .. } = request;
        let asked = Asked { method: message.code, path, message, body };
        let answer = self.resources.answer(now, &asked, &self.settings);
        if answer.is_success() && message.code != code::GET && path[0] == "store" {
            *changed = Some(if answer.location.is_empty() { path.clone() } else { answer.location.clone() });
        }
        let mut response = self.laid_out(&answer, block2);
        if let Some(block) = block1 {
            response.add_number(option::BLOCK1, block.value());
        }
        if message.code == code::GET {
            self.observe(now, request, &answer, block2, &mut response);
        }
        response
    }

    /// The answer as a message, or the block of it that was asked for.
    pub(super) fn laid_out(&self, answer: &Answer, block2: Option<Block>) -> Message {
        let most = self.settings.block_exponent();
        let exponent = block2.map_or(most, |block| block.exponent().min(most));
        let start = block2.map_or(0, Block::start);
        let bytes = Block::new(0, false, exponent).bytes();
        let mut response = Message::new(MessageType::NonConfirmable, answer.code, 0);
        if start > 0 && start >= answer.body.len() {
            response.code = if answer.is_success() { code::BAD_REQUEST } else { answer.code };
            return response;
        }
        for segment in &answer.location {
            response.add(option::LOCATION_PATH, segment.as_bytes());
        }
        if let Some(format) = answer.format {
            response.add_number(option::CONTENT_FORMAT, u32::from(format));
        }
        let end = answer.body.len().min(start + bytes);
        if answer.is_success() && (block2.is_some() || end < answer.body.len()) {
            let number = u32::try_from(start / bytes).expect("a body of at most 2^20 bytes has fewer blocks");
            let block = Block::new(number, end < answer.body.len(), exponent);
            response.add_number(option::BLOCK2, block.value());
            if start == 0 {
                let size = u32::try_from(answer.body.len()).expect("a body has at most 2^20 bytes");
                response.add_number(option::SIZE2, size);
            }
        }
        response.payload = answer.body[start..end].to_vec();
        response
    }
}
