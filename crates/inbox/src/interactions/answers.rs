//! The person's side: opening a question and answering it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mooring_base::server_id::ServerId;
use mooring_forms::{Form, FormValues, Mistake, asks_for_secret};
use mooring_jsonrpc::raw;
use mooring_policy::{ToolScope, ToolScopes};
use mooring_store::{DecisionQuery, InteractionOutcome, InteractionRow};
use mooring_words::{Sentence, StoredSentence, say};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::timeout;
use url::Url;

use super::Interactions;
use crate::error::{AnswerError, InboxError};
use crate::limits::{Asker, Silence};
use crate::nonce::{Nonce, NonceError};
use crate::queue::{Phase, Queue, QueuedQuestion};
use crate::request::{EditValidator, InteractionDecision};
use crate::view::{
    DecisionView, InboxView, InteractionAnswer, InteractionOpening, InteractionQuestion, Remember,
};

/// Bytes of an answer or a draft.
const MAX_ANSWER_BYTES: usize = 4 << 20;
/// How often an address is opened after one yes.
const MAX_OPEN_ATTEMPTS: u64 = 5;
/// How long an answer waits until the asker has saved what remembers it: longer than a busy database blocks a write.
const REMEMBERED_TIMEOUT: Duration = Duration::from_secs(15);
/// Decisions that are shown at once.
const MOST_DECISIONS: u32 = 500;

/// What is done once a decision is on the disk.
enum DecisionEffect {
    /// The asker is told.
    Reply(InteractionDecision),
    /// The URL is opened. The server gets its reply once it is open, or once it is complete if that is what is
    /// awaited.
    OpenUrl,
    /// The asker is told that what was opened is done, or was given up; this was decided before.
    Finish(InteractionDecision),
}

/// Brings a question back to where it was if its decision is not written after all.
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
    /// What waits.
    pub fn view(&self) -> InboxView {
        self.queue().view(self.clock.now())
    }

    /// Opens a question and returns the nonce that answers it. Opening it again returns the same nonce.
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

    /// Answers a question. The decision is on disk before the asker gets it. If it is to be remembered, this waits until
    /// the asker has done so and returns the number of what remembers it, if anything does.
    pub async fn answer(
        self: &Arc<Self>,
        id: i64,
        nonce: &str,
        answer: InteractionAnswer,
    ) -> Result<(DecisionView, Option<i64>), InboxError> {
        let taken =
            self.queue().find_answerable(id, nonce, &answer, self.clock.now().instant)?.1.expected_content();
        // What was entered may be long: it is read while others go on.
        let content = taken.read(&answer)?;
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
                // Whoever went there by themselves has been there.
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
            // It ended meanwhile; nobody waits.
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
            // It is kept for this run.
            Some((Asker::App(_), _)) => self.records.notify_change(),
            None => {}
        }
        let remembered = match remembered_by {
            // An error says that nothing remembers it, or that whoever asked has gone.
            Some(receiver) if answer.is_to_be_remembered() => {
                timeout(REMEMBERED_TIMEOUT, receiver).await.ok().and_then(Result::ok)
            }
            _ => None,
        };
        Ok((decision_view(row), remembered))
    }

    /// Ends a question for whoever asked it; they may name what remembers the answer.
    fn resolve(&self, key: u64, decided: InteractionDecision) -> Option<oneshot::Receiver<i64>> {
        let entry = self.queue().entries.remove(&key)?;
        if let Some(answer) = entry.answer {
            // Whoever asked may have gone.
            let _gone = answer.send(decided);
        }
        self.notify_changed(Some(entry.asker.server));
        Some(entry.remembered_by)
    }

    /// Has an address opened that the person has agreed to, and nothing else.
    fn open_address(self: &Arc<Self>, key: u64) {
        let now = self.clock.now().instant;
        let mut queue = self.queue();
        // Taken back meanwhile: nobody wants to go there any more.
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

    /// Counts dismissals; the silence that begins with this one, or that the person wants.
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
                // A server may ask only so much, also of a person who answers; the calls of an app are the person's work.
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

    /// Lets a server ask again.
    pub async fn lift_silence(&self, server: ServerId) -> Result<(), InboxError> {
        self.records.store().lift_silence(server.0).await?;
        self.lift(&Asker::Server(server));
        Ok(())
    }

    /// Lets the calls of an app be asked about again.
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
            queue.entries.get(&key).ok_or(AnswerError::NotWaiting)?.expected_content()
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

    /// What is wrong with an answer to a form.
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

    /// Asks a model that failed once more, or opens an address once more that the person has agreed to. Each time
    /// takes a look of its own, and there is an end to it.
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

    /// How questions were decided, newest first.
    /// Each with the number of what remembers it, which may be gone by now.
    pub async fn decisions(
        &self,
        query: &DecisionQuery,
    ) -> Result<Vec<(DecisionView, Option<i64>)>, InboxError> {
        let limit = query.limit.min(MOST_DECISIONS);
        let rows = self.records.store().decisions(&DecisionQuery { limit, ..query.clone() }).await?;
        let numbered = rows.into_iter().map(|row| {
            let number = row.remembered;
            (decision_view(row), number)
        });
        Ok(numbered.collect())
    }

    /// One decision.
    pub async fn load_decision(&self, id: i64) -> Result<DecisionView, InboxError> {
        let row = self.records.store().get(id).await?;
        Ok(decision_view(row.ok_or(AnswerError::NotWaiting)?))
    }
}

