//! Virtual boards: a board file says which chips are on which pins, an image is loaded, and the whole runs in virtual
//! time ([`Board`]). The microcontroller is an [`mcu::Mcu`], whichever the board file names (`mcus` has them all); here it gets
//! its surroundings, names for pins and functions, run control, recordings, and the report of a run ([`BoardRun`]).

mod builtin;
mod cable;
mod console_log;
mod eeprom;
mod ending;
mod energy;
mod error;
mod file;
mod fits;
pub mod gdb;
mod header;
mod kinds;
mod live;
mod mcus;
mod network_state;
mod outcome;
mod pair;
pub mod parts;
pub mod profile;
mod recording;
mod registers;
mod run;
mod sampler;
mod saved;
mod schema;
mod serial;
mod serve;
mod settings;
mod snapshot;
mod statistics;
mod trace;
mod traffic;
mod usb;
mod virtual_board;
mod wires;

pub use mcu::{Console, InputReport, UsbDevice};

pub use builtin::{board_names, find_board};
pub use console_log::{CONSOLES, ConsoleLine, console_name};
pub use energy::{BoardEnergy, PartEnergy, StateEnergy};
pub use error::BoardError;
pub use fields::unescaped;
pub use file::{BoardFile, PartEntry};
pub use live::{EndsBy, Forward, ForwardError, LiveError, LiveListener, LiveOptions, Pace};
pub use mcus::microcontroller_of;
pub use network_state::{CallEntry, NetworkState};
pub use outcome::{BoardRun, FunctionShare};
pub use pair::{BoardPair, Crossing, Side};
pub use run::{Ended, Listener, RunUntil};
pub use schema::{board_fields, board_schema, chip_kinds, microcontrollers};
pub use serial::{LineEnd, SerialLine};
pub use settings::{ImageSetting, SettingProblem, changed_image_file, image_settings, with_settings};
pub use snapshot::BoardSnapshot;
pub use trace::TraceWriter;
pub use traffic::{CounterEntry, LatencyEntry, SampleEntry, ServiceEntry, TrafficEntry};
pub use virtual_board::{Board, BoardOptions, read_image, read_image_file, read_rom, with_symbols};
pub use wires::{LEAST_WIRE_DELAY, PinWire, PinWires, WIRE_DELAY};
