//! TFTP (RFC 1350), packet by packet, and whole files over wires that lose packets, with a client that is written here.

use std::collections::VecDeque;

use proptest::prelude::*;
use traffic::pattern::Pattern;
use traffic::tftp::{Server, Settings};
use traffic::{Action, Cause, Connection, Declared, Machine};

use super::seat::{End, Seat, Sent, causes, host, ms, s};

const CLIENT: u16 = 40_001;
const OLD: &[&str] = &[];

fn server(pairs: &[(&str, &str)]) -> Seat<Server> {
    Seat::new(Server::new(Settings::from_options(pairs).unwrap()))
}

/// A request to read (1) or to write (2), in octets.
fn request(operation: u8, name: &str, options: &[&str]) -> Vec<u8> {
    let texts = [name, "octet"].into_iter().chain(options.iter().copied());
    [0, operation].into_iter().chain(texts.flat_map(|text| text.bytes().chain([0]))).collect()
}

fn data(number: u16, bytes: &[u8]) -> Vec<u8> {
    [&[0, 3], &number.to_be_bytes(), bytes].concat()
}

fn acknowledgement(number: u16) -> Vec<u8> {
    [&[0, 4], &number.to_be_bytes()[..]].concat()
}

fn bytes(sent: &[Sent]) -> Vec<Vec<u8>> {
    sent.iter().map(|one| one.bytes.clone()).collect()
}

/// The bytes of a file that was named with its size.
fn pattern(path: &str, length: usize) -> Vec<u8> {
    Pattern::new(path.len() as u64).bytes(0, length)
}

#[test]
fn a_file_goes_in_blocks_of_512_from_a_port_of_its_own() {
    let mut seat = server(&[("files", "a.bin=600B")]);
    assert_eq!(seat.opened, [Action::Bind(Connection(0), 69, false)]);
    let file = pattern("/a.bin", 600);
    let sent = seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD));
    assert_eq!(bytes(&sent), [data(1, &file[..512])]);
    let socket = sent[0].socket;
    assert_eq!(seat.opened[1], Action::Bind(socket, 0, false));
    let sent = seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(1));
    assert_eq!(bytes(&sent), [data(2, &file[512..])]);
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(2)), []);
    assert_eq!(seat.ends[&socket].1, End::Aborted, "its port is free again");
    assert_eq!(seat.machine.results().summary, "retrieved 1 files, sent 600 bytes");
    assert_eq!(seat.advance(s(60)), []);
}

#[test]
fn a_file_of_whole_blocks_ends_with_an_empty_one() {
    let mut seat = server(&[("files", "a.bin=512B")]);
    let socket = seat.datagram(host(50, CLIENT), &request(1, "/a.bin", OLD))[0].socket;
    let sent = seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(1));
    assert_eq!(bytes(&sent), [data(2, &[])]);
}

#[test]
fn what_is_not_acknowledged_is_sent_again_until_the_client_is_given_up() {
    let mut seat = server(&[("files", "a.bin=9B"), ("retries", "2"), ("timeout", "100ms")]);
    let first = seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD))[0].bytes.clone();
    let again = seat.advance(s(1));
    assert_eq!(again.iter().map(|one| one.at).collect::<Vec<_>>(), [ms(100), ms(200)]);
    assert!(again.iter().all(|one| one.bytes == first));
    assert_eq!(causes(&seat.machine), [(Cause::Silent, 1)]);
    assert_eq!(seat.machine.results().summary, "sent again 2 packets, broken 1 transfers");
}

#[test]
fn a_second_acknowledgement_of_a_block_leads_to_nothing() {
    // Or every packet would go twice from then on: the Sorcerer's Apprentice of RFC 1350.
    let mut seat = server(&[("files", "a.bin=2KiB")]);
    let socket = seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD))[0].socket;
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(1)).len(), 1);
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(1)), []);
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(7)), [], "it was never sent");
}

