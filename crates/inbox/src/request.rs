//! A question that is to be asked, and how it is decided.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_store::Transport;
use mooring_words::Sentence;
use serde_json::value::RawValue;

use crate::view::{InteractionOccasion, InteractionQuestion, Remember};

/// The saved server that asks, in the person's words.
#[derive(Debug, Clone)]
pub struct RequestingServer {
    /// Which.
    pub server: ServerId,
    /// The person's name for it.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The origin of its address, or its program's path.
    pub place: String,
}

/// Validates JSON text that the person edited; the error says what is wrong with it.
pub type EditValidator = Arc<dyn Fn(&str) -> Result<(), Sentence> + Send + Sync>;

/// A question to be asked.
pub struct InteractionRequest {
    pub(crate) asker: RequestingServer,
    /// What the question belongs to.
    pub occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    /// Whether it is one of those of which a server may ask only a few. Consent for what the person started is not.
    pub(crate) counts_against_limits: bool,
    /// Whether what the person has made of it can be taken.
    pub(crate) check: Option<EditValidator>,
    /// The `elicitationId` of a URL elicitation.
    pub(crate) elicitation_id: Option<String>,
    /// Accept means that what was to be done at the URL is done, not that it was opened.
    pub(crate) awaits_completion: bool,
}

impl InteractionRequest {
    /// A question that counts against the limits of its server.
    pub fn new(
        asker: RequestingServer,
        occasion: InteractionOccasion,
        question: InteractionQuestion,
    ) -> Self {
        let (check, elicitation) = (None, None);
        Self {
            asker,
            occasion,
            question,
            counts_against_limits: true,
            check,
            elicitation_id: elicitation,
            awaits_completion: false,
        }
    }

    /// Adds a check of what the person edits, before it counts as an answer.
    #[must_use]
    pub fn with_check(self, check: EditValidator) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Exempts it from the limits, for what the person started.
    #[must_use]
    pub fn without_limits(self) -> Self {
        Self { counts_against_limits: false, ..self }
    }
}

/// How a question was decided. It is on the disk already.
pub enum InteractionDecision {
    /// Yes.
    Accepted {
        /// What was entered or edited, as JSON; none: as it was shown. Of a form it is an answer to that form.
        content: Option<Box<RawValue>>,
        /// For how long.
        remember: Remember,
    },
    /// No.
    Declined {
        /// For how long.
        remember: Remember,
    },
    /// The person does not want to decide, or the application ends.
    Cancelled,
    /// It was not shown: whoever asks is over a limit, which this names.
    Suppressed(Sentence),
}
