//! Puts the memory's layout to where the linker looks.

use std::{env, fs, path::PathBuf};

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::copy("memory.x", out.join("memory.x")).expect("the folder is there");
    println!("cargo:rustc-link-search={}", out.display());
}
