//! Every question to the person goes through here, whoever asks it and however it reached us: it is counted, written
//! down, shown, and answered once. Nothing but an answer of the person makes a yes.
//!
//! An [`InteractionRequest`] is given to [`Interactions`], which counts it (`limits`), writes it down (`record`),
//! holds it in the order of being asked (`queue`), and tells its asker how it was [`InteractionDecision`]. `answers`
//! takes the answers, by a nonce of the look that they were given in; `open_urls` opens an address once the yes to it
//! is on the disk. A [`ServerPrompter`] is where the questions of one connection come in, [`elicit`] the ones of
//! `elicitation/create`.

mod address;
pub mod elicit;
mod error;
mod interactions;
mod limits;
mod nonce;
mod prompter;
mod queue;
mod record;
mod request;
mod url_opening;
mod view;

pub use address::inspect_url;
pub use error::{AnswerError, InboxError};
pub use interactions::{Interaction, Interactions};
pub use prompter::{ResponseToServer, ServerPrompter, describe_occasion};
pub use record::{InboxChange, OnInboxChange};
pub use request::{EditValidator, InteractionDecision, InteractionRequest, RequestingServer};
pub use view::{
    AddressView, BudgetLeft, DecisionView, InboxView, InteractionAnswer, InteractionFolder,
    InteractionOccasion, InteractionOpening, InteractionQuestion, InteractionView, Remember, RememberedBy,
    SamplingAnswer, SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, SilencedServer,
};
