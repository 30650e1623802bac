//! The archive and what it says of its channels.

use super::*;

#[test]
fn labels_come_from_every_known_layout_of_the_metadata() {
    let newest = r#"{"version":20,"data":{"measurements":[{"name":"width","channel":{"type":"Digital","deviceChannel":3}}],
        "rowsSettings":[{"name":"CLK","channel":{"category":"legacy","type":"Digital","deviceChannel":3}},
        {"name":"volts","channel":{"type":"Analog","deviceChannel":4}}]}}"#;
    let oldest = r#"{"version":5,"session":{"channelSettings":[{"index":3,"type":"Analog","name":"volts"},
        {"index":3,"type":"Digital","name":"CLK"},{"index":4,"type":"Digital","name":""}],
        "connectedDevice":{"channelCapabilities":[{"type":"Digital","index":4,"capability":"Toggleable"}]}}}"#;
    let other = r#"[{"channel":{"type":"Digital","channelIndex":3},"label":"CLK"}]"#;
    for json in [newest, oldest, other] {
        let labels = meta::parse(json.as_bytes()).unwrap().labels;
        assert_eq!(labels.into_iter().collect::<Vec<_>>(), [(3, "CLK".to_owned())], "{json}");
    }
}

#[test]
fn channels_are_the_members_and_lack_a_label_only_in_the_metadata() {
    let channel = member(2, vec![block(0, 0, &[1, 9])]).bytes();
    let members = [
        ("digital-10.bin", channel.clone()),
        ("digital-9.bin", channel.clone()),
        ("digital-01.bin", channel.clone()),
        ("digital-x.bin", channel.clone()),
        ("analog-0.bin", channel),
        ("meta.json", b"{}".to_vec()),
    ];
    let capture = read_zip(zipped(&members, CompressionMethod::Stored), &[]).1.unwrap();
    let channels: Vec<(u32, &str)> =
        capture.info.channels.iter().map(|c| (c.index, c.label.as_str())).collect();
    assert_eq!(channels, [(9, "Channel 9"), (10, "Channel 10")]);
    assert_eq!(capture.changes, [(0, 0), (PS_A_SAMPLE, 0b11)]);
}

#[test]
fn an_archive_is_told_by_its_members() {
    let told = |names: &[&str]| is_member(&mut names.iter().copied());
    assert!(told(&["analog-0.bin", "digital-7.bin", "meta.json"]));
    assert!(!told(&["digital-7.bin"]));
    assert!(!told(&["meta.json", "analog-7.bin", "digital-.bin", "digital-1.bin.txt"]));
    assert!(!told(&["version", "metadata", "logic-1-1"]));
}
