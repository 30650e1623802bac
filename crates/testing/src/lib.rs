//! What tests of several crates share. Only tests depend on this crate.

mod alone;
mod cable;
mod corpora;
mod random;
mod random_cases;
mod restless;
pub mod w6100;

pub use alone::alone;
pub use cable::Cable;
pub use corpora::{Target, corpora, corpus, replay, run_changed_seeds, write_seeds};
pub use random::Random;
pub use random_cases::random_cases;
pub use restless::Restless;

/// The variable of the environment that says: every tool and image is here, so that no test may be left out.
const REQUIRE: &str = "AIRWIRE_REQUIRE";

/// Says why a test is left out: a tool is not installed, or an image is not built.
///
/// # Panics
/// Where `AIRWIRE_REQUIRE` is set, as in CI: there every test runs.
pub fn leave_out(why: &str) {
    assert!(
        std::env::var_os(REQUIRE).is_none(),
        "{why}, and {REQUIRE} is set: install or build it, or unset {REQUIRE}"
    );
    eprintln!("skipped: {why}");
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// The environment belongs to the whole process, so that each case runs in one of its own.
    #[test]
    fn a_test_without_its_tool_fails_where_all_tools_must_be_there() {
        for (value, passes) in [(None, true), (Some("1"), false)] {
            let program = std::env::current_exe().unwrap();
            let mut command = Command::new(program);
            command
                .args(["--exact", "tests::leaves_out", "--ignored", "--nocapture"])
                .env_remove(super::REQUIRE);
            command.envs(value.map(|value| (super::REQUIRE, value)));
            let done = command.output().unwrap();
            let printed = String::from_utf8_lossy(&done.stderr);
            assert_eq!(done.status.success(), passes, "{printed}");
            assert!(printed.contains("gdb is not installed"), "{printed}");
        }
    }

    #[test]
    #[ignore = "the test above runs it"]
    fn leaves_out() {
        super::leave_out("gdb is not installed");
    }
}
