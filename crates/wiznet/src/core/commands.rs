//! Socket commands: what a write to Sn_CR does once its time has passed. A command that does not fit the socket's status is
//! ignored, with a warning.

use crate::Command;
use crate::chips::{Family, Mode, is_set};
use crate::map::{SocketRegister, status_name};

use super::opened::Destination;
use super::socket::{PendingCommand, Purpose, interrupt, status};
use super::{Core, WarningKind};

mod code {
    pub(super) const OPEN: u8 = 0x01;
    pub(super) const LISTEN: u8 = 0x02;
    pub(super) const CONNECT: u8 = 0x04;
    pub(super) const DISCON: u8 = 0x08;
    pub(super) const CLOSE: u8 = 0x10;
    pub(super) const SEND: u8 = 0x20;
    pub(super) const SEND_MAC: u8 = 0x21;
    pub(super) const SEND_KEEP: u8 = 0x22;
    pub(super) const RECV: u8 = 0x40;
    /// Of the W6100.
    pub(super) const CONNECT6: u8 = 0x84;
    pub(super) const SEND6: u8 = 0xA0;
}

impl Core {
    /// Sn_CR was written.
    pub(super) fn give_command(&mut self, n: usize, code: u8) {
        if code == 0 {
            return;
        }
        if self.sockets[n].command.is_some() {
            self.warnings.tell(self.now, WarningKind::CommandTooEarly, || {
                format!("Sn_CR of socket {n} was written before it read zero; the command is lost")
            });
            return;
        }
        let due = self.now + self.options.command_time;
        self.sockets[n].command = Some(PendingCommand { code, due });
    }

    pub(super) fn execute_due_commands(&mut self) {
        for n in 0..self.sockets.len() {
            if let Some(command) = self.sockets[n].command.filter(|command| command.due <= self.now) {
                self.sockets[n].command = None;
                self.execute(n, command.code);
            }
        }
    }

    fn execute(&mut self, n: usize, code: u8) {
        let fits = match code {
            code::OPEN => self.open(n),
            code::CLOSE => self.close(n),
            _ if !self.knows_command(code) => {
                self.warnings.tell(self.now, WarningKind::CommandUnknown, || {
                    format!("Sn_CR of socket {n} was written 0x{code:02X}, which is no command here")
                });
                true
            }
            code::SEND | code::SEND_MAC | code::SEND6 => self.send(n, code),
            code::RECV => self.take_received(n),
            code::LISTEN => self.listen(n),
            code::CONNECT | code::CONNECT6 => self.begin_connect(n, code == code::CONNECT6),
            code::DISCON => self.disconnect(n),
            _ => self.keep_alive(n),
        };
        if !fits {
            let status = self.shown_status(n);
            self.warnings.tell(self.now, WarningKind::CommandInWrongState, || {
                let command = Command::of(code).map_or("a command", Command::name);
                let name = status_name(status).unwrap_or("unknown");
                format!("{command} of socket {n} was ignored, as Sn_SR was {name} (0x{status:02X})")
            });
        }
    }

    /// Whether the chip has a command: with IPv6 come commands for it, and SEND_MAC makes room for a bit of Sn_MR2.
    fn knows_command(&self, code: u8) -> bool {
        let has_ipv6 = self.map().sockets_have(SocketRegister::Dip6r);
        match code {
            code::CONNECT6 | code::SEND6 => has_ipv6,
            code::SEND_MAC => !has_ipv6,
            code::LISTEN | code::CONNECT | code::DISCON | code::SEND | code::SEND_KEEP | code::RECV => true,
            _ => false,
        }
    }

    fn open(&mut self, n: usize) -> bool {
        // Drivers that find out which chip they have try this bit; only a socket that is opened with it would need it.
        if is_set(self.facts.protocols.switches.pppoe, &self.common) {
            self.warnings
                .tell(self.now, WarningKind::PppoeOmitted, || "PPPoE is left out of this model".to_owned());
        }
        self.report_leave(n);
        self.forget(n);
        self.judge_sizes(n);
        self.take_over_registers(n);
        let wanted = self.facts.mode(self.sockets[n].mode());
        let opened = match wanted {
            Some(Mode::Tcp(_)) => status::INIT,
            Some(Mode::Udp(_)) => status::UDP,
            Some(Mode::IpRaw(Family::Ipv6)) => status::IPRAW6,
            Some(Mode::IpRaw(_)) => status::IPRAW,
            Some(Mode::MacRaw) if n == 0 => status::MACRAW,
            Some(Mode::Closed) => return false,
            refused => {
                self.refuse_mode(n, refused);
                return true;
            }
        };
        if opened == status::INIT {
            let socket = &mut self.sockets[n];
            socket.connection.open(&mut socket.pointers);
        }
        self.sockets[n].set_status(opened);
        if opened == status::UDP {
            self.report_membership(n);
        }
        true
    }

