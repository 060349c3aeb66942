//! Answers to servers' questions that are chosen before the connection is made, for use without a person.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_accounts::system_browser;
use mooring_base::server_id::ServerId;
use mooring_base::url_error::url_error_sentence;
use mooring_command_line::AnswerArgs;
use mooring_forms::{Form, FormRequest, FormValues, accept_result};
use mooring_inbox::{AddressView, inspect_url};
use mooring_mcp::{ClientCapabilities, Question, QuestionKind, QuestionOrigin, Refusal};
use mooring_models::SamplingRequest;
use mooring_recorder::Recorder;
use mooring_roots::{Root, build_roots_list};
use mooring_sampling::SamplingService;
use mooring_words::{Sentence, say};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

/// The answers to servers' questions that were chosen before connecting. A kind of question without an answer here is
/// not declared as a client capability, so servers do not ask it.
#[derive(Default)]
pub struct PresetAnswers {
    /// How forms are answered.
    pub forms: Option<FormAnswers>,
    /// Opens URLs of URL-mode elicitations. Called with each URL that may be opened, and returns whether it
    /// was opened.
    pub urls: Option<OnUrl>,
    /// How sampling requests are answered.
    pub sampling: Option<SamplingAnswers>,
    /// The roots that servers get.
    pub roots: Vec<Root>,
    /// Called after each question with the answer.
    pub on_answered: Option<Box<dyn Fn(AnsweredQuestion) + Send + Sync>>,
}

/// Opens a URL or refuses to. `true` is the person's consent.
pub type OnUrl = Box<dyn Fn(UrlElicitation) -> BoxFuture<'static, bool> + Send + Sync>;

/// A URL that a server wants to open.
#[derive(Debug, Clone)]
pub struct UrlElicitation {
    /// The server's message.
    pub message: String,
    /// The inspected URL.
    pub address: AddressView,
    /// Whether a call waits until the task at the URL is done.
    pub awaits_done: bool,
}

impl UrlElicitation {
    /// Opens the URL in the person's browser.
    pub async fn open(&self) -> Result<(), Sentence> {
        let url = url::Url::parse(&self.address.url).map_err(url_error_sentence)?;
        system_browser().visit(&url).await.map_err(|error| error.sentence().clone())
    }
}

/// How forms are answered.
#[derive(Debug)]
pub enum FormAnswers {
    /// Accept with the default values. A form that needs other values is cancelled.
    Defaults,
    /// Decline.
    Decline,
    /// Cancel.
    Cancel,
    /// Answer with these values.
    Scripted(ScriptedAnswers),
}

/// How sampling requests are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplingAnswers {
    /// Decline.
    Decline,
    /// Answer with the built-in practice model, which echoes the request without using AI.
    Practice,
    /// Answer with a configured model: `PROVIDER` or `PROVIDER/MODEL`.
    Model(String),
}

/// Answers that the options of a command choose, in a form that can be sent to a running Mooring.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswers {
    /// How forms are answered.
    pub forms: Option<GivenForms>,
    /// How sampling requests are answered.
    pub sampling: Option<SamplingAnswers>,
}

/// How forms are answered, as an option says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenForms {
    /// Accept with the default values.
    Defaults,
    /// Decline.
    Decline,
    /// Cancel.
    Cancel,
    /// Use these prepared answers, as JSON.
    Written(String),
}

impl GivenAnswers {
    /// Reads the options. `read_file` reads a file with answers. `refuse` makes the error for a word that `--elicit`
    /// doesn't accept.
    pub async fn read<E>(
        options: &AnswerArgs,
        read_file: impl AsyncFnOnce(&str) -> Result<String, E>,
        refuse: impl FnOnce(&str) -> E,
    ) -> Result<Self, E> {
        let forms = match options.elicit.as_deref() {
            None | Some("open") => None,
            Some("accept-defaults") => Some(GivenForms::Defaults),
            Some("decline") => Some(GivenForms::Decline),
            Some("cancel") => Some(GivenForms::Cancel),
            Some(word) => match word.strip_prefix('@') {
                Some(path) => Some(GivenForms::Written(read_file(path).await?)),
                None => return Err(refuse(word)),
            },
        };
        let sampling = options.sample.as_deref().map(|sample| match sample {
            "decline" => SamplingAnswers::Decline,
            "practice" => SamplingAnswers::Practice,
            model => SamplingAnswers::Model(model.to_owned()),
        });
        Ok(Self { forms, sampling })
    }

