//! The files of the FTP server: a tree in memory, by whole paths.

use std::collections::{BTreeMap, BTreeSet};

use crate::pattern::Pattern;

const ROOT: &str = "/";
/// Folders that clients may make.
const MOST_FOLDERS: usize = 1024;
/// Files, the shortest of which hold nothing.
const MOST_FILES: usize = 4096;
const LONGEST_PATH: usize = 255;

/// Whether a part of a path can be a name.
pub(super) fn is_name(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(|c: char| c.is_control() || c == '/')
}

/// Files and folders.
#[derive(Debug, Clone)]
pub(super) struct Files {
    files: BTreeMap<String, Vec<u8>>,
    folders: BTreeSet<String>,
    most_bytes: usize,
}

impl Files {
    /// Files of pattern bytes, each its own, and the folders that they are in.
    pub(super) fn new(named: &[(String, usize)], most_bytes: usize) -> Self {
        let mut files =
            Self { files: BTreeMap::new(), folders: BTreeSet::from([ROOT.to_owned()]), most_bytes };
        for (path, bytes) in named {
            files.folders.extend(path.match_indices('/').skip(1).map(|(at, _)| path[..at].to_owned()));
            files.files.insert(path.clone(), Pattern::new(path.len() as u64).bytes(0, *bytes));
        }
        files
    }

    /// A path as a client says it, from the folder that it is in.
    pub(super) fn resolve(folder: &str, said: &str) -> String {
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

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    pub(super) fn get(&self, path: &str) -> Option<&Vec<u8>> {
        self.files.get(path)
    }

    /// Whether a file may be written at a path.
    pub(super) fn takes(&self, path: &str) -> bool {
        let is_room = self.files.contains_key(path) || self.files.len() < MOST_FILES;
        is_room && path.len() <= LONGEST_PATH && !self.is_folder(path) && self.is_folder(parent(path))
    }

    /// How much more a file may hold beside all the others.
    pub(super) fn room(&self, path: &str) -> usize {
        let others = self.files.iter().filter(|(other, _)| *other != path);
        self.most_bytes.saturating_sub(others.map(|(_, bytes)| bytes.len()).sum())
    }

    pub(super) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.insert(path.to_owned(), bytes);
    }

    pub(super) fn delete(&mut self, path: &str) -> bool {
        self.files.remove(path).is_some()
    }

    pub(super) fn make_folder(&mut self, path: &str) -> bool {
        let fits = self.folders.len() < MOST_FOLDERS && path.len() <= LONGEST_PATH;
        fits && self.is_folder(parent(path))
            && self.get(path).is_none()
            && self.folders.insert(path.to_owned())
    }

    /// Removes a folder that is empty.
    pub(super) fn remove_folder(&mut self, path: &str) -> bool {
        path != ROOT && self.names(path).next().is_none() && self.folders.remove(path)
    }

    /// Renames a file.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> bool {
        if !self.takes(to) {
            return false;
        }
        let Some(bytes) = self.files.remove(from) else { return false };
        self.put(to, bytes);
        true
    }

    /// What is in a folder: names, and how many bytes a file has.
    pub(super) fn names<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, Option<usize>)> {
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
