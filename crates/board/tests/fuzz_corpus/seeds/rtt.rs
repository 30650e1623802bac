//! Seeds of what a debug probe reads: small ELF files that loop in RAM, with texts of defmt, and what is put beside them.

use super::Seeds;

const RAM: u32 = 0x2000_0000;
/// Where the seeds have a control block, its buffer and a name, as offsets into RAM.
const BLOCK: u32 = 0x4000;
const BUFFER: u32 = 0x4100;
const NAME: u32 = 0x4080;
const BUFFER_BYTES: u32 = 64;
const ELF_HEADER_BYTES: usize = 52;
const SECTION_BYTES: usize = 40;

pub(super) fn seeds() -> Seeds {
    let texts = [
        ("defmt_timestamp", "{=u32:us}"),
        ("defmt_info", "answer {=u8} of {=str}"),
        ("defmt_error", "state {=?} after {=[u8]:x}"),
        ("defmt_prim", "None|Some({=u16})"),
        ("defmt_println", "no level"),
    ];
    let logging = |encoding| elf(&texts, "4", encoding);
    let print = [texts_in(b"hello\n", b"Terminal"), pause()].concat();
    let frames =
        [&[2, 0, 7, 0, 0, 0, 42, 1, 0, 0, 0, b'a'][..], &[3, 0, 9, 0, 0, 0, 4, 0, 1, 1, 2, 2, 0, 0, 0, 8, 9]];
    let raw = [texts_in(&frames.concat(), b"defmt"), pause()].concat();
    let cobs: Vec<u8> = frames.iter().flat_map(|frame| [encoded(frame), vec![0]].concat()).collect();
    let framed = [texts_in(&cobs, b"defmt"), pause(), moved(3), pause()].concat();
    let beyond = [block(u32::MAX, 5, 1), pause()].concat();
    let with = |elf: Vec<u8>, rest: Vec<u8>| [(elf.len() as u16).to_be_bytes().to_vec(), elf, rest].concat();
    vec![
        ("valid-text", with(logging("rzcobs"), print)),
        ("valid-frames-raw", with(logging("raw"), raw)),
        ("valid-frames-rzcobs", with(logging("rzcobs"), framed.clone())),
        ("valid-version-that-nobody-knows", with(elf(&texts, "99", "rzcobs"), framed)),
        ("valid-buffer-beyond-ram", with(logging("rzcobs"), beyond)),
        ("valid-no-control-block", with(elf(&[], "4", "raw"), Vec::new())),
        ("invalid-no-elf", with(b"\x7fELF".to_vec(), pause())),
    ]
}

fn pause() -> Vec<u8> {
    vec![7]
}

/// Bytes that are written at an offset into RAM.
fn at(offset: u32, bytes: &[u8]) -> Vec<u8> {
    bytes.chunks(128).zip(0..).fold(Vec::new(), |mut all, (part, n)| {
        let padded = [part, &[0; 8][..8usize.saturating_sub(part.len())]].concat();
        all.push(padded.len() as u8);
        all.extend(((offset / 4 + 32 * n) as u16).to_be_bytes());
        all.extend(padded);
        all
    })
}

/// A control block with one buffer.
fn block(start: u32, write: u32, read: u32) -> Vec<u8> {
    let words = [1, 0, RAM + NAME, start, BUFFER_BYTES, write, read, 0];
    let bytes = [b"SEGGER RTT\0\0\0\0\0\0".to_vec(), words.map(u32::to_le_bytes).concat()].concat();
    at(BLOCK, &bytes)
}

/// A channel of this name in which these bytes wait.
fn texts_in(bytes: &[u8], name: &[u8]) -> Vec<u8> {
    let block = block(RAM + BUFFER, bytes.len() as u32, 0);
    [at(BUFFER, bytes), at(NAME, &[name, &[0]].concat()), block].concat()
}

/// The image writes on, up to another place in its buffer.
fn moved(write: u32) -> Vec<u8> {
    at(BLOCK + 36, &[write.to_le_bytes(), 0u32.to_le_bytes()].concat())
}

