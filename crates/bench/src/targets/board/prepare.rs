//! Everything that a row needs from files: its firmware with its settings, its board, its network. All rows are prepared
//! before the first one runs, so that a mistake in the last one costs no time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use mcu::image::Image;
use serde::Serialize;
use sha2::{Digest, Sha256};
use units::Picoseconds;

use super::images::{Found, ImagePlaces};
use super::{lines, peers};
use crate::suite::{
    BoardSetup, Bounded, LinePin, LineSetup, Measurement, NetworkSource, PinTrigger, Row, Suite, SuiteError,
};
use board::{
    BoardFile, LineEnd, SerialLine, find_board, image_settings, read_image_file, with_settings, with_symbols,
};
use fields::{Misplaced, told};
use lan::NetworkSetup;

/// The image of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Firmware {
    /// The file's name, as the suite has it.
    pub name: String,
    /// SHA-256 of the file, before any setting is changed.
    pub sha256: String,
    /// What it takes of the chip's memories.
    pub sizes: ImageSizes,
}

/// What an image takes of memories, where its file says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ImageSizes {
    /// From the beginning of the flash to its last byte.
    pub flash_bytes: Option<u32>,
    /// Its sections in RAM, with the stack that the linker reserves; nothing where the file is no ELF.
    pub ram_bytes: Option<u32>,
}

/// A board with its image.
#[derive(Debug, Clone)]
pub struct ReadyBoard {
    /// The board.
    pub board: BoardFile,
    /// The image with its settings.
    pub image: Image,
    /// Which image that is.
    pub firmware: Firmware,
    /// All settings of the image as they are in force.
    pub settings: BTreeMap<String, String>,
}

/// The pins of a row whose messages are edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyTrigger {
    /// The GPIO of the board.
    pub pin: u8,
    /// The GPIO of the peer.
    pub done: u8,
    /// The shortest time between two edges.
    pub period: Picoseconds,
    /// What is added to it at most.
    pub by: Picoseconds,
    /// The first edge.
    pub from: Picoseconds,
    /// What a message carries, where the image has a setting for that.
    pub payload_bytes: Option<u64>,
}

/// The boards of a row, with all that came from files.
#[derive(Debug, Clone)]
pub struct ReadyBoards {
    /// What was asked of them.
    pub setup: BoardSetup,
    /// What is taken from them.
    pub measurement: Measurement,
    /// The board that is measured.
    pub dut: ReadyBoard,
    /// The board in the place of the PC.
    pub peer: Option<ReadyBoard>,
    /// The serial lines to it; where there are none, a wire between chips with Ethernet.
    pub lines: Vec<SerialLine>,
    /// Edges that are messages to it.
    pub trigger: Option<ReadyTrigger>,
    /// The network with all traffic.
    pub network: NetworkSetup,
    /// The client or server whose messages are taken, where it is known beforehand.
    pub of: Option<String>,
}

/// A board as a suite asks for it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    board: &'a str,
    firmware: &'a str,
    symbols: Option<&'a str>,
    settings: &'a BTreeMap<String, String>,
}

