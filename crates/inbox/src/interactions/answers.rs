//! Opens and answers questions for the person.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_forms::{Form, FormValues, Mistake, asks_for_secret};
use mooring_jsonrpc::raw;
use mooring_policy::ToolScope;
use mooring_store::{DecisionQuery, InteractionOutcome, InteractionRow};
use mooring_words::{Sentence, StoredSentence, say};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::Interactions;
use crate::error::{AnswerError, InboxError};
use crate::limits::{Asker, Silence};
use crate::nonce::{Nonce, NonceError};
use crate::question::{ExpectedContent, InteractionKind, InteractionQuestion};
use crate::queue::{Phase, Queue, QueuedQuestion};
use crate::request::{EditValidator, InteractionDecision};
use crate::view::{DecisionView, InboxView, InteractionAnswer, InteractionOpening, Remember};

/// Maximum number of bytes of an answer or a draft.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// Maximum number of attempts to open a URL after it was accepted.
const MAX_OPEN_ATTEMPTS: u64 = 5;
/// How long the reply to an answer waits until the asker has saved what remembers it. Longer than a busy
/// database blocks a write.
const REMEMBERED_TIMEOUT: Duration = Duration::from_secs(15);
/// Maximum number of decisions in one list.
const MOST_DECISIONS: u32 = 500;

/// What happens once a decision is on disk.
enum DecisionEffect {
    /// Send the decision to the asker.
    Reply(InteractionDecision),
    /// Open the URL. The server gets its reply once the URL is open or, if completion is awaited, once it is
    /// complete.
    OpenUrl,
    /// Send the asker the end of an opened URL: done or cancelled. The acceptance was saved earlier.
    Finish(InteractionDecision),
}

/// Restores a question's phase if its decision could not be written.
struct DecisionGuard<'a> {
    interactions: &'a Interactions,
    key: u64,
    before: Phase,
    done: bool,
}

impl Drop for DecisionGuard<'_> {
    fn drop(&mut self) {
        if !self.done
            && let Some(entry) = self.interactions.queue().entries.get_mut(&self.key)
        {
            entry.phase = self.before;
        }
    }
}

impl Interactions {
    /// The questions that wait, and the silences.
    pub fn view(&self) -> InboxView {
        self.queue().view(self.clock.now())
    }

    /// Opens a question and returns the nonce for its answer. Opening it again returns the same nonce.
    pub fn open(&self, id: i64) -> Result<InteractionOpening, InboxError> {
        let now = self.clock.now().instant;
        let mut queue = self.queue();
        let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
        if !queue.is_answerable(key) {
            return Err(AnswerError::NotWaiting.into());
        }
        let entry = queue.entries.get_mut(&key).ok_or(AnswerError::NotWaiting)?;
        let nonce = match entry.nonce.take() {
            Some(nonce) => nonce,
            None => Nonce::new(now)?,
        };
        let opening = InteractionOpening { nonce: nonce.expose().to_owned(), armed_in: nonce.armed_in(now) };
        entry.nonce = Some(nonce);
        Ok(opening)
    }

