//! Levels, times, labels and selections of channels.

use super::*;

#[test]
fn the_first_row_gives_the_levels_at_the_start_and_the_last_one_the_end() {
    let capture = read(
        "Time [s],Channel 0,Channel 1\n\
         2023-11-08T01:54:37.572612000+00:00,0,1\n\
         2023-11-08T01:54:37.572612500+00:00,1,1\n\
         2023-11-08T01:54:37.572612500+00:00,1,1\n\
         2023-11-08T01:54:38.000000000+00:00,1,0\n\
         2023-11-08T01:54:40.000000001+00:00,1,0\n",
    )
    .unwrap();
    assert_eq!(capture.changes, [(0, 0b10), (500_000, 0b11), (427_388_000_000, 0b01)]);
    assert_eq!(capture.end_ps, 2_427_388_001_000);
    assert_eq!(capture.info.start.as_deref(), Some("2023-11-08T01:54:37.572612000Z"));
    assert_eq!(capture.info.format, "Saleae Logic 2 CSV");
    assert_eq!(capture.info.sample_rate, None);
}

#[test]
fn relative_times_have_no_start_and_count_from_the_first_row() {
    let capture =
        read("Time [s],Channel 0,Channel 1\n-0.001234560,0,0\n0.000000000,1,0\n0.000000010,1,1").unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_234_560_000, 1), (1_234_570_000, 3)]);
    assert_eq!((capture.info.start, capture.end_ps), (None, 1_234_570_000));
}

#[test]
fn dates_roll_over_days_months_leap_days_and_years() {
    for (before, after, apart_s) in [
        ("2023-11-08T23:59:59Z", "2023-11-09T00:00:00Z", 1),
        ("2023-02-28T23:59:00Z", "2023-03-01T00:00:00Z", 60),
        ("2024-02-28T23:59:00Z", "2024-02-29T00:00:00Z", 60),
        ("2023-12-31T23:59:59.0Z", "2024-01-01T00:00:59.0Z", 60),
        ("1999-12-31T00:00:00Z", "2000-03-01T00:00:00Z", 61 * 86_400),
        ("2023-11-08T01:00:00+02:00", "2023-11-07T23:00:01Z", 1),
        ("2023-11-07T20:30:00-02:30", "2023-11-08T04:30:07+05:30", 7),
    ] {
        assert_eq!(toggles_at(&[before, after]), [0, apart_s * 1_000_000_000_000], "{before} {after}");
    }
}

#[test]
fn the_start_is_given_in_utc() {
    let capture = read("Time [s],Channel 0\n2024-01-01T00:30:00.25+01:00,0\n").unwrap();
    assert_eq!(capture.info.start.as_deref(), Some("2023-12-31T23:30:00.250000000Z"));
}

#[test]
fn up_to_twelve_digits_of_a_second_are_kept_and_the_rest_is_cut() {
    assert_eq!(
        toggles_at(&["0", "0.5", "1.000000000001", "1.0000000000029999"]),
        [0, 500_000_000_000, 1_000_000_000_001, 1_000_000_000_002]
    );
    assert_eq!(toggles_at(&["-0.0000000000029", "-0.000000000001", "0.0"]), [0, 1, 2]);
    let dates =
        ["2023-11-08T01:54:37.1Z", "2023-11-08T01:54:37.123456789012Z", "2023-11-08T01:54:37.1234567890139Z"];
    assert_eq!(toggles_at(&dates), [0, 23_456_789_012, 23_456_789_013]);
}

#[test]
fn exponents_are_read_exactly() {
    let times = ["0E0", "1.5e-05", "1.5e-5", "2.000000000001E-05", "123456789e-9", "0.00012345e+4", "12e0"];
    assert_eq!(
        toggles_at(&times),
        [0, 15_000_000, 15_000_000, 20_000_000, 123_456_789_000, 1_234_500_000_000, 12_000_000_000_000]
    );
    assert_eq!(
        toggles_at(&["-1e-3", "-1e-99", "1e-99", "0e99"]),
        [0, 1_000_000_000, 1_000_000_000, 1_000_000_000]
    );
}

#[test]
fn labels_may_be_quoted_and_give_the_channel_numbers_that_they_name() {
    let text = "\u{feff}\"Time [s]\",Channel 7,\"MOSI, \"\"A\"\"\nline 2\",\"\",Channel x\r\n0.0,0,1,0,1\r\n1.0,1,1,1,0\r\n";
    let capture = read(text).unwrap();
    let channels: Vec<(u32, &str)> =
        capture.info.channels.iter().map(|c| (c.index, c.label.as_str())).collect();
    assert_eq!(channels, [(7, "Channel 7"), (1, "MOSI, \"A\"\nline 2"), (2, ""), (3, "Channel x")]);
    assert_eq!(capture.changes, [(0, 0b1010), (1_000_000_000_000, 0b0111)]);
}

#[test]
fn selected_channels_become_bits_in_the_order_of_the_selection_and_others_change_nothing() {
    let text = "Time [s],Channel 0,Channel 1,done\n\
                0.000,0,1,0\n0.001,1,1,0\n0.002,1,0,0\n0.003,1,0,1\n0.004,0,0,1\n0.005,0,0,1\n";
    let ms = 1_000_000_000;
    let done_then_0 = read_selected(text, &["done", "0"]).unwrap();
    assert_eq!(done_then_0.changes, [(0, 0), (ms, 0b10), (3 * ms, 0b11), (4 * ms, 0b01)]);
    assert_eq!(done_then_0.info.channels[0], Channel { index: 2, label: "done".to_owned() });
    assert_eq!(done_then_0.end_ps, 5 * ms);
    assert_eq!(read_selected(text, &["Channel 1"]).unwrap().changes, [(0, 1), (2 * ms, 0)]);
    assert_eq!(
        read_selected(text, &["3"]).unwrap_err(),
        "capture.csv: there is no channel 3; it has 0 (Channel 0), 1 (Channel 1), 2 (done). Name one of them"
    );
}

#[test]
fn sixty_four_channels_are_read_and_sixty_five_are_refused() {
    let labels = |count: usize| (0..count).map(|n| format!(",Channel {n}")).collect::<String>();
    let levels = |bits: u64| (0..64).map(|n| format!(",{}", bits >> n & 1)).collect::<String>();
    let rows = [0x8000_0000_0000_0001, 0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xaaaa_5555_aaaa_5555];
    let mut text = format!("Time [s]{}\n", labels(64));
    (0..).zip(rows).for_each(|(row, bits)| text += &format!("0.00{row}{}\n", levels(bits)));
    let read_back: Vec<u64> = changes(&text).into_iter().map(|(_, levels)| levels).collect();
    assert_eq!(read_back, rows);
    let refused = read(&format!("Time [s]{}\n0.0", labels(65))).unwrap_err();
    assert_eq!(refused, "capture.csv:1: the header names 65 channels; export between 1 and 64");
}
