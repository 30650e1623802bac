//! What a user is told where no network takes the station: a driver hears a number of it at most.

use cyw43::{AccessPoint, Security};

use crate::driver::{Driver, HABITS, access_point, ms};

fn started(air: Vec<AccessPoint>) -> Driver {
    let mut driver = Driver::with(HABITS[0], air);
    driver.start();
    driver.hear_events();
    driver.chip.take_notes();
    driver
}

/// What is said of a station that wants to join "lab".
fn told(air: Vec<AccessPoint>, key: Option<&str>) -> Vec<String> {
    let mut driver = started(air);
    driver.join("lab", key);
    driver.events(ms(7_000));
    assert!(driver.chip.joined().is_none(), "it is turned away");
    driver.chip.take_notes().into_iter().map(|note| note.sentence).collect()
}

/// Of one network "lab".
fn told_of_lab(security: Security, passphrase: Option<&str>, key: Option<&str>) -> String {
    let told = told(vec![access_point(Some("lab"), security, passphrase)], key);
    let [one] = &told[..] else { panic!("one sentence, not {told:?}") };
    one.clone()
}

#[test]
fn a_network_that_is_not_there_is_told_with_those_that_are() {
    let mut other = access_point(Some("cafe"), Security::Open, None);
    other.bssid[5] = 2;
    let air = vec![access_point(Some("home"), Security::Wpa2, None), other.clone(), other];
    let [sentence] = &told(air, Some("correct horse"))[..] else { panic!("one sentence") };
    assert!(sentence.contains("no network \"lab\""), "{sentence}");
    assert!(sentence.ends_with("on the air is \"home\", \"cafe\""), "{sentence}");
    let mut gone = access_point(Some("lab"), Security::Wpa2, None);
    gone.gone_at = Some(ms(0));
    let [sentence] = &told(vec![gone], Some("correct horse"))[..] else { panic!("one sentence") };
    assert!(sentence.ends_with("nothing is on the air"), "{sentence}");
}

#[test]
fn a_network_that_asks_for_something_else_is_told_with_what_both_ask_for() {
    let open = told_of_lab(Security::Open, None, Some("correct horse"));
    assert!(open.contains("the network is open, and the image asks for WPA or WPA2"), "{open}");
    let secured = told_of_lab(Security::Wpa2, None, None);
    assert!(secured.contains("the network asks for WPA2, and the image brings no passphrase"), "{secured}");
    let newer = told_of_lab(Security::Wpa3, None, Some("correct horse"));
    assert!(newer.contains("the network asks for WPA3, and the image asks for WPA or WPA2"), "{newer}");
}

#[test]
fn another_passphrase_is_told_once_however_often_the_driver_tries() {
    let mut driver = started(vec![access_point(Some("lab"), Security::Wpa2, Some("correct horse"))]);
    for _ in 0..3 {
        driver.join("lab", Some("wrong horse"));
        driver.events(ms(7_000));
    }
    let told = driver.chip.take_notes();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].sentence.contains("the image's passphrase is another than the network's"));
    driver.join("lab", Some("wrong horse"));
    driver.events(ms(7_000));
    assert_eq!(driver.chip.take_notes(), []);
}

#[test]
fn a_scan_where_no_network_is_named_says_why_it_finds_none() {
    let scan = |air| {
        let mut driver = started(air);
        driver.set_variable("escan", &[1, 0, 0, 0, 1, 0, 0x34, 0x12]);
        driver.events(ms(1_000));
        driver.chip.take_notes()
    };
    let told = scan(vec![access_point(None, Security::Wpa2, None)]);
    assert!(told.iter().any(|note| note.sentence.contains("[access_points.NAME]")), "{told:?}");
    assert_eq!(scan(vec![access_point(Some("lab"), Security::Wpa2, None)]), []);
}

/// The variable `join`: name, how to look for it, and the access point that is meant.
fn join_by_address(driver: &mut Driver, name: &str, bssid: [u8; 6]) {
    let mut value = (name.len() as u32).to_le_bytes().to_vec();
    value.extend(name.as_bytes());
    value.resize(36, 0);
    value.extend([[0; 4], [0xff; 4], [0xff; 4], [0xff; 4], [0xff; 4]].concat());
    value.extend(bssid);
    value.resize(36 + 20 + 14, 0);
    driver.set_variable("join", &value);
}

#[test]
fn a_driver_may_mean_the_weaker_of_two_access_points_of_one_name() {
    let near = access_point(Some("lab"), Security::Open, None);
    let mut far = near.clone();
    (far.bssid[5], far.rssi_dbm) = (0x77, near.rssi_dbm - 20);
    let joined = |driver: &Driver| driver.chip.joined().map(|one| one.bssid);
    for meant in [near.bssid, far.bssid] {
        let mut driver = started(vec![near.clone(), far.clone()]);
        join_by_address(&mut driver, "lab", meant);
        driver.events(ms(4_000));
        assert_eq!(joined(&driver), Some(meant));
    }
    let mut driver = started(vec![near.clone(), far]);
    join_by_address(&mut driver, "lab", [0xff; 6]);
    driver.events(ms(4_000));
    assert_eq!(joined(&driver), Some(near.bssid), "the strongest, where any will do");
    join_by_address(&mut driver, "lab", [2, 4, 6, 8, 10, 12]);
    driver.events(ms(4_000));
    let told = driver.chip.take_notes();
    assert!(told.iter().any(|note| note.sentence.contains("02:04:06:08:0a:0c")), "{told:?}");
    assert_eq!(joined(&driver), None);
}
