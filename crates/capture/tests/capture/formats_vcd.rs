//! Value change dumps: literals after the rules of IEEE 1364-2005, and files written by sigrok-cli.

use crate::support::{SigrokCli, plain_changes, read, read_file, refusal};
use proptest::prelude::*;

const HEADER: &str = "$date today $end\n$version by hand $end\n$timescale 1 ns $end\n$scope module top $end\n\
                      $var wire 1 ! trigger $end\n$var reg 1 \" done $end\n$upscope $end\n$enddefinitions $end\n";

fn dump(body: &str) -> String {
    format!("{HEADER}{body}")
}

#[test]
fn value_changes_become_changes() {
    let capture = read(dump("#0 $dumpvars 0! 1\" $end\n#5\n1!\n#7 0! 0\"\n#9"), &[]).unwrap();
    assert_eq!(capture.labels(), ["trigger", "done"]);
    assert_eq!(capture.changes, [(0, 0b10), (5_000, 0b11), (7_000, 0)]);
    assert_eq!(capture.end_ps, 9_000);
}

#[test]
fn times_count_from_the_first_stamp_and_values_before_it_are_the_first_levels() {
    let capture = read(dump("$dumpvars 1! 0\" $end #1000 #1010 0! #1020"), &[]).unwrap();
    assert_eq!(capture.changes, [(0, 1), (10_000, 0)]);
    assert_eq!(capture.end_ps, 20_000);
}

#[test]
fn unknown_and_floating_values_keep_the_level() {
    let capture = read(dump("#0 x! z\" #1 1! #2 x! #3 z! #4 0! #5 Z\""), &[]).unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_000, 1), (4_000, 0)]);
}

#[test]
fn dumping_switched_off_and_on_keeps_the_level() {
    let capture =
        read(dump("#0 1! #4 $dumpoff x! x\" $end #8 $dumpon 1! 1\" $end #9 $dumpall 1! 1\" $end"), &[]);
    assert_eq!(capture.unwrap().changes, [(0, 1), (8_000, 0b11)]);
}

#[test]
fn of_several_values_at_one_time_the_last_counts() {
    let capture = read(dump("#0 0! #3 1! 0! #3 1! #4 0! 1!"), &[]).unwrap();
    assert_eq!(capture.changes, [(0, 0), (3_000, 1)]);
    assert_eq!(capture.end_ps, 4_000);
}

#[test]
fn every_time_scale_is_exact_and_cut_to_whole_picoseconds() {
    for (scale, stamp, ps) in [
        ("1 s", 3, 3_000_000_000_000),
        ("100ms", 3, 300_000_000_000),
        ("10 us", 3, 30_000_000),
        ("10\nns", 3, 30_000),
        ("100 ps", 3, 300),
        ("1 fs", 2_999, 2),
        ("100 fs", 29, 2),
        ("1 fs", 9_223_372_036_854_775_807_u64, 9_223_372_036_854_775),
    ] {
        let bytes = dump(&format!("#0 0! #{stamp} 1!")).replace("1 ns", scale);
        assert_eq!(read(bytes, &["trigger"]).unwrap().changes, [(0, 0), (ps, 1)], "{scale}");
    }
}

#[test]
fn each_bit_of_a_vector_is_a_channel() {
    let header = HEADER.replace("$var reg 1 \" done", "$var reg 3 aB data [2:0]");
    let body = "#0 0! b000 aB #1 b101 aB #2 b1 aB #3 bx aB #4 b1x0 aB #5 bz1 aB";
    let capture = read(header + body, &[]).unwrap();
    assert_eq!(capture.labels(), ["trigger", "data[0]", "data[1]", "data[2]"]);
    // `1` stands for 001, `x` for xxx, `z1` for zz1.
    assert_eq!(capture.changes, [(0, 0), (1_000, 0b1010), (2_000, 0b0010), (4_000, 0b1000), (5_000, 0b1010)]);
}

#[test]
fn vectors_count_their_bits_as_declared() {
    for (reference, labels) in [
        ("data [7:6]", ["data[6]", "data[7]"]),
        ("data[7:6]", ["data[6]", "data[7]"]),
        ("data [0:1]", ["data[1]", "data[0]"]),
        ("data", ["data[0]", "data[1]"]),
    ] {
        let header = HEADER.replace("$var reg 1 \" done", &format!("$var reg 2 \" {reference}"));
        assert_eq!(read(header + "#0 b01 \"", &[]).unwrap().labels()[1..], labels, "{reference}");
    }
}

#[test]
fn a_label_has_its_scope_only_where_the_name_alone_is_ambiguous() {
    let header = "$timescale 1us $end $scope module a $end $var wire 1 ! x $end $var wire 1 \" y $end $scope \
                  module b $end $var wire 1 # x $end $upscope $end $upscope $end $enddefinitions $end";
    let capture = read(format!("{header} #0 0! 0\" 1#"), &["a.b.x", "a.x", "y"]).unwrap();
    assert_eq!(capture.labels(), ["a.b.x", "a.x", "y"]);
    assert_eq!(capture.changes, [(0, 1)]);
}

#[test]
fn one_code_may_stand_for_several_variables_and_codes_may_be_long() {
    let header = HEADER.replace("$var reg 1 \" done", "$var wire 1 ! same $end $var wire 1 ~~long~~ done");
    let capture = read(header + "#0 0! 0~~long~~ #1 1! #2 1~~long~~", &[]).unwrap();
    assert_eq!(capture.changes, [(0, 0), (1_000, 0b011), (2_000, 0b111)]);
}

