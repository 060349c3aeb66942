//! Remembered decisions about reviews of sampling. Each is for the provider's origin that the person saw: it
//! is removed when the origin changes, and not saved if the origin changed during the review.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mooring_base::server_id::ServerId;
use mooring_models::{ApprovalView, Candidate, Provider, ProviderKind, ReviewStep};
use mooring_store::SamplingApprovalRow;
use url::{Origin, Url};

use super::{SamplingService, lock};
use crate::error::SamplingError;

/// How many decisions that end with this process are remembered.
const MAX_SESSION_APPROVALS: usize = 1_000;

/// How long a decision is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalTerm {
    /// Until the application ends.
    Session,
    /// For this duration.
    For(Duration),
    /// Until the person removes it.
    Always,
}

/// The kind and origin of a provider. `None` for the practice model.
type ProviderOrigin = Option<(ProviderKind, Origin)>;

fn provider_origin(candidate: &Candidate<'_>) -> ProviderOrigin {
    let provider = candidate.provider?;
    // An invalid URL is not equal to any other.
    let origin = Url::parse(&provider.base_url).map_or_else(|_| Origin::new_opaque(), |url| url.origin());
    Some((provider.kind, origin))
}

/// A decision that ends with this process. Its id is negative.
pub(crate) struct SessionApproval {
    pub(crate) row: SamplingApprovalRow,
    place: ProviderOrigin,
}

impl SamplingService {
    /// The remembered decision about a review. `None` if the person has to be asked.
    pub(crate) async fn find_approval(
        &self,
        server: ServerId,
        look: ReviewStep,
        candidate: &Candidate<'_>,
    ) -> Result<Option<bool>, SamplingError> {
        let provider = candidate.provider.map(|provider| provider.id);
        let is_it = |row: &SamplingApprovalRow| {
            row.server == server.0
                && row.review == look.as_str()
                && row.provider == provider
                && row.model == candidate.id()
        };
        let here = provider_origin(candidate);
        let is_of_run = |answer: &&SessionApproval| is_it(&answer.row) && answer.place == here;
        let of_run =
            lock(&self.session_approvals).iter().rev().find(is_of_run).map(|answer| answer.row.allow);
        let approved = self.tables.approvals().await?.into_iter().rev().find(is_it).map(|row| row.allow);
        // A denial takes precedence.
        Ok(match (of_run, approved) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (of_run, kept) => of_run.or(kept),
        })
    }

    /// The ids of all remembered decisions.
    pub async fn approval_ids(&self) -> Result<BTreeSet<i64>, SamplingError> {
        let mut numbers: BTreeSet<i64> = self.tables.approvals().await?.iter().map(|row| row.id).collect();
        numbers.extend(lock(&self.session_approvals).iter().map(|answer| answer.row.id));
        Ok(numbers)
    }

    /// Remembers a decision. Returns its id, or `None` if it was not saved.
    pub(crate) async fn save_approval(
        &self,
        server: ServerId,
        look: ReviewStep,
        candidate: &Candidate<'_>,
        allow: bool,
        how_long: ApprovalTerm,
    ) -> Result<Option<i64>, SamplingError> {
        let seen = match candidate.provider {
            Some(provider) => Some(self.find_unmoved_row(provider).await?),
            None => None,
        };
        let mut row = SamplingApprovalRow {
            id: 0,
            server: server.0,
            review: look.as_str().to_owned(),
            provider: candidate.provider.map(|provider| provider.id),
            model: candidate.id().to_owned(),
            allow,
            until_us: None,
        };
        let number = if how_long == ApprovalTerm::Session {
            let mut of_run = lock(&self.session_approvals);
            // An earlier decision about the same subject is replaced.
            of_run.retain(|answer| !is_same_subject(&answer.row, &row));
            if of_run.len() < MAX_SESSION_APPROVALS {
                row.id = self.last_session_id.fetch_sub(1, Ordering::Relaxed) - 1;
                let number = row.id;
                of_run.push(SessionApproval { row, place: provider_origin(candidate) });
                Some(number)
            } else {
                None
            }
        } else {
            if let ApprovalTerm::For(time) = how_long {
                let time = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
                row.until_us = Some(mooring_base::clock::monotonic_us().saturating_add(time));
            }
            let seen = seen.as_ref().map(|row| (row.kind.as_str(), row.base_url.as_str()));
            // If the provider changes at this moment, nothing is saved.
            self.tables.save_approval(&row, seen.unwrap_or_default()).await?
        };
        self.notify_changed();
        Ok(number)
    }

    /// Removes a remembered decision.
    pub async fn remove_approval(&self, id: i64) -> Result<(), SamplingError> {
        if id < 0 {
            lock(&self.session_approvals).retain(|answer| answer.row.id != id);
        } else {
            self.tables.remove_approval(id).await?;
        }
        self.notify_changed();
        Ok(())
    }

    /// Removes the decisions about a provider that end with this process.
    pub(crate) fn remove_session_approvals(&self, provider: i64) {
        lock(&self.session_approvals).retain(|answer| answer.row.provider != Some(provider));
    }
}

/// Whether both are about the same review of the same model for the same server.
fn is_same_subject(one: &SamplingApprovalRow, other: &SamplingApprovalRow) -> bool {
    (one.server, &one.review, one.provider, &one.model)
        == (other.server, &other.review, other.provider, &other.model)
}

pub(crate) fn approval_view(row: &SamplingApprovalRow, providers: &[Provider]) -> ApprovalView {
    let look = if row.review == "answer" { ReviewStep::Answer } else { ReviewStep::Request };
    let provider = row.provider.and_then(|id| providers.iter().find(|provider| provider.id == id));
    ApprovalView {
        id: row.id,
        look,
        provider_name: provider.map(|provider| provider.name.clone()),
        model: row.model.clone(),
        allow: row.allow,
        until_ms: row.until_us.map(|until| until / 1_000),
        session: row.id < 0,
    }
}