#[test]
fn options_that_are_known_are_acknowledged_and_hold() {
    let mut seat = server(&[("files", "a.bin=1000B"), ("most_block", "600B")]);
    let asked = ["blksize", "1024", "tsize", "0", "timeout", "2", "colour", "red", "windowsize", "0"];
    let sent = seat.datagram(host(50, CLIENT), &request(1, "a.bin", &asked));
    assert_eq!(bytes(&sent), [b"\0\x06blksize\x00600\0tsize\x001000\0timeout\x002\0".to_vec()]);
    let socket = sent[0].socket;
    let again = seat.advance(ms(2500));
    assert_eq!((again[0].at, &again[0].bytes), (s(2), &sent[0].bytes), "after the client's time");
    let sent = seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(0));
    assert_eq!(bytes(&sent), [data(1, &pattern("/a.bin", 1000)[..600])]);
}

#[test]
fn an_old_server_passes_over_options() {
    let mut seat = server(&[("files", "a.bin=9B"), ("options", "false")]);
    let sent = seat.datagram(host(50, CLIENT), &request(1, "a.bin", &["blksize", "1024"]));
    assert_eq!(bytes(&sent), [data(1, &pattern("/a.bin", 9))]);
}

#[test]
fn a_file_is_stored_and_its_last_acknowledgement_is_said_as_often_as_it_is_asked_for() {
    let mut seat = server(&[]);
    let sent = seat.datagram(host(50, CLIENT), &request(2, "b.bin", OLD));
    assert_eq!(bytes(&sent), [acknowledgement(0)]);
    let socket = sent[0].socket;
    let block = vec![7; 512];
    let mut say = |packet: &[u8]| bytes(&seat.datagram_at(socket, host(50, CLIENT), packet));
    assert_eq!(say(&data(1, &block)), [acknowledgement(1)]);
    assert_eq!(say(&data(1, &block)), [acknowledgement(1)], "its acknowledgement was lost");
    assert_eq!(say(&data(2, b"end")), [acknowledgement(2)]);
    assert_eq!(say(&data(2, b"end")), [acknowledgement(2)]);
    let results = seat.machine.results();
    assert_eq!(results.received, Some([&block[..], b"end"].concat()));
    assert_eq!(results.summary, "stored 1 files, received 515 bytes");
    assert_eq!(seat.advance(s(60)), []);
    assert_eq!(seat.ends[&socket].1, End::Aborted);
}

#[test]
fn text_goes_with_the_line_ends_of_netascii() {
    let mut seat = server(&[]);
    let written = [b"\0\x02notes.txt\0NetASCII\0".to_vec(), data(1, b"one\r\ntwo\r\n")];
    let socket = seat.datagram(host(50, CLIENT), &written[0])[0].socket;
    seat.datagram_at(socket, host(50, CLIENT), &written[1]);
    assert_eq!(seat.machine.results().received, Some(b"one\ntwo\n".to_vec()));
    let sent = seat.datagram(host(51, CLIENT), b"\0\x01notes.txt\0netascii\0tsize\x000\0");
    assert_eq!(bytes(&sent), [b"\0\x06tsize\x0010\0".to_vec()], "as long as it is on the wire");
    let sent = seat.datagram_at(sent[0].socket, host(51, CLIENT), &acknowledgement(0));
    assert_eq!(bytes(&sent), [written[1].clone()]);
}

#[test]
fn a_packet_from_elsewhere_is_answered_and_disturbs_nothing() {
    let mut seat = server(&[("files", "a.bin=600B")]);
    let socket = seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD))[0].socket;
    let strange = seat.datagram_at(socket, host(51, CLIENT), &acknowledgement(1));
    assert_eq!((strange[0].to, &strange[0].bytes[..4]), (host(51, CLIENT), &[0, 5, 0, 5][..]));
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(1)).len(), 1);
}

/// The error that a request meets at its socket, and why the server turned the client away.
fn refused(options: &[(&str, &str)], request: &[u8]) -> (u8, Vec<(Cause, u64)>) {
    let mut seat = server(options);
    let sent = seat.datagram(host(50, CLIENT), request);
    assert_eq!(sent.len(), 1);
    assert_ne!(sent[0].socket, Connection(0), "an error comes from a port of its own too");
    assert_eq!(sent[0].bytes[..3], [0, 5, 0]);
    assert_eq!(sent[0].bytes.last(), Some(&0));
    (sent[0].bytes[3], causes(&seat.machine))
}

