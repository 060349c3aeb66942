//! The entry point for the questions of one connection.

use std::sync::Arc;

use mooring_apps::display_name;
use mooring_base::excerpt;
use mooring_mcp::{PendingRequest, QuestionContext, QuestionOrigin, Refusal};
use mooring_policy::Caller;
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::interactions::Interactions;
use crate::request::RequestingServer;
use crate::view::InteractionOccasion;

/// Maximum number of calls that are named if a question may belong to several.
const MAX_NAMED_CALLS: usize = 5;

/// The result for a server's request, or a JSON-RPC error.
pub type ResponseToServer = Result<Box<RawValue>, Refusal>;

/// Asks the person on behalf of one connection's server. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ServerPrompter {
    interactions: Arc<Interactions>,
    asker: RequestingServer,
}

impl ServerPrompter {
    /// A prompter for a connection to this server.
    pub fn new(interactions: Arc<Interactions>, asker: RequestingServer) -> Self {
        Self { interactions, asker }
    }

    /// A copy of the prompter with the server's current name.
    #[must_use]
    pub fn with_name(&self, name: &str) -> Self {
        let asker = RequestingServer { name: name.to_owned(), ..self.asker.clone() };
        Self { interactions: Arc::clone(&self.interactions), asker }
    }

    /// The server that asks.
    pub fn asker(&self) -> RequestingServer {
        self.asker.clone()
    }

    /// The queue of the questions.
    pub fn interactions(&self) -> &Arc<Interactions> {
        &self.interactions
    }
}

/// Describes the call that a server's request belongs to, as far as the protocol says.
pub fn describe_occasion(origin: &QuestionOrigin) -> InteractionOccasion {
    let (cause, said) = match origin {
        QuestionOrigin::Request { occasion: QuestionContext::Request(call), .. }
        | QuestionOrigin::InputRequired { call, .. }
        | QuestionOrigin::UrlRequired { call, .. } => (Some(call), describe_waiting_call(call)),
        QuestionOrigin::Task { call, .. } => (Some(call), describe_task(call)),
        QuestionOrigin::Request { occasion: QuestionContext::OnlyPending(call), .. } => {
            (Some(call), describe_concurrent_call(call))
        }
        QuestionOrigin::Request { occasion: QuestionContext::AnyPending(calls), .. } => {
            return describe_concurrent_calls(calls);
        }
        QuestionOrigin::Request { occasion: QuestionContext::Unprompted, .. } => {
            (None, say!("Sent without a call in progress."))
        }
        QuestionOrigin::Request { occasion: QuestionContext::Unknown, .. } => {
            (None, say!("The server gave no reason."))
        }
    };
    InteractionOccasion {
        method: cause.map(|cause| cause.method.to_owned()),
        subject: cause.and_then(|cause| cause.subject.as_deref().map(shorten)),
        caller: cause.and_then(|cause| cause.caller.as_ref()).map(|caller| caller.name.to_string()),
        requests: cause.and_then(request_name).into_iter().collect(),
        is_guess: matches!(origin, QuestionOrigin::Request { occasion: QuestionContext::OnlyPending(_), .. }),
        said,
    }
}

/// The front end's name for a request.
fn request_name(cause: &PendingRequest) -> Option<String> {
    cause.caller.as_ref()?.request.as_deref().map(str::to_owned)
}

/// Shortens a name or a URI for a sentence.
fn shorten(subject: &str) -> String {
    excerpt::truncate(subject.to_owned(), excerpt::MAX_TEXT_BYTES)
}

