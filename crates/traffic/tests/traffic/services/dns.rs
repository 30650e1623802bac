//! DNS: answers over UDP and TCP, byte by byte where RFC 1035 gives the layout.

use proptest::prelude::*;
use traffic::dns::{Server, Settings};
use traffic::{Cause, Declared, Machine};

use super::seat::{End, Seat, causes, host, ms};

const ID: [u8; 2] = [0xAB, 0xCD];

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    let mut all =
        vec![("records", "F.ISI.ARPA=10.2.0.52,*.lab=10.0.0.9,two.test=10.0.0.1,two.test=10.0.0.2")];
    all.extend(pairs);
    Seat::new(Server::new(Settings::from_options(&all).unwrap()))
}

/// A standard query with recursion desired.
fn query(name: &str, kind: u16) -> Vec<u8> {
    let mut bytes = [&ID[..], &[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]].concat();
    for label in name.split('.').filter(|label| !label.is_empty()) {
        bytes.push(label.len() as u8);
        bytes.extend(label.as_bytes());
    }
    bytes.push(0);
    bytes.extend(kind.to_be_bytes());
    bytes.extend([0, 1]);
    bytes
}

fn ask(seat: &mut Seat<Server>, bytes: &[u8]) -> Vec<u8> {
    let sent = seat.datagram(host(50, 1024), bytes);
    assert_eq!(sent.len(), 1);
    sent[0].bytes.clone()
}

fn code(answer: &[u8]) -> u8 {
    answer[3] & 15
}

fn answers(answer: &[u8]) -> u16 {
    u16::from_be_bytes([answer[6], answer[7]])
}

#[test]
fn a_known_name_is_answered_with_its_address_and_a_pointer_to_the_question() {
    let mut seat = server(&[("ttl", "300")]);
    let question = query("f.isi.arpa", 1);
    let answer = ask(&mut seat, &question);
    // Response, authoritative, recursion desired and available; the name is a pointer to offset 12 (section 4.1.4).
    assert_eq!(answer[..4], [0xAB, 0xCD, 0x85, 0x80]);
    assert_eq!(answer[4..12], [0, 1, 0, 1, 0, 0, 0, 0]);
    assert_eq!(answer[12..question.len()], question[12..]);
    let record = [0xC0, 0x0C, 0, 1, 0, 1, 0, 0, 1, 0x2C, 0, 4, 10, 2, 0, 52];
    assert_eq!(answer[question.len()..], record);
}

#[test]
fn upper_and_lower_case_are_one_and_the_question_comes_back_as_it_was() {
    let answer = ask(&mut server(&[]), &query("F.iSi.aRpA", 1));
    assert_eq!(answers(&answer), 1);
    assert_eq!(&answer[13..14], b"F");
    assert_eq!(&answer[15..18], b"iSi");
}

#[test]
fn a_name_with_two_addresses_gets_both() {
    let answer = ask(&mut server(&[]), &query("two.test", 1));
    assert_eq!(answers(&answer), 2);
    assert!(answer.ends_with(&[10, 0, 0, 2]));
}

#[test]
fn a_wildcard_stands_for_every_name_below_it_but_not_for_itself() {
    let mut seat = server(&[]);
    assert_eq!(answers(&ask(&mut seat, &query("a.b.lab", 1))), 1);
    let itself = ask(&mut seat, &query("lab", 1));
    assert_eq!(
        (code(&itself), answers(&itself)),
        (0, 0),
        "it exists without an address: RFC 4592 section 2.2.2"
    );
}

#[test]
fn an_unknown_name_does_not_exist_and_a_name_above_a_known_one_has_no_address() {
    let mut seat = server(&[]);
    assert_eq!(code(&ask(&mut seat, &query("nowhere.test", 1))), 3);
    let above = ask(&mut seat, &query("isi.arpa", 1));
    assert_eq!((code(&above), answers(&above)), (0, 0), "an empty non-terminal, RFC 8020");
    assert_eq!(seat.machine.counters().unknown_names, 1);
}

#[test]
fn a_known_name_without_a_record_of_the_kind_gets_an_empty_answer() {
    let answer = ask(&mut server(&[]), &query("f.isi.arpa", 28));
    assert_eq!((code(&answer), answers(&answer)), (0, 0));
}