    fn refuse_mode(&mut self, n: usize, wanted: Option<Mode>) {
        let is_pppoe = wanted == Some(Mode::Pppoe);
        let kind = if is_pppoe { WarningKind::PppoeOmitted } else { WarningKind::ModeUnknown };
        let code = self.sockets[n].mode() & 0x0F;
        self.warnings.tell(self.now, kind, || match wanted {
            Some(Mode::Pppoe) => "PPPoE is left out of this model; the socket stays closed".to_owned(),
            Some(Mode::MacRaw) => format!("MACRAW is for socket 0 only; socket {n} stays closed"),
            _ => {
                format!("Sn_MR of socket {n} holds protocol {code}, which there is none of; it stays closed")
            }
        });
    }

    fn close(&mut self, n: usize) -> bool {
        self.report_leave(n);
        self.forget(n);
        true
    }

    /// A socket as it is before OPEN; what the driver wrote into its registers stays.
    fn forget(&mut self, n: usize) {
        self.mac.forget(n);
        let socket = &mut self.sockets[n];
        socket.connection.close();
        socket.connection.take_interrupts();
        socket.reset_pointers();
        socket.resolution = None;
        socket.neighbour = None;
        socket.source = None;
        socket.set_status(status::CLOSED);
    }

    fn send(&mut self, n: usize, code: u8) -> bool {
        let socket = &mut self.sockets[n];
        let kind = socket.status();
        if socket.is_tcp() {
            return self.send_stream(n);
        }
        let destination = Destination::in_registers(&socket.registers, code == code::SEND6);
        if kind != status::MACRAW && !socket.opened.mode.takes(destination.address) {
            return false;
        }
        if socket.is_resolving() || !self.mac.has_room(self.now, self.phy.link()) {
            return false;
        }
        socket.pointers.tx_boundary = socket.registers.u16(SocketRegister::TxWr);
        if self.has_no_memory(n) {
            return true;
        }
        if kind == status::MACRAW {
            self.send_raw_frame();
            return true;
        }
        self.heed_late_writes(n);
        self.forget_neighbour_of_another(n, destination);
        let registers = &self.sockets[n].registers;
        if code == code::SEND_MAC || is_set(self.facts.given_hardware_address, registers) {
            let hardware_address = registers.hardware_address(SocketRegister::Dhar);
            self.send_datagrams(n, hardware_address, destination);
        } else {
            self.send_to_peer(n, destination);
        }
        true
    }

    fn has_no_memory(&mut self, n: usize) -> bool {
        let none = self.buffers.span(crate::map::Side::Transmit, n).size == 0;
        if none {
            self.warnings.tell(self.now, WarningKind::NoMemory, || {
                format!("SEND of socket {n}, which has no TX memory, was ignored")
            });
        }
        none
    }

    /// RECV: Sn_RX_RD is taken over. RECV stands again if more is there (W5100 datasheet, Sn_IR).
    fn take_received(&mut self, n: usize) -> bool {
        let socket = &mut self.sockets[n];
        let taken = socket.registers.u16(SocketRegister::RxRd);
        if socket.is_tcp() {
            socket.connection.recv(taken, &mut socket.pointers);
            self.connection_changed(n);
        } else {
            socket.pointers.rx_read = taken;
        }
        let socket = &mut self.sockets[n];
        if socket.status() != status::CLOSED && socket.received_bytes() != 0 {
            socket.raise(interrupt::RECV);
        }
        true
    }

    /// What Sn_SR reads, which on some chips tells that ARP runs (W5200 datasheet, p. 32, Sn_SR).
    pub(super) fn shown_status(&self, n: usize) -> u8 {
        let socket = &self.sockets[n];
        match socket.resolution.map(|resolution| resolution.purpose) {
            Some(_) if self.facts.shows_arp => status::ARP,
            Some(Purpose::Connect) => status::SYNSENT,
            Some(Purpose::Send) | None => socket.status(),
        }
    }
}