/// A frame in reverse zero-compressing COBS (knurling-rs's book, "Encoding"): here of groups of seven bytes, each behind which a byte says
/// which of them are zeros.
fn encoded(frame: &[u8]) -> Vec<u8> {
    let groups = frame.chunks(7).map(|group| {
        let zeros = group.iter().enumerate().map(|(n, byte)| u8::from(*byte == 0) << n).sum::<u8>();
        let missing = 0x7f_u8.checked_shl(group.len() as u32).unwrap_or(0) & 0x7f;
        let rest: Vec<u8> = group.iter().copied().filter(|byte| *byte != 0).collect();
        [rest, vec![zeros | missing]].concat()
    });
    groups.collect::<Vec<_>>().concat()
}

/// An ELF file whose only code is a branch to itself in RAM, and whose section `.defmt` has a symbol for each text.
fn elf(texts: &[(&str, &str)], version: &str, encoding: &str) -> Vec<u8> {
    let code = [RAM + 0x2000, RAM + 9, 0xe7fe].map(u32::to_le_bytes).concat();
    let mut names = vec![0];
    let mut symbols = vec![0; 16];
    let mut add = |name: &str, value: u32, section: u16| {
        let words = [names.len() as u32, value, 1].map(u32::to_le_bytes).concat();
        symbols.extend([&words[..], &[0x11, 0], &section.to_le_bytes()].concat());
        names.extend([name.as_bytes(), &[0]].concat());
    };
    for (number, (tag, text)) in (1..).zip(texts) {
        let name = format!(
            r#"{{"package":"p","tag":"{tag}","data":"{text}","disambiguator":"{number}","crate_name":"p"}}"#
        );
        add(&name, number, 2);
    }
    add(&format!("_defmt_version_ = {version}"), 1, 0xfff1);
    add(&format!("_defmt_encoding_ = {encoding}"), 1, 0xfff1);
    file_of(&code, &[0; 8], &symbols, &names)
}

/// Sections: none, code, `.defmt`, symbols, their names, and names of sections.
fn file_of(code: &[u8], defmt: &[u8], symbols: &[u8], names: &[u8]) -> Vec<u8> {
    let section_names = b"\0.text\0.defmt\0.symtab\0.strtab\0.shstrtab\0";
    let contents = [code, defmt, symbols, names, section_names];
    let (mut offset, mut offsets) = (ELF_HEADER_BYTES + 32, [0; 5]);
    for (place, content) in offsets.iter_mut().zip(contents) {
        *place = offset;
        offset = (offset + content.len()).next_multiple_of(4);
    }
    let half = |value: u16| value.to_le_bytes().to_vec();
    let word = |value: u32| value.to_le_bytes().to_vec();
    let ident = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    let header = [
        [ident, half(2), half(40), word(1), word(RAM + 9)].concat(),
        [word(ELF_HEADER_BYTES as u32), word(offset as u32), word(0x0500_0000)].concat(),
        [half(ELF_HEADER_BYTES as u16), half(32), half(1), half(SECTION_BYTES as u16), half(6), half(5)]
            .concat(),
        [word(1), word(offsets[0] as u32), word(RAM), word(RAM)].concat(),
        [word(code.len() as u32), word(code.len() as u32), word(5), word(4)].concat(),
    ]
    .concat();
    let mut file = header;
    for (content, offset) in contents.iter().zip(offsets) {
        file.resize(offset, 0);
        file.extend_from_slice(content);
    }
    file.resize(offset, 0);
    let section = |n: usize, name: u32, kind: u32, flags: u32, address: u32, links: [u32; 4]| {
        let place = [offsets[n] as u32, contents[n].len() as u32];
        [[name, kind, flags, address], [place[0], place[1], links[0], links[1]]]
            .concat()
            .into_iter()
            .chain([links[2], links[3]])
    };
    let sections = std::iter::repeat_n(0, SECTION_BYTES / 4)
        .chain(section(0, 1, 1, 6, RAM, [0, 0, 4, 0]))
        .chain(section(1, 7, 1, 0, 0, [0, 0, 1, 0]))
        .chain(section(2, 14, 2, 0, 0, [4, 1, 4, 16]))
        .chain(section(3, 22, 3, 0, 0, [0, 0, 1, 0]))
        .chain(section(4, 30, 3, 0, 0, [0, 0, 1, 0]));
    file.extend(sections.flat_map(u32::to_le_bytes));
    file
}