#[test]
fn what_is_no_query_of_one_question_is_refused_with_its_code() {
    let mut seat = server(&[]);
    let mut status = query("f.isi.arpa", 1);
    status[2] = 0x10;
    assert_eq!(code(&ask(&mut seat, &status)), 4);
    let mut chaos = query("f.isi.arpa", 1);
    *chaos.last_mut().unwrap() = 3;
    assert_eq!(code(&ask(&mut seat, &chaos)), 5);
    let mut none = query("f.isi.arpa", 1);
    none[5] = 0;
    assert_eq!(code(&ask(&mut seat, &none)), 1);
    let whole = query("f.isi.arpa", 1);
    assert_eq!(code(&ask(&mut seat, &whole[..whole.len() - 1])), 1);
    let mut response = whole;
    response[2] |= 0x80;
    assert_eq!(seat.datagram(host(50, 1024), &response), [], "a response is not answered");
    assert_eq!(causes(&seat.machine), [(Cause::Malformed, 3), (Cause::Unsupported, 2)]);
    let losses = seat.machine.results().losses;
    assert!(losses.iter().all(|loss| loss.last.peer.is_some()), "{losses:?}");
}

#[test]
fn an_answer_that_does_not_fit_512_bytes_is_cut_with_the_flag_over_udp_and_whole_over_tcp() {
    let records: Vec<_> = (0..60).map(|last| format!("many.test=10.0.1.{last}")).collect();
    let mut seat = server(&[("records", &records.join(","))]);
    let question = query("many.test", 1);
    let answer = ask(&mut seat, &question);
    assert_eq!(answer[2] & 2, 2, "truncated");
    assert!(answer.len() <= 512 && answer.len() > 512 - 16, "{}", answer.len());
    let connection = seat.accept();
    let stream = seat.receive(connection, &[&[0, question.len() as u8][..], &question].concat());
    assert_eq!(answers(&stream[2..]), 60);
    assert_eq!(usize::from(u16::from_be_bytes([stream[0], stream[1]])), stream.len() - 2);
}

#[test]
fn the_manners_for_tests_are_silence_lateness_and_truncation() {
    let question = query("f.isi.arpa", 1);
    assert_eq!(server(&[("answers", "no")]).datagram(host(50, 1024), &question), []);
    let mut late = server(&[("delay", "700ms")]);
    assert_eq!(late.datagram(host(50, 1024), &question), []);
    assert_eq!(late.advance(ms(1000))[0].at, ms(700));
    let cut = ask(&mut server(&[("answers", "truncated")]), &question);
    assert_eq!((cut[2] & 2, answers(&cut)), (2, 0));
}

#[test]
fn a_query_over_tcp_that_is_longer_than_any_query_resets_its_connection() {
    let mut seat = server(&[]);
    let connection = seat.accept();
    seat.receive(connection, &[0xFF, 0xFF]);
    assert_eq!(seat.ends[&connection].1, End::Aborted);
    assert_eq!(causes(&seat.machine), [(Cause::Malformed, 1)]);
}

#[test]
fn names_that_do_not_exist_and_the_silence_that_is_set_are_no_losses() {
    let mut seat = server(&[]);
    ask(&mut seat, &query("nobody.test", 1));
    assert_eq!(causes(&seat.machine), []);
    let mut silent = server(&[("answers", "no")]);
    assert_eq!(silent.datagram(host(50, 1024), &query("two.test", 1)), []);
    assert_eq!(causes(&silent.machine), []);
}

proptest! {
    #[test]
    fn any_datagram_gets_at_most_one_answer_of_at_most_512_bytes(
        mut bytes in prop::collection::vec(any::<u8>(), 0..600),
        plain in any::<bool>(),
    ) {
        if plain && bytes.len() > 6 {
            bytes[2..6].copy_from_slice(&[1, 0, 0, 1]);
        }
        let sent = server(&[]).datagram(host(50, 1024), &bytes);
        prop_assert!(sent.len() <= 1 && sent.iter().all(|sent| sent.bytes.len() <= 512));
    }

    #[test]
    fn a_stream_of_queries_gives_the_same_answers_wherever_it_is_cut(
        names in prop::collection::vec("[a-z]{1,8}\\.(lab|test)", 1..5),
        cuts in prop::collection::vec(1..40_usize, 0..20),
    ) {
        let stream: Vec<u8> = names.iter().flat_map(|name| {
            let question = query(name, 1);
            [&(question.len() as u16).to_be_bytes()[..], &question].concat()
        }).collect();
        let mut whole = server(&[]);
        let connection = whole.accept();
        let expected = whole.receive(connection, &stream);
        let mut pieces = server(&[]);
        let connection = pieces.accept();
        let (mut rest, mut got) = (&stream[..], Vec::new());
        for cut in cuts {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            got.extend(pieces.receive(connection, piece));
            rest = after;
        }
        got.extend(pieces.receive(connection, rest));
        prop_assert_eq!(got, expected);
    }
}
