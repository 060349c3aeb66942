//! Answers to the questions of servers where nobody is there to ask: decided before the connection is made.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_accounts::system_browser;
use mooring_base::address::address_problem;
use mooring_base::server_id::ServerId;
use mooring_forms::{Entered, Form, FormRequest, accepted};
use mooring_inbox::{AddressView, look_at};
use mooring_mcp::{ClientCapabilities, Question, QuestionKind, QuestionOrigin, Refusal};
use mooring_models::SamplingRequest;
use mooring_recorder::Recorder;
use mooring_sampling::Models;
use mooring_words::{Sentence, say};
use serde::Deserialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::folder::{Root, listed};

/// What servers are answered. A kind of question that nothing is decided for is not declared, so that it is not asked.
#[derive(Default)]
pub struct Answers {
    /// For forms.
    pub forms: Option<FormAnswers>,
    /// For URLs to be opened: hears of each that may be, and says whether it was.
    pub urls: Option<OnUrl>,
    /// For what a model should say.
    pub sampling: Option<SamplingAnswers>,
    /// The folders that servers are told of.
    pub roots: Vec<Root>,
    /// Hears of each question and what was answered.
    pub told: Option<Box<dyn Fn(Answered) + Send + Sync>>,
}

/// Opens a URL, or does not: `true` is the person's consent.
pub type OnUrl = Box<dyn Fn(UrlQuestion) -> BoxFuture<'static, bool> + Send + Sync>;

/// A URL that a server wants opened.
#[derive(Debug, Clone)]
pub struct UrlQuestion {
    /// What for, in the server's words.
    pub message: String,
    /// The URL, looked at from all sides.
    pub address: AddressView,
    /// A call waits until what is to be done there is done.
    pub awaits_done: bool,
}

impl UrlQuestion {
    /// Opens the URL in the person's browser.
    pub async fn open(&self) -> Result<(), Sentence> {
        let url = url::Url::parse(&self.address.url).map_err(address_problem)?;
        system_browser().visit(&url).await.map_err(|error| error.sentence().clone())
    }
}

/// How forms are answered.
#[derive(Debug)]
pub enum FormAnswers {
    /// With the defaults; one that needs more than those is cancelled.
    Defaults,
    /// No.
    Decline,
    /// Not at all.
    Cancel,
    /// With these.
    Given(GivenAnswers),
}

/// How a model's words are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SamplingAnswers {
    /// No.
    Decline,
    /// By the practice model: words that say what was asked and that no model has spoken.
    Practice,
    /// By a model that is set up: `PROVIDER`, or `PROVIDER/MODEL`.
    Model(String),
}

/// A question that was answered, for whoever watches.
#[derive(Debug, Clone)]
pub struct Answered {
    /// What was asked, in the server's words.
    pub message: String,
    /// What was answered, and why.
    pub answer: Sentence,
}

/// Answers that somebody wrote down: one for every form, or one after the other.
pub struct GivenAnswers {
    /// For each form as far as it asks for these values.
    every: Option<Entered>,
    /// In the order of the questions.
    next: Mutex<VecDeque<GivenAnswer>>,
}

enum GivenAnswer {
    Accept(Entered),
    Decline,
    Cancel,
}

/// The same as it is written down.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    action: Action,
    #[serde(default)]
    content: Entered,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Accept,
    Decline,
    Cancel,
}

impl From<Written> for GivenAnswer {
    fn from(Written { action, content }: Written) -> Self {
        match action {
            Action::Accept => Self::Accept(content),
            Action::Decline => Self::Decline,
            Action::Cancel => Self::Cancel,
        }
    }
}

impl GivenAnswers {
    /// Reads an object of values, which answers every form that asks for them, or an array of answers such as
    /// `{"action":"accept","content":{…}}`, which are given in order. Numbers are sent as they are written.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        if text.trim_start().starts_with('[') {
            let next: Vec<Written> = serde_json::from_str(text)?;
            let next = next.into_iter().map(Into::into).collect();
            return Ok(Self { every: None, next: Mutex::new(next) });
        }
        Ok(Self { every: Some(serde_json::from_str(text)?), next: Mutex::default() })
    }

    fn answer(&self, form: &Form) -> GivenAnswer {
        if let Some(every) = &self.every {
            return GivenAnswer::Accept(every.over_defaults(form));
        }
        self.next.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(GivenAnswer::Cancel)
    }
}

impl fmt::Debug for GivenAnswers {
    /// What was written down may be anything: it is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenAnswers").finish_non_exhaustive()
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { forms, urls, sampling, roots, told: _ } = self;
        f.debug_struct("Answers")
            .field("forms", forms)
            .field("urls", &urls.is_some())
            .field("sampling", sampling)
            .field("roots", roots)
            .finish_non_exhaustive()
    }
}

type Answer = Result<Box<RawValue>, Refusal>;

impl Answers {
    /// What may be asked.
    pub(crate) fn abilities(&self) -> ClientCapabilities {
        ClientCapabilities {
            forms: self.forms.is_some(),
            urls: self.urls.is_some(),
            sampling: self.sampling.is_some(),
            sampling_tools: matches!(self.sampling, Some(SamplingAnswers::Model(_))),
            roots: !self.roots.is_empty(),
            ..ClientCapabilities::default()
        }
    }