/// Describes the request that waits for the answer, and its caller.
fn describe_waiting_call(cause: &PendingRequest) -> Sentence {
    let caller = cause.caller.as_ref().and_then(|caller| Caller::from_name(&caller.name));
    match (cause.method, cause.subject.as_deref().map(shorten), caller) {
        ("tools/call", Some(tool), Some(Caller::Workbench)) => {
            say!("You run its tool {tool} in the Workbench, and the call waits for the answer.", tool)
        }
        ("tools/call", Some(tool), Some(Caller::CommandLine)) => {
            say!("Its tool {tool} was called on the command line, and the call waits for the answer.", tool)
        }
        ("tools/call", Some(tool), Some(Caller::Sampling)) => {
            say!(
                "A model used by the server called its tool {tool}, and the call waits for the answer.",
                tool
            )
        }
        ("tools/call", Some(tool), Some(Caller::App(app))) => {
            say!(
                "{app} called its tool {tool}, and the call waits for the answer.",
                app = display_name(app.name()),
                tool
            )
        }
        ("tools/call", Some(tool), None) => say!("The call of its tool {tool} waits for the answer.", tool),
        ("tools/call", None, _) => say!("A call of one of its tools waits for the answer."),
        ("prompts/get", Some(prompt), Some(Caller::App(app))) => {
            say!(
                "{app} asked for its prompt {prompt}, which waits for the answer.",
                app = display_name(app.name()),
                prompt
            )
        }
        ("resources/read", Some(resource), Some(Caller::App(app))) => {
            say!(
                "{app} reads its resource {resource}, which waits for the answer.",
                app = display_name(app.name()),
                resource
            )
        }
        ("prompts/get", Some(prompt), _) => {
            say!("You asked for its prompt {prompt}, which waits for the answer.", prompt)
        }
        ("resources/read", Some(resource), _) => {
            say!("You opened its resource {resource}, which waits for the answer.", resource)
        }
        (method, ..) => say!("A request waits for the answer: {method}", method = method),
    }
}

/// Describes the task that waits for the answer.
fn describe_task(cause: &PendingRequest) -> Sentence {
    match cause.subject.as_deref().map(shorten) {
        Some(tool) => {
            say!("The call of its tool {tool} runs in the background and waits for the answer.", tool)
        }
        None => say!("A call that it works on in the background waits for the answer."),
    }
}

/// Describes the only call that runs while a server asks. The question may be unrelated to it.
fn describe_concurrent_call(cause: &PendingRequest) -> Sentence {
    match (cause.method, cause.subject.as_deref().map(shorten)) {
        ("tools/call", Some(tool)) => {
            say!("Sent while its tool {tool} was running; no reason given.", tool)
        }
        ("prompts/get", Some(prompt)) => {
            say!("Sent while its prompt {prompt} was being fetched; no reason given.", prompt)
        }
        ("resources/read", Some(resource)) => {
            say!("Sent while its resource {resource} was being read; no reason given.", resource)
        }
        (method, _) => {
            say!("Sent during a request; no reason given: {method}", method = method)
        }
    }
}

/// Describes several running calls. The question may belong to any of them or to none, so only their common
/// properties are reported.
fn describe_concurrent_calls(calls: &[PendingRequest]) -> InteractionOccasion {
    fn same<'a, T: PartialEq>(
        mut all: impl Iterator<Item = &'a PendingRequest>,
        part: impl Fn(&'a PendingRequest) -> T,
    ) -> Option<T> {
        let first = part(all.next()?);
        all.all(|other| part(other) == first).then_some(first)
    }
    let method = same(calls.iter(), |cause| cause.method);
    let subject = same(calls.iter(), |cause| cause.subject.as_deref()).flatten();
    let caller = same(calls.iter(), |cause| cause.caller.as_ref().map(|caller| &*caller.name)).flatten();
    let mut names: Vec<String> = Vec::new();
    for name in
        calls.iter().map(|cause| cause.subject.as_deref().map_or_else(|| cause.method.to_owned(), shorten))
    {
        if names.contains(&name) {
            continue;
        }
        if names.len() == MAX_NAMED_CALLS {
            names.push("…".to_owned());
            break;
        }
        names.push(name);
    }
    let count = calls.len();
    let said = match (method, subject) {
        (Some("tools/call"), Some(tool)) => {
            say!(
                "Sent during {count} calls of its tool {tool}; no reason given.",
                count,
                tool = shorten(tool)
            )
        }
        _ => {
            say!("Sent while these were running, without saying for which: {names}", names = names.join(", "))
        }
    };
    InteractionOccasion {
        method: method.map(str::to_owned),
        subject: subject.map(shorten),
        caller: caller.map(str::to_owned),
        requests: calls.iter().filter_map(request_name).collect(),
        is_guess: true,
        said,
    }
}
