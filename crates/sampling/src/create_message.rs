//! One `sampling/createMessage` request, from the server to a model and back.
//!
//! 1. The request is refused if sampling is off for the server, or if the server's budget is used up.
//! 2. A model is chosen, and the person reviews the request: approves, declines or changes it (SAMP-02,
//!    SAMP-03).
//! 3. The highest possible usage is counted before the model is asked, so that a cancelled request is not
//!    free.
//! 4. The person sees the answer while it arrives. They send it to the server, changed or not, or decline.
//!
//! The person can skip each review for a server and a model, for a time or until they remove that decision.
//! The budget and the limit of rounds with tools apply anyway. This module never runs tools: a tool use that
//! a model requests is part of the answer (SAMP-12).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use mooring_base::server_id::ServerId;
use mooring_inbox::{
    BudgetLeft, Interaction, InteractionDecision, InteractionOccasion, InteractionQuestion,
    InteractionRequest, Remember, ResponseToServer, SamplingAnswer, SamplingMessage, SamplingReview,
    SamplingRoute, SamplingUsage, ServerPrompter, describe_occasion,
};
use mooring_mcp::{Question, QuestionOrigin, Refusal, check_sampling};
use mooring_models::{
    BudgetOwner, Candidate, ChosenModel, Dollars, InvalidParams, MOST_ROUNDS, Message, PRACTICE_MODEL,
    Provider, Reply, ReviewStep, SamplingRequest, ToolRound, Usage, capable_models, choose_model, cost,
    read_edited_answer, sampling_result,
};
use mooring_words::{Sentence, say};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::MissedTickBehavior;
use url::Url;

use crate::error::SamplingError;
use crate::service::{ApprovalTerm, SamplingService};

/// Interval between updates of a growing answer.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// Message of the error that a server gets if the request is declined (SAMP-04).
const REJECTED: &str = "User rejected sampling request";

/// The `sampling` capability that is declared to a server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SamplingCapability {
    /// Sampling without tools.
    pub sampling: bool,
    /// Sampling with the server's tools.
    pub tools: bool,
}

/// The sampling capability for a server.
pub fn sampling_capability(models: &SamplingService, server: ServerId) -> SamplingCapability {
    let sampling = models.is_enabled(server);
    SamplingCapability { sampling, tools: sampling }
}

/// Answers `sampling/createMessage`. Dropping the future withdraws the request.
pub fn answer(
    prompter: ServerPrompter,
    question: Question,
    models: Arc<SamplingService>,
) -> BoxFuture<'static, ResponseToServer> {
    async move { SamplingFlow::new(prompter, &question, models)?.run().await }.boxed()
}

/// Answers with a model of the named provider, without asking the person. The limits of `whose` still apply.
pub async fn answer_with_provider(
    models: &SamplingService,
    whose: BudgetOwner,
    provider: &str,
    question: &Question,
) -> ResponseToServer {
    let request = read_request(question)?;
    let round = take_tool_round(models, whose, &request)?;
    models.count_request(whose).map_err(|why| rejected_error_with_reason(&why))?;
    let providers = models.providers().await.map_err(|error| internal_error(&error.sentence()))?;
    let chosen = find_model(&providers, provider).map_err(|why| internal_error(&why))?;
    let (reply, _usage) = ask_within_budget(models, whose, &request, &chosen, &PartialReply::default())
        .await
        .map_err(ReplyError::refusal)?;
    Ok(build_result(round, &reply, &reply.content(), accepts_content_list(question, &request)))
}

/// Parses a request. Refuses it if no model could answer it.
fn read_request(question: &Question) -> Result<SamplingRequest, Refusal> {
    let refused = |message: &str| Err(Refusal { code: -32602, message: message.to_owned() });
    let asked = SamplingRequest::read(&question.params)
        .map_err(|InvalidParams(message)| Refusal { code: -32602, message })?;
    if asked.max_tokens == 0 {
        return refused("Invalid params: maxTokens");
    }
    if asked.messages.is_empty() {
        return refused("Invalid params: no messages");
    }
    Ok(asked)
}

