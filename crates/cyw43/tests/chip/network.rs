//! Scan, join, frames, and the ways in which a network goes.

use cyw43::{Function, Joiner, Security, WordOrder};

use crate::driver::{ADDRESS, Driver, HABITS, access_point, ms};

const AUTHENTICATED: u32 = 3;
const DEAUTHENTICATED: u32 = 6;
const LINK: u32 = 16;
const KEY_EXCHANGE: u32 = 46;
const SET_SSID: u32 = 0;

fn started(air: Vec<cyw43::AccessPoint>) -> Driver {
    let mut driver = Driver::with(HABITS[0], air);
    driver.start();
    driver.hear_events();
    driver
}

fn lab() -> cyw43::AccessPoint {
    access_point(Some("lab"), Security::Wpa2, Some("correct horse"))
}

#[test]
fn the_events_of_a_join_come_in_the_order_of_a_board() {
    let mut driver = started(vec![lab()]);
    driver.join("lab", Some("correct horse"));
    let kinds: Vec<u32> = driver.events(ms(4_000)).iter().map(|event| event.0).collect();
    assert_eq!(kinds, [87, AUTHENTICATED, 88, 7, LINK, KEY_EXCHANGE, 1, SET_SSID]);
    assert!(driver.chip.joined().is_some());
    let mut driver = started(vec![access_point(Some("guests"), Security::Open, None)]);
    driver.join("guests", None);
    let kinds: Vec<u32> = driver.events(ms(4_000)).iter().map(|event| event.0).collect();
    assert_eq!(kinds, [87, AUTHENTICATED, 88, 7, LINK, 1, SET_SSID], "no keys on an open network");
}

#[test]
fn a_network_that_is_not_there_is_told_after_800_ms() {
    let mut driver = started(vec![lab()]);
    driver.join("none", Some("correct horse"));
    let before = driver.now;
    let events = driver.events(ms(1_000));
    assert_eq!(events, [(SET_SSID, 3, 0, 0)]);
    assert!((driver.now - before) >= ms(800));
}

#[test]
fn a_wrong_key_ends_with_the_access_points_deauthentication() {
    let mut driver = started(vec![lab()]);
    driver.join("lab", Some("wrong horse"));
    let events = driver.events(ms(7_000));
    assert_eq!(events.last(), Some(&(DEAUTHENTICATED, 0, 2, 0)));
    assert!(driver.chip.joined().is_none());
}

#[test]
fn an_access_point_without_a_name_takes_whatever_is_asked_for_and_says_so() {
    let mut driver = started(vec![access_point(None, Security::Wpa2, None)]);
    driver.join("home", Some("whatever it is"));
    driver.events(ms(4_000));
    assert_eq!(driver.chip.joined().and_then(|one| one.ssid.clone()).as_deref(), Some("home"));
    assert!(driver.chip.take_notes().iter().any(|note| note.sentence.contains("\"home\"")));
}

#[test]
fn a_scan_brings_one_result_for_each_network_and_an_end() {
    let mut other = access_point(Some("other"), Security::Wpa3, None);
    (other.channel, other.bssid[5]) = (11, 2);
    let mut driver = started(vec![lab(), other]);
    driver.set_variable("escan", &[1, 0, 0, 0, 1, 0, 0x34, 0x12]);
    let events = driver.events(ms(1_000));
    assert_eq!(events, [(69, 8, 0, 0), (69, 8, 0, 0), (69, 0, 0, 0)]);
}

/// A scan for a network by its name.
fn scan_for(driver: &mut Driver, name: &str) -> usize {
    let mut value = vec![1, 0, 0, 0, 1, 0, 0x34, 0x12];
    value.extend((name.len() as u32).to_le_bytes());
    value.extend(name.as_bytes());
    value.resize(12 + 32, 0);
    driver.set_variable("escan", &value);
    driver.events(ms(1_000)).len() - 1
}

#[test]
fn a_scan_for_a_name_brings_the_networks_of_that_name_only() {
    let mut driver = started(vec![lab(), access_point(Some("other"), Security::Wpa3, None)]);
    let found = ["lab", "other", "none", ""].map(|name| scan_for(&mut driver, name));
    assert_eq!(found, [1, 1, 0, 2]);
}

