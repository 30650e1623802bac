//! What the FTP server does at each command (RFC 959, section 4.1).

use units::Picoseconds;

use super::session::{Mode, Session, Transfer};
use super::{Server, command};
use crate::files::{Files, is_name};
use crate::losses::Cause;
use crate::{Action, Connection};

const BAD_SEQUENCE: &str = "503 Another command comes first.";
const NO_FILE: &str = "550 There is no such file or folder.";
const NOT_TAKEN: &str = "553 That cannot be written.";
const READ_ONLY: &str = "550 This server is read only.";
/// Ports of other programs that are passed over for one data connection.
const MOST_PORTS_TRIED: u32 = 20;
const SYNTAX: &str = "501 That is no argument of this command.";
/// Files have no dates: all are of the first of January 2024.
const LIST_DATE: &str = "Jan  1  2024";
const MDTM_DATE: &str = "20240101000000";
const FEATURES: &str =
    "211-Features:\r\n EPRT\r\n EPSV\r\n MDTM\r\n REST STREAM\r\n SIZE\r\n UTF8\r\n211 End";

impl Server {
    /// Does what a client has said so far.
    pub(super) fn obey(&mut self, now: Picoseconds, control: Connection) {
        let waits = |session: &&mut Session| matches!(session.mode, Mode::Awaited { .. });
        while let Some((command, argument)) =
            self.sessions.get_mut(&control).filter(|session| !waits(session)).and_then(Session::next_command)
        {
            self.command(now, control, &command, &argument);
        }
    }