/// The model with the name `PROVIDER/MODEL`. The name `PROVIDER` means the provider's first model.
pub fn find_model<'a>(providers: &'a [Provider], name: &str) -> Result<Candidate<'a>, Sentence> {
    let whole = providers.iter().find(|provider| provider.name == name).map(|provider| (provider, None));
    let parts = || {
        let of = |provider: &&Provider| name.strip_prefix(&provider.name)?.strip_prefix('/');
        let provider = providers.iter().find(|provider| of(provider).is_some())?;
        Some((provider, of(&provider)))
    };
    let Some((provider, model)) = whole.or_else(parts) else {
        return Err(say!("no model provider is called: {name}", name));
    };
    let model = match model {
        None => provider.models.first(),
        Some(id) => provider.models.iter().find(|model| model.id == id),
    };
    match model {
        Some(model) => Ok(Candidate { provider: Some(provider), model: Some(model) }),
        None => Err(say!("the provider has no such model set up: {name}", name)),
    }
}

fn user_rejected_error() -> Refusal {
    Refusal { code: -1, message: REJECTED.to_owned() }
}

/// The error if something other than the person's answer refuses the request, such as a used-up budget.
fn rejected_error_with_reason(why: &Sentence) -> Refusal {
    Refusal { code: -1, message: format!("{REJECTED}: {why}") }
}

fn internal_error(why: &Sentence) -> Refusal {
    Refusal { code: -32603, message: why.to_string() }
}

/// Whether the content of the result may be a list: in requests with tools, which were introduced together
/// with lists, and in revisions in which results require input (SAMP-09).
fn accepts_content_list(question: &Question, request: &SamplingRequest) -> bool {
    !request.tools.is_empty() || !matches!(question.origin, QuestionOrigin::Request { .. })
}

/// Takes the round that a request with tools begins, according to the rounds in the request and the earlier
/// answers. An error if there are too many. `None` for a request without tools.
fn take_tool_round(
    models: &SamplingService,
    whose: BudgetOwner,
    request: &SamplingRequest,
) -> Result<Option<ToolRound>, Refusal> {
    let beyond = || Refusal { code: -32602, message: "too many rounds of tools".to_owned() };
    if request.round_number() > MOST_ROUNDS {
        return Err(beyond());
    }
    if request.tools.is_empty() {
        return Ok(None);
    }
    models.rounds.take(whose, Instant::now()).map(Some).ok_or_else(beyond)
}

/// The result for the server. If it contains a tool use, the round is counted.
fn build_result(round: Option<ToolRound>, reply: &Reply, content: &[Value], several: bool) -> Box<RawValue> {
    if let Some(round) = round
        && content.iter().any(|block| block["type"] == "tool_use")
    {
        round.commit();
    }
    sampling_result(reply, content, several)
}

struct SamplingFlow {
    prompter: ServerPrompter,
    models: Arc<SamplingService>,
    server: ServerId,
    occasion: InteractionOccasion,
    asked: Arc<SamplingRequest>,
    accepts_list: bool,
    round: Option<ToolRound>,
}

impl SamplingFlow {
    fn new(
        prompter: ServerPrompter,
        question: &Question,
        models: Arc<SamplingService>,
    ) -> Result<Self, Refusal> {
        let server = prompter.asker().server;
        if !models.is_enabled(server) {
            return Err(Refusal { code: -32601, message: "Method not found".to_owned() });
        }
        let asked = read_request(question)?;
        let round = take_tool_round(&models, Some(server), &asked)?;
        models.count_request(Some(server)).map_err(|why| rejected_error_with_reason(&why))?;
        let several = accepts_content_list(question, &asked);
        let (occasion, asked) = (describe_occasion(&question.origin), Arc::new(asked));
        Ok(Self { prompter, models, server, occasion, asked, accepts_list: several, round })
    }

    async fn run(mut self) -> ResponseToServer {
        let internal = |error: SamplingError| internal_error(&error.sentence());
        let providers = self.models.providers().await.map_err(internal)?;
        let routes = self.models.routes().await.map_err(internal)?;
        let route = choose_model(&routes, &providers, Some(self.server), &self.asked);
        let Some((candidate, reason)) = route else {
            return Err(rejected_error_with_reason(&say!("no model that is set up can take this request")));
        };
        let (request, candidate) = self.review_request(&providers, candidate, reason).await?;
        let round = self.round.take();
        let (reply, content) = self.review_reply(request, &candidate).await?;
        Ok(build_result(round, &reply, &content, self.accepts_list))
    }

    async fn has_standing_approval(
        &self,
        look: ReviewStep,
        candidate: &Candidate<'_>,
    ) -> Result<bool, Refusal> {
        match self.models.find_approval(self.server, look, candidate).await {
            Ok(Some(false)) => Err(user_rejected_error()),
            Ok(answer) => Ok(answer == Some(true)),
            Err(error) => Err(internal_error(&error.sentence())),
        }
    }