#[test]
fn an_access_point_that_takes_whatever_is_asked_for_answers_a_scan_for_a_name_and_one_for_any_once_it_is_joined()
 {
    let mut driver = started(vec![access_point(None, Security::Wpa2, None)]);
    assert_eq!((scan_for(&mut driver, ""), scan_for(&mut driver, "home")), (0, 1));
    driver.join("home", Some("whatever it is"));
    driver.events(ms(4_000));
    driver.set_variable("escan", &[1, 0, 0, 0, 1, 0, 0x34, 0x12]);
    let result = driver.event_frames(ms(1_000)).into_iter().next().expect("a result");
    // A frame of Ethernet with an event (72 bytes), then 12 bytes in front of the record; the name's length is its 19th byte.
    let name = &result[4 + 72 + 12 + 18..][..5];
    assert_eq!(name, b"\x04home");
}

#[test]
fn results_of_a_scan_have_their_strength_from_the_networks_own_channel() {
    let mut driver = started(vec![lab()]);
    driver.set_variable("escan", &[1, 0, 0, 0, 1, 0, 0x34, 0x12]);
    // A frame of Ethernet with an event (72 bytes), then 12 bytes in front of the record.
    let result = driver.event_frames(ms(1_000)).into_iter().next().expect("a result");
    let record = &result[4 + 72 + 12..];
    assert_eq!(record[..4], 109u32.to_le_bytes(), "the version of the record");
    // WL_BSS_FLAGS_RSSI_ONCHANNEL of Infineon's driver, which drops results without it; Linux has BRCMF_BSS_RSSI_ON_CHANNEL.
    assert_eq!(record[96] & 0x04, 0x04);
}

#[test]
fn an_access_point_that_goes_silent_is_missed_after_a_while_and_joined_again_when_it_is_back() {
    let mut short = lab();
    (short.gone_at, short.back_at) = (Some(ms(10_000)), Some(ms(30_000)));
    let mut driver = started(vec![short]);
    driver.join("lab", Some("correct horse"));
    driver.events(ms(5_000));
    let lost = driver.events(ms(15_000));
    assert_eq!(lost, [(LINK, 0, 1, 0)], "beacon loss");
    driver.join("lab", Some("correct horse"));
    assert_eq!(driver.events(ms(2_000)), [(SET_SSID, 3, 0, 0)]);
    driver.events(ms(10_000));
    driver.join("lab", Some("correct horse"));
    driver.events(ms(4_000));
    assert!(driver.chip.joined().is_some());
}

#[test]
fn an_access_point_may_throw_its_station_out() {
    let mut short = lab();
    short.throws_out_at = Some(ms(10_000));
    let mut driver = started(vec![short]);
    driver.join("lab", Some("correct horse"));
    driver.events(ms(5_000));
    assert_eq!(driver.events(ms(10_000)), [(DEAUTHENTICATED, 0, 2, 0), (LINK, 0, 2, 0)]);
}

/// A word that is asked for; what stands in the question must not come back.
fn asked(driver: &mut Driver, command: u32) -> u32 {
    let answer = driver.ask(command, false, &[0xee; 4]);
    u32::from_le_bytes(answer[..4].try_into().expect("a word"))
}

#[test]
fn a_station_says_that_it_is_one_at_what_rate_and_with_what_power() {
    // WLC_GET_RATE, _INFRA, _RADIO, _AP (brcmfmac, fwil.h): wapi of NuttX shows them.
    const QUESTIONS: [u32; 4] = [12, 19, 37, 117];
    let mut driver = started(vec![lab()]);
    assert_eq!(QUESTIONS.map(|question| asked(&mut driver, question)), [0, 1, 0, 0]);
    driver.join("lab", Some("correct horse"));
    driver.events(ms(4_000));
    // 65 Mbit/s, infrastructure, the radio on, no access point.
    assert_eq!(QUESTIONS.map(|question| asked(&mut driver, question)), [130, 1, 0, 0]);
    assert_eq!(driver.get_variable("qtxpower", 4), [127, 0, 0, 0], "31.75 dBm");
    driver.set_variable("qtxpower", &[40, 0, 0, 0]);
    assert_eq!(driver.get_variable("qtxpower", 4), [40, 0, 0, 0]);
    assert!(driver.chip.take_notes().iter().all(|note| !note.sentence.contains("without knowing it")));
}

#[test]
fn what_was_set_is_what_the_question_one_number_below_answers() {
    let mut driver = started(vec![lab()]);
    for (question, setter) in [(19, 20), (21, 22), (48, 49), (77, 78), (109, 110), (141, 142)] {
        driver.ask(setter, true, &[2, 0, 0, 0]);
        assert_eq!(asked(&mut driver, question), 2, "request {question}");
    }
}