    /// Whether a running Mooring can answer like this. A model, a folder or an opened URL requires a separate
    /// connection.
    pub fn can_be_shared(&self, options: &AnswerArgs) -> bool {
        let needs_model = matches!(self.sampling, Some(SamplingAnswers::Model(_)));
        options.root.is_empty() && options.elicit.as_deref() != Some("open") && !needs_model
    }

    /// The answers for a connection. Fails if written answers can't be parsed.
    pub fn preset(&self) -> Result<PresetAnswers, serde_json::Error> {
        let forms = match &self.forms {
            None => None,
            Some(GivenForms::Defaults) => Some(FormAnswers::Defaults),
            Some(GivenForms::Decline) => Some(FormAnswers::Decline),
            Some(GivenForms::Cancel) => Some(FormAnswers::Cancel),
            Some(GivenForms::Written(text)) => Some(FormAnswers::Scripted(ScriptedAnswers::read(text)?)),
        };
        Ok(PresetAnswers { forms, sampling: self.sampling.clone(), ..PresetAnswers::default() })
    }
}

/// A question and its answer, for reports.
#[derive(Debug, Clone)]
pub struct AnsweredQuestion {
    /// The server's message.
    pub message: String,
    /// The answer, and the reason for it.
    pub answer: Sentence,
}

/// Prepared answers: one for every form, or one per question in order.
pub struct ScriptedAnswers {
    /// The values for every form. A form only gets those that it asks for.
    every: Option<FormValues>,
    /// The answers in the order of the questions.
    next: Mutex<VecDeque<ScriptedAnswer>>,
}

enum ScriptedAnswer {
    Accept(FormValues),
    Decline,
    Cancel,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerJson {
    action: ElicitAction,
    #[serde(default)]
    content: FormValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ElicitAction {
    Accept,
    Decline,
    Cancel,
}

impl From<AnswerJson> for ScriptedAnswer {
    fn from(AnswerJson { action, content }: AnswerJson) -> Self {
        match action {
            ElicitAction::Accept => Self::Accept(content),
            ElicitAction::Decline => Self::Decline,
            ElicitAction::Cancel => Self::Cancel,
        }
    }
}

impl ScriptedAnswers {
    /// Parses an object of values, which answers every form that asks for them, or an array of answers such
    /// as `{"action":"accept","content":{…}}`, which are used in order. Numbers are sent as they are written.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        if text.trim_start().starts_with('[') {
            let next: Vec<AnswerJson> = serde_json::from_str(text)?;
            let next = next.into_iter().map(Into::into).collect();
            return Ok(Self { every: None, next: Mutex::new(next) });
        }
        Ok(Self { every: Some(serde_json::from_str(text)?), next: Mutex::default() })
    }

    fn answer(&self, form: &Form) -> ScriptedAnswer {
        if let Some(every) = &self.every {
            return ScriptedAnswer::Accept(every.merged_with_defaults(form));
        }
        self.next.lock().unwrap_or_else(PoisonError::into_inner).pop_front().unwrap_or(ScriptedAnswer::Cancel)
    }
}

impl fmt::Debug for ScriptedAnswers {
    /// Omits the answers: they may contain anything.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedAnswers").finish_non_exhaustive()
    }
}

impl fmt::Debug for PresetAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { forms, urls, sampling, roots, on_answered: _ } = self;
        f.debug_struct("PresetAnswers")
            .field("forms", forms)
            .field("urls", &urls.is_some())
            .field("sampling", sampling)
            .field("roots", roots)
            .finish_non_exhaustive()
    }
}

