//! A figure from several rounds, and whether it meets its goal.

use std::fmt;

use serde::Serialize;

/// The spread of a figure over several rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// `None` without values.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Some(Self { median: *values.get(values.len() / 2)?, least: *values.first()?, most: *values.last()? })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.1} ({:.1}–{:.1})", self.median, self.least, self.most);
        to.pad(&text)
    }
}

/// The goal of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "bound")]
pub(crate) enum GatewayGoal {
    Bound(f64),
    /// At most this multiple of the best peer's figure, which is the smallest.
    PartOfBest(f64),
    /// At least this multiple of the best peer's figure, which is the greatest.
    TimesBest(f64),
}

impl GatewayGoal {
    /// The index of the best peer's figure.
    pub(crate) fn best(self, peers: impl Iterator<Item = f64>) -> Option<usize> {
        let of_two = |one: &(usize, f64), other: &(usize, f64)| one.1.total_cmp(&other.1);
        let best = match self {
            Self::TimesBest(_) => peers.enumerate().max_by(of_two),
            Self::Bound(_) | Self::PartOfBest(_) => peers.enumerate().min_by(of_two),
        };
        best.map(|(place, _)| place)
    }

    /// Whether the goal is met. `None` if there is no peer to compare with.
    pub(crate) fn is_reached(self, ours: f64, best: Option<f64>) -> Option<bool> {
        match self {
            Self::Bound(bound) => Some(ours <= bound),
            Self::PartOfBest(times) => best.map(|best| ours <= times * best),
            Self::TimesBest(times) => best.map(|best| ours >= times * best),
        }
    }
}

impl fmt::Display for GatewayGoal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bound(bound) => write!(to, "≤ {bound}"),
            Self::PartOfBest(times) => write!(to, "≤ {times} × the best peer"),
            Self::TimesBest(times) => write!(to, "≥ {times} × the best peer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_has_the_median_and_both_ends() {
        assert_eq!(Spread::of([3.0, 1.0, 2.0]), Some(Spread { median: 2.0, least: 1.0, most: 3.0 }));
        assert_eq!(Spread::of([]), None);
    }

    #[test]
    fn a_goal_is_measured_by_the_best_peer() {
        let fast = GatewayGoal::PartOfBest(0.25);
        assert_eq!(fast.best([8.0, 4.0].into_iter()), Some(1));
        assert_eq!(fast.is_reached(1.0, Some(4.0)), Some(true));
        assert_eq!(fast.is_reached(1.1, Some(4.0)), Some(false));
        let many = GatewayGoal::TimesBest(4.0);
        assert_eq!(many.best([8.0, 4.0].into_iter()), Some(0));
        assert_eq!(many.is_reached(31.0, Some(8.0)), Some(false));
        assert_eq!(many.is_reached(32.0, None), None);
        assert_eq!(GatewayGoal::Bound(8.0).is_reached(8.0, None), Some(true));
    }
}
