//! Where the firmware images of a suite are looked for: the folder that the user names, else beside the suite, where a checkout
//! builds them, and last among those that came with the package. What images say of themselves is not known here.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where images are built, from the checkout.
const BUILT: &str = "build/firmware";
/// What builds images.
const COMPILER: &str = "arm-none-eabi-gcc";
/// The package's list of its images, as `sha256sum` writes it.
const SUMS: &str = "SHA256SUMS";

/// Folders of images beside those that follow from where a suite is.
#[derive(Debug, Clone, Default)]
pub struct ImagePlaces {
    /// The folder that the user names; then no other is looked into.
    pub named: Option<PathBuf>,
    /// The folder of images that came with the package.
    pub packaged: Option<PathBuf>,
}

/// An image of the package with the SHA-256 that it was built with.
#[derive(Debug, Clone)]
struct Packaged {
    name: String,
    sha256: String,
}

/// A file with an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The SHA-256 that it must have, where that was recorded.
    pub(super) sha256: Option<String>,
}

impl ImagePlaces {
    /// The file of an image for a suite in this folder.
    ///
    /// # Errors
    /// When it is nowhere; the message says where it was looked for, which image is nearest and what to do.
    pub fn path_of(&self, name: &str, suite: &Path) -> Result<PathBuf, String> {
        self.find(name, suite).map(|found| found.path)
    }

    /// The image of this name for a suite in this folder.
    ///
    /// # Errors
    /// When it is nowhere; the message says where it was looked for, which image is nearest and what to do.
    pub(super) fn find(&self, name: &str, suite: &Path) -> Result<Found, String> {
        let places = match &self.named {
            Some(folder) => vec![folder.clone()],
            None => vec![suite.to_owned(), suite.join("..").join(BUILT), PathBuf::from(BUILT)],
        };
        if let Some(path) = places.iter().map(|place| place.join(name)).find(|path| path.is_file()) {
            return Ok(Found { path, sha256: None });
        }
        let looked: Vec<String> = places.iter().map(|place| shown(place)).collect();
        let looked = looked.join(" or ");
        let Some(packaged) = self.packaged.as_deref().filter(|_| self.named.is_none()) else {
            return Err(format!("{name} is not in {looked}; {}", what_to_do(has_compiler(), "")));
        };
        let known = list(packaged)?;
        match known.iter().find(|one| one.name == name) {
            Some(one) => Ok(Found { path: packaged.join(name), sha256: Some(one.sha256.clone()) }),
            None => Err(format!("{name} is not in {looked}, {}", beside(name, &known))),
        }
    }
}

/// Which images the package has instead, and what to do.
fn beside(name: &str, known: &[Packaged]) -> String {
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    let has = match (fields::nearest(name, &names), names.first()) {
        (Some(near), _) => format!("nor in the package, where the nearest is {near}"),
        (None, Some(first)) => {
            format!("nor in the package, which has the images of its own suites, such as {first}")
        }
        (None, None) => "and this package has no images".to_owned(),
    };
    let own = format!(" (Airwire's own by make firmware, with {COMPILER})");
    format!("{has}; {}", what_to_do(has_compiler(), &own))
}

/// What to do about an image that is not there; `how` says how it is built, where there is something to build it with.
fn what_to_do(has_compiler: bool, how: &str) -> String {
    let build = match has_compiler {
        true => format!("build it{how}"),
        false => format!(
            "this machine has no {COMPILER} to build it with (Debian: apt-get install gcc-arm-none-eabi \
             libnewlib-arm-none-eabi): build it after that"
        ),
    };
    format!("{build}, or say where it is with --firmware")
}

fn has_compiler() -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(COMPILER).is_file()))
}

/// The images of the package; a checkout has none until its wheel is built.
fn list(folder: &Path) -> Result<Vec<Packaged>, String> {
    let path = folder.join(SUMS);
    let Ok(text) = fs::read_to_string(&path) else { return Ok(Vec::new()) };
    let line = |(at, line): (usize, &str)| {
        let broken =
            || format!("{}:{}: no line of sha256sum; install the package anew", path.display(), at + 1);
        let (sha256, name) = line.split_once("  ").ok_or_else(broken)?;
        Ok(Packaged { name: name.to_owned(), sha256: sha256.to_owned() })
    };
    text.lines().enumerate().map(line).collect()
}

