//! Where the questions of one connection come in.

use std::sync::Arc;

use mooring_base::excerpt;
use mooring_mcp::{PendingRequest, QuestionContext, QuestionOrigin, Refusal};
use mooring_policy::Caller;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::asking::Asker;
use crate::interactions::Interactions;
use crate::view::InteractionOccasion;

/// How many of the requests that a question may belong to are named.
const NAMED: usize = 5;

/// What a server is answered.
pub type Answer = Result<Box<RawValue>, Refusal>;

/// Asks the person what one connection's server wants to know. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Desk {
    interactions: Arc<Interactions>,
    asker: Asker,
}

impl Desk {
    /// The desk of a connection to this server.
    pub fn new(interactions: Arc<Interactions>, asker: Asker) -> Self {
        Self { interactions, asker }
    }

    /// The same under the name that the person gives the server now.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        let asker = Asker { name: name.to_owned(), ..self.asker.clone() };
        Self { interactions: Arc::clone(&self.interactions), asker }
    }

    /// Who asks.
    pub fn asker(&self) -> Asker {
        self.asker.clone()
    }

    /// Whom to ask.
    pub fn interactions(&self) -> &Arc<Interactions> {
        &self.interactions
    }
}

/// What a question of a server belongs to, as far as the protocol tells.
pub fn occasion(origin: &QuestionOrigin) -> InteractionOccasion {
    let (cause, said) = match origin {
        QuestionOrigin::Request { occasion: QuestionContext::Request(call), .. }
        | QuestionOrigin::InputRequired { call, .. }
        | QuestionOrigin::UrlRequired { call, .. } => (Some(call), waits(call)),
        QuestionOrigin::Task { call, .. } => (Some(call), works(call)),
        QuestionOrigin::Request { occasion: QuestionContext::OnlyPending(call), .. } => {
            (Some(call), goes_on(call))
        }
        QuestionOrigin::Request { occasion: QuestionContext::AnyPending(calls), .. } => return one_of(calls),
        QuestionOrigin::Request { occasion: QuestionContext::Unprompted, .. } => {
            (None, say!("The server asks of its own accord."))
        }
        QuestionOrigin::Request { occasion: QuestionContext::Unknown, .. } => {
            (None, say!("The server does not say what it asks this for."))
        }
    };
    InteractionOccasion {
        method: cause.map(|cause| cause.method.to_owned()),
        subject: cause.and_then(|cause| cause.subject.as_deref().map(named)),
        caller: cause.and_then(|cause| cause.caller.map(str::to_owned)),
        is_guess: matches!(origin, QuestionOrigin::Request { occasion: QuestionContext::OnlyPending(_), .. }),
        said,
    }
}

/// A name or an address that stands in a sentence.
fn named(subject: &str) -> String {
    excerpt::start(subject.to_owned(), excerpt::WORDS)
}

/// Which request it is that waits, and who made it.
fn waits(cause: &PendingRequest) -> Sentence {
    let caller = cause.caller.and_then(Caller::from_name);
    match (cause.method, cause.subject.as_deref().map(named), caller) {
        ("tools/call", Some(tool), Some(Caller::Workbench)) => {
            say!("You run its tool {tool} in the Workbench, and the call waits for the answer.", tool)
        }
        ("tools/call", Some(tool), Some(Caller::CommandLine)) => {
            say!("Its tool {tool} was called on the command line, and the call waits for the answer.", tool)
        }
        ("tools/call", Some(tool), Some(Caller::Sampling)) => {
            say!(
                "A model that the server asked called its tool {tool}, and the call waits for the answer.",
                tool
            )
        }
        ("tools/call", Some(tool), None) => say!("The call of its tool {tool} waits for the answer.", tool),
        ("tools/call", None, _) => say!("A call of one of its tools waits for the answer."),
        ("prompts/get", Some(prompt), _) => {
            say!("You asked for its prompt {prompt}, which waits for the answer.", prompt)
        }
        ("resources/read", Some(resource), _) => {
            say!("You opened its resource {resource}, which waits for the answer.", resource)
        }
        (method, ..) => say!("A request waits for the answer: {method}", method = method),
    }
}

/// Which call goes on in the background.
fn works(cause: &PendingRequest) -> Sentence {
    match cause.subject.as_deref().map(named) {
        Some(tool) => {
            say!("The call of its tool {tool} goes on in the background and waits for the answer.", tool)
        }
        None => say!("A call that it works on in the background waits for the answer."),
    }
}

/// What goes on while a server asks, which need not be what it asks for.
fn goes_on(cause: &PendingRequest) -> Sentence {
    match (cause.method, cause.subject.as_deref().map(named)) {
        ("tools/call", Some(tool)) => {
            say!("It asks while its tool {tool} runs, and does not say what for.", tool)
        }
        ("prompts/get", Some(prompt)) => {
            say!("It asks while its prompt {prompt} is fetched, and does not say what for.", prompt)
        }
        ("resources/read", Some(resource)) => {
            say!("It asks while its resource {resource} is read, and does not say what for.", resource)
        }
        (method, _) => {
            say!("It asks while a request goes on, and does not say what for: {method}", method = method)
        }
    }
}

/// Several go on, and it may be for any of them or none. What all of them share is said.
fn one_of(calls: &[PendingRequest]) -> InteractionOccasion {
    fn same<'a, T: PartialEq>(
        mut all: impl Iterator<Item = &'a PendingRequest>,
        part: impl Fn(&'a PendingRequest) -> T,
    ) -> Option<T> {
        let first = part(all.next()?);
        all.all(|other| part(other) == first).then_some(first)
    }
    let method = same(calls.iter(), |cause| cause.method);
    let subject = same(calls.iter(), |cause| cause.subject.as_deref()).flatten();
    let caller = same(calls.iter(), |cause| cause.caller).flatten();
    let mut names: Vec<String> = Vec::new();
    for name in
        calls.iter().map(|cause| cause.subject.as_deref().map_or_else(|| cause.method.to_owned(), named))
    {
        if names.contains(&name) {
            continue;
        }
        if names.len() == NAMED {
            names.push("…".to_owned());
            break;
        }
        names.push(name);
    }
    let count = calls.len();
    let said = match (method, subject) {
        (Some("tools/call"), Some(tool)) => {
            say!(
                "It asks while {count} calls of its tool {tool} run, and does not say what for.",
                count,
                tool = named(tool)
            )
        }
        _ => say!("It asks while these run, and does not say for which: {names}", names = names.join(", ")),
    };
    InteractionOccasion {
        method: method.map(str::to_owned),
        subject: subject.map(named),
        caller: caller.map(str::to_owned),
        is_guess: true,
        said,
    }
}
