//! Connects to the server that a command names, runs the command on it, and disconnects in good order.

use std::ops::Deref;
use std::sync::Arc;

use mooring_host::Host;
use mooring_typed::Place;

use crate::CommandContext;
use crate::answers::{self, Answers};
use crate::args;
use crate::connection::{
    ConnectedServer, Connecting, NamedItem, ServerConnection, asks_own_connection, connect, find_running,
    leave, offer_background, open_host, open_running, sign_in_target,
};
use crate::fault::{Exit, Fault};
use crate::output::Output;
use crate::shell::Shell;
use crate::target::{Verb, resolve, take_named};

/// A terminal for one command, and the shell that it is typed in.
pub struct Session {
    /// The terminal.
    pub context: CommandContext,
    /// The shell.
    pub shell: Option<Arc<Shell>>,
}

impl Session {
    /// For a command.
    pub fn alone(output: Output) -> Self {
        Self { context: CommandContext::new(output), shell: None }
    }

    /// For a line of a shell.
    pub fn of_line(output: Output, shell: Arc<Shell>) -> Self {
        Self {
            context: CommandContext { has_lines: true, ..CommandContext::new(output) },
            shell: Some(shell),
        }
    }
}

impl Deref for Session {
    type Target = CommandContext;

    fn deref(&self) -> &CommandContext {
        &self.context
    }
}

/// How a command uses a server.
#[derive(Debug, Clone, Copy)]
pub struct Visit {
    /// The command.
    pub verb: Verb,
    /// Whether the log is written.
    pub journal: bool,
    /// Whether the era is found out by asking, whatever is remembered of it.
    pub ask_anew: bool,
    /// Whether it needs a separate connection, even if Mooring runs.
    pub alone: bool,
}

impl Visit {
    /// The defaults of most commands.
    pub const fn new(verb: Verb) -> Self {
        Self { verb, journal: true, ask_anew: false, alone: false }
    }
}

/// Connects to `target`, runs `work` and disconnects. `read` parses the words that don’t name the server,
/// before anything starts. The first interrupt drops the work, but the server still gets time to end.
pub async fn with_connection<W>(
    session: &Session,
    mut target: args::Target,
    visit: Visit,
    read: impl AsyncFnOnce(&Place, Vec<String>) -> Result<NamedItem<W>, Fault>,
    work: impl AsyncFnOnce(ConnectedServer<'_>, W) -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    let place = take_named(&mut target.choice);
    if let Some(shell) = &session.shell {
        let place = place.or_else(|| shell.name_server(&mut target));
        return match place.as_ref().filter(|place| !visit.alone && shell.holds(place, &target)) {
            Some(place) => Box::pin(shell.work(session, place, target, read, work)).await,
            None => Box::pin(visit_once(session, target, place, visit, read, work)).await,
        };
    }
    Box::pin(visit_once(session, target, place, visit, read, work)).await
}

async fn visit_once<W>(
    session: &Session,
    target: args::Target,
    place: Option<Place>,
    visit: Visit,
    read: impl AsyncFnOnce(&Place, Vec<String>) -> Result<NamedItem<W>, Fault>,
    work: impl AsyncFnOnce(ConnectedServer<'_>, W) -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    let mut host = None;
    let visited = visit_with(session, target, place, visit, &mut host, read, work);
    let outcome = Box::pin(visited).await;
    if let Some(host) = host {
        Box::pin(leave(session, &host, outcome.is_err())).await;
    }
    outcome
}

async fn visit_with<W>(
    session: &Session,
    mut target: args::Target,
    mut place: Option<Place>,
    visit: Visit,
    host: &mut Option<Host>,
    read: impl AsyncFnOnce(&Place, Vec<String>) -> Result<NamedItem<W>, Fault>,
    work: impl AsyncFnOnce(ConnectedServer<'_>, W) -> Result<Exit, Fault>,
) -> Result<Exit, Fault> {
    let timeout = target.timeout;
    let Answers { preset, shared } =
        session.interrupt.guard(answers::read(session.output, &target.questions)).await??;
    let mut words = std::mem::take(&mut target.words);
    let is_own = visit.alone || asks_own_connection(&target);
    let mut running = None;
    if let Some(given) = shared.filter(|_| !is_own)
        && let found = session.interrupt.guard(find_running(session, place.as_ref(), &words)).await?
        && let Some((mooring, server, rest)) = found
    {
        (place, words) = (Some(Place::Saved(server.clone())), rest);
        running = Some((mooring, server, given));
    }
    let (place, rest) = if let Some(place) = place {
        (place, words)
    } else {
        let host = host.insert(Box::pin(open_host(session, visit.journal)).await?);
        session.interrupt.guard(resolve(host, visit.verb, &words)).await??
    };
    // Parse first what can be parsed before the data is opened.
    let wanted = session.interrupt.guard(read(&place, rest)).await??;
    let at_place = |fault: Fault| fault.at(&sign_in_target(&place));
    if let Some((mooring, server, given)) = running {
        let opened = Box::pin(open_running(session, mooring, &server, given)).await;
        if let Some(server) = opened.map_err(at_place)? {
            let held = ServerConnection::Running(server);
            let visit = held.lend(session, &place, timeout);
            let done = session.interrupt.guard(Box::pin(work(visit, wanted.what))).await;
            return done?.map_err(at_place);
        }
    }
    let host = match host {
        Some(host) => host,
        None => host.insert(Box::pin(open_host(session, visit.journal)).await?),
    };
    let options = Connecting { redetect_era: visit.ask_anew, tool: wanted.tool, preset };
    let held = Box::pin(connect(session, host, &place, target, options)).await.map_err(at_place)?;
    let visit = held.lend(session, &place, timeout);
    if !is_own {
        offer_background(session.output, host, &visit);
    }
    let done = session.interrupt.guard(Box::pin(work(visit, wanted.what))).await;
    held.close(session).await;
    done?.map_err(at_place)
}