    /// Saves a decision for as long as the person chose.
    async fn save_decision(
        &self,
        interaction: &mut Interaction,
        look: ReviewStep,
        candidate: &Candidate<'_>,
        allow: bool,
        remember: Remember,
    ) {
        let how_long = match remember {
            Remember::Once => return,
            Remember::Session => ApprovalTerm::Session,
            Remember::Hour => ApprovalTerm::For(Duration::from_hours(1)),
            Remember::Always => ApprovalTerm::Always,
        };
        match self.models.save_approval(self.server, look, candidate, allow, how_long).await {
            Ok(Some(number)) => interaction.set_remembered_by(number).await,
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "an answer to sampling is not remembered"),
        }
    }

    /// Asks the person to review the request.
    async fn review_request<'a>(
        &self,
        providers: &'a [Provider],
        mut candidate: Candidate<'a>,
        reason: Sentence,
    ) -> Result<(SamplingRequest, Candidate<'a>), Refusal> {
        if self.has_standing_approval(ReviewStep::Request, &candidate).await? {
            return Ok(((*self.asked).clone(), candidate));
        }
        let review = self.review_view(providers, &self.asked, &candidate, &reason).await?;
        let (asked, known) = (Arc::clone(&self.asked), providers.to_vec());
        // The person can't request more than the server did.
        let check = move |content: &str| {
            let (edited, chosen) = asked.apply_edit(content, check_sampling)?;
            chosen.map_or(Ok(()), |chosen| find_picked_model(&known, &edited, &chosen).map(drop))
        };
        let question = InteractionQuestion::Sampling(review);
        let asking = InteractionRequest::new(self.prompter.asker(), self.occasion.clone(), question)
            .with_check(Arc::new(check));
        let mut interaction = self.prompter.interactions().begin(asking).await;
        match interaction.decision().await {
            InteractionDecision::Accepted { content, remember } => {
                let content = content.as_ref().map_or("{}", |content| content.get());
                let (edited, chosen) = self
                    .asked
                    .apply_edit(content, check_sampling)
                    .map_err(|why| rejected_error_with_reason(&why))?;
                if let Some(chosen) = chosen {
                    candidate = find_picked_model(providers, &edited, &chosen)
                        .map_err(|why| rejected_error_with_reason(&why))?;
                }
                self.save_decision(&mut interaction, ReviewStep::Request, &candidate, true, remember).await;
                Ok((edited, candidate))
            }
            InteractionDecision::Declined { remember } => {
                self.save_decision(&mut interaction, ReviewStep::Request, &candidate, false, remember).await;
                Err(user_rejected_error())
            }
            InteractionDecision::Cancelled | InteractionDecision::Suppressed(_) => Err(user_rejected_error()),
        }
    }

    async fn review_view(
        &self,
        providers: &[Provider],
        asked: &SamplingRequest,
        candidate: &Candidate<'_>,
        reason: &Sentence,
    ) -> Result<SamplingReview, Refusal> {
        let left = self
            .models
            .remaining_budget(self.server)
            .await
            .map_err(|error| internal_error(&error.sentence()))?;
        let route = |candidate: &Candidate<'_>, reason: &Sentence| route_view(candidate, reason, asked);
        let mut models: Vec<SamplingRoute> = capable_models(providers, asked.needs())
            .iter()
            .map(|other| {
                if other == candidate {
                    route(other, reason)
                } else {
                    route(other, &say!("it can handle this request"))
                }
            })
            .collect();
        models.push(if *candidate == Candidate::PRACTICE {
            route(candidate, reason)
        } else {
            route(&Candidate::PRACTICE, &say!("it can handle this request"))
        });
        let message = |message: &Message| SamplingMessage {
            role: message.role.as_str().to_owned(),
            content: message.content.iter().map(|part| part.raw.to_string()).collect(),
        };
        Ok(SamplingReview {
            system: asked.system.clone(),
            messages: asked.messages.iter().map(message).collect(),
            max_tokens: asked.max_tokens,
            temperature: asked.temperature,
            stop_sequences: asked.stop_sequences.clone(),
            tools: asked.tools.iter().map(|tool| tool.raw.to_string()).collect(),
            tool_choice: asked.tool_choice.map(|choice| choice.as_str().to_owned()),
            context_refused: asked.context_refused.clone(),
            route: Some(route(candidate, reason)),
            models,
            tokens: asked.estimated_tokens(),
            budget: left.map(|left| BudgetLeft {
                requests: left.requests,
                tokens: left.tokens,
                cost: left.cost.map(Dollars::as_f64),
            }),
            round: self.round.as_ref().map_or(1, ToolRound::number).max(asked.round_number()),
        })
    }

    /// Asks a model, and asks the person to review the answer.
    async fn review_reply(&self, request: SamplingRequest, candidate: &Candidate<'_>) -> ReviewedReply {
        let mut replied_unseen = None;
        if self.has_standing_approval(ReviewStep::Answer, candidate).await? {
            let (reply, usage) = self
                .ask_model(&request, candidate, &PartialReply::default())
                .await
                .map_err(ReplyError::refusal)?;
            // The model took some time. By now, the person may want to review the answer.
            if self.has_standing_approval(ReviewStep::Answer, candidate).await? {
                let content = reply.content();
                return Ok((reply, content));
            }
            replied_unseen = Some((reply, usage));
        }
        let provider_name = candidate.provider.map(|provider| provider.name.clone()).unwrap_or_default();
        let show = |reply: &Reply, streaming| SamplingAnswer {
            model: reply.model.clone().unwrap_or_else(|| model_name(candidate).to_owned()),
            provider_name: provider_name.clone(),
            streaming,
            content: reply.content().iter().map(Value::to_string).collect(),
            stop_reason: reply.stop_reason.clone(),
            usage: None,
            problem: None,
        };
        let question = InteractionQuestion::SamplingAnswer(show(&Reply::default(), true));
        let check = Arc::new(|content: &str| read_edited_answer(content).map(drop));
        let asking = InteractionRequest::new(self.prompter.asker(), self.occasion.clone(), question)
            .without_limits()
            .with_check(check);
        let mut interaction = self.prompter.interactions().begin(asking).await;
        let mut retries = interaction.retries();
        let mut ticks = tokio::time::interval(UPDATE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            retries.mark_unchanged();
            let latest = PartialReply::default();
            let unseen = replied_unseen.take();
            let asking = async {
                match unseen {
                    Some(replied) => Ok(replied),
                    None => self.ask_model(&request, candidate, &latest).await,
                }
            };
            tokio::pin!(asking);
            let replied = loop {
                tokio::select! {
                    decided = interaction.decision() => break Err(decided),
                    replied = &mut asking => break Ok(replied),
                    _ = ticks.tick() => {
                        if let Some(reply) = latest.take_new_reply() {
                            interaction.update(InteractionQuestion::SamplingAnswer(show(&reply, true)));
                        }
                    }
                }
            };
            let replied = match replied {
                Ok(replied) => replied,
                Err(decided) => return self.decline_reply(&mut interaction, candidate, decided).await,
            };
            let reply = match replied {
                Ok((reply, usage)) => {
                    let price = cost(candidate.model, usage);
                    let usage = SamplingUsage {
                        input_tokens: usage.input,
                        output_tokens: usage.output,
                        cost: price.map(Dollars::as_f64),
                    };
                    let shown = SamplingAnswer { usage: Some(usage), ..show(&reply, false) };
                    interaction.update(InteractionQuestion::SamplingAnswer(shown));
                    Some(reply)
                }
                Err(why) => {
                    let partial = latest.take_new_reply().unwrap_or_default();
                    let shown = SamplingAnswer { problem: Some(why.sentence()), ..show(&partial, false) };
                    interaction.update(InteractionQuestion::SamplingAnswer(shown));
                    None
                }
            };
            tokio::select! {
                decided = interaction.decision() => {
                    return self.accept_reply(&mut interaction, candidate, decided, reply).await;
                }
                // The channel ends together with the question, whose decision is available by then.
                Ok(()) = retries.changed() => {
                    interaction.update(InteractionQuestion::SamplingAnswer(show(&Reply::default(), true)));
                }
            }
        }
    }

    async fn decline_reply(
        &self,
        interaction: &mut Interaction,
        candidate: &Candidate<'_>,
        decided: InteractionDecision,
    ) -> ReviewedReply {
        if let InteractionDecision::Declined { remember } = decided {
            self.save_decision(interaction, ReviewStep::Answer, candidate, false, remember).await;
        }
        Err(user_rejected_error())
    }

    /// Applies the person's edit of the answer.
    async fn accept_reply(
        &self,
        interaction: &mut Interaction,
        candidate: &Candidate<'_>,
        decided: InteractionDecision,
        reply: Option<Reply>,
    ) -> ReviewedReply {
        match (decided, reply) {
            (InteractionDecision::Accepted { content, remember }, Some(reply)) => {
                let blocks = match content {
                    Some(content) => {
                        read_edited_answer(content.get()).map_err(|why| rejected_error_with_reason(&why))?
                    }
                    None => reply.content(),
                };
                self.save_decision(interaction, ReviewStep::Answer, candidate, true, remember).await;
                Ok((reply, blocks))
            }
            (decided, _) => self.decline_reply(interaction, candidate, decided).await,
        }
    }

    async fn ask_model(
        &self,
        request: &SamplingRequest,
        candidate: &Candidate<'_>,
        latest: &PartialReply,
    ) -> Result<(Reply, Usage), ReplyError> {
        ask_within_budget(&self.models, Some(self.server), request, candidate, latest).await
    }
}

