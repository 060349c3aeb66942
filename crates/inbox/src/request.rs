//! A question to ask, and the decision about it.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_words::Sentence;
use serde_json::value::RawValue;

use crate::question::InteractionQuestion;
use crate::view::{InteractionOccasion, Remember};

/// The saved server that asks, in the person's words.
#[derive(Debug, Clone)]
pub struct RequestingServer {
    /// Its id.
    pub server: ServerId,
    /// The person's name for it.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The origin of its URL, or its program's path.
    pub place: String,
}

/// Validates JSON text that the person edited. The error says what is wrong with it.
pub type EditValidator = Arc<dyn Fn(&str) -> Result<(), Sentence> + Send + Sync>;

/// A question to ask.
pub struct InteractionRequest {
    pub(crate) asker: RequestingServer,
    /// What the question belongs to.
    pub occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    /// Whether it counts against the limits. Consent to what the person started does not.
    pub(crate) counts_against_limits: bool,
    /// Validates the text that the person edited.
    pub(crate) check: Option<EditValidator>,
    /// The `elicitationId` of a URL elicitation.
    pub(crate) elicitation_id: Option<String>,
    /// Accept means that the task at the URL is done, not that the URL was opened.
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

    /// Adds a validator for the text that the person edits.
    #[must_use]
    pub fn with_check(self, check: EditValidator) -> Self {
        Self { check: Some(check), ..self }
    }

    /// Exempts the question from the limits, for what the person started.
    #[must_use]
    pub fn without_limits(self) -> Self {
        Self { counts_against_limits: false, ..self }
    }
}

/// The decision about a question. It is already on disk.
pub enum InteractionDecision {
    /// Yes.
    Accepted {
        /// The entered or edited content as JSON, valid for the question's form. `None` if nothing was
        /// changed.
        content: Option<Box<RawValue>>,
        /// How long the answer counts.
        remember: Remember,
    },
    /// No.
    Declined {
        /// How long the answer counts.
        remember: Remember,
    },
    /// The person did not decide, or the application ends.
    Cancelled,
    /// The question was not shown because the asker is over a limit, which the sentence names.
    Suppressed(Sentence),
}