type Answer = Result<Box<RawValue>, Refusal>;

impl PresetAnswers {
    /// The client capabilities for the kinds of questions that are answered.
    pub fn capabilities(&self) -> ClientCapabilities {
        ClientCapabilities {
            forms: self.forms.is_some(),
            urls: self.urls.is_some(),
            sampling: self.sampling.is_some(),
            sampling_tools: matches!(self.sampling, Some(SamplingAnswers::Model(_))),
            roots: !self.roots.is_empty(),
            ..ClientCapabilities::default()
        }
    }

    /// Answers one question of a server. `whose` is `None` for a server that is not saved. Values of the
    /// answer that look like secrets are kept out of the log.
    pub fn answer(
        self: Arc<Self>,
        question: Question,
        whose: Option<ServerId>,
        models: Arc<SamplingService>,
        recorder: &Recorder,
    ) -> BoxFuture<'static, Answer> {
        match question.kind {
            QuestionKind::Elicitation if is_url_mode(&question.params) => {
                async move { self.url(&question).await }.boxed()
            }
            QuestionKind::Elicitation => {
                let is_request = matches!(question.origin, QuestionOrigin::Request { .. });
                let keep_out = |secrets: &[(&str, String)]| recorder.add_field_secrets(secrets);
                std::future::ready(self.form(&question.params, is_request, keep_out)).boxed()
            }
            QuestionKind::Sampling => async move { self.sampling(&question, whose, &models).await }.boxed(),
            QuestionKind::Roots => self.list_roots().boxed(),
        }
    }

    /// Answers a question during a request if these answers need no one else: forms, and sampling requests
    /// that are declined or answered by the practice model.
    pub fn answer_alone(&self, kind: QuestionKind, params: &RawValue) -> Option<Answer> {
        match kind {
            QuestionKind::Elicitation if self.forms.is_some() && !is_url_mode(params) => {
                Some(self.form(params, true, |_| ()))
            }
            QuestionKind::Sampling => {
                let request =
                    SamplingRequest::read(params).map_err(|unfit| Refusal { code: -32602, message: unfit.0 });
                match request {
                    Ok(request) => self.sampling_alone(&request),
                    Err(refusal) => self.sampling.is_some().then_some(Err(refusal)),
                }
            }
            _ => None,
        }
    }

    fn report_answer(&self, message: &str, answer: Sentence) {
        if let Some(callback) = &self.on_answered {
            callback(AnsweredQuestion { message: message.to_owned(), answer });
        }
    }

    async fn url(&self, question: &Question) -> Answer {
        let params: Value = serde_json::from_str(question.params.get()).unwrap_or_default();
        let text = |name: &str| params.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (message, address) = (text("message"), inspect_url(&text("url")));
        if let Some(why) = address.blocked {
            self.report_answer(&message, say!("declined because this URL is never opened: {why}", why));
            return Ok(action("decline"));
        }
        let awaits_done = matches!(question.origin, QuestionOrigin::UrlRequired { .. });
        let asked = UrlElicitation { message: message.clone(), address, awaits_done };
        let is_open = match &self.urls {
            Some(open) => open(asked).await,
            None => false,
        };
        self.report_answer(&message, if is_open { say!("accepted") } else { say!("declined") });
        Ok(action(if is_open { "accept" } else { "decline" }))
    }

    /// Answers a form. Only a request (`is_request`) gets an error for an invalid form; otherwise the
    /// question is cancelled (ELIC-17). `keep_out` receives values of the answer that look like secrets.
    fn form(&self, params: &RawValue, is_request: bool, keep_out: impl FnOnce(&[(&str, String)])) -> Answer {
        let request = match FormRequest::read(params) {
            Ok(request) => request,
            Err(why) => {
                self.report_answer("", say!("the form can’t be answered: {why}", why = why.clone()));
                return if is_request {
                    Err(Refusal { code: -32602, message: format!("Unsupported form: {why}") })
                } else {
                    Ok(action("cancel"))
                };
            }
        };
        let FormRequest { message, form } = &request;
        let answer = match &self.forms {
            Some(FormAnswers::Defaults) => ScriptedAnswer::Accept(form.defaults().into()),
            Some(FormAnswers::Scripted(given)) => given.answer(form),
            Some(FormAnswers::Decline) => ScriptedAnswer::Decline,
            Some(FormAnswers::Cancel) | None => ScriptedAnswer::Cancel,
        };
        match answer {
            ScriptedAnswer::Decline => {
                self.report_answer(message, say!("declined"));
                Ok(action("decline"))
            }
            ScriptedAnswer::Cancel => {
                self.report_answer(message, say!("cancelled"));
                Ok(action("cancel"))
            }
            ScriptedAnswer::Accept(entered) => match form.validate(&entered).first() {
                None => {
                    let answer = accept_result(&entered, form, keep_out);
                    self.report_answer(message, say!("accepted"));
                    Ok(answer)
                }
                // An answer that is not valid for the form is never sent (ELIC-16).
                Some(mistake) => {
                    let (field, what) = (mistake.field.clone(), mistake.what.clone());
                    self.report_answer(
                        message,
                        say!("cancelled because the answer isn’t valid: {field}: {what}", field, what),
                    );
                    Ok(action("cancel"))
                }
            },
        }
    }

    async fn sampling(
        &self,
        question: &Question,
        whose: Option<ServerId>,
        models: &SamplingService,
    ) -> Answer {
        let request = SamplingRequest::read(&question.params)
            .map_err(|unfit| Refusal { code: -32602, message: unfit.0 })?;
        if let Some(answer) = self.sampling_alone(&request) {
            return answer;
        }
        let Some(SamplingAnswers::Model(name)) = &self.sampling else { return Err(rejected()) };
        let answer =
            mooring_sampling::create_message::answer_with_provider(models, whose, name, question).await;
        let said = match &answer {
            Ok(_) => say!("answered by {name}", name),
            Err(refusal) => say!("{name} didn’t answer: {why}", name, why = &refusal.message),
        };
        self.report_answer(&request.last_text(), said);
        answer
    }

    /// The answer, if it needs no model. `None` if it needs one, or if sampling is not answered.
    fn sampling_alone(&self, request: &SamplingRequest) -> Option<Answer> {
        match self.sampling.as_ref()? {
            SamplingAnswers::Practice => {
                self.report_answer(&request.last_text(), say!("answered by the practice model"));
                let failed = |why: Sentence| Refusal { code: -32603, message: why.to_string() };
                let reply = request.practice_reply().map_err(|error| failed(error.sentence()));
                Some(reply.map(|reply| mooring_models::sampling_result(&reply, &reply.content(), false)))
            }
            SamplingAnswers::Decline => {
                self.report_answer(&request.last_text(), say!("declined"));
                Some(Err(rejected()))
            }
            SamplingAnswers::Model(_) => None,
        }
    }

    async fn list_roots(self: Arc<Self>) -> Answer {
        let roots = self.roots.clone();
        let failed = || Refusal { code: -32603, message: "the folders could not be read".to_owned() };
        let (list, left_out) =
            tokio::task::spawn_blocking(move || build_roots_list(&roots)).await.map_err(|_| failed())?;
        for error in left_out {
            self.report_answer("", say!("a folder was skipped: {why}", why = error.sentence()));
        }
        Ok(list)
    }
}

/// Whether a question is to open a URL rather than to fill in a form.
fn is_url_mode(params: &RawValue) -> bool {
    let params: Value = serde_json::from_str(params.get()).unwrap_or_default();
    params.get("mode").and_then(Value::as_str) == Some("url")
}

fn rejected() -> Refusal {
    Refusal { code: -1, message: "User rejected sampling request".to_owned() }
}

fn action(action: &str) -> Box<RawValue> {
    raw(&json!({ "action": action }))
}

fn raw(value: &Value) -> Box<RawValue> {
    // Serializing a JSON value can't fail.
    to_raw_value(value).unwrap_or_default()
}