#[test]
fn what_cannot_be_is_refused_with_its_code() {
    let cannot = |code, cause| (code, vec![(cause, 1)]);
    assert_eq!(refused(&[], &request(1, "none.bin", OLD)), cannot(1, Cause::NoFile));
    assert_eq!(refused(&[("writable", "false")], &request(2, "b", OLD)), cannot(2, Cause::Unsupported));
    assert_eq!(refused(&[], &request(2, "no-folder/b", OLD)), cannot(2, Cause::Unsupported));
    let large = request(2, "b", &["tsize", "1000000000"]);
    assert_eq!(refused(&[], &large), cannot(3, Cause::NoRoom));
    assert_eq!(refused(&[], b"\0\x01readme.txt\0mail\0"), cannot(4, Cause::Unsupported));
    assert_eq!(refused(&[], b"\0\x01readme.txt"), cannot(4, Cause::Malformed));
    assert_eq!(refused(&[], &acknowledgement(1)), cannot(4, Cause::Malformed));
}

#[test]
fn the_name_of_a_file_that_is_not_there_is_kept() {
    let mut seat = server(&[]);
    seat.datagram(host(50, CLIENT), &request(1, "boot/none.bin", OLD));
    assert_eq!(seat.machine.results().losses[0].first.detail.as_deref(), Some("boot/none.bin"));
}

#[test]
fn an_error_of_the_client_ends_the_transfer() {
    let mut seat = server(&[("files", "a.bin=600B")]);
    let socket = seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD))[0].socket;
    assert_eq!(seat.datagram_at(socket, host(50, CLIENT), b"\0\x05\0\x03Flash is full\0"), []);
    assert_eq!(seat.machine.results().losses[0].first.detail.as_deref(), Some("Flash is full"));
    assert_eq!(seat.advance(s(60)), []);
}

#[test]
fn more_than_there_is_room_for_is_not_stored() {
    let mut seat = server(&[("most_bytes", "600B"), ("files", "")]);
    let socket = seat.datagram(host(50, CLIENT), &request(2, "b", OLD))[0].socket;
    seat.datagram_at(socket, host(50, CLIENT), &data(1, &[0; 512]));
    let sent = seat.datagram_at(socket, host(50, CLIENT), &data(2, &[0; 200]));
    assert_eq!(sent[0].bytes[..4], [0, 5, 0, 3]);
    assert_eq!(causes(&seat.machine), [(Cause::NoRoom, 1)]);
    assert_eq!(seat.machine.results().received, None);
}

#[test]
fn a_request_that_comes_twice_begins_one_transfer() {
    let mut seat = server(&[("files", "a.bin=600B"), ("most_transfers", "1")]);
    seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD));
    assert_eq!(seat.datagram(host(50, CLIENT), &request(1, "a.bin", OLD)), []);
    let other = seat.datagram(host(51, CLIENT), &request(1, "a.bin", OLD));
    assert_eq!(other[0].bytes[..4], [0, 5, 0, 0], "there is room for one alone");
}

#[test]
fn in_a_window_the_blocks_behind_the_last_that_came_go_again() {
    let mut seat = server(&[("files", "a.bin=100B")]);
    let asked = ["blksize", "8", "windowsize", "4"];
    let socket = seat.datagram(host(50, CLIENT), &request(1, "a.bin", &asked))[0].socket;
    let mut numbers = |number: u16| -> Vec<u8> {
        let sent = seat.datagram_at(socket, host(50, CLIENT), &acknowledgement(number));
        sent.iter().map(|one| one.bytes[3]).collect()
    };
    assert_eq!(numbers(0), [1, 2, 3, 4]);
    assert_eq!(numbers(2), [3, 4, 5, 6], "the third was lost");
    assert_eq!(numbers(6), [7, 8, 9, 10]);
    assert_eq!(numbers(10), [11, 12, 13]);
}