    /// Answers a question. The decision is on disk before the asker gets it. If the answer is to be
    /// remembered, this waits until the asker has done so, and returns the number of what remembers it, if
    /// anything does.
    pub async fn answer(
        self: &Arc<Self>,
        id: i64,
        nonce: &str,
        answer: InteractionAnswer,
    ) -> Result<(DecisionView, Option<i64>), InboxError> {
        let (taken, check) = {
            let mut queue = self.queue();
            let (_, entry) = queue.find_answerable(id, nonce, &answer, self.clock.now().instant)?;
            entry.check_acceptable(&answer)?;
            (entry.question.expected_content(), entry.check.clone())
        };
        // The content may be long, so it is parsed without the lock.
        let content = taken.read(&answer, check.as_ref())?;
        let (key, before, effect, outcome) = {
            let mut queue = self.queue();
            let (key, entry) = queue.find_answerable(id, nonce, &answer, self.clock.now().instant)?;
            let (effect, outcome) = entry.effect(&answer, content)?;
            let before = entry.phase;
            entry.phase = Phase::Deciding;
            (key, before, effect, outcome)
        };
        let mut deciding = DecisionGuard { interactions: self, key, before, done: false };
        let effect = match effect {
            DecisionEffect::Finish(decided) => {
                deciding.done = true;
                // If the person went there without the browser, its problem no longer counts.
                if matches!(decided, InteractionDecision::Accepted { .. }) {
                    self.records.save_problem(id, None);
                }
                self.resolve(key, decided);
                self.records.flush().await;
                return Ok((self.load_decision(id).await?, None));
            }
            effect => effect,
        };
        let Some(row) = self.records.store().decide(id, outcome, None).await? else {
            // The question ended in the meantime.
            deciding.done = true;
            self.resolve(key, InteractionDecision::Cancelled);
            return Err(AnswerError::NotWaiting.into());
        };
        deciding.done = true;
        let silence = self.update_limits(key, &answer);
        let remembered_by = match effect {
            DecisionEffect::Reply(decided) | DecisionEffect::Finish(decided) => self.resolve(key, decided),
            DecisionEffect::OpenUrl => {
                self.open_address(key);
                None
            }
        };
        match silence {
            Some((Asker::Server(server), silence)) => self.save_silence(server, silence).await,
            // An app's silence is not saved: it only lasts for this run.
            Some((Asker::App(_), _)) => self.records.notify_change(),
            None => {}
        }
        let remembered = match remembered_by {
            // An error means that nothing remembers it, or that the asker is gone.
            Some(receiver) if answer.is_to_be_remembered() => {
                timeout(REMEMBERED_TIMEOUT, receiver).await.ok().and_then(Result::ok)
            }
            _ => None,
        };
        Ok((decision_view(row).ok_or(AnswerError::NotWaiting)?, remembered))
    }

    /// Sends the decision to the asker and removes the question. The receiver gets the number of what
    /// remembers the answer.
    fn resolve(&self, key: u64, decided: InteractionDecision) -> Option<oneshot::Receiver<i64>> {
        let entry = self.queue().entries.remove(&key)?;
        if let Some(answer) = entry.answer {
            // The asker may be gone.
            let _gone = answer.send(decided);
        }
        self.notify_changed(Some(entry.asker.server));
        Some(entry.remembered_by)
    }

    /// Opens a URL that the person accepted.
    fn open_address(self: &Arc<Self>, key: u64) {
        let now = self.clock.now().instant;
        let mut queue = self.queue();
        // The question was withdrawn in the meantime.
        let Some(entry) = queue.entries.get_mut(&key) else { return };
        entry.phase = Phase::Opened;
        entry.nonce = None;
        entry.since = now;
        let server = entry.asker.server;
        let visit = entry.start_attempt();
        queue.remove_stale(now);
        drop(queue);
        if let Some((number, url)) = visit {
            self.open_in_browser(key, number, url);
        }
        self.notify_changed(Some(server));
    }

    /// Counts dismissals. Returns the silence that starts with this answer.
    fn update_limits(&self, key: u64, answer: &InteractionAnswer) -> Option<(Asker, Silence)> {
        let now = self.clock.now();
        let mut queue = self.queue();
        let entry = queue.entries.get(&key)?;
        let (server, asker, counts) = (entry.asker.server, entry.counted_for.clone(), entry.counts);
        let asks_person =
            matches!(entry.question, InteractionQuestion::Form { .. } | InteractionQuestion::Url { .. });
        let allowance = queue.limiter(&asker, server, now);
        let silence = match answer {
            InteractionAnswer::Cancel if counts => allowance.count_dismissal(now),
            InteractionAnswer::Cancel => None,
            InteractionAnswer::Decline { remember } if asks_person && *remember != Remember::Once => {
                Some(allowance.silence_for(*remember, now))
            }
            _ => {
                allowance.reset_dismissals();
                // A server's limit also counts answered questions. Answered calls of an app no longer count:
                // they are the person's work.
                if asker.app().is_some() {
                    allowance.forget_answered();
                }
                None
            }
        };
        silence.map(|silence| (asker, silence))
    }

