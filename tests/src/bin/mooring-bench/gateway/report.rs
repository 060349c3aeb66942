//! The results, with goals and the best peer's figures, as a table or as JSON.

use serde::Serialize;

use super::spread::{GatewayGoal, Spread};
use super::subjects::Role;

/// All results.
#[derive(Default, Serialize)]
pub(crate) struct Measured {
    pub(crate) comparisons: Vec<Comparison>,
}

/// One figure of all subjects that have it.
#[derive(Serialize)]
pub(crate) struct Comparison {
    what: String,
    goal: Option<GatewayGoal>,
    entries: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    figure: Option<Spread>,
    /// Why there is no figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl Comparison {
    pub(crate) fn new(what: impl Into<String>, goal: Option<GatewayGoal>) -> Self {
        Self { what: what.into(), goal, entries: Vec::new() }
    }

    /// Adds a subject's values, or the reason why there are none.
    pub(crate) fn add(&mut self, name: &'static str, role: Role, values: Result<Vec<f64>, String>) {
        let figure = values.map(|values| Spread::of(values).ok_or_else(|| "not measured".to_owned()));
        let (figure, missing) = match figure.and_then(|figure| figure) {
            Ok(figure) => (Some(figure), None),
            Err(why) => (None, Some(why)),
        };
        self.entries.push(Entry { name, role, figure, missing });
    }

    /// Creates a comparison with only our own figure.
    pub(crate) fn ours(what: impl Into<String>, goal: f64, values: Vec<f64>) -> Self {
        let mut comparison = Self::new(what, Some(GatewayGoal::Bound(goal)));
        comparison.add("Mooring", Role::Ours, Ok(values));
        comparison
    }

    fn median(&self, role: Role) -> impl Iterator<Item = (&'static str, f64)> {
        let of = self.entries.iter().filter(move |entry| entry.role == role);
        of.filter_map(|entry| Some((entry.name, entry.figure?.median)))
    }

    fn best_peer(&self, goal: GatewayGoal) -> Option<(&'static str, f64)> {
        let place = goal.best(self.median(Role::Peer).map(|(_, figure)| figure))?;
        self.median(Role::Peer).nth(place)
    }

    fn is_reached(&self) -> Option<bool> {
        let goal = self.goal?;
        let (_, ours) = self.median(Role::Ours).next()?;
        goal.is_reached(ours, self.best_peer(goal).map(|(_, figure)| figure))
    }

    fn print(&self) {
        println!("\n{}{}", self.what, self.verdict());
        for entry in &self.entries {
            match (&entry.figure, &entry.missing) {
                (Some(figure), _) => println!("  {:20} {figure}", entry.name),
                (None, why) => println!(
                    "  {:20} could not be measured: {}",
                    entry.name,
                    why.as_deref().unwrap_or_default()
                ),
            }
        }
    }

    fn verdict(&self) -> String {
        let Some(goal) = self.goal else { return String::new() };
        let reached = match self.is_reached() {
            Some(true) => "reached",
            Some(false) => "NOT REACHED",
            None => "nothing to compare with",
        };
        let best = self.best_peer(goal).map(|(name, figure)| format!(", best peer {name} {figure:.1}"));
        format!("   {reached}: {goal}{}", best.unwrap_or_default())
    }
}

impl Measured {
    /// Whether every goal was met.
    pub(crate) fn is_good(&self) -> bool {
        self.comparisons.iter().all(|one| one.goal.is_none() || one.is_reached() == Some(true))
    }
}

/// Prints all results as a table.
pub(crate) fn print(measured: &Measured) {
    println!("Medians of the rounds, with the least and the most.");
    for comparison in &measured.comparisons {
        comparison.print();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_without_a_figure_is_not_the_best() {
        let mut comparison = Comparison::new("calls", Some(GatewayGoal::PartOfBest(0.25)));
        comparison.add("broken", Role::Peer, Err("not installed".to_owned()));
        comparison.add("slow", Role::Peer, Ok(vec![8.0, 8.0, 9.0]));
        comparison.add("Mooring", Role::Ours, Ok(vec![1.0, 2.0, 3.0]));
        assert_eq!(comparison.is_reached(), Some(true));
        assert!(comparison.verdict().contains("best peer slow 8.0"), "{}", comparison.verdict());
        let measured = Measured { comparisons: vec![comparison] };
        assert!(measured.is_good());
    }
}