    fn command(&mut self, now: Picoseconds, control: Connection, command: &str, argument: &str) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let renames_from = session.rename_from.take().filter(|_| command == "RNTO");
        let answer = match command {
            "USER" => self.user(now, control, argument),
            "PASS" => self.password(now, control, argument),
            "QUIT" => return self.quit(control),
            "NOOP" => "200 Yes.".to_owned(),
            "SYST" => "215 UNIX Type: L8".to_owned(),
            "FEAT" => FEATURES.to_owned(),
            "HELP" => "214 See RFC 959.".to_owned(),
            _ if !session.is_logged_in => "530 Log in first.".to_owned(),
            "TYPE" | "MODE" | "STRU" | "OPTS" | "ALLO" | "ACCT" => Self::parameter(command, argument),
            "EPSV" if argument.eq_ignore_ascii_case("ALL") => "200 Then EPSV it is.".to_owned(),
            "EPSV" if !session.takes_family(argument) => {
                format!("522 This connection is of the other family; use ({}).", session.family())
            }
            "PASV" | "EPSV" => {
                self.forget_data(control);
                return self.listen_for_data(control, command == "EPSV", MOST_PORTS_TRIED);
            }
            "PORT" | "EPRT" => self.active_mode(control, command, argument),
            "RETR" | "LIST" | "NLST" | "STOR" | "APPE" => {
                return self.transfer(now, control, command, argument);
            }
            "ABOR" => {
                self.break_off(now, control, "426 Transfer aborted.");
                "226 Nothing is under way.".to_owned()
            }
            "STAT" => "211 All is well.".to_owned(),
            "REST" => match argument.parse() {
                Ok(at) => {
                    session.restart = at;
                    format!("350 The next transfer begins at {at}.")
                }
                Err(_) => SYNTAX.to_owned(),
            },
            _ => self.about_files(control, command, argument, renames_from),
        };
        self.say(control, &answer);
    }

    fn user(&mut self, now: Picoseconds, control: Connection, user: &str) -> String {
        let needs_password = !self.settings.user.is_empty();
        let Some(session) = self.sessions.get_mut(&control) else { return String::new() };
        session.user = Some(user.to_owned());
        session.is_logged_in = false;
        if needs_password || user.eq_ignore_ascii_case("anonymous") {
            return "331 A password, please.".to_owned();
        }
        self.password(now, control, "")
    }

    fn password(&mut self, now: Picoseconds, control: Connection, password: &str) -> String {
        let settings = &self.settings;
        let Some(session) = self.sessions.get_mut(&control) else { return String::new() };
        let Some(user) = &session.user else { return BAD_SEQUENCE.to_owned() };
        let is_known = settings.user.is_empty() || *user == settings.user && password == settings.password;
        session.is_logged_in = is_known;
        if is_known {
            return "230 Welcome.".to_owned();
        }
        let peer = session.peer;
        self.losses.turned_away(Cause::Credentials, now, Some(peer));
        "530 User or password is wrong.".to_owned()
    }

    fn quit(&mut self, control: Connection) {
        self.say(control, "221 Goodbye.");
        self.leave(control);
        self.actions.push_back(Action::Finish(control));
    }

    fn parameter(command: &str, argument: &str) -> String {
        let known = match command {
            "TYPE" => ["A", "A N", "I", "L 8"].contains(&argument.to_ascii_uppercase().as_str()),
            "MODE" => argument.eq_ignore_ascii_case("S"),
            "STRU" => argument.eq_ignore_ascii_case("F"),
            _ => true,
        };
        if known { "200 So be it.".to_owned() } else { "504 Only whole streams of bytes.".to_owned() }
    }

    fn active_mode(&mut self, control: Connection, command: &str, argument: &str) -> String {
        self.forget_data(control);
        let read = if command == "PORT" { command::endpoint } else { command::extended_endpoint };
        let Some(to) = read(argument) else { return SYNTAX.to_owned() };
        if let Some(session) = self.sessions.get_mut(&control) {
            session.mode = Mode::Active(to);
        }
        "200 The data connection goes there.".to_owned()
    }

    /// Asks for a port, which another program may have: the client is told of it when it is there.
    pub(super) fn listen_for_data(&mut self, control: Connection, is_extended: bool, tries: u32) {
        let (listener, port) = self.number(control);
        if let Some(session) = self.sessions.get_mut(&control) {
            session.mode = Mode::Awaited { listener, is_extended, tries };
            self.actions.push_back(Action::Listen(listener, port));
        }
    }

    pub(super) fn listening(&mut self, now: Picoseconds, listener: Connection, port: u16) {
        let Some(&control) = self.data.get(&listener) else { return };
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let Mode::Awaited { is_extended, .. } = session.mode else { return };
        session.mode = Mode::Passive(listener);
        let at = command::spoken(crate::IpEndpoint { port, ..session.local });
        let answer = match at {
            _ if is_extended => format!("229 Entering Extended Passive Mode (|||{port}|)."),
            Some(at) => format!("227 Entering Passive Mode ({at})."),
            None => "425 PASV knows no addresses of IPv6; use EPSV.".to_owned(),
        };
        self.say(control, &answer);
        self.obey(now, control);
    }

    /// Whether a number was that of a listener which found its port taken; another one is tried.
    pub(super) fn found_port_taken(
        &mut self,
        now: Picoseconds,
        control: Connection,
        number: Connection,
    ) -> bool {
        let Some(session) = self.sessions.get_mut(&control) else { return false };
        let Mode::Awaited { listener, is_extended, tries } = session.mode else { return false };
        if listener != number {
            return false;
        }
        if tries > 0 {
            self.listen_for_data(control, is_extended, tries - 1);
        } else {
            session.mode = Mode::Unset;
            self.say(control, "425 There is no free port for a data connection.");
            self.obey(now, control);
        }
        true
    }

    /// What was opened for a transfer that never came.
    fn forget_data(&mut self, control: Connection) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let listener = match std::mem::replace(&mut session.mode, Mode::Unset) {
            Mode::Passive(listener) | Mode::Awaited { listener, .. } => Some(listener),
            _ => None,
        };
        let data = session.data.take().map(|(data, _)| data);
        for number in listener.into_iter().chain(data) {
            self.data.remove(&number);
            self.actions.push_back(Action::Abort(number));
        }
    }

    fn transfer(&mut self, now: Picoseconds, control: Connection, command: &str, argument: &str) {
        let Some(session) = self.sessions.get_mut(&control) else { return };
        let restart = std::mem::take(&mut session.restart);
        let path = Files::resolve(&session.folder, file_of(command, argument));
        let transfer = match command {
            "STOR" | "APPE" => self.storing(command, path, restart),
            "RETR" => {
                let rest = |bytes: &Vec<u8>| bytes.get(restart..).map(<[u8]>::to_vec);
                let bytes = self.files.get(&path).ok_or(NO_FILE).and_then(|bytes| rest(bytes).ok_or(SYNTAX));
                bytes.map(|bytes| Transfer::Send { bytes, sent: 0 })
            }
            _ => self.listing(command, &path).map(|bytes| Transfer::Send { bytes, sent: 0 }),
        };
        let transfer = match transfer {
            Ok(transfer) => transfer,
            Err(refusal) => {
                self.forget_data(control);
                return self.say(control, refusal);
            }
        };
        let Some(session) = self.sessions.get_mut(&control) else { return };
        if session.data.is_none() && session.mode == Mode::Unset {
            return self.say(control, "425 Say PASV or PORT first.");
        }
        session.transfer = Some(transfer);
        if let Mode::Active(to) = session.mode {
            session.mode = Mode::Unset;
            let (number, _) = self.number(control);
            if let Some(session) = self.sessions.get_mut(&control) {
                session.data = Some((number, false));
            }
            self.actions.push_back(Action::Connect(number, to));
        }
        self.say(control, "150 Here it comes.");
        self.begin(now, control);
    }

    fn storing(&self, command: &str, path: String, restart: usize) -> Result<Transfer, &'static str> {
        if !self.settings.writable {
            return Err(READ_ONLY);
        }
        if !self.files.takes(&path) {
            return Err(NOT_TAKEN);
        }
        let had = self.files.get(&path).cloned().unwrap_or_default();
        let bytes = match (command, restart) {
            ("APPE", _) => had,
            (_, 0) => Vec::new(),
            (_, restart) => had.get(..restart).ok_or(SYNTAX)?.to_vec(),
        };
        Ok(Transfer::Store { path, bytes })
    }

    fn listing(&self, command: &str, path: &str) -> Result<Vec<u8>, &'static str> {
        let line = |(name, bytes): (&str, Option<usize>)| match (command, bytes) {
            ("NLST", _) => format!("{name}\r\n"),
            (_, Some(bytes)) => format!("-rw-r--r-- 1 ftp ftp {bytes:10} {LIST_DATE} {name}\r\n"),
            (_, None) => format!("drwxr-xr-x 1 ftp ftp          0 {LIST_DATE} {name}\r\n"),
        };
        if let Some(bytes) = self.files.get(path) {
            let name = path.rsplit('/').next().unwrap_or_default();
            return Ok(line((name, Some(bytes.len()))).into_bytes());
        }
        if !self.files.is_folder(path) {
            return Err(NO_FILE);
        }
        Ok(self.files.names(path).map(line).collect::<String>().into_bytes())
    }

    /// Commands about files and folders that transfer nothing.
    fn about_files(
        &mut self,
        control: Connection,
        command: &str,
        argument: &str,
        renames_from: Option<String>,
    ) -> String {
        let Some(session) = self.sessions.get_mut(&control) else { return String::new() };
        let said = if matches!(command, "CDUP" | "XCUP") { ".." } else { argument };
        let path = Files::resolve(&session.folder, said);
        let changes = matches!(command, "MKD" | "XMKD" | "RMD" | "XRMD" | "DELE" | "RNFR" | "RNTO");
        if changes && !self.settings.writable {
            return READ_ONLY.to_owned();
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let done = |done: bool, line: String| if done { line } else { NO_FILE.to_owned() };
        match command {
            "PWD" | "XPWD" => format!("257 \"{}\"", session.folder.replace('"', "\"\"")),
            "CWD" | "XCWD" | "CDUP" | "XCUP" if self.files.is_folder(&path) => {
                session.folder = path;
                "250 There you are.".to_owned()
            }
            "CWD" | "XCWD" | "CDUP" | "XCUP" => NO_FILE.to_owned(),
            "SIZE" => {
                self.files.get(&path).map_or(NO_FILE.to_owned(), |bytes| format!("213 {}", bytes.len()))
            }
            "MDTM" => done(self.files.get(&path).is_some(), format!("213 {MDTM_DATE}")),
            "MKD" | "XMKD" if !is_name(name) || !self.files.make_folder(&path) => NOT_TAKEN.to_owned(),
            "MKD" | "XMKD" => format!("257 \"{path}\""),
            "RMD" | "XRMD" => done(self.files.remove_folder(&path), "250 Gone.".to_owned()),
            "DELE" => done(self.files.delete(&path), "250 Gone.".to_owned()),
            "RNFR" if self.files.get(&path).is_some() => {
                session.rename_from = Some(path);
                "350 To what?".to_owned()
            }
            "RNFR" => NO_FILE.to_owned(),
            "RNTO" => match renames_from {
                None => BAD_SEQUENCE.to_owned(),
                Some(from) if self.files.rename(&from, &path) => "250 Renamed.".to_owned(),
                Some(_) => NOT_TAKEN.to_owned(),
            },
            _ => "502 That is not done here.".to_owned(),
        }
    }
}

/// What a list is of: clients give it options of `ls` too.
fn file_of<'a>(command: &str, argument: &'a str) -> &'a str {
    match command {
        "LIST" | "NLST" => argument.split(' ').find(|word| !word.starts_with('-')).unwrap_or_default(),
        _ => argument,
    }
}