    async fn save_silence(&self, server: ServerId, silence: Silence) {
        let until_us = match silence {
            Silence::Until(until) => Some(until.saturating_mul(1_000)),
            Silence::UntilLifted => None,
            Silence::Session => return self.records.notify_change(),
        };
        let row = mooring_store::SilenceRow { server_id: server.0, until_us };
        if let Err(error) = self.records.store().silence(row).await {
            tracing::warn!(%error, "a silence is only kept for this run");
        }
        self.records.notify_change();
    }

    /// Ends a server's silence.
    pub async fn lift_silence(&self, server: ServerId) -> Result<(), InboxError> {
        self.records.store().lift_silence(server.0).await?;
        self.lift(&Asker::Server(server));
        Ok(())
    }

    /// Ends the silence of an app's calls.
    pub fn lift_app_silence(&self, app: &str) {
        self.lift(&Asker::App(app.to_owned()));
    }

    fn lift(&self, asker: &Asker) {
        if let Some(allowance) = self.queue().limiters.get_mut(asker) {
            allowance.lift();
        }
        self.records.notify_change();
    }

    /// Saves a draft in memory, without fields that look like secrets. Drafts are never written to disk.
    pub fn save_draft(&self, id: i64, draft: &str) -> Result<(), InboxError> {
        let invalid = || AnswerError::invalid(say!("the draft isn’t a JSON object"));
        if draft.len() > MAX_ANSWER_BYTES {
            return Err(invalid().into());
        }
        let Ok(Value::Object(mut values)) = serde_json::from_str(draft) else { return Err(invalid().into()) };
        let taken = {
            let queue = self.queue();
            let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
            queue.entries.get(&key).ok_or(AnswerError::NotWaiting)?.question.expected_content()
        };
        if let ExpectedContent::Form(form) = taken {
            values.retain(|name, _| {
                form.fields.iter().any(|field| field.name == *name && !asks_for_secret(field))
            });
        }
        let draft = Value::Object(values).to_string();
        let mut queue = self.queue();
        let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
        queue.entries.get_mut(&key).ok_or(AnswerError::NotWaiting)?.draft = Some(draft);
        Ok(())
    }

    /// Validates an answer to a form. Returns what is wrong with it.
    pub fn check_form(&self, id: i64, content: &str) -> Result<Vec<Mistake>, InboxError> {
        let form = {
            let queue = self.queue();
            let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
            match queue.entries.get(&key).map(|entry| &entry.question) {
                Some(InteractionQuestion::Form { form, .. }) => form.clone(),
                _ => return Err(AnswerError::NotWaiting.into()),
            }
        };
        Ok(form.validate(&parse_values(content)?))
    }

    /// Asks a model again after an error, or opens an accepted URL again. Each retry needs a new nonce. The
    /// number of times that a URL is opened is limited.
    pub fn retry(self: &Arc<Self>, id: i64, nonce: &str) -> Result<(), InboxError> {
        let mut queue = self.queue();
        let key = queue.find(id).ok_or(AnswerError::NotWaiting)?;
        let entry = queue.entries.get_mut(&key).ok_or(AnswerError::NotWaiting)?;
        let is_opened = entry.phase == Phase::Opened;
        entry.check_nonce(nonce, true, self.clock.now().instant)?;
        match &entry.question {
            InteractionQuestion::SamplingAnswer(shown) if !shown.streaming && shown.problem.is_some() => {
                entry.nonce = None;
                entry.retries.send_modify(|count| *count += 1);
            }
            InteractionQuestion::Url { .. } if is_opened => {
                if entry.open_attempts >= MAX_OPEN_ATTEMPTS {
                    return Err(AnswerError::invalid(say!(
                        "the URL was opened {count} times and won’t be opened again",
                        count = MAX_OPEN_ATTEMPTS
                    ))
                    .into());
                }
                entry.nonce = None;
                let visit = entry.start_attempt();
                drop(queue);
                if let Some((number, url)) = visit {
                    self.open_in_browser(key, number, url);
                }
                self.records.notify_change();
            }
            _ => return Err(AnswerError::NotWaiting.into()),
        }
        Ok(())
    }

