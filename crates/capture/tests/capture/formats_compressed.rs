//! Compressed captures: each compression around text and around archives, whole, in several parts, cut off and
//! damaged.

use std::io::Write;

use capture::OpenOptions;

use crate::support::{drain, gzip, read, read_file, refusal, zip};

const DUMP: &str = "$timescale 1 us $end $var wire 1 ! D0 $end $enddefinitions $end #0 0! #3 1! #5";

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

type Packer = fn(&[u8]) -> Vec<u8>;
const PACKERS: [(&str, Packer); 3] = [("gzip", gzip), ("xz", xz), ("zstd", zstd)];

fn session() -> Vec<u8> {
    let metadata = b"[device 1]\ncapturefile=logic-1\nsamplerate=1 MHz\nprobe1=D0\nunitsize=1\n";
    zip(&[("version", b"2"), ("metadata", metadata), ("logic-1-1", b"\0\0\0\x01\x01")], true)
}

#[test]
fn a_compressed_text_reads_as_the_text() {
    for (name, pack) in PACKERS {
        assert_eq!(read(pack(DUMP.as_bytes()), &[]).unwrap(), read(DUMP, &[]).unwrap(), "{name}");
    }
}

#[test]
fn a_compressed_archive_reads_as_the_archive() {
    for (name, pack) in PACKERS {
        assert_eq!(read(pack(&session()), &[]).unwrap(), read(session(), &[]).unwrap(), "{name}");
    }
}

#[test]
fn a_compressed_archive_in_a_file_reads_as_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let (packed, plain) = (folder.path().join("no-ending"), folder.path().join("plain.txt"));
    std::fs::write(&packed, zstd(&session())).unwrap();
    std::fs::write(&plain, session()).unwrap();
    assert_eq!(read_file(&packed).unwrap(), read_file(&plain).unwrap());
}

#[test]
fn several_members_streams_or_frames_are_read_as_one() {
    let (first, second) = DUMP.as_bytes().split_at(40);
    for (name, pack) in PACKERS {
        let joined = [pack(first), pack(second)].concat();
        assert_eq!(read(joined, &[]).unwrap(), read(DUMP, &[]).unwrap(), "{name}");
    }
}

#[test]
fn what_follows_behind_the_end_is_told_as_that_and_counted() {
    for (name, pack) in PACKERS {
        for (behind, said) in [
            (&b"?"[..], "1 byte follows"),
            (b"four", "4 bytes follow"),
            (&[b'x'; 300_000], "300000 bytes follow"),
            (b"\0\0\0\0?", "5 bytes follow"),
        ] {
            let message = refusal([&pack(DUMP.as_bytes()), behind].concat());
            let expected = format!(
                "capture: {said} behind the end of the {name} data; cut off what is behind it, or copy the file again"
            );
            assert_eq!(message, expected);
        }
    }
}

#[test]
fn padding_is_passed_over_as_the_programs_of_each_compression_do_it() {
    let padded = |pack: Packer, zeros: usize| [pack(DUMP.as_bytes()), vec![0; zeros]].concat();
    let expected = read(DUMP, &[]).unwrap();
    for zeros in [1, 7, 512, 300_000] {
        assert_eq!(read(padded(gzip, zeros), &[]).unwrap(), expected, "{zeros}");
    }
    for zeros in [4, 512, 300_000] {
        assert_eq!(read(padded(xz, zeros), &[]).unwrap(), expected, "{zeros}");
    }
    let two = [xz(&DUMP.as_bytes()[..40]), vec![0; 8], xz(&DUMP.as_bytes()[40..])].concat();
    assert_eq!(read(two, &[]).unwrap(), expected);
    for (packed, count) in [(padded(xz, 3), 3), (padded(zstd, 4), 4)] {
        let message = refusal(packed);
        assert!(message.starts_with(&format!("capture: {count} bytes follow behind the end")), "{message}");
    }
    let behind_zeros = [padded(gzip, 2), gzip(b"")].concat();
    assert!(refusal(behind_zeros).contains("bytes follow behind the end of the gzip data"));
}

#[test]
fn parts_that_come_byte_by_byte_are_told_from_what_follows() {
    struct Bytes(std::io::Cursor<Vec<u8>>);
    impl std::io::Read for Bytes {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }
    let (first, second) = DUMP.as_bytes().split_at(40);
    for (name, pack) in PACKERS {
        let joined = [pack(first), pack(second)].concat();
        let stream = Box::new(Bytes(std::io::Cursor::new(joined)));
        let source = capture::open_stream(std::path::Path::new("capture"), stream, &OpenOptions::default());
        assert_eq!(drain(source.unwrap()).unwrap(), read(DUMP, &[]).unwrap(), "{name}");
    }
}

#[test]
fn data_that_is_cut_off_anywhere_is_refused_and_says_so() {
    for (name, pack) in PACKERS {
        let packed = pack(DUMP.as_bytes());
        for length in 6..packed.len() {
            let message = refusal(&packed[..length]);
            let expected = format!("capture: the {name} data ends early; copy the file again");
            assert_eq!(message, expected, "{length} of {} bytes", packed.len());
        }
    }
}

#[test]
fn data_with_a_flipped_bit_is_refused_or_reads_the_same() {
    let expected = read(DUMP, &[]).unwrap();
    for (name, pack) in PACKERS {
        let packed = pack(DUMP.as_bytes());
        for at in 0..packed.len() * 8 {
            let mut damaged = packed.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            match read(damaged, &[]) {
                // A bit of the file's name or date, or zstd's without a checksum.
                Ok(capture) => assert!(capture == expected || name == "zstd", "{name} bit {at}"),
                Err(error) => assert!(error.to_string().starts_with("capture"), "{error}"),
            }
        }
    }
}

#[test]
fn compression_within_compression_is_refused() {
    let message = refusal(gzip(&zstd(DUMP.as_bytes())));
    assert_eq!(message, "capture: it is compressed twice, by zstd within gzip; decompress it once");
}

#[test]
fn nothing_within_compression_is_refused() {
    for (name, pack) in PACKERS {
        let expected = format!("capture: the {name} data holds nothing; export or copy it again");
        assert_eq!(refusal(pack(b"")), expected);
    }
}

#[test]
fn a_frame_that_needs_a_huge_window_is_refused() {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(30).unwrap();
    encoder.include_contentsize(false).unwrap();
    encoder.write_all(DUMP.as_bytes()).unwrap();
    let message = refusal(encoder.finish().unwrap());
    assert!(message.starts_with("capture: the zstd data needs more memory"), "{message}");
}
