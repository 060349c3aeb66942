//! `mooring subscribe`: prints the changes of a resource as they happen.

use mooring_command_line as args;
use mooring_connect::{
    ConnectedServer, Session, Verb, Visit, change_line, take_needed_item, take_none, with_connection,
};
use mooring_faults::{Exit, Fault};
use mooring_terminal::output::{TextStyle, escape_line};
use mooring_typed::Place;

const VERB: Verb = Verb::with("subscribe", "URI", true);

/// Runs `mooring subscribe`.
pub async fn run(session: &Session, args: args::Subscribe) -> Result<Exit, Fault> {
    with_connection(session, args.target, Visit::new(VERB), read, async |visit, uri: String| {
        follow(&visit, &uri).await?;
        Ok(Exit::Ok)
    })
    .await
}

/// Reads the words as the name of a resource.
pub async fn read<W: From<String>>(place: &Place, words: Vec<String>) -> Result<W, Fault> {
    let (uri, rest) = take_needed_item(VERB, place, "resource", "resources", words)?;
    take_none(VERB, &rest)?;
    Ok(uri.into())
}

async fn follow(visit: &ConnectedServer<'_>, uri: &str) -> Result<(), Fault> {
    let output = visit.session.output;
    let mut printed = Ok(());
    let (failed, until) = tokio::sync::oneshot::channel();
    let mut failed = Some(failed);
    let tell = |notice| match change_line(output, &notice) {
        Some(line) if printed.is_ok() => {
            printed = output.line(&line);
            if printed.is_err()
                && let Some(failed) = failed.take()
            {
                // The reader of the output has closed it, so this command ends too.
                let _ended = failed.send(());
            }
        }
        Some(_) => {}
        None => {
            let line = format!("Watching {}. Ctrl-C ends it.", escape_line(uri));
            output.note(&output.error_tone(TextStyle::Quiet, &line));
        }
    };
    let until = async {
        if until.await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    visit.server.follow(uri, until, tell).await?;
    Ok(printed?)
}
