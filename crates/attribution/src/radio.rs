//! What a radio was busy with as intervals: transfers over its bus, and frames in its own processor. And packets over USB.

use lan::{Deed, DeedKind};
use record::run_folder::{Site, Stage, Subject};
use sim::Cause;

use super::{Interval, Rank};

/// Each deed as an interval of the board's.
pub fn intervals(deeds: &[Deed]) -> Vec<Interval> {
    deeds.iter().map(of_deed).collect()
}

fn of_deed(deed: &Deed) -> Interval {
    let to = |from_board: bool| if from_board { Site::Pc } else { Site::Board };
    let frames = |from_board: bool| Subject::Frames(to(from_board));
    let (rank, cause, subject) = match deed.kind {
        DeedKind::Register => (Rank::Spi, Cause::Bus, Subject::Status),
        DeedKind::Packet { from_board } => (Rank::Spi, Cause::Bus, frames(from_board)),
        DeedKind::Inside { from_board } => (Rank::Chip, Cause::Chip, frames(from_board)),
        // USB is the board's wire.
        DeedKind::OverUsb { from_board } => (Rank::Wire, Cause::Wire, Subject::UsbPackets(to(from_board))),
    };
    let stage = Stage::of_board(cause, Some(subject));
    Interval { start: deed.start, end: deed.end, rank, stage, bytes: u64::from(deed.bytes) }
}

#[cfg(test)]
mod tests {
    use units::Picoseconds;

    use super::*;

    #[test]
    fn the_bus_goes_before_the_radio_and_registers_are_no_frames() {
        let deed = |kind| Deed { kind, start: Picoseconds::ZERO, end: Picoseconds::new(5), bytes: 4 };
        let kinds = [
            DeedKind::Register,
            DeedKind::Packet { from_board: true },
            DeedKind::Inside { from_board: false },
        ];
        let found = intervals(&kinds.map(deed));
        assert!(found[0].rank == found[1].rank && found[1].rank < found[2].rank);
        let codes: Vec<_> =
            found.iter().map(|one| (one.stage.cause, one.stage.subject_code(), one.stage.detail())).collect();
        let frames = Some("frames");
        assert_eq!(
            codes,
            [
                (Cause::Bus, Some("status"), None),
                (Cause::Bus, frames, Some("pc")),
                (Cause::Chip, frames, Some("board"))
            ]
        );
    }
}
