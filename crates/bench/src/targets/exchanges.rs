//! Messages of clients and servers as the run folder knows them, whatever they were exchanged with.

use record::{Exchange, Sample, Samples};

/// What was not answered rightly has no end; the client's word for it and what it says of it stand apart. An answer with an error's
/// status is an answer: it has its end, and the status as its error.
pub(super) fn recorded(messages: Vec<traffic::Sample>) -> Samples {
    let mut samples = Samples::with_room(messages.len());
    append(&mut samples, messages);
    samples
}

/// The same behind those that are there already.
pub(super) fn append(samples: &mut Samples, messages: Vec<traffic::Sample>) {
    for message in messages {
        let is_right = message.outcome == traffic::Outcome::Ok && message.done.is_some();
        let done = message.done.filter(|_| is_right);
        let refused = message.error_status().map(|status| format!("status {status}"));
        let exchange = Exchange {
            payload_bytes: message.payload_bytes,
            request_bytes: message.request_bytes,
            response_bytes: message.response_bytes,
            connection: message.connection,
            sent: message.sent,
            connect: message.connect,
            first_byte: message.first_byte,
            answer: Some(message.outcome.word()),
            status: message.status,
            error: if is_right { refused } else { message.error },
        };
        samples.push_exchange(Sample::known(message.index, message.trigger, done), exchange);
    }
}