    /// Past decisions, newest first, each with the number of what remembers it. That may have been removed
    /// since.
    pub async fn decisions(
        &self,
        query: &DecisionQuery,
    ) -> Result<Vec<(DecisionView, Option<i64>)>, InboxError> {
        let limit = query.limit.min(MOST_DECISIONS);
        let kinds: Vec<&str> = InteractionKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let query = DecisionQuery { limit, ..query.clone() };
        let rows = self.records.store().decisions(&query, &kinds).await?;
        let numbered = rows.into_iter().filter_map(|row| {
            let number = row.remembered;
            Some((decision_view(row)?, number))
        });
        Ok(numbered.collect())
    }

    /// Loads one decision.
    pub async fn load_decision(&self, id: i64) -> Result<DecisionView, InboxError> {
        let row = self.records.store().get(id).await?;
        Ok(row.and_then(decision_view).ok_or(AnswerError::NotWaiting)?)
    }
}

impl ExpectedContent {
    /// Reads an answer's content. `check` checks content that the person may edit.
    fn read(
        &self,
        answer: &InteractionAnswer,
        check: Option<&EditValidator>,
    ) -> Result<Option<Box<RawValue>>, AnswerError> {
        let InteractionAnswer::Accept { content, .. } = answer else { return Ok(None) };
        match self {
            Self::Form(form) => form_answer(form, content.as_deref()).map(Some),
            Self::Edited => {
                let content = content.as_deref().map(parse_edited).transpose()?;
                if let (Some(check), Some(content)) = (check, &content) {
                    check(content.get()).map_err(AnswerError::invalid)?;
                }
                Ok(content)
            }
            Self::Scope(scopes) => {
                let content = content.as_deref().map(parse_edited).transpose()?;
                let scope = content.as_ref().map(|content| serde_json::from_str::<ToolScope>(content.get()));
                match scope {
                    None => Ok(None),
                    Some(Ok(scope)) if scopes.offers(scope) => Ok(content),
                    Some(_) => Err(AnswerError::invalid(say!("the answer goes further than was asked"))),
                }
            }
            Self::Nothing => Ok(None),
        }
    }
}

impl Queue {
    /// The question that `answer` is for, if this nonce can answer it now.
    fn find_answerable(
        &mut self,
        id: i64,
        nonce: &str,
        answer: &InteractionAnswer,
        now: Instant,
    ) -> Result<(u64, &mut QueuedQuestion), AnswerError> {
        let key = self.find(id).ok_or(AnswerError::NotWaiting)?;
        if !self.is_answerable(key) {
            return Err(AnswerError::NotWaiting);
        }
        let entry = self.entries.get_mut(&key).ok_or(AnswerError::NotWaiting)?;
        entry.check_nonce(nonce, matches!(answer, InteractionAnswer::Accept { .. }), now)?;
        Ok((key, entry))
    }
}

impl QueuedQuestion {
    /// Whether the question can be accepted as it is now, if that is the answer. An opened URL always can.
    fn check_acceptable(&self, answer: &InteractionAnswer) -> Result<(), AnswerError> {
        match answer {
            InteractionAnswer::Accept { .. } if self.phase != Phase::Opened => {
                self.question.check_acceptable()
            }
            _ => Ok(()),
        }
    }

