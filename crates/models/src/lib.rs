//! Sampling (`sampling/createMessage`) without I/O: which servers may ask, which model answers, and what an
//! answer may cost.
//!
//! `request` reads a server's request, `route` chooses a model, and `budget` counts usage. `anthropic`,
//! `openai`, `ollama` and `gemini` build the request in each provider's format. `reply` is the part of the
//! answer that has arrived. `practice` is the built-in model without AI. `rounds` counts the rounds of a tool
//! loop. `mooring-sampling` sends the requests.

mod anthropic;
mod budget;
mod dialect;
mod dollars;
mod error;
mod gemini;
mod ollama;
mod openai;
mod policy;
mod practice;
mod provider;
mod provider_request;
mod reply;
mod request;
mod result;
mod rounds;
mod route;

pub use budget::{
    Budget, BudgetOwner, DailyUsage, RemainingBudget, RequestLimit, RequestMeter, cost, daily_usage,
    limit_request, today,
};
pub use dialect::{StreamDecoder, base_url, is_azure, join_path};
pub use dollars::Dollars;
pub use error::{MAX_ANSWER_BYTES, ModelError, error_from_status, error_message};
pub use policy::{ApprovalView, ModelsView, ReviewStep, SamplingPolicy, SamplingPolicyView};
pub use practice::PRACTICE_MODEL;
pub use provider::{Model, NewProvider, Provider, ProviderCheck, ProviderKind, RouteRule};
pub use provider_request::{ProviderRequest, provider_request};
pub use reply::{Reply, Usage};
pub use request::{ChosenModel, InvalidParams, MOST_ROUNDS, Message, SamplingRequest, read_edited_answer};
pub use result::sampling_result;
pub use rounds::{ToolRound, ToolRounds};
pub use route::{Candidate, capable_models, choose_model};
