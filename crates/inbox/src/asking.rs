//! A question that is to be asked, and how it is decided.

use std::sync::Arc;

use mooring_base::server_id::ServerId;
use mooring_definitions::Transport;
use mooring_words::Sentence;
use serde_json::value::RawValue;

use crate::view::{InteractionOccasion, InteractionQuestion, Remember};

/// The saved server that asks, in the person's words.
#[derive(Debug, Clone)]
pub struct Asker {
    /// Which.
    pub server: ServerId,
    /// The person's name for it.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// The origin of its address, or its program's path.
    pub place: String,
}

/// Says why what the person has made of a question, as JSON text, cannot be taken.
pub type Check = Arc<dyn Fn(&str) -> Result<(), Sentence> + Send + Sync>;

/// A question to be asked.
pub struct Asking {
    pub(crate) asker: Asker,
    /// What the question belongs to.
    pub occasion: InteractionOccasion,
    pub(crate) question: InteractionQuestion,
    /// Whether it is one of those of which a server may ask only a few. Consent for what the person started is not.
    pub(crate) counts_against_limits: bool,
    /// Whether what the person has made of it can be taken.
    pub(crate) check: Option<Check>,
    /// The server's name for what is done at an address.
    pub(crate) elicitation: Option<String>,
    /// The yes is that what is done at an address is done.
    pub(crate) awaits_done: bool,
}

impl Asking {
    /// A question that counts against the limits of its server.
    pub fn new(asker: Asker, occasion: InteractionOccasion, question: InteractionQuestion) -> Self {
        let (check, elicitation) = (None, None);
        Self {
            asker,
            occasion,
            question,
            counts_against_limits: true,
            check,
            elicitation,
            awaits_done: false,
        }
    }

    /// The same, with a look at what the person makes of it before it counts as an answer.
    #[must_use]
    pub fn checked(self, check: Check) -> Self {
        Self { check: Some(check), ..self }
    }

    /// The same, for what the person started.
    #[must_use]
    pub fn uncounted(self) -> Self {
        Self { counts_against_limits: false, ..self }
    }
}

/// How a question was decided. It is on the disk already.
pub enum Decided {
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
    /// It was not shown: the server asks too much.
    PutAside,
}
