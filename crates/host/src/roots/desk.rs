//! What a saved server is answered that asks which folders there are.

use std::sync::Arc;

use mooring_inbox::{Answer, Asking, Decided, Desk, InteractionQuestion, Remember, occasion};
use mooring_mcp::{Question, Refusal};
use mooring_store::RootRow;
use tokio::sync::broadcast;

use super::folders::{Folders, Known, SharedFor, shown, tell};
use crate::event::{self, HostEvent};

/// Tells of the folders that were granted to the server, and of those for every server once the person has said yes to
/// that. A no leaves the server with its own folders and no sign that there are others.
pub(crate) async fn answer(
    desk: Desk,
    question: Question,
    folders: Arc<Folders>,
    events: broadcast::Sender<HostEvent>,
) -> Answer {
    let server = desk.asker().server;
    let known = async || {
        folders.known(server).await.map_err(|error| {
            tracing::warn!(%error, "the granted folders could not be read");
            failed()
        })
    };
    let Known { mut told, undecided } = known().await?;
    if !undecided.is_empty() {
        let yes = may_know(&desk, &question, &undecided, &folders, &events).await?;
        // The person took their time: what was taken back meanwhile is told no more, and what was not shown not yet.
        let now = known().await?;
        let among = |rows: &[RootRow], row: &RootRow| rows.iter().any(|other| other.id == row.id);
        let may =
            |row: &RootRow| row.server_id.is_some() || among(&told, row) || yes && among(&undecided, row);
        told = now.told.into_iter().chain(now.undecided).filter(may).collect();
    }
    let (list, left_out) = tell(told).await?;
    for error in left_out {
        tracing::info!(error = %error.sentence(), "a granted folder was left out");
    }
    Ok(list)
}

/// Asks the person whether the server may know of the folders for every server.
async fn may_know(
    desk: &Desk,
    question: &Question,
    rows: &[RootRow],
    folders: &Folders,
    events: &broadcast::Sender<HostEvent>,
) -> Result<bool, Refusal> {
    let numbers: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let asked = InteractionQuestion::Roots { folders: shown(rows).await.map_err(|_| failed())? };
    let asking = Asking::new(desk.asker(), occasion(&question.origin), asked);
    let mut interaction = desk.interactions().begin(asking).await;
    let (yes, remember) = match interaction.decided().await {
        Decided::Accepted { remember, .. } => (true, remember),
        Decided::Declined { remember } => (false, remember),
        Decided::Cancelled | Decided::PutAside => return Ok(false),
    };
    let server = desk.asker().server;
    let for_a_while = match remember {
        Remember::Once => return Ok(yes),
        Remember::Session => Some(SharedFor::Run),
        Remember::Hour => Some(SharedFor::Hour),
        Remember::Always => None,
    };
    let remembered = match for_a_while {
        Some(time) => Ok(folders.share_for(server, &numbers, yes, time)),
        None => folders.share_with_answer(server, yes).await,
    };
    match remembered {
        Ok(remembered) => interaction.remembered(remembered).await,
        Err(error) => {
            tracing::warn!(%error, "what a server may know could not be kept: it is asked about again");
        }
    }
    event::tell(events, HostEvent::RootsChanged);
    Ok(yes)
}

fn failed() -> Refusal {
    Refusal { code: -32603, message: "the folders could not be read".to_owned() }
}