#[test]
fn the_levels_of_its_pads_are_those_that_its_outputs_drive() {
    let mut driver = started(vec![lab()]);
    assert_eq!(driver.get_variable("ccgpioin", 4), [0; 4]);
    driver.set_variable("gpioout", &[1, 0, 0, 0, 1, 0, 0, 0]);
    assert_eq!(driver.get_variable("ccgpioin", 4), [1, 0, 0, 0]);
    driver.set_variable("gpioout", &[1, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(driver.get_variable("ccgpioin", 4), [0; 4]);
}

#[test]
fn frames_go_both_ways_once_it_has_joined_and_credit_runs_ahead() {
    let mut driver = started(vec![lab()]);
    let frame: Vec<u8> = ADDRESS.into_iter().chain(0..60).collect();
    driver.send_ethernet(&frame);
    driver.wait(ms(5));
    assert_eq!(driver.chip.take_sent(), None, "nobody hears it");
    driver.join("lab", Some("correct horse"));
    driver.events(ms(4_000));
    // More than the 20 that drivers trust, so that credits have to come back.
    for _ in 0..40 {
        driver.send_ethernet(&frame);
        driver.wait(ms(2));
        assert_eq!(driver.chip.take_sent().expect("it goes to the air").1, frame);
        while driver.take_frame().is_some() {}
    }
    driver.chip.receive(driver.now, &frame);
    driver.wait(ms(2));
    assert_eq!(driver.chip.line(), Some(true), "the interrupt is up");
    let (channel, body) = driver.take_frame().expect("it comes");
    assert_eq!((channel, &body[4..]), (2, &frame[..]));
    driver.chip.receive(driver.now, &[8; 60]);
    driver.wait(ms(2));
    assert_eq!(driver.take_frame(), None, "to somebody else");
    assert_eq!(driver.order, WordOrder::LowFirst);
}

/// Drivers wait for the line alone and read until nothing waits. Those of Embassy and soypat never write to the interrupt of a
/// packet; the Pico SDK's writes to it before it reads.
#[test]
fn the_line_is_up_for_as_long_as_a_packet_waits_whatever_is_written() {
    let mut driver = started(vec![lab()]);
    driver.join("lab", Some("correct horse"));
    driver.events(ms(4_000));
    assert_eq!(driver.chip.line(), Some(false), "all was read, and nothing was cleared");
    let frame: Vec<u8> = ADDRESS.into_iter().chain(0..60).collect();
    for _ in 0..2 {
        driver.chip.receive(driver.now, &frame);
    }
    driver.wait(ms(2));
    for waiting in [2, 1] {
        assert_eq!(driver.chip.line(), Some(true), "{waiting} wait");
        driver.write(Function::Bus, 0x04, 2, 0x0020);
        assert_eq!(driver.chip.line(), Some(true), "{waiting} wait, and the interrupt was cleared");
        driver.take_frame().expect("one waits");
    }
    assert_eq!(driver.chip.line(), Some(false));
}

/// What a driver writes of one of several networks.
fn of_own_network(value: &[u8]) -> Vec<u8> {
    [&1u32.to_le_bytes()[..], value].concat()
}

/// Request 118 makes the chip an access point and no station. So Embassy's driver has its network at interface 0.
#[test]
fn a_chip_that_is_an_access_point_alone_has_its_network_at_the_interface_of_the_station() {
    let mut driver = started(Vec::new());
    let of_first = |value: &[u8]| [&0u32.to_le_bytes()[..], value].concat();
    driver.ask(118, true, &1u32.to_le_bytes());
    let name = [&5u32.to_le_bytes()[..], b"board", &[0; 27]].concat();
    driver.set_variable("bsscfg:ssid", &of_first(&name));
    driver.set_variable("bss", &of_first(&1u32.to_le_bytes()));
    assert_eq!(driver.chip.own_network().as_deref(), Some("board"));
    assert_eq!(driver.events(ms(25)), [(LINK, 0, 0, 1)]);
    let frame: Vec<u8> = ADDRESS.into_iter().chain([2, 0, 0, 0, 0, 7]).chain(0..60).collect();
    driver.chip.receive(driver.now, &frame);
    driver.wait(ms(2));
    let received: Vec<(u8, Vec<u8>)> = std::iter::from_fn(|| driver.take_frame()).collect();
    assert_eq!((received[1].1[2], &received[1].1[4..]), (0, &frame[..]), "a frame for interface 0");
    driver.send_ethernet(&frame);
    driver.wait(ms(2));
    assert_eq!(driver.chip.take_sent().map(|sent| sent.1), Some(frame));
}

/// As Infineon's WHD driver sets an access point up, which Zephyr uses on a Pico W.
#[test]
fn a_channel_may_be_set_with_its_width_and_a_mask_of_events_with_its_length() {
    let mut driver = started(Vec::new());
    driver.set_variable("chanspec", &0x100b_u32.to_le_bytes());
    assert_eq!(driver.ask(29, false, &[0; 12])[..4], 11u32.to_le_bytes());
    assert_eq!(driver.get_variable("chanspec", 4), 0x100b_u32.to_le_bytes());
    // Version 1, command, 20 bytes of mask; LINK is event 16.
    let mask = |command: u8, byte_of_link: u8| {
        let mut mask = [0; 20];
        mask[2] = byte_of_link;
        of_own_network(&[&[1, command, 20, 0][..], &mask].concat())
    };
    let [sets_bits, clears_bits, sets_all] = [1, 2, 3];
    let bring_up = |driver: &mut Driver, hears: &[(u32, u32, u32, u16)]| {
        driver.set_variable("bss", &of_own_network(&1u32.to_le_bytes()));
        assert_eq!(driver.events(ms(25)), hears);
        driver.set_variable("bss", &of_own_network(&0u32.to_le_bytes()));
        driver.events(ms(25));
    };
    for (command, byte_of_link, hears) in [
        (sets_all, 0, &[][..]),
        (sets_bits, 1, &[(LINK, 0, 0, 1)]),
        (clears_bits, 1, &[]),
        (sets_all, 1, &[(LINK, 0, 0, 1)]),
    ] {
        driver.set_variable("bsscfg:event_msgs_ext", &mask(command, byte_of_link));
        bring_up(&mut driver, hears);
    }
    assert!(driver.chip.take_notes().is_empty(), "the model knows all of it");
}

#[test]
fn the_chip_is_the_access_point_of_a_network_of_its_own() {
    let mut driver = started(Vec::new());
    let name = [&5u32.to_le_bytes()[..], b"board", &[0; 27]].concat();
    driver.set_variable("bsscfg:ssid", &of_own_network(&name));
    driver.ask(30, true, &11u32.to_le_bytes());
    driver.set_variable("bsscfg:wsec", &of_own_network(&4u32.to_le_bytes()));
    driver.set_variable("maxassoc", &1u32.to_le_bytes());
    assert_eq!(driver.chip.own_network(), None);
    let frame: Vec<u8> = ADDRESS.into_iter().chain([2, 0, 0, 0, 0, 7]).chain(0..60).collect();
    driver.chip.receive(driver.now, &frame);
    assert_eq!(driver.events(ms(10)), [], "it is not there yet");
    driver.set_variable("bss", &of_own_network(&1u32.to_le_bytes()));
    assert_eq!(driver.chip.own_network().as_deref(), Some("board"));
    assert_eq!(driver.events(ms(25)), [(LINK, 0, 0, 1)], "its link comes after the answer to the request");
    assert_eq!(driver.get_variable("bss", 4), [1, 0, 0, 0]);
    assert_eq!(driver.ask(29, false, &[0; 12])[..4], 11u32.to_le_bytes());
    assert_eq!(driver.events(ms(10)), [], "nobody was there before");
    driver.chip.receive(driver.now, &frame);
    driver.wait(ms(2));
    let received: Vec<(u8, Vec<u8>)> = std::iter::from_fn(|| driver.take_frame()).collect();
    assert_eq!(
        received.iter().map(|one| one.0).collect::<Vec<u8>>(),
        [1, 2],
        "a station joins, and its frame"
    );
    assert_eq!((received[1].1[2], &received[1].1[4..]), (1, &frame[..]), "for that interface");
    let mut other = frame.clone();
    other[11] = 8;
    driver.chip.receive(driver.now, &other);
    driver.wait(ms(2));
    assert_eq!(driver.take_frame(), None, "it takes one station");
    let list = driver.ask(159, false, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(list, [1, 0, 0, 0, 2, 0, 0, 0, 0, 7]);
    driver.send_from(1, &frame);
    driver.wait(ms(2));
    assert_eq!(driver.chip.take_sent().map(|sent| sent.1), Some(frame.clone()));
    driver.send_ethernet(&frame);
    driver.wait(ms(2));
    assert_eq!(driver.chip.take_sent(), None, "its station has joined nothing");
    driver.set_variable("bss", &of_own_network(&0u32.to_le_bytes()));
    assert_eq!(driver.chip.own_network(), None);
}

#[test]
fn what_a_driver_asks_for_and_no_firmware_knows_is_its_own_answer() {
    let mut driver = started(Vec::new());
    driver.set_variable("maxassoc", &7u32.to_le_bytes());
    let question = [b"maxassoc\0", &1u32.to_le_bytes()[..]].concat();
    let answer = driver.ask(262, false, &question);
    assert_eq!(answer[..4], 7u32.to_le_bytes());
    // cyw43-driver sends the buffer again as it is, and takes the first four bytes for the number.
    assert_eq!(driver.ask(262, false, &answer)[..4], 7u32.to_le_bytes());
    assert!(driver.chip.take_notes().is_empty(), "no variable has such a name");
    assert_eq!(driver.get_variable("no_such", 8), *b"no_such\0");
    assert_eq!(driver.chip.take_notes().len(), 1);
}

/// A chip whose own network is up, secured with "correct horse", and whom it meets.
fn with_own_network(joiners: Vec<Joiner>) -> Driver {
    let mut driver = Driver::among(Vec::new(), joiners);
    driver.begin(HABITS[0]);
    driver.start();
    driver.hear_events();
    let name = [&5u32.to_le_bytes()[..], b"board", &[0; 27]].concat();
    driver.set_variable("bsscfg:ssid", &of_own_network(&name));
    driver.set_variable("bsscfg:wsec", &of_own_network(&4u32.to_le_bytes()));
    let key = [&13u16.to_le_bytes()[..], &1u16.to_le_bytes(), b"correct horse", &[0; 51]].concat();
    driver.ask_from(1, 268, true, &key);
    driver.set_variable("bss", &of_own_network(&1u32.to_le_bytes()));
    assert_eq!(driver.events(ms(25)), [(LINK, 0, 0, 1)]);
    driver
}

fn joiner(last: u8, ssid: Option<&str>, passphrase: Option<&str>) -> Joiner {
    let text = |text: &str| text.to_owned();
    Joiner { address: [2, 0, 0, 0, 0, last], ssid: ssid.map(text), passphrase: passphrase.map(text) }
}

#[test]
fn stations_that_are_known_join_the_chips_own_network_with_the_right_passphrase_alone() {
    const ASSOCIATED_BY_PEER: u32 = 8;
    let mut driver = with_own_network(vec![
        joiner(7, Some("board"), Some("correct horse")),
        joiner(8, Some("board"), Some("wrong horse")),
        joiner(9, Some("another"), Some("correct horse")),
        joiner(10, None, None),
    ]);
    assert!(!driver.chip.has_station([2, 0, 0, 0, 0, 7]), "the handshake takes its time");
    let frame_of =
        |last: u8| ADDRESS.into_iter().chain([2, 0, 0, 0, 0, last]).chain(0..60).collect::<Vec<u8>>();
    driver.chip.receive(driver.now, &frame_of(7));
    assert_eq!(driver.events(ms(190)), [], "and until then nobody is heard");
    let joined = driver.events(ms(20));
    assert_eq!(joined, [(ASSOCIATED_BY_PEER, 0, 0, 0); 2]);
    let have = [7, 8, 9, 10].map(|last| driver.chip.has_station([2, 0, 0, 0, 0, last]));
    assert_eq!(have, [true, false, false, true]);
    let notes: Vec<String> = driver.chip.take_notes().into_iter().map(|note| note.sentence).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("refuses a station of \"board\""), "{notes:?}");
    driver.chip.receive(driver.now, &frame_of(8));
    driver.wait(ms(2));
    assert_eq!(driver.take_frame(), None, "who was refused is not heard");
    driver.chip.receive(driver.now, &frame_of(7));
    driver.wait(ms(2));
    assert_eq!(driver.take_frame().map(|(channel, _)| channel), Some(2));
}

#[test]
fn how_many_frames_go_at_once_is_what_the_driver_set() {
    let mut driver = started(vec![lab()]);
    driver.set_variable("ampdu_ba_wsize", &8u32.to_le_bytes());
    driver.set_variable("ampdu_mpdu", &4u32.to_le_bytes());
    driver.set_variable("ampdu_rx_factor", &1u32.to_le_bytes());
    let set = driver.chip.aggregation();
    assert_eq!((set.frames, set.takes_bytes), (4, 16_383));
}

#[test]
fn power_save_is_what_the_driver_set() {
    let mut driver = started(vec![lab()]);
    assert_eq!(driver.chip.power_save().mode, 0);
    driver.set_variable("pm2_sleep_ret", &200u32.to_le_bytes());
    driver.set_variable("bcn_li_dtim", &1u32.to_le_bytes());
    driver.ask(86, true, &2u32.to_le_bytes());
    let set = driver.chip.power_save();
    assert_eq!((set.mode, set.sleep_return_ms, set.listen_dtims), (2, 200, 1));
    assert_eq!(driver.ask(85, false, &[0; 4]), 2u32.to_le_bytes());
}