/// What content an answer to a question has.
enum ExpectedContent {
    /// What was entered into this form.
    Form(Form),
    /// What was made of a text.
    Edited(Option<EditValidator>),
    /// How far the yes reaches, one of these.
    Scope(ToolScopes),
    /// Nothing.
    Nothing,
}

impl ExpectedContent {
    fn read(&self, answer: &InteractionAnswer) -> Result<Option<Box<RawValue>>, AnswerError> {
        let InteractionAnswer::Accept { content, .. } = answer else { return Ok(None) };
        match self {
            Self::Form(form) => form_answer(form, content.as_deref()).map(Some),
            Self::Edited(check) => {
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
    /// The question that `answer` is for, if it can be answered now from where this nonce is known.
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
    fn expected_content(&self) -> ExpectedContent {
        match &self.question {
            InteractionQuestion::Form { form, .. } => ExpectedContent::Form(form.clone()),
            InteractionQuestion::Sampling(_) => ExpectedContent::Edited(self.check.clone()),
            InteractionQuestion::Tool { scopes, .. } => ExpectedContent::Scope(scopes.clone()),
            // What still grows, or failed, is refused whatever was made of it.
            InteractionQuestion::SamplingAnswer(shown) if !shown.streaming && shown.problem.is_none() => {
                ExpectedContent::Edited(self.check.clone())
            }
            _ => ExpectedContent::Nothing,
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

    /// What an answer means for this question, of which `content` was read.
    fn effect(
        &self,
        answer: &InteractionAnswer,
        content: Option<Box<RawValue>>,
    ) -> Result<(DecisionEffect, InteractionOutcome), AnswerError> {
        let opened = self.phase == Phase::Opened;
        Ok(match answer {
            InteractionAnswer::Accept { remember, .. } => {
                let accepted = |content| InteractionDecision::Accepted { content, remember: *remember };
                let effect = match &self.question {
                    InteractionQuestion::Url { .. } if opened => DecisionEffect::Finish(accepted(None)),
                    InteractionQuestion::Url { address, .. } => {
                        if let Some(why) = &address.blocked {
                            return Err(AnswerError::invalid(why.clone()));
                        }
                        if Url::parse(&address.url).is_err() {
                            return Err(AnswerError::invalid(say!("it isn’t a URL")));
                        }
                        DecisionEffect::OpenUrl
                    }
                    InteractionQuestion::SamplingAnswer(shown) if shown.streaming => {
                        return Err(AnswerError::TooEarly);
                    }
                    InteractionQuestion::SamplingAnswer(shown) if shown.problem.is_some() => {
                        return Err(AnswerError::invalid(say!("there is no answer to send")));
                    }
                    InteractionQuestion::Roots { .. } | InteractionQuestion::App { .. } => {
                        DecisionEffect::Reply(accepted(None))
                    }
                    InteractionQuestion::Form { .. }
                    | InteractionQuestion::Tool { .. }
                    | InteractionQuestion::Sampling(_)
                    | InteractionQuestion::SamplingAnswer(_) => DecisionEffect::Reply(accepted(content)),
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

/// The values of a form, from JSON text.
fn parse_values(content: &str) -> Result<FormValues, AnswerError> {
    let invalid = || AnswerError::invalid(say!("the answer isn’t a JSON object"));
    if content.len() > MAX_ANSWER_BYTES {
        return Err(invalid());
    }
    serde_json::from_str(content).map_err(|_| invalid())
}

/// What goes to the server, as it was entered: checked once more, whatever a front end has checked (ELIC-16).
fn form_answer(form: &Form, content: Option<&str>) -> Result<Box<RawValue>, AnswerError> {
    let entered = content.map_or_else(|| Ok(form.defaults().into()), parse_values)?;
    let mistakes = form.validate(&entered);
    if mistakes.is_empty() {
        Ok(raw(&entered.to_json()).unwrap_or_default())
    } else {
        Err(AnswerError::Invalid { message: say!("the answer doesn’t match the form"), mistakes })
    }
}

/// What the person has made of a question, from JSON text; whoever asked checks what it says.
fn parse_edited(content: &str) -> Result<Box<RawValue>, AnswerError> {
    let invalid = || AnswerError::invalid(say!("the answer isn’t a JSON object"));
    if content.len() > MAX_ANSWER_BYTES || !content.trim_start().starts_with('{') {
        return Err(invalid());
    }
    RawValue::from_string(content.to_owned()).map_err(|_| invalid())
}

fn decision_view(row: InteractionRow) -> DecisionView {
    let reason = row.reason.map(|reason| {
        serde_json::from_str::<StoredSentence>(&reason)
            .unwrap_or_else(|_| Sentence::into(say!("for an unknown reason")))
    });
    DecisionView {
        id: row.id,
        server: row.server_id.map(ServerId),
        server_name: row.server_name,
        kind: row.kind,
        subject: row.subject,
        caller: row.caller,
        outcome: row.outcome,
        reason,
        asked_ms: row.asked_at_us / 1_000,
        decided_ms: row.decided_at_us.unwrap_or(row.asked_at_us) / 1_000,
        remembered: None,
    }
}
