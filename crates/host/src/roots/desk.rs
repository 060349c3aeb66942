//! What a saved server is answered that asks which folders there are.

use mooring_mcp::{Question, Refusal};
use mooring_store::RootRow;

use super::folders::{Known, SharedFor, tell};
use crate::event::HostEvent;
use crate::interaction::view::{InteractionFolder, InteractionQuestion, Remember};
use crate::interaction::{Answer, Asking, Decided, Desk, occasion};

/// Tells of the folders that were granted to the server, and of those for every server once the person has said yes to
/// that. A no leaves the server with its own folders and no sign that there are others.
pub(crate) async fn answer(desk: Desk, question: Question) -> Answer {
    let server = desk.asker().server;
    let folders = &desk.context.folders;
    let Known { mut told, undecided } = folders.known(server).await.map_err(|error| {
        tracing::warn!(%error, "the granted folders could not be read");
        failed()
    })?;
    if !undecided.is_empty() && may_know(&desk, &question, &undecided).await {
        told.extend(undecided);
    }
    let (list, left_out) = tell(told).await?;
    for error in left_out {
        tracing::info!(error = %error.sentence(), "a granted folder was left out");
    }
    Ok(list)
}

/// Asks the person whether the server may know of the folders for every server.
async fn may_know(desk: &Desk, question: &Question, folders: &[RootRow]) -> bool {
    let shown =
        folders.iter().map(|row| InteractionFolder { path: row.path.clone(), name: row.name.clone() });
    let asked = InteractionQuestion::Roots { folders: shown.collect() };
    let asking = Asking::new(desk.asker(), occasion(&question.origin), asked);
    let (yes, remember) = match desk.interactions().ask(asking).await {
        Decided::Accepted { remember, .. } => (true, remember),
        Decided::Declined { remember } => (false, remember),
        Decided::Cancelled | Decided::PutAside => return false,
    };
    let context = &desk.context;
    let server = desk.asker().server;
    match remember {
        Remember::Once => {}
        Remember::Session => context.folders.share_for(server, yes, SharedFor::Run),
        Remember::Hour => context.folders.share_for(server, yes, SharedFor::Hour),
        Remember::Always => {
            if let Err(error) = context.folders.share(server, yes).await {
                tracing::warn!(%error, "what a server may know could not be kept: it is asked about again");
            }
            // Without a receiver nobody looks.
            let _nobody_looks = context.events.send(HostEvent::RootsChanged);
        }
    }
    yes
}

fn failed() -> Refusal {
    Refusal { code: -32603, message: "the folders could not be read".to_owned() }
}
