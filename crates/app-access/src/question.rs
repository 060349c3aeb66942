//! Asks the person whether an app without a key may use the servers.

use mooring_approvals::AppIdentity;
use mooring_inbox::{
    InteractionDecision, InteractionOccasion, InteractionQuestion, InteractionRequest, ServerPrompter,
};
use mooring_policy::Caller;
use mooring_words::say;

/// Asks whether an app may use the servers. `method` and `request`: its call that waits for the answer, at the prompter's
/// server. None: nobody decided.
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
    };
    let asked = InteractionRequest::new(prompter.asker(), occasion, question);
    let mut interaction = prompter.interactions().begin(asked).await;
    match interaction.decision().await {
        InteractionDecision::Accepted { .. } => Some(true),
        InteractionDecision::Declined { .. } => Some(false),
        InteractionDecision::Cancelled | InteractionDecision::Suppressed(_) => None,
    }
}