/// A client that reads or writes a file at a server. Packets whose turn `loses` names are lost, those of both directions
/// counted together. Returns the file that was read.
fn transfer(
    seat: &mut Seat<Server>,
    first: &[u8],
    file: Option<&[u8]>,
    block_bytes: usize,
    window: u64,
    loses: &dyn Fn(u64) -> bool,
) -> Vec<u8> {
    let client = host(50, CLIENT);
    let (mut turn, mut read, mut blocks, mut in_window) = (0, Vec::new(), 0_u64, 0);
    let mut last: Vec<Vec<u8>> = vec![first.to_vec()];
    let mut coming: VecDeque<Sent> = VecDeque::new();
    let mut socket = Connection(0);
    let write = |blocks: u64, file: &[u8]| -> Vec<Vec<u8>> {
        let end = file.len() as u64 / block_bytes as u64 + 1;
        let block = |number: u64| {
            let from = (number as usize - 1) * block_bytes;
            data(number as u16, &file[from..file.len().min(from + block_bytes)])
        };
        (blocks + 1..=end.min(blocks + window)).map(block).collect()
    };
    let mut say = last.clone();
    for _ in 0..200_000 {
        for packet in say.drain(..) {
            turn += 1;
            if !loses(turn) {
                coming.extend(seat.datagram_at(socket, client, &packet));
            }
        }
        let Some(sent) = coming.pop_front() else {
            // Nobody speaks: the server's time is over, and the client's.
            coming.extend(seat.advance(ms(1100)));
            say.clone_from(&last);
            continue;
        };
        turn += 1;
        if loses(turn) {
            continue;
        }
        socket = sent.socket;
        let number = u16::from_be_bytes([sent.bytes[2], sent.bytes[3]]);
        match (sent.bytes[1], file) {
            (6, None) if blocks == 0 => last = vec![acknowledgement(0)],
            (6, Some(file)) if blocks == 0 => last = write(0, file),
            (6, _) => continue,
            (3, None) => {
                if number == (blocks + 1) as u16 {
                    blocks += 1;
                    in_window += 1;
                    read.extend(&sent.bytes[4..]);
                    last = vec![acknowledgement(blocks as u16)];
                    let is_last = sent.bytes.len() < block_bytes + 4;
                    if is_last && (loses(turn + 1) || seat.datagram_at(socket, client, &last[0]).is_empty()) {
                        return read;
                    }
                    if in_window < window {
                        continue;
                    }
                }
                in_window = 0;
            }
            (4, Some(file)) => {
                let further = u64::from(number.wrapping_sub(blocks as u16));
                if blocks > 0 && further == 0 || further > window {
                    continue;
                }
                blocks += further;
                last = write(blocks, file);
                if last.is_empty() {
                    return read;
                }
            }
            _ => panic!("{:?}", sent.bytes),
        }
        say.clone_from(&last);
    }
    panic!("the transfer comes to no end");
}

#[test]
fn the_numbers_of_blocks_wrap() {
    let length = 8 * 70_000 + 3;
    let mut seat = server(&[("files", &format!("a.bin={length}B"))]);
    let first = request(1, "a.bin", &["blksize", "8"]);
    let read = transfer(&mut seat, &first, None, 8, 1, &|_| false);
    assert!(read == pattern("/a.bin", length));
    let first = request(2, "b.bin", &["blksize", "8"]);
    transfer(&mut seat, &first, Some(&read[1..]), 8, 1, &|_| false);
    assert_eq!(seat.machine.results().received.unwrap(), read[1..=64 * 1024]);
}

proptest! {
    #[test]
    fn a_file_arrives_whole_whatever_is_lost(
        length in 0_usize..3000,
        block_bytes in prop::sample::select(vec![8_usize, 100, 512]),
        window in 1_u64..9,
        lost in prop::collection::vec(any::<bool>(), 1..60),
        reads in any::<bool>(),
    ) {
        let mut seat = server(&[("files", &format!("a.bin={length}B")), ("retries", "100")]);
        // A quarter of the first packets, and none of those after them.
        let loses = |turn: u64| lost.get(turn as usize).copied().unwrap_or_default() && turn.is_multiple_of(2);
        let (blocks, window_text) = (block_bytes.to_string(), window.to_string());
        let options = ["blksize", blocks.as_str(), "windowsize", window_text.as_str()];
        let file = pattern("/a.bin", length);
        if reads {
            let read = transfer(&mut seat, &request(1, "a.bin", &options), None, block_bytes, window, &loses);
            prop_assert_eq!(read, file);
        } else {
            transfer(&mut seat, &request(2, "b.bin", &options), Some(&file), block_bytes, window, &loses);
            prop_assert_eq!(seat.machine.results().received, Some(file));
        }
    }
}
