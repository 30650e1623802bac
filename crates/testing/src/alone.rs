//! A test in a process of its own.

use std::process::Command;

/// The variable of the environment that names the test for which a process was started.
const ALONE: &str = "AIRWIRE_TEST_ALONE";

/// Runs the body of the test of that name (as `--list` shows it) in a process that runs no other test.
///
/// What belongs to a whole process, as its memory does, is then the test's own.
///
/// # Panics
/// Where the test fails there.
pub fn alone(test: &str, body: impl FnOnce()) {
    if std::env::var(ALONE).is_ok_and(|name| name == test) {
        return body();
    }
    let program = std::env::current_exe().expect("a test knows its program");
    let done = Command::new(program)
        .args(["--exact", test, "--include-ignored", "--nocapture"])
        .env(ALONE, test)
        .output()
        .expect("the test's program runs");
    let printed = [done.stdout, done.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(done.status.success() && printed.contains("1 passed"), "{printed}");
}
