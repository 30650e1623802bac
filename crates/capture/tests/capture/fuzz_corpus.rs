//! Replays the corpora of the fuzz targets on the stable compiler, and makes their seeds.

#[path = "../../../../fuzz/harness.rs"]
#[allow(unreachable_pub, missing_docs)]
mod harness;

use std::path::{Path, PathBuf};

use crate::support::gzip;

fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

#[test]
fn every_input_of_every_corpus_ends_in_a_capture_or_an_error_as_its_name_says() {
    for (name, target) in harness::TARGETS {
        let mut inputs: Vec<PathBuf> =
            corpora().join(name).read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        inputs.sort();
        assert!(inputs.len() > 1 && inputs.len() < 40, "{name} has {} inputs", inputs.len());
        for input in inputs {
            let bytes = std::fs::read(&input).unwrap();
            assert!(bytes.len() < 4096, "{} is too large for a seed", input.display());
            let file_name = input.file_name().unwrap().to_string_lossy().into_owned();
            match (file_name.split('-').next().unwrap(), target(&bytes)) {
                ("valid", Err(error)) => panic!("{}: {error}", input.display()),
                ("invalid", Ok(())) => panic!("{} is valid", input.display()),
                _ => {}
            }
        }
    }
}

/// Behind a byte that says that nothing precedes it.
fn whole(text: &str) -> Vec<u8> {
    [b"w", text.as_bytes()].concat()
}

/// Behind a byte that puts the harness's header before it.
fn behind(text: &str) -> Vec<u8> {
    [b"b", text.as_bytes()].concat()
}

/// Members as the harness cuts them.
fn members(own_first: bool, members: &[&[u8]]) -> Vec<u8> {
    let (last, cut) = members.split_last().unwrap();
    let mut bytes = vec![u8::from(own_first) | (cut.len() as u8) << 1];
    for member in cut {
        bytes.extend((member.len() as u16).to_le_bytes());
    }
    bytes.extend(cut.iter().copied().flatten());
    bytes.extend(*last);
    bytes
}

/// A digital channel of a Saleae session with one block.
fn channel(version: u32, trim: Option<u64>, runs: &[u8], samples: u64) -> Vec<u8> {
    let mut bytes = b"<SALEAE>".to_vec();
    bytes.extend([version, 100].into_iter().flat_map(u32::to_le_bytes));
    bytes.push(1);
    bytes.extend(100_000_000_f64.to_le_bytes());
    bytes.extend(1_699_408_477_572_u64.to_le_bytes());
    bytes.extend(0.25_f64.to_le_bytes());
    for _ in 0..2 {
        bytes.push(u8::from(trim.is_some()));
        bytes.extend(trim.into_iter().flat_map(u64::to_le_bytes));
    }
    let numbers = |numbers: &[u64]| numbers.iter().copied().flat_map(u64::to_le_bytes).collect::<Vec<u8>>();
    bytes.extend(numbers(&[1, 0, samples]));
    if version == 1 {
        bytes.extend(numbers(&[samples, 100_000_000, 1, runs.len() as u64]));
        bytes.extend(runs);
        bytes.extend(numbers(&[1, 0, 0]));
        bytes.extend(1_u32.to_le_bytes());
    } else {
        bytes.extend([1, 0]);
        bytes.extend(numbers(&[runs.len() as u64]));
        bytes.extend(runs);
    }
    bytes
}

const DUMP: &str = "$timescale 1 us $end $var wire 1 ! D0 $end $enddefinitions $end #0 0! #3 1! #5";
const METADATA: &[u8] =
    b"[global]\nsigrok version=0.5.2\n\n[device 1]\ncapturefile=logic-1\ntotal probes=2\n\
                          samplerate=1 MHz\ntotal analog=0\nprobe1=TX\nprobe2=RX\nunitsize=1\n";

