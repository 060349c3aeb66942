//! What the person has said for good about a look at a model's words. It counts for the place that they saw: of a provider
//! that goes elsewhere it is forgotten, and nothing is remembered of one that went while they looked.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_models::{Candidate, Provider, ProviderKind, SamplingLook, StandingAnswer};
use mooring_store::SamplingStandingRow;
use url::{Origin, Url};

use super::{Models, lock};
use crate::error::ModelsError;

/// Answers that stand until the application ends.
const MOST: usize = 1_000;

/// For how long an answer stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowLong {
    /// Until the application ends.
    Run,
    /// For so long.
    For(Duration),
    /// Until it is taken back.
    Always,
}

/// Where a model is asked; none: the practice model.
type Place = Option<(ProviderKind, Origin)>;

fn place(candidate: &Candidate<'_>) -> Place {
    let provider = candidate.provider?;
    // What is no address is like nothing else.
    let origin = Url::parse(&provider.base_url).map_or_else(|_| Origin::new_opaque(), |url| url.origin());
    Some((provider.kind, origin))
}

/// An answer that stands until the application ends; its number is negative.
pub(crate) struct OfRun {
    pub(crate) row: SamplingStandingRow,
    place: Place,
}

impl Models {
    /// What the person has said for good about a look at a model's words.
    pub(crate) async fn standing(
        &self,
        server: ServerId,
        look: SamplingLook,
        candidate: &Candidate<'_>,
    ) -> Result<Option<bool>, ModelsError> {
        let provider = candidate.provider.map(|provider| provider.id);
        let is_it = |row: &SamplingStandingRow| {
            row.server == server.0
                && row.look == look.as_str()
                && row.provider == provider
                && row.model == candidate.id()
        };
        let here = place(candidate);
        let is_of_run = |answer: &&OfRun| is_it(&answer.row) && answer.place == here;
        let of_run = lock(&self.of_run).iter().rev().find(is_of_run).map(|answer| answer.row.allow);
        let kept = self.tables.standing().await?.into_iter().rev().find(is_it).map(|row| row.allow);
        // No wins.
        Ok(match (of_run, kept) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (of_run, kept) => of_run.or(kept),
        })
    }

    /// The numbers of all of that.
    pub async fn standing_numbers(&self) -> Result<BTreeSet<i64>, ModelsError> {
        let mut numbers: BTreeSet<i64> = self.tables.standing().await?.iter().map(|row| row.id).collect();
        numbers.extend(lock(&self.of_run).iter().map(|answer| answer.row.id));
        Ok(numbers)
    }

    /// Keeps an answer of the person: for this run, for a time, or until it is taken back. Its number; none: it is not kept.
    pub(crate) async fn stand(
        &self,
        server: ServerId,
        look: SamplingLook,
        candidate: &Candidate<'_>,
        allow: bool,
        how_long: HowLong,
    ) -> Result<Option<i64>, ModelsError> {
        let seen = match candidate.provider {
            Some(provider) => Some(self.unmoved(provider).await?),
            None => None,
        };
        let mut row = SamplingStandingRow {
            id: 0,
            server: server.0,
            look: look.as_str().to_owned(),
            provider: candidate.provider.map(|provider| provider.id),
            model: candidate.id().to_owned(),
            allow,
            until_us: None,
        };
        let number = if how_long == HowLong::Run {
            let mut of_run = lock(&self.of_run);
            // It takes the place of an earlier one to the same.
            of_run.retain(|answer| !is_to_the_same(&answer.row, &row));
            if of_run.len() < MOST {
                row.id = self.last_of_run.fetch_sub(1, Ordering::Relaxed) - 1;
                let number = row.id;
                of_run.push(OfRun { row, place: place(candidate) });
                Some(number)
            } else {
                None
            }
        } else {
            if let HowLong::For(time) = how_long {
                let time = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
                row.until_us = Some(mooring_base::clock::forward_us().saturating_add(time));
            }
            let seen = seen.as_ref().map(|row| (row.kind.as_str(), row.base_url.as_str()));
            // Of one that goes elsewhere in this very moment nothing is kept.
            self.tables.stand(&row, seen.unwrap_or_default()).await?
        };
        self.changed();
        Ok(number)
    }

    /// Takes such an answer back.
    pub async fn forget(&self, id: i64) -> Result<(), ModelsError> {
        if id < 0 {
            lock(&self.of_run).retain(|answer| answer.row.id != id);
        } else {
            self.tables.forget(id).await?;
        }
        self.changed();
        Ok(())
    }

    /// Takes back what stands of a provider until the application ends.
    pub(crate) fn forget_of_run(&self, provider: i64) {
        lock(&self.of_run).retain(|answer| answer.row.provider != Some(provider));
    }
}

/// Whether both are about the same look at the words of the same model.
fn is_to_the_same(one: &SamplingStandingRow, other: &SamplingStandingRow) -> bool {
    (one.server, &one.look, one.provider, &one.model)
        == (other.server, &other.look, other.provider, &other.model)
}

/// As it is shown.
pub(crate) fn standing_answer(row: &SamplingStandingRow, providers: &[Provider]) -> StandingAnswer {
    let look = if row.look == "answer" { SamplingLook::Answer } else { SamplingLook::Request };
    let provider = row.provider.and_then(|id| providers.iter().find(|provider| provider.id == id));
    StandingAnswer {
        id: row.id,
        look,
        provider_name: provider.map(|provider| provider.name.clone()),
        model: row.model.clone(),
        allow: row.allow,
        until_ms: row.until_us.map(|until| until / 1_000),
        session: row.id < 0,
    }
}
