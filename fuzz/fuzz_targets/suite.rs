#![no_main]
//! Suites: any text is a suite or is refused in one line that names the file.

use std::path::Path;

use bench::suite::Suite;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = Suite::parse(Path::new("suite.toml"), text.to_owned()) {
        let message = error.to_string();
        assert!(message.starts_with("suite.toml:") && !message.contains('\n'), "{message}");
    }
});