fn text_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let date = |rest: &str| format!("2023-11-26T14:27:44.{rest}");
    let dates = format!(
        "Time [s],trigger,done\r\n{},0,1\r\n{},1,1\r\n{},1,1\r\n",
        date("268296000+00:00"),
        date("323342780+00:00"),
        date("999999999+00:00")
    );
    vec![
        ("logic2_csv", "valid-dates", whole(&dates)),
        ("logic2_csv", "valid-seconds", behind("0.000000000,0,1\n1.5,1,1\n1.500000000001,0,0\n3,0,0\n")),
        ("logic2_csv", "valid-quoted", whole("Time [s],\"a,\"\"b\"\"\"\n0.5,0\n1.25,1\n")),
        ("logic2_csv", "invalid-backwards", behind("1.0,0,1\n0.5,1,1\n")),
        ("logic2_csv", "invalid-header-only", behind("")),
        ("vcd", "valid-whole", whole(DUMP)),
        ("vcd", "valid-changes", behind("0! b101 %% #5 1! bx1 %% $comment 0! $end #5 0! z! #17")),
        (
            "vcd",
            "valid-dumps",
            behind("$dumpvars 1! b0 %% $end #3 $dumpoff x! bx %% $end #9 $dumpon 0! $end"),
        ),
        (
            "vcd",
            "valid-scopes",
            whole(
                "$date d $end $version v $end $timescale 10 ps $end $scope module a $end $var reg 1 ! x $end \
                 $scope task b $end $var wire 2 !! x[1:0] $end $var real 64 r r $end $upscope $end $upscope $end \
                 $enddefinitions $end #1 1! b1 !! r2.5 r #2 0! b10 !!",
            ),
        ),
        ("vcd", "invalid-backwards", behind("#5 1! #4 0!")),
        ("vcd", "invalid-no-times", whole("$timescale 1 us $end $var wire 1 ! D0 $end $enddefinitions $end")),
        ("pulseview_csv", "valid-samples", behind("logic,logic\n0,0\n0,1\n0,1\n1,1\n")),
        ("pulseview_csv", "valid-times", behind("nanoseconds,logic,logic\n41,0,0\n164,1,0\n410,1,0\n")),
        ("pulseview_csv", "valid-cut-times", behind("nanoseconds,logic,logic\n0,0,0\n125,1,0\n166,1,1\n")),
        ("pulseview_csv", "valid-names", behind("Time,D0,D1,Trigger\n41,0,0,0\n82,0,1,1\n")),
        (
            "pulseview_csv",
            "valid-no-comments",
            whole("microseconds\tlogic\tV\tlogic\n0\t0\t0.5\t1\n9\t1\t1e3\t1\n"),
        ),
        ("pulseview_csv", "invalid-cut-period", whole("microseconds,logic\n22,0\n88,1\n")),
        (
            "pulseview_csv",
            "valid-dsview",
            whole("; libsigrok4DSL\n; Sample rate: 1 MHz\nTime(s), 0\n0,0\n0.5,1\n"),
        ),
        ("pulseview_csv", "invalid-backwards", behind("nanoseconds,logic,logic\n41,0,0\n410,1,0\n164,1,0\n")),
        ("pulseview_csv", "invalid-header-only", behind("nanoseconds,logic,logic\n")),
    ]
}

fn archive_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let meta = br#"{"version":15,"data":{"rowsSettings":[{"name":"trigger","channel":
        {"type":"Digital","deviceChannel":0}}]},"binData":[{"type":"Digital","file":"./digital-0.bin"}]}"#;
    // Runs of 6, 65 and 8193 samples, and of 1.
    let (runs, samples) = (&[5, 0x40, 0x40, 0x40, 0xc0, 0x00, 0x00][..], 6 + 65 + 8_193 + 1);
    let (first, second) =
        (channel(1, None, runs, samples), channel(2, None, &[0x41, 0xc0, 0x48], samples + 16_384));
    let trimmed = channel(3, Some(4), runs, samples);
    let cut = &first[..first.len() - 9];
    vec![
        ("sal", "valid-version-1", members(false, &[&first])),
        ("sal", "valid-version-3-trimmed", members(true, &[meta, &trimmed])),
        ("sal", "valid-two-channels", members(true, &[meta, &first, &channel(2, None, runs, samples)])),
        ("sal", "invalid-ends-differ", members(false, &[&first, &second])),
        ("sal", "invalid-cut-off", members(false, &[cut])),
        ("sigrok", "valid-two-bytes", members(false, &[&[0, 0, 1, 0, 1, 1], &[1, 1, 0, 0]])),
        ("sigrok", "valid-metadata", members(true, &[METADATA, &[0, 1, 1, 3, 2, 2, 2]])),
        ("sigrok", "valid-long-run", members(true, &[METADATA, &[0; 500], &[1; 500], &[3; 300]])),
        ("sigrok", "invalid-half-a-sample", members(false, &[&[0, 0, 1]])),
        (
            "sigrok",
            "invalid-no-rate",
            members(true, &[b"[device 1]\ncapturefile=logic-1\nprobe1=D0\n", &[0, 1]]),
        ),
    ]
}

fn compressed_seeds() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let xz = |bytes: &[u8]| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    let session = crate::support::zip(
        &[("version", b"2"), ("metadata", METADATA), ("logic-1-1", b"\0\x01\x03\x03")],
        true,
    );
    let (head, tail) = DUMP.as_bytes().split_at(30);
    vec![
        ("compressed", "valid-plain", DUMP.as_bytes().to_vec()),
        ("compressed", "valid-gzip", gzip(DUMP.as_bytes())),
        ("compressed", "valid-two-members", [gzip(head), gzip(tail)].concat()),
        ("compressed", "valid-xz", xz(DUMP.as_bytes())),
        ("compressed", "valid-zstd", zstd(DUMP.as_bytes())),
        ("compressed", "valid-zip", session.clone()),
        ("compressed", "valid-zip-in-zstd", zstd(&session)),
        ("compressed", "invalid-twice", gzip(&gzip(DUMP.as_bytes()))),
        ("compressed", "invalid-cut-off", gzip(DUMP.as_bytes())[..40].to_vec()),
        ("compressed", "invalid-saleae-binary", b"<SALEAE>\0\0\0\0".to_vec()),
        ("compressed", "invalid-utf-16", b"\xff\xfeT\0i\0m\0".to_vec()),
    ]
}

#[test]
#[ignore = "writes the seeds to fuzz/corpus; run it after a change of what they should be"]
fn write_the_seeds() {
    for (target, name, bytes) in [text_seeds(), archive_seeds(), compressed_seeds()].concat() {
        let folder = corpora().join(target);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), bytes).unwrap();
    }
}
