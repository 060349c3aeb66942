//! What servers want a model to say (`sampling/createMessage`): who may ask, which model is asked, and what it may take.
//!
//! Without effects: `request` reads what is asked, `route` chooses a model, `budget` counts, `anthropic`, `openai`, `ollama` and
//! `gemini` write it in the form of a provider, `reply` is the answer as far as it has come, `practice` the model that is none,
//! `rounds` counts those of a loop with tools. `mooring-sampling` asks.

mod anthropic;
mod budget;
mod dialect;
mod dollars;
mod exchange;
mod fault;
mod gemini;
mod ollama;
mod openai;
mod policy;
mod practice;
mod provider;
mod reply;
mod request;
mod result;
mod rounds;
mod route;

pub use budget::{Budget, Left, Meter, Promised, Used, Whose, cost, promise, row, today};
pub use dialect::{Reading, base_url, is_azure, under};
pub use dollars::Dollars;
pub use exchange::{Exchange, exchange};
pub use fault::{MOST_ANSWER, ModelError, by_status, error_words};
pub use policy::{ModelsView, SamplingLook, SamplingPolicy, SamplingPolicyView, StandingAnswer};
pub use practice::PRACTICE;
pub use provider::{Model, NewProvider, Provider, ProviderCheck, ProviderKind, RouteRule};
pub use reply::{Reply, Usage};
pub use request::{Chosen, InvalidParams, MOST_ROUNDS, Message, SamplingRequest, edited_answer};
pub use result::result;
pub use rounds::{Round, Rounds};
pub use route::{Candidate, able, choose};
