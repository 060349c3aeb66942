//! The single path for all questions to the person, from every server and transport. They are limited, saved,
//! shown and answered once. Only an answer of the person can approve anything.
//!
//! [`Interactions`] receives an [`InteractionRequest`], applies the limits (`limits`), saves it (`record`),
//! queues it in the order of arrival (`queue`) and returns the [`InteractionDecision`]. `answers` accepts the
//! person's answers, each with the nonce of the view in which it was given. `open_urls` opens a URL once its
//! acceptance is on disk, and `put_off` hides a question for a while. Questions of one connection enter
//! through a [`ServerPrompter`], and those of `elicitation/create` through [`elicit`].

mod address;
mod app_responder;
pub mod elicit;
mod error;
mod interactions;
mod limits;
mod nonce;
mod prompter;
mod question;
mod queue;
mod record;
mod request;
mod url_opening;
mod view;

pub use address::inspect_url;
pub use app_responder::{AppRegistration, AppResponder, AppResponders};
pub use error::{AnswerError, InboxError};
pub use interactions::{Interaction, Interactions};
pub use prompter::{ResponseToServer, ServerPrompter, describe_occasion};
pub use question::{
    AddressView, BudgetLeft, InteractionFolder, InteractionKind, InteractionQuestion, RememberedBy,
    SamplingAnswer, SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, remembered_by,
};
pub use record::{InboxChange, OnInboxChange};
pub use request::{EditValidator, InteractionDecision, InteractionRequest, RequestingServer};
pub use view::{
    DecisionView, InboxView, InteractionAnswer, InteractionOccasion, InteractionOpening, InteractionView,
    PutOff, Remember, SilencedServer,
};