/// Asks a model within the remaining budget, and counts the usage.
async fn ask_within_budget(
    models: &SamplingService,
    whose: BudgetOwner,
    request: &SamplingRequest,
    candidate: &Candidate<'_>,
    latest: &PartialReply,
) -> Result<(Reply, Usage), ReplyError> {
    let bill = models.reserve_usage(whose, candidate.model, request).await.map_err(ReplyError::OverBudget)?;
    let mut request = request.clone();
    request.max_tokens = bill.limit.max_tokens;
    let asked = models.ask(candidate, &request, &mut |reply| latest.set_reply(reply)).await;
    let guessed = |reply: Option<&Reply>| {
        let written: usize =
            reply.map_or(0, |reply| reply.content().iter().map(|block| block.to_string().len()).sum());
        Usage {
            input: u64::from(request.estimated_tokens()),
            output: u64::try_from(written / 4).unwrap_or_default(),
        }
    };
    let usage = match &asked {
        Ok(reply) => reply.usage.unwrap_or_else(|| guessed(Some(reply))),
        // The part before the failure has to be paid for.
        Err(_) => latest
            .last_reply()
            .map(|reply| reply.usage.unwrap_or_else(|| guessed(Some(&reply))))
            .unwrap_or_default(),
    };
    models.settle_usage(bill, candidate.model, usage).await;
    asked.map(|reply| (reply, usage)).map_err(ReplyError::Failed)
}

