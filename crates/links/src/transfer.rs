//! Messages on their way through a link, in the order in which they were triggered.

use std::collections::VecDeque;

use units::Picoseconds;

use crate::simulation::Sample;
use crate::stage::Load;

/// What the awaited event means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// The stage is asked again.
    No,
    Onwards,
    Lost,
}

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a section of the program.
    Inside,
    /// At a section's end, behind a message that is still in it.
    Held,
    /// In front of a section, until its server is free.
    Queued,
    /// In front of a section whose server it was given.
    Granted,
    Finished,
}

/// A message, or several that are carried as one, on its way.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// Of its messages; the first one's number is its own.
    pub(crate) samples: Vec<Sample>,
    pub(crate) place: Place,
    /// The section that it is in, or was in last.
    pub(crate) section: usize,
    pub(crate) operation: usize,
    /// When it came to the section.
    pub(crate) arrived: Picoseconds,
    /// When it came into the stage.
    pub(crate) entered: Picoseconds,
    /// Until when it is known what its time was spent on.
    pub(crate) accounted: Picoseconds,
    pub(crate) stays: u32,
    pub(crate) leaving: Leaving,
    pub(crate) loads: Vec<Load>,
    pub(crate) failures: Vec<u32>,
}

impl Transfer {
    pub(crate) fn id(&self) -> u64 {
        self.samples[0].index
    }

    pub(crate) fn load(&self) -> Load {
        *self.loads.last().expect("a message in transfer has a load")
    }

    /// The done edge, unless there was one before.
    pub(crate) fn done(&mut self, now: Picoseconds) {
        for sample in &mut self.samples {
            sample.done.get_or_insert(now);
        }
    }
}

/// All messages that the link holds.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    /// In the order of their numbers.
    under_way: VecDeque<Transfer>,
    /// Kept so that no message allocates.
    spare: Vec<Transfer>,
}

impl Transfers {
    pub(crate) fn add(
        &mut self,
        sample: Sample,
        payload_bytes: u32,
        scopes: usize,
        now: Picoseconds,
    ) -> &mut Transfer {
        let mut transfer = self.spare.pop().unwrap_or_else(|| Transfer {
            samples: Vec::with_capacity(1),
            place: Place::Inside,
            section: 0,
            operation: 0,
            arrived: now,
            entered: now,
            accounted: now,
            stays: 0,
            leaving: Leaving::No,
            loads: Vec::new(),
            failures: vec![0; scopes],
        });
        transfer.samples.clear();
        transfer.samples.push(sample);
        transfer.loads.clear();
        transfer.loads.push(Load::whole(payload_bytes));
        (transfer.place, transfer.section, transfer.operation) = (Place::Inside, 0, 0);
        (transfer.arrived, transfer.entered, transfer.accounted) = (now, now, now);
        (transfer.stays, transfer.leaving) = (0, Leaving::No);
        self.under_way.push_back(transfer);
        self.under_way.back_mut().expect("it was just added")
    }

    fn position(&self, id: u64) -> usize {
        // Nearly always the oldest or the only one.
        match self.under_way.front() {
            Some(first) if first.id() == id => 0,
            _ => self.under_way.partition_point(|transfer| transfer.id() < id),
        }
    }

    pub(crate) fn get(&mut self, id: u64) -> &mut Transfer {
        let position = self.position(id);
        &mut self.under_way[position]
    }

    /// Whether the message before is still in the section, or in front of it.
    pub(crate) fn is_behind_another(&self, id: u64) -> bool {
        let position = self.position(id);
        let section = self.under_way[position].section;
        let before = self.under_way.iter().take(position).rev();
        let mut present = before.filter(|other| other.place != Place::Finished);
        present.next().is_some_and(|other| other.section <= section)
    }

    /// The message that waits for this one to leave its section.
    pub(crate) fn held_behind(&self, id: u64, section: usize) -> Option<u64> {
        let mut after = self.under_way.iter().skip(self.position(id) + 1);
        let next = after.find(|other| other.place != Place::Finished)?;
        (next.place == Place::Held && next.section == section).then(|| next.id())
    }

    /// Lets a message that waits take along those that wait behind it, up to so many bytes in all.
    pub(crate) fn merge(&mut self, id: u64, others: &mut VecDeque<u64>, limit_bytes: u32) {
        while let Some(&next) = others.front() {
            let bytes = self.get(id).load().payload_bytes + self.get(next).load().payload_bytes;
            if bytes > limit_bytes {
                return;
            }
            others.pop_front();
            let position = self.position(next);
            let mut merged = self.under_way.remove(position).expect("a message that waits is under way");
            let whole = self.get(id);
            whole.samples.append(&mut merged.samples);
            whole.loads[0] = Load::whole(bytes);
            self.spare.push(merged);
        }
    }

    /// Hands over what is finished, in the order of the numbers.
    pub(crate) fn take_finished(&mut self, finished: &mut Vec<Sample>) {
        while self.under_way.front().is_some_and(|first| first.place == Place::Finished) {
            let transfer = self.under_way.pop_front().expect("there is a first");
            finished.extend(&transfer.samples);
            self.spare.push(transfer);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }
}
