//! Socket commands: what a write to Sn_CR does once its time has passed. A command that does not fit the socket's status is
//! ignored, with a warning.

use crate::map::{Common, SocketRegister};

use super::opened::Destination;
use super::socket::{PendingCommand, Purpose, interrupt, protocol, status};
use super::{Core, WarningKind};

/// PPPoE in MR.
const MR_PPPOE: u8 = 0x08;

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
            code::SEND | code::SEND_MAC => self.send(n, code == code::SEND_MAC),
            code::RECV => self.take_received(n),
            code::LISTEN => self.listen(n),
            code::CONNECT => self.begin_connect(n),
            code::DISCON => self.disconnect(n),
            code::SEND_KEEP => self.keep_alive(n),
            _ => {
                self.warnings.tell(self.now, WarningKind::CommandUnknown, || {
                    format!("Sn_CR of socket {n} was written 0x{code:02X}, which is no command here")
                });
                true
            }
        };
        if !fits {
            let status = self.shown_status(n);
            self.warnings.tell(self.now, WarningKind::CommandInWrongState, || {
                format!("command 0x{code:02X} of socket {n} was ignored, as Sn_SR was 0x{status:02X}")
            });
        }
    }

    fn open(&mut self, n: usize) -> bool {
        // Drivers that find out which chip they have try this bit; only a socket that is opened with it would need it.
        if self.common.u8(Common::Mr) & MR_PPPOE != 0 {
            self.warnings
                .tell(self.now, WarningKind::PppoeOmitted, || "PPPoE is left out of this model".to_owned());
        }
        self.report_leave(n);
        self.forget(n);
        self.judge_sizes(n);
        self.take_over_registers(n);
        let wanted = self.sockets[n].protocol();
        let opened = match wanted {
            protocol::TCP => status::INIT,
            protocol::UDP => status::UDP,
            protocol::IPRAW => status::IPRAW,
            protocol::MACRAW if n == 0 => status::MACRAW,
            protocol::CLOSED => return false,
            _ => {
                self.refuse_mode(n, wanted);
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

    fn refuse_mode(&mut self, n: usize, wanted: u8) {
        let kind =
            if wanted == protocol::PPPOE { WarningKind::PppoeOmitted } else { WarningKind::ModeUnknown };
        self.warnings.tell(self.now, kind, || match wanted {
            protocol::PPPOE => "PPPoE is left out of this model; the socket stays closed".to_owned(),
            protocol::MACRAW => format!("MACRAW is for socket 0 only; socket {n} stays closed"),
            _ => format!(
                "Sn_MR of socket {n} holds protocol {wanted}, which there is none of; it stays closed"
            ),
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
        socket.set_status(status::CLOSED);
    }

    fn send(&mut self, n: usize, without_arp: bool) -> bool {
        let socket = &mut self.sockets[n];
        let kind = socket.status();
        if !matches!(kind, status::UDP | status::IPRAW | status::MACRAW) {
            return self.send_stream(n);
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
        self.forget_neighbour_of_another(n);
        if without_arp {
            let registers = &self.sockets[n].registers;
            let hardware_address = registers.hardware_address(SocketRegister::Dhar);
            self.send_datagrams(n, hardware_address, Destination::in_registers(registers));
        } else {
            self.send_to_peer(n);
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