#[test]
fn variables_that_are_no_levels_are_passed_over() {
    let header = HEADER.replace(
        "$upscope",
        "$var real 64 # volts $end $var event 1 % e $end $var string 1 & s $end $upscope",
    );
    let capture =
        read(header + "#0 0! 0\" r3.5 # sHello & 1% $comment 1! $end #1 1! #2 r1e-9 #", &[]).unwrap();
    assert_eq!(capture.labels(), ["trigger", "done"]);
    assert_eq!(capture.changes, [(0, 0), (1_000, 1)]);
}

#[test]
fn more_than_64_wires_can_be_read_a_few_at_a_time() {
    let header = HEADER.replace("$upscope", "$var wire 100 # wide [99:0] $end $upscope");
    let body = format!("#0 b{} # #1 b1{} #", "0", "0".repeat(99));
    assert_eq!(read(header.clone() + &body, &["wide[99]"]).unwrap().changes, [(0, 0), (1_000, 1)]);
    let message = refusal(header + &body);
    assert!(message.contains("102 channels are more than the 64"), "{message}");
}

#[test]
fn mistakes_are_named_with_their_line() {
    for (bytes, expected) in [
        (dump("#5 0!\n#4 1!"), "capture:10: the time goes back from #5 to #4"),
        (dump("#0\n0!\n1?"), "capture:11: `1?` is no value change of a declared variable"),
        (dump("#0\nq!"), "capture:10: `q!` is no value change"),
        (dump("#0\nb102 !"), "capture:10: `!` is no value change"),
        (dump("#0\nb1"), "capture:10: the file ends within a value"),
        (dump("#-1"), "capture:9: a # must be followed by a whole number"),
        (dump("#99999999999999999999"), "a # must be followed by a whole number"),
        (dump("#0 #10000000000000000 1!").replace("1 ns", "1 us"), "beyond the 106 days"),
        (dump("0! 0\""), "the dump has no times"),
        (dump(""), "the dump has no times"),
        (HEADER.replace("$timescale 1 ns $end", ""), "no $timescale"),
        (HEADER.replace("1 ns", "2 ns"), "`2ns` is no timescale"),
        (HEADER.replace("$var", "$other"), "declares no wires"),
        (HEADER.replace("wire 1", "wire 0"), "between 1 and 65536 bits"),
        (HEADER.replace("wire 1", "wire 70000"), "between 1 and 65536 bits"),
        (
            HEADER.replacen("trigger", &format!("trigger $end $var wire {} # a", usize::MAX), 1),
            "between 1 and 65536 bits",
        ),
        (HEADER.replace("wire 1", "wire x"), "`x` is no width"),
        (HEADER.replace("wire 1 ! trigger", "wire"), "a $var needs"),
        (HEADER.replace("$enddefinitions $end", ""), "ends within its declarations"),
        (HEADER.replace("$enddefinitions $end", "#0 1!"), "`#0` stands where a declaration"),
        (
            HEADER.replace("trigger $end", "trigger"),
            "capture:6: `$var` stands within a declaration; its $end is missing",
        ),
        ("$comment and so on".to_owned(), "ends before an $end"),
        (
            "$timescale 1 ns $end $var port 1 <0 a $end $enddefinitions $end\n#0\npD 6 0 <0\n".to_owned(),
            "an extended dump of ports, as $dumpports writes it, which is not read; write one of wires by $dumpvars",
        ),
    ] {
        let message = refusal(bytes);
        assert!(message.starts_with("capture:") && message.contains(expected), "{message}");
    }
}

#[test]
fn a_word_without_an_end_is_refused_in_bounded_memory() {
    let message = refusal(dump(&"1".repeat(1 << 20)));
    assert!(message.contains("a word is longer than 262144 bytes"), "{message}");
}

#[test]
fn dumps_written_by_sigrok_have_the_edges_of_the_samples() {
    let Some(sigrok) = SigrokCli::find() else { return };
    let samples: Vec<u8> = (0..20_000_u32).map(|n| (n / 77 % 7 * 37 % 256) as u8).collect();
    let expected: Vec<u64> = samples.iter().copied().map(u64::from).collect();
    for rate_hz in [1_000, 10_000, 1_000_000, 100_000_000] {
        sigrok.session_of(&samples, 8, rate_hz);
        sigrok.run(&["-i", "x.sr", "-O", "vcd", "-o", "x.vcd"]);
        let capture = read_file(&sigrok.path("x.vcd")).unwrap();
        assert_eq!(capture.labels(), ["0", "1", "2", "3", "4", "5", "6", "7"]);
        assert_eq!((capture.changes, capture.end_ps), plain_changes(&expected, rate_hz), "{rate_hz}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn white_space_between_words_means_nothing(
        spaces in prop::collection::vec("[ \t\r\n]{1,9}", 1..8),
        long in 0_usize..3,
    ) {
        let body = "#0 0! b0 \" $comment c $end #5 1! #7 b1 \" #9 0!";
        let text = dump(body);
        let mut spaced = String::new();
        for (word, space) in text.split_whitespace().zip(spaces.iter().cycle()) {
            spaced += word;
            spaced += &space.repeat(1 + long * 20_000);
        }
        prop_assert_eq!(read(spaced, &[]).unwrap(), read(text, &[]).unwrap());
    }
}
