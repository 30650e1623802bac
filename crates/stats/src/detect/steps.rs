//! Steps: a few separate levels of latency, as two ways through the firmware make them (an interrupt against a
//! DMA idle line, a retry that happens or not).

use super::finding::{Finding, Kind};
use super::gate::Gate;
use super::series::Series;

const MIN_MESSAGES: usize = 60;
const MAX_LEVELS: usize = 5;
/// Each level holds at least this share of the messages.
const MIN_SHARE: f64 = 0.03;
/// At most this share may lie in the gap between two levels.
const STRAY_SHARE: f64 = 0.01;
/// A gap is this much wider than the levels beside it.
const GAP_OVER_WIDTH: f64 = 2.0;

/// One level: messages that took about the same time.
#[derive(Debug, Clone, Copy)]
struct Level {
    median_ps: f64,
    share: f64,
}

pub(super) fn find(series: &Series, gates: &[Gate]) -> Option<Finding> {
    let n = series.len();
    // The few phases that a steady trigger visits of a gate are no levels of the link.
    let spread = series.quantile_ps(1.0) - series.quantile_ps(0.0);
    if n < MIN_MESSAGES || !gates.is_empty() || spread < series.finest_structure_ps() {
        return None;
    }
    let mut levels = Vec::new();
    Splitter { n, finest_ps: series.finest_structure_ps() }.split(&series.sorted_ps, &mut levels);
    if levels.len() < 2 || levels.len() > MAX_LEVELS {
        return None;
    }
    let distances: Vec<f64> = levels.windows(2).map(|pair| pair[1].median_ps - pair[0].median_ps).collect();
    let smallest = levels.iter().map(|level| level.share).fold(1.0, f64::min);
    Some(
        Finding::new(Kind::Steps, 1.0 - libm::exp(-smallest * n as f64 / 10.0), None)
            .with_list("levels_ps", levels.iter().map(|level| level.median_ps).collect())
            .with_list("shares", levels.iter().map(|level| level.share).collect())
            .with_list("distances_ps", distances),
    )
}

/// Splits values at their widest sparse gap as long as both sides are much narrower than it.
struct Splitter {
    /// All messages.
    n: usize,
    /// No gap is narrower than this.
    finest_ps: f64,
}

impl Splitter {
    fn split(&self, sorted: &[i64], levels: &mut Vec<Level>) {
        if let Some((left, right)) = self.widest_gap(sorted)
            && levels.len() < MAX_LEVELS
        {
            self.split(left, levels);
            self.split(right, levels);
            return;
        }
        let median_ps = sorted.get(sorted.len() / 2).map_or(0.0, |v| *v as f64);
        levels.push(Level { median_ps, share: sorted.len() as f64 / self.n as f64 });
    }

    fn widest_gap<'a>(&self, sorted: &'a [i64]) -> Option<(&'a [i64], &'a [i64])> {
        let least = (MIN_SHARE * self.n as f64).max(5.0) as usize;
        if sorted.len() < 2 * least {
            return None;
        }
        let stray = (STRAY_SHARE * self.n as f64) as usize;
        let last = sorted.len().checked_sub(least + stray)?;
        let at = (least..last).max_by_key(|i| sorted[i + stray] - sorted[i - 1])?;
        let gap = (sorted[at + stray] - sorted[at - 1]) as f64;
        let (left, right) = (&sorted[..at + stray / 2], &sorted[at + stray / 2..]);
        let width = central_width(left).max(central_width(right));
        (gap > (GAP_OVER_WIDTH * width).max(self.finest_ps)).then_some((left, right))
    }
}

/// The width of the central 80 %.
fn central_width(sorted: &[i64]) -> f64 {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    (at(0.9) - at(0.1)) as f64
}
