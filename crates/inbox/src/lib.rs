//! Every question to the person goes through here, whoever asks it and however it reached us: it is counted, written
//! down, shown, and answered once. Nothing but an answer of the person makes a yes.
//!
//! An [`Asking`] is given to [`Interactions`], which counts it (`limits`), writes it down (`record`), holds it in the order of
//! being asked (`queue`), and tells its asker how it was [`Decided`]. `person` takes the answers, by a nonce of the look that
//! they were given in; `visiting` opens an address once the yes to it is on the disk. A [`Desk`] is where the questions of one
//! connection come in, [`elicit`] the ones of `elicitation/create`.

mod address;
mod asking;
mod desk;
pub mod elicit;
mod error;
mod interactions;
mod limits;
mod nonce;
mod queue;
mod record;
mod view;
mod visit;

pub use address::look_at;
pub use asking::{Asker, Asking, Check, Decided};
pub use desk::{Answer, Desk, occasion};
pub use error::{AnswerError, InboxError};
pub use interactions::{Interaction, Interactions};
pub use record::{Changed, OnInboxChange};
pub use view::{
    AddressView, BudgetLeft, DecisionView, InboxView, InteractionAnswer, InteractionFolder,
    InteractionOccasion, InteractionOpening, InteractionQuestion, InteractionView, Remember, RememberedBy,
    SamplingAnswer, SamplingMessage, SamplingReview, SamplingRoute, SamplingUsage, SilencedServer,
};
