//! The PC of a network: its field for playing every host, and a copy of it with all that it serves.

use std::path::Path;

use lan::{Lan, NetworkSetup};
use units::Picoseconds;

fn parse(text: &str) -> Result<NetworkSetup, String> {
    NetworkSetup::parse(Path::new("network.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn the_pc_answers_for_all_unless_told_otherwise() {
    let answers = |text: &str| parse(text).expect("a network").pc.expect("a PC").answers_for_all;
    assert!(answers(""));
    assert!(answers("[pc]\nanswers_for_all = true\n"));
    assert!(!answers("[pc]\nanswers_for_all = false\n"));
    let error = parse("[pc]\nanswers_for_all = \"sometimes\"\n").expect_err("no such value");
    assert!(error.contains("pc.answers_for_all") && error.contains("true or false"), "{error}");
}

#[test]
fn a_pc_with_all_its_services_and_no_connection_can_be_copied() {
    let mut lan = Lan::new(&NetworkSetup::default());
    lan.advance(Picoseconds::from_ns(10_000_000));
    assert_eq!(lan.with_pc(|pc| pc.snapshot_refusal()), Some(None));
    let copy = lan.snapshot().expect("a copy");
    assert_eq!(copy.now(), lan.now());
    assert_eq!(copy.next_event(), lan.next_event());
}
