//! Spans: who did what, from when to when. A recorder that is off keeps nothing and costs one branch.

use units::Picoseconds;

/// Something that took time. `actor` and `activity` are numbers that the model gives meaning to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Who: a component, a stage.
    pub actor: u32,
    /// What of it.
    pub activity: u32,
    /// The message that it was done for.
    pub message: u64,
    /// Its start.
    pub start: Picoseconds,
    /// Its end.
    pub end: Picoseconds,
    /// The bytes that moved.
    pub bytes: u32,
}

/// Keeps spans while it is on.
#[derive(Debug, Clone, Default)]
pub struct SpanRecorder {
    on: bool,
    spans: Vec<Span>,
}

impl SpanRecorder {
    /// Switches recording on or off from here.
    pub fn switch(&mut self, on: bool) {
        self.on = on;
    }

    /// Keeps a span, if recording is on.
    #[inline]
    pub fn record(&mut self, span: impl FnOnce() -> Span) {
        if self.on {
            self.spans.push(span());
        }
    }

    /// Takes what was recorded since the last call.
    pub fn take(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorder_that_is_off_does_not_even_make_the_span() {
        let mut recorder = SpanRecorder::default();
        recorder.record(|| unreachable!("recording is off"));
        assert!(recorder.take().is_empty());
    }
}