/// The reply, and its content as the server gets it.
type ReviewedReply = Result<(Reply, Vec<Value>), Refusal>;

/// Why there is no reply to review.
enum ReplyError {
    /// The person's limits don't allow another request.
    OverBudget(Sentence),
    /// The model did not answer.
    Failed(Sentence),
}

impl ReplyError {
    fn sentence(self) -> Sentence {
        match self {
            Self::OverBudget(why) | Self::Failed(why) => why,
        }
    }

    fn refusal(self) -> Refusal {
        match self {
            Self::OverBudget(why) => rejected_error_with_reason(&why),
            Self::Failed(why) => internal_error(&why),
        }
    }
}

/// The model that the person picked, if it can answer the edited request.
fn find_picked_model<'a>(
    providers: &'a [Provider],
    edited: &SamplingRequest,
    chosen: &ChosenModel,
) -> Result<Candidate<'a>, Sentence> {
    let mut able = capable_models(providers, edited.needs()).into_iter().chain([Candidate::PRACTICE]);
    let found = able.find(|candidate| candidate.to_chosen() == *chosen);
    found.ok_or_else(|| {
        say!("this model isn’t set up, or can’t take the request: {model}", model = &chosen.model)
    })
}

fn model_name<'a>(candidate: &Candidate<'a>) -> &'a str {
    if candidate.provider.is_none() { PRACTICE_MODEL } else { candidate.id() }
}

fn route_view(candidate: &Candidate<'_>, reason: &Sentence, asked: &SamplingRequest) -> SamplingRoute {
    let host = candidate.provider.and_then(|provider| Url::parse(&provider.base_url).ok());
    let usage = Usage { input: u64::from(asked.estimated_tokens()), output: u64::from(asked.max_tokens) };
    SamplingRoute {
        provider: candidate.provider.map(|provider| provider.id),
        provider_name: candidate.provider.map(|provider| provider.name.clone()).unwrap_or_default(),
        host: host.and_then(|url| url.host_str().map(str::to_owned)),
        model: candidate.id().to_owned(),
        reason: reason.clone(),
        cost: cost(candidate.model, usage).map(Dollars::as_f64),
    }
}

/// The part of the reply that has been received.
#[derive(Default)]
struct PartialReply(Mutex<(Option<Reply>, bool)>);

impl PartialReply {
    fn set_reply(&self, reply: Reply) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = (Some(reply), true);
    }

    /// Takes the reply, if it has grown since the last call.
    fn take_new_reply(&self) -> Option<Reply> {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = std::mem::take(&mut inner.1);
        inner.0.clone().filter(|_| is_new)
    }

    fn last_reply(&self) -> Option<Reply> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}
