//! Answers a saved server's `roots/list` requests.

use std::sync::Arc;

use mooring_inbox::{
    InteractionDecision, InteractionQuestion, InteractionRequest, Remember, ResponseToServer, ServerPrompter,
    describe_occasion,
};
use mooring_mcp::{Question, Refusal};
use mooring_store::RootRow;

use crate::grants::{RootGrants, ShareDuration, VisibleRoots, interaction_folders, read_roots_list};

/// Answers with the server's own folders, and with the shared folders once the person allows that. After a
/// no, the server receives only its own folders and can't tell that there are others.
///
/// `changed` is called when what front ends show of the folders has changed.
pub async fn answer(
    prompter: ServerPrompter,
    question: Question,
    folders: Arc<RootGrants>,
    changed: impl Fn() + Send + Sync,
) -> ResponseToServer {
    let server = prompter.asker().server;
    folders.record_asked(server).await;
    let known = async || {
        folders.visible_roots(server).await.map_err(|error| {
            tracing::warn!(%error, "the granted folders could not be read");
            internal_refusal()
        })
    };
    let VisibleRoots { mut shared, undecided } = known().await?;
    if !undecided.is_empty() {
        let yes = ask_to_share(&prompter, &question, &undecided, &folders, &changed).await?;
        // The grants may have changed while the question was open. Leave out revoked folders, and those that
        // the person did not see.
        let now = known().await?;
        let among = |rows: &[RootRow], row: &RootRow| rows.iter().any(|other| other.id == row.id);
        let may =
            |row: &RootRow| row.server_id.is_some() || among(&shared, row) || yes && among(&undecided, row);
        shared = now.shared.into_iter().chain(now.undecided).filter(may).collect();
    }
    let allowed = shared.len();
    let (list, left_out) = read_roots_list(shared).await?;
    folders.record_sent(server, allowed.saturating_sub(left_out.len()));
    changed();
    for error in left_out {
        tracing::info!(error = %error.sentence(), "a granted folder was left out");
    }
    Ok(list)
}

/// Asks the person whether the server may see the shared folders.
async fn ask_to_share(
    prompter: &ServerPrompter,
    question: &Question,
    rows: &[RootRow],
    folders: &RootGrants,
    changed: &(impl Fn() + Sync),
) -> Result<bool, Refusal> {
    let numbers: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let asked = InteractionQuestion::Roots {
        folders: interaction_folders(rows).await.map_err(|_| internal_refusal())?,
    };
    let asking = InteractionRequest::new(prompter.asker(), describe_occasion(&question.origin), asked);
    let mut interaction = prompter.interactions().begin(asking).await;
    let (yes, remember) = match interaction.decision().await {
        InteractionDecision::Accepted { remember, .. } => (true, remember),
        InteractionDecision::Declined { remember } => (false, remember),
        InteractionDecision::Cancelled | InteractionDecision::Suppressed(_) => return Ok(false),
    };
    let server = prompter.asker().server;
    let for_a_while = match remember {
        Remember::Once => return Ok(yes),
        Remember::Session => Some(ShareDuration::Run),
        Remember::Hour => Some(ShareDuration::Hour),
        Remember::Always => None,
    };
    let remembered = match for_a_while {
        Some(time) => Ok(folders.share_temporarily(server, &numbers, yes, time)),
        None => folders.share_on_request(server, yes).await,
    };
    match remembered {
        Ok(remembered) => interaction.set_remembered_by(remembered).await,
        Err(error) => {
            tracing::warn!(%error, "what a server may know could not be kept: it is asked about again");
        }
    }
    changed();
    Ok(yes)
}

fn internal_refusal() -> Refusal {
    Refusal { code: -32603, message: "the folders could not be read".to_owned() }
}
