//! Asks the person whether an app without a key, or the command line in a terminal, may use the servers.

use mooring_approvals::AppIdentity;
use mooring_inbox::{
    InteractionDecision, InteractionOccasion, InteractionQuestion, InteractionRequest, Remember,
    ServerPrompter,
};
use mooring_policy::Caller;
use mooring_process::PeerSession;
use mooring_words::say;

/// Asks whether an app may use the servers. `method` and `request` are its call that waits for the answer, at
/// the prompter's server. `None` if there was no decision.
pub(crate) async fn ask_about_app(
    prompter: &ServerPrompter,
    app: &AppIdentity,
    method: &str,
    request: &str,
) -> Option<bool> {
    let occasion = InteractionOccasion {
        method: Some(method.to_owned()),
        subject: None,
        caller: Some(Caller::app_without_key(&app.name).as_str().to_owned()),
        requests: vec![request.to_owned()],
        is_guess: false,
        said: say!("It made its first call, which waits for your answer."),
    };
    let question = InteractionQuestion::App {
        app: app.name.to_string(),
        program: app.program.as_deref().map(str::to_owned),
        is_terminal: false,
    };
    match ask_person(prompter, occasion, question).await {
        InteractionDecision::Accepted { .. } => Some(true),
        InteractionDecision::Declined { .. } => Some(false),
        InteractionDecision::Cancelled | InteractionDecision::Suppressed(_) => None,
    }
}

/// Asks whether the command line in a terminal may use the servers, and for how long. `request` waits for the
/// answer, at the prompter's server. `None` if there was no decision, and `Some(None)` if the person
/// declined.
pub(crate) async fn ask_about_terminal(
    prompter: &ServerPrompter,
    session: &PeerSession,
    request: &str,
) -> Option<Option<Remember>> {
    let occasion = InteractionOccasion {
        method: None,
        subject: None,
        caller: Some(Caller::CommandLine.as_str().to_owned()),
        requests: vec![request.to_owned()],
        is_guess: false,
        said: say!("A command in it waits for your answer."),
    };
    let question = InteractionQuestion::App {
        app: session.opener.name.clone(),
        program: session.opener.path.as_ref().map(|path| path.display().to_string()),
        is_terminal: true,
    };
    match ask_person(prompter, occasion, question).await {
        InteractionDecision::Accepted { remember, .. } => Some(Some(remember)),
        InteractionDecision::Declined { .. } => Some(None),
        InteractionDecision::Cancelled | InteractionDecision::Suppressed(_) => None,
    }
}

async fn ask_person(
    prompter: &ServerPrompter,
    occasion: InteractionOccasion,
    question: InteractionQuestion,
) -> InteractionDecision {
    let asked = InteractionRequest::new(prompter.asker(), occasion, question);
    prompter.interactions().begin(asked).await.decision().await
}