/// A field of an entry, and what is wrong with it.
pub(super) type Wrong = (&'static str, String);

/// Where files are looked for, and the images that were found.
#[derive(Debug)]
pub struct Places {
    /// The suite's folder.
    folder: PathBuf,
    firmware: ImagePlaces,
    /// Each is read once, so that all rows run what its digest says.
    images: BTreeMap<PathBuf, PlainImage>,
}

/// An image as its file has it.
#[derive(Debug)]
struct PlainImage {
    image: Image,
    /// SHA-256 of the file.
    sha256: String,
}

impl Places {
    /// Those of a suite.
    pub fn new(suite: &Suite, firmware: &ImagePlaces) -> Self {
        let folder = suite.path.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Self { folder, firmware: firmware.clone(), images: BTreeMap::new() }
    }

    /// The boards of a row.
    ///
    /// # Errors
    /// When an image, a board or a network is missing or cannot be used as the row says; the message names file and line.
    pub fn prepare(&mut self, row: &Row, setup: &BoardSetup) -> Result<ReadyBoards, SuiteError> {
        self.ready(row, setup).map_err(|(field, message)| {
            let told = told(format!("boards.{}.{field}", row.entry), format!(": {message}"));
            Misplaced { path: row.place.path.clone(), line: row.place.line, told }.into()
        })
    }

    fn ready(&mut self, row: &Row, setup: &BoardSetup) -> Result<ReadyBoards, Wrong> {
        let fields = ["board", "firmware", "symbols", "settings"];
        let by_lines = !setup.lines.is_empty();
        let asked = Asked {
            board: &setup.board,
            firmware: &setup.firmware,
            symbols: setup.symbols.as_deref(),
            settings: &setup.settings,
        };
        let dut = self.ready_board(asked, by_lines, fields)?;
        check_bounds(row, &dut)?;
        let (mut network, of) = self.network(row, setup)?;
        let peer = setup.peer.as_ref().map(|peer| {
            let fields = ["peer.board", "peer.firmware", "peer.symbols", "peer.settings"];
            let asked = Asked {
                board: &peer.board,
                firmware: &peer.firmware,
                symbols: peer.symbols.as_deref(),
                settings: &peer.settings,
            };
            let peer = self.ready_board(asked, by_lines, fields)?;
            let trigger = setup.trigger.as_ref().map(|one| ready_trigger(one, &dut, &peer)).transpose()?;
            if !by_lines {
                peers::check(&dut, &peer, &network, trigger.as_ref())?;
            }
            Ok((peer, trigger))
        });
        let (peer, trigger) = peer.transpose()?.unzip();
        let lines = match &peer {
            Some(peer) => ready_lines(&setup.lines, [&dut, peer])?,
            None => Vec::new(),
        };
        if let Some(peer) = peer.as_ref().filter(|_| by_lines) {
            lines::check(&dut, peer, trigger.as_ref().and_then(Option::as_ref), &lines)?;
        }
        if peer.is_some() {
            (network.pc, network.traffic) = (None, Vec::new());
        }
        let (setup, measurement) = (setup.clone(), row.measurement.clone());
        let trigger = trigger.flatten();
        Ok(ReadyBoards { setup, measurement, dut, peer, lines, trigger, network, of })
    }

    /// A board with its image; errors are of these fields. It is measured by a chip with Ethernet, unless it is by lines.
    fn ready_board(
        &mut self,
        asked: Asked<'_>,
        by_lines: bool,
        [board_field, firmware_field, symbols_field, settings_field]: [&'static str; 4],
    ) -> Result<ReadyBoard, Wrong> {
        let name = asked.firmware;
        let board = self.board(asked.board).map_err(|error| (board_field, error))?;
        let unusable = |error: String| (firmware_field, error);
        let found = self.firmware.find(name, &self.folder).map_err(unusable)?;
        let names = asked.symbols.map(|symbols| self.firmware.find(symbols, &self.folder)).transpose();
        let names = names.map_err(|error| (symbols_field, error))?;
        let plain = self.plain(found).map_err(unusable)?;
        let mut image = plain.image.clone();
        if let Some(names) = names {
            image = with_symbols(image, &names.path).map_err(|error| (symbols_field, error.to_string()))?;
        }
        let image =
            with_settings(&image, asked.settings).map_err(|error| (settings_field, error.to_string()))?;
        let sizes =
            ImageSizes { flash_bytes: Some(plain.image.flash_bytes()), ram_bytes: plain.image.ram_bytes() };
        let firmware = Firmware { name: name.to_owned(), sha256: plain.sha256.clone(), sizes };
        if !by_lines && ethernet_chips(&board) == 0 {
            let message = format!(
                "board {} has no chip with Ethernet, so there is nothing to measure it by",
                board.name
            );
            return Err((board_field, message));
        }
        let settings = image_settings(&image).map_err(|error| (firmware_field, error.to_string()))?;
        let settings = settings.iter().map(|one| (one.name.clone(), one.text())).collect();
        Ok(ReadyBoard { board, image, firmware, settings })
    }

    fn board(&self, name: &str) -> Result<BoardFile, String> {
        let beside = self.folder.join(name);
        let named = if beside.is_file() { beside.to_string_lossy().into_owned() } else { name.to_owned() };
        find_board(&named).map_err(|error| error.to_string())
    }

    /// An image as its file has it, which is the one that was recorded, where one was.
    fn plain(&mut self, found: Found) -> Result<&PlainImage, String> {
        let plain = match self.images.entry(found.path) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(place) => {
                let (image, bytes) = read_image_file(place.key()).map_err(|error| error.to_string())?;
                let sha256: String =
                    Sha256::digest(bytes.as_slice()).iter().map(|byte| format!("{byte:02x}")).collect();
                if found.sha256.is_some_and(|recorded| recorded != sha256) {
                    let path = place.key().display();
                    return Err(format!(
                        "{path} is not the image that the package was built with; install it anew"
                    ));
                }
                place.insert(PlainImage { image, sha256 })
            }
        };
        Ok(plain)
    }

    /// The network with the row's traffic, and whose messages are taken.
    fn network(&self, row: &Row, setup: &BoardSetup) -> Result<(NetworkSetup, Option<String>), Wrong> {
        let mut network = match &setup.network {
            NetworkSource::Default => NetworkSetup::default(),
            NetworkSource::Inline(setup, _) => (**setup).clone(),
            NetworkSource::File(path) => {
                let beside = self.folder.join(path);
                NetworkSetup::open(&beside).map_err(|error| ("network", error.to_string()))?
            }
        };
        let mut first_client = network.traffic.iter().find(|one| one.is_client()).map(|one| one.name.clone());
        for one in &setup.traffic {
            let client = one.is_client();
            let name = network.add(one.clone()).map_err(|error| ("traffic", error))?;
            first_client = first_client.or(client.then_some(name));
        }
        let Some(of) = &row.measurement.of else { return Ok((network, first_client)) };
        let on_the_pc = network.traffic.iter().filter(|_| network.pc.is_some());
        let names: Vec<&str> = on_the_pc.map(|one| one.name.as_str()).collect();
        if names.contains(&of.as_str()) {
            return Ok((network, Some(of.clone())));
        }
        let hint = match fields::nearest(of, &names) {
            Some(near) => format!("the nearest is {near}"),
            None if names.is_empty() => "the network has no PC".to_owned(),
            None => format!("there are {}", names.join(", ")),
        };
        Err(("of", format!("{of:?} is no client or server of the PC; {hint}")))
    }
}

/// A bound on RAM needs an image that says what it takes of it, and one on the energy a board with a part whose currents are known.
fn check_bounds(row: &Row, ready: &ReadyBoard) -> Result<(), Wrong> {
    let is_bounded = |figure| row.bounds.iter().any(|bound| bound.bounded == figure);
    if is_bounded(Bounded::Ram) && ready.firmware.sizes.ram_bytes.is_none() {
        let message = format!(
            "{} does not say how much RAM it takes; name the ELF of the same build, or leave the bound out",
            ready.firmware.name
        );
        return Err(("bounds.ram", message));
    }
    if is_bounded(Bounded::Energy) && !ready.board.has_currents() {
        let message = format!(
            "no current is known of any part of board {}, so that a message has no energy; leave the bound out",
            ready.board.name
        );
        return Err(("bounds.energy", message));
    }
    Ok(())
}

/// The lines between two boards, by the names that each has for its pins.
fn ready_lines(lines: &[LineSetup], boards: [&ReadyBoard; 2]) -> Result<Vec<SerialLine>, Wrong> {
    let gpio = |end: &LinePin| {
        let board = &boards[end.side as usize].board;
        board.pin(&end.pin).map_err(|error| ("lines", error.to_string()))
    };
    let mut ready: Vec<SerialLine> = Vec::new();
    for line in lines {
        let one = SerialLine { from: line.from.side, pin: gpio(&line.from)?, to: gpio(&line.to)? };
        one.check(boards.map(|ready| &ready.board), &ready).map_err(|(end, message)| {
            let named = if end == LineEnd::From { &line.from } else { &line.to };
            ("lines", format!("{named} {message}"))
        })?;
        ready.push(one);
    }
    Ok(ready)
}

/// The pins by the names that each board has for them.
fn ready_trigger(trigger: &PinTrigger, dut: &ReadyBoard, peer: &ReadyBoard) -> Result<ReadyTrigger, Wrong> {
    let gpio = |board: &ReadyBoard, pin: &str, field| {
        board.board.pin(pin).map_err(|error| (field, error.to_string()))
    };
    Ok(ReadyTrigger {
        pin: gpio(dut, &trigger.pin, "trigger.pin")?,
        done: gpio(peer, &trigger.done, "trigger.done")?,
        period: trigger.period,
        by: trigger.dither(),
        from: trigger.from,
        payload_bytes: dut.settings.get("payload_bytes").and_then(|text| text.parse().ok()),
    })
}

/// How many chips with Ethernet a board has.
pub(super) fn ethernet_chips(board: &BoardFile) -> usize {
    board.parts.iter().filter(|part| part.has_ethernet()).count()
}