    /// Answers one question of a server; without a number it is one that nobody has saved. What of it looks like a secret stays
    /// out of the log.
    pub(crate) fn ask(
        self: Arc<Self>,
        question: Question,
        whose: Option<ServerId>,
        models: Arc<Models>,
        recorder: &Recorder,
    ) -> BoxFuture<'static, Answer> {
        match question.kind {
            QuestionKind::Elicitation if wants_url(&question.params) => {
                async move { self.url(&question).await }.boxed()
            }
            QuestionKind::Elicitation => std::future::ready(self.form(&question, recorder)).boxed(),
            QuestionKind::Sampling => async move { self.sampling(&question, whose, &models).await }.boxed(),
            QuestionKind::Roots => self.list_roots().boxed(),
        }
    }

    fn tell(&self, message: &str, answer: Sentence) {
        if let Some(told) = &self.told {
            told(Answered { message: message.to_owned(), answer });
        }
    }

    async fn url(&self, question: &Question) -> Answer {
        let params: Value = serde_json::from_str(question.params.get()).unwrap_or_default();
        let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (message, address) = (text("message"), look_at(&text("url")));
        if let Some(why) = address.blocked {
            self.tell(&message, say!("declined, because the address is never opened: {why}", why));
            return Ok(action("decline"));
        }
        let awaits_done = matches!(question.origin, QuestionOrigin::UrlRequired { .. });
        let asked = UrlQuestion { message: message.clone(), address, awaits_done };
        let is_open = match &self.urls {
            Some(open) => open(asked).await,
            None => false,
        };
        self.tell(&message, if is_open { say!("accepted") } else { say!("declined") });
        Ok(action(if is_open { "accept" } else { "decline" }))
    }

    fn form(&self, question: &Question, recorder: &Recorder) -> Answer {
        let request = match FormRequest::read(&question.params) {
            Ok(request) => request,
            Err(why) => {
                self.tell("", say!("the form cannot be answered as it is meant: {why}", why = why.clone()));
                // A request can be told why; elsewhere the question is only put aside (ELIC-17).
                return match question.origin {
                    QuestionOrigin::Request { .. } => {
                        Err(Refusal { code: -32602, message: format!("Unsupported form: {why}") })
                    }
                    _ => Ok(action("cancel")),
                };
            }
        };
        let FormRequest { message, form } = &request;
        let answer = match &self.forms {
            Some(FormAnswers::Defaults) => GivenAnswer::Accept(form.defaults().into()),
            Some(FormAnswers::Given(given)) => given.answer(form),
            Some(FormAnswers::Decline) => GivenAnswer::Decline,
            Some(FormAnswers::Cancel) | None => GivenAnswer::Cancel,
        };
        match answer {
            GivenAnswer::Decline => {
                self.tell(message, say!("declined"));
                Ok(action("decline"))
            }
            GivenAnswer::Cancel => {
                self.tell(message, say!("cancelled"));
                Ok(action("cancel"))
            }
            GivenAnswer::Accept(entered) => match form.mistakes_in(&entered).first() {
                None => {
                    let answer = accepted(&entered, form, |secrets| recorder.hold_fields(secrets));
                    self.tell(message, say!("accepted"));
                    Ok(answer)
                }
                // What is not an answer to the form is never sent (ELIC-16).
                Some(mistake) => {
                    let (field, what) = (mistake.field.clone(), mistake.what.clone());
                    self.tell(
                        message,
                        say!("cancelled, because the answer does not fit: {field}: {what}", field, what),
                    );
                    Ok(action("cancel"))
                }
            },
        }
    }

    async fn sampling(&self, question: &Question, whose: Option<ServerId>, models: &Models) -> Answer {
        let request = SamplingRequest::read(&question.params)
            .map_err(|unfit| Refusal { code: -32602, message: unfit.0 })?;
        match &self.sampling {
            Some(SamplingAnswers::Practice) => {
                self.tell(&request.last(), say!("answered by the practice model"));
                let failed = |why: Sentence| Refusal { code: -32603, message: why.to_string() };
                let reply = request.practise().map_err(|error| failed(error.sentence()))?;
                Ok(mooring_models::result(&reply, &reply.content(), false))
            }
            Some(SamplingAnswers::Model(name)) => {
                let answer = mooring_sampling::desk::answer_by(models, whose, name, question).await;
                match &answer {
                    Ok(_) => self.tell(&request.last(), say!("answered by {name}", name)),
                    Err(refusal) => self.tell(
                        &request.last(),
                        say!("{name} did not answer: {why}", name, why = &refusal.message),
                    ),
                }
                answer
            }
            Some(SamplingAnswers::Decline) | None => {
                self.tell(&request.last(), say!("declined"));
                Err(Refusal { code: -1, message: "User rejected sampling request".to_owned() })
            }
        }
    }

    async fn list_roots(self: Arc<Self>) -> Answer {
        let roots = self.roots.clone();
        let failed = || Refusal { code: -32603, message: "the folders could not be read".to_owned() };
        let (list, left_out) =
            tokio::task::spawn_blocking(move || listed(&roots)).await.map_err(|_| failed())?;
        for error in left_out {
            self.tell("", say!("a folder was left out: {why}", why = error.sentence()));
        }
        Ok(list)
    }
}

/// Whether a URL is to be opened, and no form filled in.
fn wants_url(params: &RawValue) -> bool {
    let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
    params.get("mode").and_then(Value::as_str) == Some("url")
}

fn action(action: &str) -> Box<RawValue> {
    raw(&json!({ "action": action }))
}

fn raw(value: &Value) -> Box<RawValue> {
    // A JSON value can always be written.
    to_raw_value(value).unwrap_or_default()
}
