//! CoAP: messages as RFC 7252's appendix draws them, and what RFC 7252, 7641, 7959 and 6690 ask of a server.

use proptest::prelude::*;
use traffic::coap::{FormatError, Message, MessageType, Server, Settings, code, option};
use traffic::{Cause, Declared, IpEndpoint, Machine};

use super::seat::{Seat, Sent, causes, host, ms, s};

use MessageType::{Acknowledgement, Confirmable, NonConfirmable, Reset};

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    Seat::new(Server::new(Settings::from_options(pairs).unwrap()))
}

fn board() -> IpEndpoint {
    host(50, 49_152)
}

/// A confirmable request with the token 0x7A.
fn request(method: u8, id: u16, path: &str) -> Message {
    let mut message = Message::new(Confirmable, method, id);
    message.token = vec![0x7A];
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        message.add(option::URI_PATH, segment.as_bytes());
    }
    message
}

fn with(mut message: Message, number: u16, value: u32) -> Message {
    message.add_number(number, value);
    message
}

fn carrying(mut message: Message, payload: &[u8]) -> Message {
    message.payload = payload.to_vec();
    message
}

fn read(sent: &Sent) -> Message {
    Message::parse(&sent.bytes).expect("the server sends CoAP")
}

fn ask(seat: &mut Seat<Server>, message: &Message) -> Message {
    let sent = seat.datagram(board(), &message.encode());
    assert_eq!(sent.len(), 1, "one answer to {message:?}");
    assert_eq!(sent[0].to, board());
    read(&sent[0])
}

fn block(number: u32, more: bool, exponent: u32) -> u32 {
    number << 4 | u32::from(more) << 3 | exponent
}

#[test]
fn the_messages_of_rfc_7252_appendix_a_have_these_bytes() {
    // Figures 16 and 18: GET /temperature without and with a token, and the piggybacked response.
    let get = [&[0x40, 0x01, 0x7D, 0x34, 0xBB][..], b"temperature"].concat();
    let mut message = Message::new(Confirmable, code::GET, 0x7D34);
    message.add(option::URI_PATH, b"temperature");
    assert_eq!(message.encode(), get);
    assert_eq!(Message::parse(&get), Ok(message));
    let with_token = [&[0x41, 0x01, 0x7D, 0x35, 0x20, 0xBB][..], b"temperature"].concat();
    assert_eq!(Message::parse(&with_token).unwrap().token, [0x20]);
    let content = [&[0x60, 0x45, 0x7D, 0x34, 0xFF][..], b"22.3 C"].concat();
    let response = Message::parse(&content).unwrap();
    assert_eq!(
        (response.kind, response.code, &response.payload[..]),
        (Acknowledgement, code::CONTENT, &b"22.3 C"[..])
    );
    assert_eq!(response.encode(), content);
}

#[test]
fn option_deltas_and_lengths_at_the_edges_of_their_extensions_come_back() {
    for number in [1_u16, 12, 13, 268, 269, 65_535] {
        for length in [0_usize, 12, 13, 268, 269, 1000] {
            let mut message = Message::new(NonConfirmable, code::GET, 1);
            message.add(number, &vec![7; length]);
            assert_eq!(Message::parse(&message.encode()), Ok(message), "{number} {length}");
        }
    }
}

#[test]
fn a_confirmable_request_is_answered_in_its_acknowledgement() {
    let answer = ask(&mut server(&[]), &request(code::GET, 0x1234, "hello"));
    assert_eq!((answer.kind, answer.code, answer.id), (Acknowledgement, code::CONTENT, 0x1234));
    assert_eq!((&answer.token[..], &answer.payload[..]), (&[0x7A][..], &b"Hello world!"[..]));
    assert_eq!(answer.options, [(option::CONTENT_FORMAT, vec![])], "text/plain is 0 in no bytes");
}

