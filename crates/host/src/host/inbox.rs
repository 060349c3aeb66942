//! The host's verbs for questions to the person.

use std::collections::BTreeSet;

use mooring_base::server_id::ServerId;
use mooring_forms::Mistake;
use mooring_inbox::{DecisionView, InboxView, InteractionAnswer, InteractionOpening, RememberedBy};
use mooring_store::InteractionKind;

use super::{Host, HostState};
use crate::error::HostError;

impl Host {
    /// What waits for the person, and whose questions are not shown.
    pub fn inbox(&self) -> InboxView {
        self.inner.responders.interactions.view()
    }

    /// The person looks at a question now: what it takes to answer it.
    pub fn open_interaction(&self, id: i64) -> Result<InteractionOpening, HostError> {
        Ok(self.inner.responders.interactions.open(id)?)
    }

    /// Answers a question. The decision is on the disk before whoever asked hears of it. Where it is to be remembered, the
    /// reply says what does, or that nothing could.
    pub async fn answer_interaction(
        &self,
        id: i64,
        nonce: &str,
        answer: InteractionAnswer,
    ) -> Result<DecisionView, HostError> {
        let (decision, number) = self.inner.responders.interactions.answer(id, nonce, answer).await?;
        let remembered = number.and_then(|number| remembered_by(&decision, number));
        Ok(DecisionView { remembered, ..decision })
    }

    /// Keeps what was entered so far, as JSON text, for as long as the question waits. Never on the disk.
    pub fn save_draft(&self, id: i64, draft: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.save_draft(id, draft)?)
    }

    /// What is wrong with the values of a form, as JSON text.
    pub fn check_form(&self, id: i64, content: &str) -> Result<Vec<Mistake>, HostError> {
        Ok(self.inner.responders.interactions.check_form(id, content)?)
    }

    /// Asks the model once more, after it could not answer; or opens an address once more that the person has agreed
    /// to, after the browser could not, or closed it too early.
    pub fn retry_interaction(&self, id: i64, nonce: &str) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.retry(id, nonce)?)
    }

    /// How the last questions were decided, newest first.
    pub async fn decisions(&self, limit: u32) -> Result<Vec<DecisionView>, HostError> {
        let decisions = self.inner.responders.interactions.decisions(limit).await?;
        let standing = self.inner.responders.models.approval_ids().await?;
        let mut views = Vec::with_capacity(decisions.len());
        for (decision, number) in decisions {
            let remembered = match number.and_then(|number| remembered_by(&decision, number)) {
                Some(by) if self.still_remembers(by, &standing).await? => Some(by),
                _ => None,
            };
            views.push(DecisionView { remembered, ..decision });
        }
        Ok(views)
    }

    /// Whether what remembers a decision is still there.
    async fn still_remembers(&self, by: RememberedBy, standing: &BTreeSet<i64>) -> Result<bool, HostError> {
        let HostState { rules, responders, .. } = &*self.inner;
        Ok(match by {
            RememberedBy::Rule { id } => rules.is_in_force(id),
            RememberedBy::Model { id } => standing.contains(&id),
            RememberedBy::Folders { server, answer } => responders.folders.remembers(server, answer).await?,
        })
    }

    /// Lets a server ask again.
    pub async fn lift_silence(&self, server: ServerId) -> Result<(), HostError> {
        Ok(self.inner.responders.interactions.lift_silence(server).await?)
    }
}

/// What remembers a decision of this kind under this number.
fn remembered_by(decision: &DecisionView, number: i64) -> Option<RememberedBy> {
    match decision.kind {
        InteractionKind::Tool => Some(RememberedBy::Rule { id: number }),
        InteractionKind::Sampling | InteractionKind::SamplingAnswer => {
            Some(RememberedBy::Model { id: number })
        }
        InteractionKind::Roots => {
            decision.server.map(|server| RememberedBy::Folders { server, answer: number })
        }
        InteractionKind::Form | InteractionKind::Url => None,
    }
}
