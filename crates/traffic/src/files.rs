//! The files of a server: a tree in memory, by whole paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use fields::Field;
use fields::TakesOf::{Size, Text};

use crate::OptionError;
use crate::options::{self, Values, option};
use crate::pattern::Pattern;

/// The first files, in the options of a server.
pub(crate) const FILES: Field = option(
    "files",
    Text("name=size, between commas"),
    "readme.txt=137B",
    "The files that are there at first, of pattern bytes.",
    "firmware.bin=64KiB,etc/hosts=100B",
);
/// One more, likewise.
pub(crate) const FILE: Field = option(
    "file",
    Text("a file"),
    "",
    "A file of yours that is there too, by its name without folders.",
    "firmware.bin",
);
/// The bound of all, likewise.
pub(crate) const MOST_BYTES: Field =
    option("most_bytes", Size(0, 256 << 20), "16MiB", "How much all files may hold together.", "1MiB");

const ROOT: &str = "/";
/// Folders that clients may make.
const MOST_FOLDERS: usize = 1024;
/// Files, the shortest of which hold nothing.
const MOST_FILES: usize = 4096;
const LONGEST_PATH: usize = 255;

/// Whether a part of a path can be a name.
pub(crate) fn is_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(|c: char| c.is_control() || c == '/')
}

/// Files and folders. A clone shares the contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Files {
    files: BTreeMap<String, Arc<Vec<u8>>>,
    folders: BTreeSet<String>,
    most_bytes: usize,
}

impl Files {
    /// What the options [`FILES`], [`FILE`] and [`MOST_BYTES`] say. Files of pattern bytes are each their own.
    pub(crate) fn read(values: &Values<'_>) -> Result<Self, OptionError> {
        let most_bytes = values.read(MOST_BYTES.name, options::size)?;
        let refused = |name, bytes| {
            let reason = format!("{bytes} bytes are more than most_bytes, {most_bytes}");
            OptionError::Together { name, reason }
        };
        let mut files =
            Self { files: BTreeMap::new(), folders: BTreeSet::from([ROOT.to_owned()]), most_bytes };
        let named = values.read(FILES.name, |text| options::list(text, named_size))?;
        let bytes = named.iter().fold(0_usize, |sum, (_, bytes)| sum.saturating_add(*bytes));
        if bytes > most_bytes {
            return Err(refused(FILES.name, bytes));
        }
        for (path, bytes) in named {
            files.folders.extend(path.match_indices('/').skip(1).map(|(at, _)| path[..at].to_owned()));
            let pattern = Pattern::new(path.len() as u64).bytes(0, bytes);
            files.put(&path, pattern);
        }
        if let Some((path, contents)) = of_this_computer(values.text(FILE.name), most_bytes)? {
            files.put(&path, contents);
            let bytes = files.files.values().map(|contents| contents.len()).sum();
            if bytes > most_bytes {
                return Err(refused(FILE.name, bytes));
            }
        }
        Ok(files)
    }

    /// A path as a client says it, from the folder that it is in.
    pub(crate) fn resolve(folder: &str, said: &str) -> String {
        let from = if said.starts_with('/') { "" } else { folder };
        let mut parts: Vec<&str> = Vec::new();
        for part in from.split('/').chain(said.split('/')) {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        format!("/{}", parts.join("/"))
    }

    pub(crate) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&Vec<u8>> {
        self.files.get(path).map(Arc::as_ref)
    }

    /// Whether a file may be written at a path.
    pub(crate) fn takes(&self, path: &str) -> bool {
        let is_room = self.files.contains_key(path) || self.files.len() < MOST_FILES;
        is_room && path.len() <= LONGEST_PATH && !self.is_folder(path) && self.is_folder(parent(path))
    }

    /// How much more a file may hold beside all the others.
    pub(crate) fn room(&self, path: &str) -> usize {
        let others = self.files.iter().filter(|(other, _)| *other != path);
        self.most_bytes.saturating_sub(others.map(|(_, bytes)| bytes.len()).sum())
    }

    pub(crate) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), Arc::new(bytes));
    }

    pub(crate) fn delete(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    pub(crate) fn make_folder(&mut self, path: &str) -> bool {
        let fits = self.folders.len() < MOST_FOLDERS && path.len() <= LONGEST_PATH;
        fits && self.is_folder(parent(path))
            && self.get(path).is_none()
            && self.folders.insert(path.to_owned())
    }

    /// Removes a folder that is empty.
    pub(crate) fn remove_folder(&mut self, path: &str) -> bool {
        path != ROOT && self.names(path).next().is_none() && self.folders.remove(path)
    }

    /// Renames a file.
    pub(crate) fn rename(&mut self, from: &str, to: &str) -> bool {
        if !self.takes(to) {
            return false;
        }
        let Some(bytes) = self.files.remove(from) else { return false };
        self.files.insert(to.to_owned(), bytes);
        true
    }

    /// What is in a folder: names, and how many bytes a file has.
    pub(crate) fn names<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, Option<usize>)> {
        let files = self.files.iter().map(|(path, bytes)| (path, Some(bytes.len())));
        let all = files.chain(self.folders.iter().map(|path| (path, None)));
        let within = all.filter(move |(path, _)| path.as_str() != ROOT && parent(path) == folder);
        within.map(|(path, bytes)| (&path[path.rfind('/').map_or(0, |at| at + 1)..], bytes))
    }
}

fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => ROOT,
        Some(at) => &path[..at],
    }
}

fn named_size(text: &str) -> Option<(String, usize)> {
    let (path, size) = text.split_once('=')?;
    let is_path = !path.is_empty() && path.split('/').all(is_name);
    Some((format!("/{path}"), options::size(size)?)).filter(|_| is_path)
}

/// A file of this computer, with the path that it has at the server; nothing where none is named.
fn of_this_computer(path: &str, most_bytes: usize) -> Result<Option<(String, Vec<u8>)>, OptionError> {
    let refused = |reason| OptionError::Together { name: FILE.name, reason };
    if path.is_empty() {
        return Ok(None);
    }
    let unreadable = |error: std::io::Error| refused(format!("{path} cannot be read: {error}"));
    let found = std::fs::metadata(path).map_err(unreadable)?;
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).filter(|name| is_name(name));
    let (true, Some(name)) = (found.is_file() && found.len() <= most_bytes as u64, name) else {
        return Err(refused(format!("{path} is no file of at most {most_bytes} bytes with a name in UTF-8")));
    };
    Ok(Some((format!("/{name}"), std::fs::read(path).map_err(unreadable)?)))
}