#[test]
fn a_request_that_is_not_confirmable_is_answered_with_another_message_of_its_kind() {
    let mut seat = server(&[]);
    let get = Message { kind: NonConfirmable, ..request(code::GET, 0x1234, "hello") };
    let answer = ask(&mut seat, &get);
    assert_eq!((answer.kind, answer.code), (NonConfirmable, code::CONTENT));
    assert_eq!(seat.datagram(board(), &get.encode()), [], "seen before");
}

#[test]
fn a_ping_is_reset_and_format_errors_are_rejected_only_where_they_are_confirmable() {
    let mut seat = server(&[]);
    let reset = Message::new(Reset, code::EMPTY, 0x0102);
    for bytes in [
        &[0x40, 0, 1, 2][..],
        &[0x49, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        &[0x42, 1, 1, 2, 0],
        &[0x40, 1, 1, 2, 0xF0],
        &[0x40, 1, 1, 2, 0xD0],
        &[0x40, 1, 1, 2, 0x03, 0],
        &[0x40, 1, 1, 2, 0xFF],
        &[0x40, 0, 1, 2, 0],
        &[0x40, 0x45, 1, 2],
        &[0x40, 0x20, 1, 2],
    ] {
        let sent = seat.datagram(board(), bytes);
        assert_eq!(sent.iter().map(read).collect::<Vec<_>>(), std::slice::from_ref(&reset), "{bytes:02X?}");
        let unconfirmed = [&[bytes[0] | 0x10][..], &bytes[1..]].concat();
        assert_eq!(seat.datagram(board(), &unconfirmed), [], "{bytes:02X?}");
    }
    for bytes in [&[0x80, 1, 1, 2][..], &[0x40, 1, 1], &[]] {
        assert_eq!(Message::parse(bytes), Err(FormatError::NotCoap));
        assert_eq!(seat.datagram(board(), bytes), []);
    }
}

#[test]
fn a_repeated_request_is_answered_alike_and_carried_out_once_within_the_exchange_lifetime() {
    let mut seat = server(&[]);
    let post = carrying(request(code::POST, 5, "store"), b"x");
    let first = ask(&mut seat, &post);
    assert_eq!(first.values(option::LOCATION_PATH).collect::<Vec<_>>(), [b"store", &b"1"[..]]);
    seat.advance(s(246));
    assert_eq!(ask(&mut seat, &post), first);
    assert_eq!(seat.machine.counters().duplicates, 1);
    seat.advance(s(2));
    let later = ask(&mut seat, &post);
    assert_eq!(later.values(option::LOCATION_PATH).last(), Some(&b"2"[..]), "EXCHANGE_LIFETIME is 247 s");
}

#[test]
fn an_unknown_critical_option_is_a_bad_option_and_an_elective_one_is_ignored() {
    let mut seat = server(&[]);
    let critical = with(request(code::GET, 1, "hello"), 65_001, 0);
    assert_eq!(ask(&mut seat, &critical).code, code::BAD_OPTION);
    let unconfirmed = Message { kind: NonConfirmable, id: 2, ..critical };
    assert_eq!(seat.datagram(board(), &unconfirmed.encode()), [], "RFC 7252 section 5.4.1");
    assert_eq!(ask(&mut seat, &with(request(code::GET, 3, "hello"), 65_000, 0)).code, code::CONTENT);
}

#[test]
fn what_the_server_does_not_have_or_do_has_its_code() {
    let mut seat = server(&[]);
    for (id, (message, expected)) in [
        (request(code::GET, 0, "nothing"), code::NOT_FOUND),
        (request(code::GET, 0, ""), code::NOT_FOUND),
        (request(code::PUT, 0, "hello"), code::METHOD_NOT_ALLOWED),
        (request(code::GET, 0, "echo"), code::METHOD_NOT_ALLOWED),
        (request(6, 0, "hello"), code::METHOD_NOT_ALLOWED),
        (with(request(code::GET, 0, "hello"), option::ACCEPT, 50), code::NOT_ACCEPTABLE),
        (with(request(code::GET, 0, "hello"), option::ACCEPT, 0), code::CONTENT),
        (with(request(code::GET, 0, "hello"), option::PROXY_URI, 0x61), code::PROXYING_NOT_SUPPORTED),
        (with(request(code::GET, 0, "large"), option::BLOCK2, 7), code::BAD_REQUEST),
        (with(request(code::GET, 0, "large"), option::BLOCK2, block(4, false, 6)), code::BAD_REQUEST),
    ]
    .into_iter()
    .enumerate()
    {
        let message = Message { id: id as u16, ..message };
        assert_eq!(ask(&mut seat, &message).code, expected, "{message:?}");
    }
}

#[test]
fn the_store_creates_changes_gives_and_deletes() {
    let mut seat = server(&[]);
    let put = |id, payload: &[u8]| with(carrying(request(code::PUT, id, "store/lamp"), payload), 12, 50);
    assert_eq!(ask(&mut seat, &put(1, b"{}")).code, code::CREATED);
    assert_eq!(ask(&mut seat, &put(2, b"[]")).code, code::CHANGED);
    let answer = ask(&mut seat, &request(code::GET, 3, "store/lamp"));
    assert_eq!((&answer.payload[..], answer.number(option::CONTENT_FORMAT)), (&b"[]"[..], Some(50)));
    let only_new = with(put(4, b"x"), option::IF_NONE_MATCH, 0);
    assert_eq!(ask(&mut seat, &only_new).code, code::PRECONDITION_FAILED);
    assert_eq!(ask(&mut seat, &request(code::DELETE, 5, "store/lamp")).code, code::DELETED);
    assert_eq!(ask(&mut seat, &request(code::GET, 6, "store/lamp")).code, code::NOT_FOUND);
    assert_eq!(ask(&mut seat, &carrying(request(code::POST, 7, "echo"), b"again")).payload, b"again");
}

#[test]
fn the_store_is_bounded_in_entries_and_bytes() {
    let mut seat = server(&[("most_entries", "1"), ("most_store_bytes", "10")]);
    assert_eq!(ask(&mut seat, &carrying(request(code::PUT, 1, "store/a"), &[0; 10])).code, code::CREATED);
    assert_eq!(ask(&mut seat, &request(code::PUT, 2, "store/b")).code, code::SERVICE_UNAVAILABLE);
    let big = ask(&mut seat, &carrying(request(code::PUT, 3, "store/a"), &[0; 11]));
    assert_eq!(big.code, code::REQUEST_ENTITY_TOO_LARGE);
}

#[test]
fn discovery_lists_the_resources_and_filters_them() {
    let mut seat = server(&[]);
    let all = ask(&mut seat, &request(code::GET, 1, ".well-known/core"));
    assert_eq!(all.number(option::CONTENT_FORMAT), Some(40));
    let text = String::from_utf8(all.payload).unwrap();
    for link in [
        "</hello>;",
        "</echo>;",
        "</large>;rt=\"large\";ct=42;sz=4096",
        "</ticks>;rt=\"ticks\";ct=0;obs",
        "</store>;",
    ] {
        assert!(text.contains(link), "{link} in {text}");
    }
    for (id, (query, expected)) in [
        ("rt=hello", "</hello>;rt=\"hello\";ct=0"),
        ("href=/he*", "</hello>;rt=\"hello\";ct=0"),
        ("rt=no", ""),
    ]
    .into_iter()
    .enumerate()
    {
        let mut get = request(code::GET, 2 + id as u16, ".well-known/core");
        get.add(option::URI_QUERY, query.as_bytes());
        assert_eq!(ask(&mut seat, &get).payload, expected.as_bytes(), "{query}");
    }
}

#[test]
fn a_large_body_comes_in_the_blocks_that_the_client_asks_for() {
    for (exponent, bytes) in [(0, 16), (2, 64), (6, 1024)] {
        let mut seat = server(&[("large_bytes", "1500")]);
        let (mut body, mut number) = (Vec::new(), 0);
        loop {
            let get = request(code::GET, number as u16, "large");
            let answer = ask(&mut seat, &with(get, option::BLOCK2, block(number, false, exponent)));
            let value = answer.number(option::BLOCK2).unwrap();
            assert_eq!((value >> 4, value & 7), (number, exponent));
            assert_eq!(answer.number(option::SIZE2), (number == 0).then_some(1500));
            body.extend(&answer.payload);
            number += 1;
            if value & 8 == 0 {
                break;
            }
            assert_eq!(answer.payload.len(), bytes);
        }
        assert_eq!(body.len(), 1500);
        assert!(body.chunks(16).enumerate().all(|(line, text)| {
            text.starts_with(&format!("{:015}", line * 16).as_bytes()[..text.len().min(15)])
        }));
    }
}

#[test]
fn a_body_beyond_a_block_is_cut_without_being_asked_and_a_small_one_is_not() {
    let mut seat = server(&[("block_bytes", "64")]);
    let answer = ask(&mut seat, &request(code::GET, 1, "large"));
    assert_eq!((answer.number(option::BLOCK2), answer.payload.len()), (Some(block(0, true, 2)), 64));
    assert_eq!(ask(&mut seat, &request(code::GET, 2, "hello")).number(option::BLOCK2), None);
}

#[test]
fn a_body_arrives_in_blocks_and_counts_when_it_is_whole() {
    let mut seat = server(&[]);
    let piece = |id, number, more, payload: &[u8]| {
        with(carrying(request(code::PUT, id, "store/a"), payload), option::BLOCK1, block(number, more, 0))
    };
    let first = ask(&mut seat, &piece(1, 0, true, &[b'a'; 16]));
    assert_eq!((first.code, first.number(option::BLOCK1)), (code::CONTINUE, Some(block(0, true, 0))));
    assert_eq!(ask(&mut seat, &request(code::GET, 2, "store/a")).code, code::NOT_FOUND);
    let last = ask(&mut seat, &piece(3, 1, false, b"end"));
    assert_eq!((last.code, last.number(option::BLOCK1)), (code::CREATED, Some(block(1, false, 0))));
    let whole = [&[b'a'; 16][..], b"end"].concat();
    assert_eq!(ask(&mut seat, &request(code::GET, 4, "store/a")).payload, whole);
    let missed = ask(&mut seat, &piece(5, 3, false, b"end"));
    assert_eq!(missed.code, code::REQUEST_ENTITY_INCOMPLETE);
}

#[test]
fn observers_are_told_at_every_tick_until_they_reset_a_notification() {
    let mut seat = server(&[("tick", "1s")]);
    seat.advance(ms(300));
    let registered = ask(&mut seat, &with(request(code::GET, 1, "ticks"), option::OBSERVE, 0));
    let mut last = registered.number(option::OBSERVE).expect("registered");
    for tick in 1..=3 {
        let sent = seat.advance(s(1));
        assert_eq!((sent.len(), sent[0].at), (1, s(tick)));
        let note = read(&sent[0]);
        assert_eq!((note.kind, note.code, &note.token[..]), (Confirmable, code::CONTENT, &[0x7A][..]));
        assert_eq!(note.payload, tick.to_string().as_bytes());
        let sequence = note.number(option::OBSERVE).unwrap();
        assert!(sequence > last, "RFC 7641 section 3.4");
        last = sequence;
        let kind = if tick < 3 { Acknowledgement } else { Reset };
        seat.datagram(board(), &Message::new(kind, code::EMPTY, note.id).encode());
    }
    assert_eq!((seat.advance(s(10)), seat.machine.observers()), (vec![], 0));
    assert_eq!(seat.machine.wake_at(), None, "nothing more to wake for");
}

#[test]
fn a_notification_that_nobody_acknowledges_is_sent_five_times_and_ends_the_observation() {
    let mut seat = server(&[]);
    ask(&mut seat, &with(request(code::GET, 1, "store"), option::OBSERVE, 0));
    seat.advance(s(1));
    let put = seat.datagram(host(60, 5000), &request(code::PUT, 1, "store/a").encode());
    let first = put.iter().find(|sent| sent.to == board()).expect("a notification").clone();
    let again = seat.advance(s(100));
    // ACK_TIMEOUT 2 s doubles, MAX_RETRANSMIT is 4: RFC 7252 section 4.2.
    assert_eq!(again.iter().map(|sent| sent.at).collect::<Vec<_>>(), [s(3), s(7), s(15), s(31)]);
    assert!(again.iter().all(|sent| sent.bytes == first.bytes));
    assert_eq!((seat.machine.observers(), seat.machine.counters().given_up), (0, 1));
    assert_eq!(causes(&seat.machine), [(Cause::Unacknowledged, 1)]);
    assert_eq!(seat.machine.results().losses[0].first.peer, Some(board()));
}

#[test]
fn what_changes_while_a_notification_is_on_its_way_is_told_once_after_it() {
    let mut seat = server(&[]);
    ask(&mut seat, &carrying(request(code::PUT, 1, "store/a"), b"0"));
    ask(&mut seat, &with(request(code::GET, 2, "store/a"), option::OBSERVE, 0));
    let mut notes = Vec::new();
    for (id, value) in [(1, b"1"), (2, b"2"), (3, b"3")] {
        let sent =
            seat.datagram(host(60, 5000), &carrying(request(code::PUT, id, "store/a"), value).encode());
        notes.extend(sent.iter().filter(|sent| sent.to == board()).map(read));
    }
    assert_eq!(notes.iter().map(|note| &note.payload[..]).collect::<Vec<_>>(), [b"1"]);
    let sent = seat.datagram(board(), &Message::new(Acknowledgement, code::EMPTY, notes[0].id).encode());
    assert_eq!(sent.iter().map(|sent| read(sent).payload).collect::<Vec<_>>(), [b"3"]);
}

#[test]
fn an_observer_of_what_is_deleted_is_told_so_and_forgotten() {
    let mut seat = server(&[("confirmable_notifications", "no")]);
    ask(&mut seat, &request(code::PUT, 1, "store/a"));
    ask(&mut seat, &with(request(code::GET, 2, "store/a"), option::OBSERVE, 0));
    let sent = seat.datagram(host(60, 5000), &request(code::DELETE, 1, "store/a").encode());
    let note = read(sent.iter().find(|sent| sent.to == board()).unwrap());
    assert_eq!((note.kind, note.code, note.number(option::OBSERVE)), (NonConfirmable, code::NOT_FOUND, None));
    assert_eq!(seat.machine.observers(), 0);
}

#[test]
fn an_observation_ends_when_it_is_taken_back_and_does_not_begin_beyond_the_bound() {
    let mut seat = server(&[("most_observers", "1")]);
    let register = |id, token| Message {
        token: vec![token],
        ..with(request(code::GET, id, "ticks"), option::OBSERVE, 0)
    };
    assert!(ask(&mut seat, &register(1, 1)).number(option::OBSERVE).is_some());
    let second = ask(&mut seat, &register(2, 2));
    assert_eq!((second.code, second.number(option::OBSERVE)), (code::CONTENT, None));
    let back = with(request(code::GET, 3, "ticks"), option::OBSERVE, 1);
    ask(&mut seat, &Message { token: vec![1], ..back });
    assert_eq!(seat.machine.observers(), 0);
    let hello = ask(&mut seat, &with(request(code::GET, 4, "hello"), option::OBSERVE, 0));
    assert_eq!(hello.number(option::OBSERVE), None, "not observable");
}

#[test]
fn a_separate_response_follows_an_empty_acknowledgement_and_is_repeated_until_it_is_acknowledged() {
    let mut seat = server(&[("separate", "500ms")]);
    let get = request(code::GET, 9, "hello");
    let empty = Message::new(Acknowledgement, code::EMPTY, 9);
    assert_eq!(ask(&mut seat, &get), empty);
    assert_eq!(ask(&mut seat, &get), empty, "a repeated request gets its acknowledgement again");
    let sent = seat.advance(s(3));
    assert_eq!(sent.iter().map(|sent| sent.at).collect::<Vec<_>>(), [ms(500), ms(2500)]);
    let response = read(&sent[0]);
    assert_eq!(
        (response.kind, response.code, &response.token[..]),
        (Confirmable, code::CONTENT, &[0x7A][..])
    );
    seat.datagram(board(), &Message::new(Acknowledgement, code::EMPTY, response.id).encode());
    assert_eq!(seat.advance(s(100)), []);
}

#[test]
fn a_late_server_does_not_answer_a_repeated_request_twice() {
    let mut seat = server(&[("delay", "3s")]);
    let get = request(code::GET, 9, "hello").encode();
    assert_eq!(seat.datagram(board(), &get), []);
    seat.advance(s(2));
    assert_eq!(seat.datagram(board(), &get), []);
    assert_eq!(seat.advance(s(60)).iter().map(|sent| sent.at).collect::<Vec<_>>(), [s(3)]);
}

#[test]
fn the_silent_server_answers_nothing() {
    let mut seat = server(&[("answers", "no")]);
    assert_eq!(seat.datagram(board(), &request(code::GET, 9, "hello").encode()), []);
    assert_eq!(seat.datagram(board(), &[0x40, 0, 1, 2]), []);
    assert_eq!(seat.advance(s(300)), []);
}

prop_compose! {
    fn any_message()(
        kind in prop::sample::select(vec![Confirmable, NonConfirmable, Acknowledgement, Reset]),
        code in 1..=255_u8,
        id in any::<u16>(),
        token in prop::collection::vec(any::<u8>(), 0..=8),
        mut options in prop::collection::vec((any::<u16>(), prop::collection::vec(any::<u8>(), 0..300)), 0..6),
        payload in prop::collection::vec(any::<u8>(), 0..100),
    ) -> Message {
        options.sort_by_key(|(number, _)| *number);
        Message { kind, code, id, token, options, payload }
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_parsed_to_the_same(message in any_message()) {
        prop_assert_eq!(Message::parse(&message.encode()), Ok(message));
    }

    #[test]
    fn any_bytes_are_parsed_or_refused_and_what_is_parsed_means_the_same_when_encoded(
        mut bytes in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = 0x40 | *first & 0x3F;
        }
        if let Ok(message) = Message::parse(&bytes) {
            prop_assert_eq!(Message::parse(&message.encode()), Ok(message));
        }
    }

    #[test]
    fn any_requests_are_taken_and_answered_at_most_once_each(
        requests in prop::collection::vec((
            1..6_u8,
            prop::sample::select(vec!["hello", "echo", "large", "ticks", "store", "store/a", ".well-known/core", ""]),
            prop::collection::vec((0..64_u16, prop::collection::vec(any::<u8>(), 0..5)), 0..4),
            prop::collection::vec(any::<u8>(), 0..40),
        ), 1..20),
    ) {
        let mut seat = server(&[("block_bytes", "16")]);
        for (id, (method, path, options, payload)) in requests.into_iter().enumerate() {
            let mut message = carrying(request(method, id as u16, path), &payload);
            for (number, value) in options {
                message.add(number, &value);
            }
            let sent = seat.datagram(board(), &message.encode());
            let answers = sent.iter().map(read).filter(|answer| answer.kind == Acknowledgement).count();
            prop_assert_eq!(answers, 1, "{:?}", message);
            seat.advance(ms(700));
        }
    }
}