    fn check_nonce(&self, nonce: &str, is_yes: bool, now: Instant) -> Result<(), AnswerError> {
        if !matches!(self.phase, Phase::Waiting | Phase::Opened) {
            return Err(AnswerError::NotWaiting);
        }
        let known = self.nonce.as_ref().ok_or(AnswerError::WrongNonce)?;
        known.check(nonce, is_yes, now).map_err(|unfit| match unfit {
            NonceError::Wrong => AnswerError::WrongNonce,
            NonceError::Early => AnswerError::TooEarly,
        })
    }

    /// The effect of an answer to this question. `content` is the answer's parsed content.
    fn effect(
        &self,
        answer: &InteractionAnswer,
        content: Option<Box<RawValue>>,
    ) -> Result<(DecisionEffect, InteractionOutcome), AnswerError> {
        let opened = self.phase == Phase::Opened;
        Ok(match answer {
            InteractionAnswer::Accept { remember, .. } => {
                let accepted = |content| InteractionDecision::Accepted { content, remember: *remember };
                let effect = if opened {
                    DecisionEffect::Finish(accepted(None))
                } else {
                    self.check_acceptable(answer)?;
                    match &self.question {
                        InteractionQuestion::Url { .. } => DecisionEffect::OpenUrl,
                        _ => DecisionEffect::Reply(accepted(content)),
                    }
                };
                (effect, InteractionOutcome::Accepted)
            }
            _ if opened => {
                (DecisionEffect::Finish(InteractionDecision::Cancelled), InteractionOutcome::Cancelled)
            }
            InteractionAnswer::Decline { remember } => (
                DecisionEffect::Reply(InteractionDecision::Declined { remember: *remember }),
                InteractionOutcome::Declined,
            ),
            InteractionAnswer::Cancel => {
                (DecisionEffect::Reply(InteractionDecision::Cancelled), InteractionOutcome::Cancelled)
            }
        })
    }
}

/// Parses a form's values from JSON text.
fn parse_values(content: &str) -> Result<FormValues, AnswerError> {
    let invalid = || AnswerError::invalid(say!("the answer isn’t a JSON object"));
    if content.len() > MAX_ANSWER_BYTES {
        return Err(invalid());
    }
    serde_json::from_str(content).map_err(|_| invalid())
}

/// The values for the server. They are validated again, even if a front end has validated them (ELIC-16).
fn form_answer(form: &Form, content: Option<&str>) -> Result<Box<RawValue>, AnswerError> {
    let entered = content.map_or_else(|| Ok(form.defaults().into()), parse_values)?;
    let mistakes = form.validate(&entered);
    if mistakes.is_empty() {
        Ok(raw(&entered.to_json()).unwrap_or_default())
    } else {
        Err(AnswerError::Invalid { message: say!("the answer doesn’t match the form"), mistakes })
    }
}

/// Parses JSON text that the person edited. The asker checks its content.
fn parse_edited(content: &str) -> Result<Box<RawValue>, AnswerError> {
    let invalid = || AnswerError::invalid(say!("the answer isn’t a JSON object"));
    if content.len() > MAX_ANSWER_BYTES || !content.trim_start().starts_with('{') {
        return Err(invalid());
    }
    RawValue::from_string(content.to_owned()).map_err(|_| invalid())
}

/// `None` for a kind that this version does not know.
fn decision_view(row: InteractionRow) -> Option<DecisionView> {
    let reason = row.reason.map(|reason| {
        serde_json::from_str::<StoredSentence>(&reason)
            .unwrap_or_else(|_| Sentence::into(say!("for an unknown reason")))
    });
    Some(DecisionView {
        id: row.id,
        server: row.server_id.map(ServerId),
        server_name: row.server_name,
        kind: InteractionKind::from_name(&row.kind)?,
        subject: row.subject,
        caller: row.caller,
        outcome: row.outcome,
        reason,
        asked_ms: row.asked_at_us / 1_000,
        decided_ms: row.decided_at_us.unwrap_or(row.asked_at_us) / 1_000,
        remembered: None,
    })
}
