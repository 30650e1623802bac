//! Whether two images can play with each other: a mistake is said before anything runs. Images are known by their settings:
//! of ping-pong who calls has `server` and `server_port`, and who is called has `port`; the agents of one-way measurements are
//! told their `role`. Both may have `address`, `mac_last` and `dhcp`.

use super::prepare::{ReadyBoard, ReadyTrigger, Wrong, ethernet_chips};
use lan::NetworkSetup;

const CLIENT: &str = "w5500-evb-pico/pingpong_client-hardware.elf";
const SERVER: &str = "w5500-evb-pico/pingpong_server-hardware.elf";
/// The value of a switch that is off.
const OFF: [&str; 2] = ["off", "0"];

/// Checks both boards and the network of a row with a peer.
pub(super) fn check(
    dut: &ReadyBoard,
    peer: &ReadyBoard,
    network: &NetworkSetup,
    trigger: Option<&ReadyTrigger>,
) -> Result<(), Wrong> {
    let plain = network.wifi.is_none() && network.impairments.iter().all(|one| *one == Default::default());
    if !plain {
        let message = "between two boards is a plain wire; leave wifi and cable.impair out";
        return Err(("network", message.to_owned()));
    }
    for (ready, field) in [(dut, "board"), (peer, "peer.board")] {
        let chips = ethernet_chips(&ready.board);
        if chips != 1 {
            let name = &ready.board.name;
            let message =
                format!("board {name} has {chips} chips with Ethernet, and a wire has one at its end");
            return Err((field, message));
        }
    }
    let called = match trigger {
        Some(trigger) => agents(dut, peer, trigger)?,
        None => roles(dut, peer)?,
    };
    addresses(dut, peer, called)
}

/// The row's image calls, and the peer's is called; the setting that says where.
fn roles(dut: &ReadyBoard, peer: &ReadyBoard) -> Result<&'static str, Wrong> {
    let Some(called_port) = dut.settings.get("server").and(dut.settings.get("server_port")) else {
        let message = format!(
            "{} cannot play with a peer: it has no settings server and server_port, by which a ping-pong client such as \
             {CLIENT} knows whom to call",
            dut.firmware.name
        );
        return Err(("firmware", message));
    };
    let name = &peer.firmware.name;
    let Some(port) = peer.settings.get("port").filter(|_| !peer.settings.contains_key("server")) else {
        let why = match peer.settings.contains_key("server") {
            true => "it calls a server itself",
            false => "it has no setting port, on which it would be called",
        };
        let message = format!("{name} cannot play the peer: {why}; a ping-pong server such as {SERVER} can");
        return Err(("peer.firmware", message));
    };
    if port != called_port {
        let message = format!(
            "port is {port}, but the board calls {called_port} (its setting server_port); set both to one"
        );
        return Err(("peer.settings", message));
    }
    Ok("server")
}

/// The pins and roles of both images, as far as these have settings for them; the setting that says where the row's sends.
fn agents(dut: &ReadyBoard, peer: &ReadyBoard, trigger: &ReadyTrigger) -> Result<&'static str, Wrong> {
    roles_and_pins(dut, peer, trigger)?;
    for name in ["transport", "port"] {
        if let (Some(one), Some(other)) = (dut.settings.get(name), peer.settings.get(name))
            && one != other
        {
            let message = format!("{name} is {other}, but the board has {one}; set both to one");
            return Err(("peer.settings", message));
        }
    }
    if dut.settings.get("transport").is_some_and(|transport| transport == "uart") {
        let message = "transport is uart, but between the two boards of a row is an Ethernet wire; set tcp or udp, or join them by \
                       lines, such as lines = [{ from = \"board.GP4\", to = \"peer.GP5\" }]";
        return Err(("settings", message.to_owned()));
    }
    Ok("peer")
}

/// The roles and pins of two agents, as far as their images have settings for them.
pub(super) fn roles_and_pins(
    dut: &ReadyBoard,
    peer: &ReadyBoard,
    trigger: &ReadyTrigger,
) -> Result<(), Wrong> {
    let ends = [
        (dut, "settings", "sender", "trigger_pin", trigger.pin),
        (peer, "peer.settings", "receiver", "done_pin", trigger.done),
    ];
    for (board, field, role, setting, pin) in ends {
        if let Some(other) = board.settings.get("role").filter(|set| *set != role) {
            let message =
                format!("role is {other}, but this board is the {role} here; set role = \"{role}\"");
            return Err((field, message));
        }
        if let Some(set) = board.settings.get(setting).filter(|set| **set != pin.to_string()) {
            let message = format!(
                "{setting} is {set}, but trigger names GP{pin} of this board; give both the same pin"
            );
            return Err((field, message));
        }
    }
    Ok(())
}

fn addresses(dut: &ReadyBoard, peer: &ReadyBoard, calls: &str) -> Result<(), Wrong> {
    let set = |board: &ReadyBoard, name: &str| board.settings.get(name).cloned();
    let asks = |board: &ReadyBoard| set(board, "dhcp").is_some_and(|dhcp| !OFF.contains(&dhcp.as_str()));
    for (board, field) in [(dut, "settings"), (peer, "peer.settings")] {
        if asks(board) {
            let message = "dhcp is on, but nobody between two boards gives out addresses; set dhcp = \"off\"";
            return Err((field, message.to_owned()));
        }
    }
    let (called, address) = (set(dut, calls), set(peer, "address"));
    if let (Some(called), Some(address)) = (&called, &address)
        && called != address
    {
        let message = format!(
            "address is {address}, but the board calls {called} (its setting {calls}); set address = \"{called}\""
        );
        return Err(("peer.settings", message));
    }
    let elsewhere = format!("\"192.168.1.1\", and the board's setting {calls} to it");
    for (name, other) in [("address", elsewhere.as_str()), ("mac_last", "1")] {
        if let (Some(one), Some(theirs)) = (set(dut, name), set(peer, name))
            && one == theirs
        {
            let message =
                format!("both boards have {name} {one}; give the peer another, such as {name} = {other}");
            return Err(("peer.settings", message));
        }
    }
    Ok(())
}
