//! Whether two images can speak over serial lines: a mistake is said before anything runs. Images are known by their
//! settings: the agents of one-way measurements have `transport`, and `serial_pingpong` has a `role`. Rates are not
//! compared: that they differ may be what a row is about.

use board::{SerialLine, Side};

use super::peers::roles_and_pins;
use super::prepare::{ReadyBoard, ReadyTrigger, Wrong};

/// What the agents of one-way measurements call a serial line.
const UART: &str = "uart";

/// Checks both boards of a row with lines.
pub(super) fn check(
    dut: &ReadyBoard,
    peer: &ReadyBoard,
    trigger: Option<&ReadyTrigger>,
    lines: &[SerialLine],
) -> Result<(), Wrong> {
    for (ready, field) in [(dut, "settings"), (peer, "peer.settings")] {
        if let Some(transport) = ready.settings.get("transport").filter(|set| *set != UART) {
            let message = format!(
                "transport is {transport}, but between the two boards are serial lines alone; set transport = \"{UART}\""
            );
            return Err((field, message));
        }
    }
    if !lines.iter().any(|line| line.from == Side::First) {
        let message = "no line goes from the board to the peer; give one from board.GP4 to peer.GP5, say";
        return Err(("lines", message.to_owned()));
    }
    match trigger {
        Some(trigger) => roles_and_pins(dut, peer, trigger),
        None if lines.iter().any(|line| line.from == Side::Second) => players(dut, peer),
        None => {
            let message = "no line goes back from the peer, which is to answer; give one from peer.GP4 to board.GP5, say";
            Err(("lines", message.to_owned()))
        }
    }
}

/// Of ping-pong one asks and the other answers, as far as their images have a role.
fn players(dut: &ReadyBoard, peer: &ReadyBoard) -> Result<(), Wrong> {
    for (ready, field, role) in [(dut, "settings", "asks"), (peer, "peer.settings", "answers")] {
        if let Some(other) = ready.settings.get("role").filter(|set| *set != role) {
            let message = format!("role is {other}, but this board {role} here; set role = \"{role}\"");
            return Err((field, message));
        }
    }
    Ok(())
}