fn shown(place: &Path) -> String {
    if place.as_os_str().is_empty() { "this folder".to_owned() } else { place.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("pico")).unwrap();
        fs::write(folder.path().join("pico/ping.elf"), "image").unwrap();
        fs::write(folder.path().join(SUMS), "0123  pico/ping.elf\n").unwrap();
        folder
    }

    fn places(package: &Path) -> ImagePlaces {
        ImagePlaces { named: None, packaged: Some(package.to_owned()) }
    }

    #[test]
    fn an_image_beside_the_suite_goes_before_that_of_the_package() {
        let (package, suite) = (package(), package());
        let own = suite.path().join("pico/ping.elf");
        let found = places(package.path()).find("pico/ping.elf", suite.path()).unwrap();
        assert_eq!(found, Found { path: own.clone(), sha256: None });
        fs::remove_file(own).unwrap();
        let found = places(package.path()).find("pico/ping.elf", suite.path()).unwrap();
        let path = package.path().join("pico/ping.elf");
        assert_eq!(found, Found { path, sha256: Some("0123".to_owned()) });
    }

    #[test]
    fn where_the_user_names_a_folder_the_package_is_not_asked() {
        let (package, named) = (package(), tempfile::tempdir().unwrap());
        let places = ImagePlaces { named: Some(named.path().to_owned()), ..places(package.path()) };
        let refusal = places.find("pico/ping.elf", Path::new("")).unwrap_err();
        assert!(refusal.ends_with(&what_to_do(has_compiler(), "")), "{refusal}");
    }

    #[test]
    fn where_nothing_could_build_an_image_the_compiler_comes_first() {
        assert_eq!(what_to_do(true, " (so)"), "build it (so), or say where it is with --firmware");
        let without = what_to_do(false, " (so)");
        assert!(without.starts_with("this machine has no arm-none-eabi-gcc to build it with"), "{without}");
        assert!(without.ends_with("or say where it is with --firmware"), "{without}");
    }

    #[test]
    fn an_image_that_is_nowhere_is_one_sentence_with_what_the_package_has_and_what_to_do() {
        let (package, suite) = (package(), tempfile::tempdir().unwrap());
        let refusal = places(package.path()).find("pico/pong.elf", suite.path()).unwrap_err();
        let own = " (Airwire's own by make firmware, with arm-none-eabi-gcc)";
        let expected = format!(
            "nor in the package, where the nearest is pico/ping.elf; {}",
            what_to_do(has_compiler(), own)
        );
        assert!(refusal.starts_with("pico/pong.elf is not in ") && refusal.ends_with(&expected), "{refusal}");
        let refusal = places(package.path()).find("my-own-firmware.elf", suite.path()).unwrap_err();
        assert!(
            refusal.contains("which has the images of its own suites, such as pico/ping.elf;"),
            "{refusal}"
        );
    }

    #[test]
    fn a_package_without_images_says_how_to_build_them() {
        let (package, suite) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let refusal = places(package.path()).find("pico/ping.elf", suite.path()).unwrap_err();
        assert!(
            refusal.contains("this package has no images; build it (Airwire's own by make firmware"),
            "{refusal}"
        );
    }

    #[test]
    fn a_list_that_is_none_is_refused_with_its_line() {
        let (package, suite) = (package(), tempfile::tempdir().unwrap());
        fs::write(package.path().join(SUMS), "0123  pico/a.elf\n0123 pico/ping.elf\n").unwrap();
        let refusal = places(package.path()).find("pico/ping.elf", suite.path()).unwrap_err();
        assert!(
            refusal.ends_with("SHA256SUMS:2: no line of sha256sum; install the package anew"),
            "{refusal}"
        );
    }
}
