//! Images and tools that may be absent.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use mcu::image::{Image, LoadOptions};
use rp2040::chip::{Rp2040, Setup};

/// Our own images that are built for these tests.
pub(crate) const OWN: [&str; 9] = [
    "fault_unaligned",
    "stack_overflow",
    "fault_jump",
    "fault_lockup",
    "systick",
    "float_bench",
    "spi_dma",
    "hello_uart_ram",
    "multicore",
];

/// Whether a tool can be started.
pub(crate) fn is_installed(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        testing::leave_out(&format!("{tool} is not installed"));
    }
    found
}

/// The folder with our own images (tests/images), if there is a compiler for them.
pub(crate) fn own_images() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report_images");
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/images");
        let tools = ["arm-none-eabi-gcc", "make", "python3"];
        if !tools.into_iter().all(is_installed) {
            return None;
        }
        let targets = OWN.map(|name| format!("{}/{name}.uf2", folder.display()));
        let made = Command::new("make")
            .arg("-C")
            .arg(sources)
            .arg(format!("OUT={}", folder.display()))
            .args(targets)
            .output();
        let made = made.expect("make can be started");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        Some(folder)
    };
    FOLDER.get_or_init(build).as_deref()
}

/// A file of the folder with public images that the environment names.
pub(crate) fn public_image(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("AIRWIRE_IMAGES").map(|folder| Path::new(&folder).join(name));
    let path = path.filter(|path| path.is_file());
    if path.is_none() {
        eprintln!("skipped: {name} is not in the folder AIRWIRE_IMAGES");
    }
    path
}

pub(crate) fn load(path: &Path) -> Image {
    let bytes = std::fs::read(path).expect("the image can be read");
    let name = path.display().to_string();
    rp2040::load_image(&bytes, &name, &LoadOptions::default()).expect("it is an image")
}

pub(crate) fn started(image: &Image) -> Rp2040 {
    let mut chip = Rp2040::new(&Setup::default()).expect("the default setup can be built");
    chip.load(image).expect("the image fits");
    chip
}
