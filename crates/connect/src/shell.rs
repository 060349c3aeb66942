//! A shell: the connection that stays open between lines, and the resources whose changes it shows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use mooring_calls::CompletionRequest;
use mooring_host::Host;
use mooring_terminal::line_editor::LinePrinter;
use mooring_terminal::time;
use mooring_typed::Place;
use mooring_visits::{ItemKind, Listing, Notice};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

use crate::CommandContext;
use crate::answers::{self, Answers};
use crate::args;
use crate::connection::{
    ConnectedServer, Connecting, NamedItem, PROPOSAL_PATIENCE, ServerConnection, asks_own_connection,
    connect, find_running, leave, open_host, open_running, sign_in_target,
};
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, escape_line};

/// A shell: the server that its lines are about.
#[derive(Default)]
pub struct Shell {
    server: Mutex<Option<ShellServer>>,
    shared: tokio::sync::Mutex<Option<Arc<SharedConnection>>>,
    watches: Mutex<BTreeMap<String, Watch>>,
    printer: OnceLock<LinePrinter>,
}

/// A resource whose changes are shown.
struct Watch {
    stop: oneshot::Sender<()>,
    /// Owns the one task.
    tasks: JoinSet<Result<(), Fault>>,
    task: AbortHandle,
}

impl Watch {
    /// Stops it, and returns the error if that failed.
    async fn stop(mut self) -> Option<Fault> {
        // The task may have ended.
        let _stopped = self.stop.send(());
        match self.tasks.join_next().await? {
            Ok(ended) => ended.err(),
            Err(error) => Some(anyhow::Error::from(error).into()),
        }
    }
}

/// How long a cancelled command may still use a connection that will be closed.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);

/// The server that was named.
#[derive(Clone)]
pub struct ShellServer {
    /// The server's place.
    pub place: Place,
    /// The options behind it.
    pub target: args::Target,
}

/// The connection to it, which all lines share.
struct SharedConnection {
    connection: ServerConnection,
    /// Only for a separate connection.
    host: Option<Host>,
}

impl SharedConnection {
    async fn close(self, session: &CommandContext) {
        self.connection.close(session).await;
        if let Some(host) = self.host {
            leave(session, &host, false).await;
        }
    }
}

impl Shell {
    /// The server that lines are about.
    pub fn server(&self) -> Option<ShellServer> {
        lock(&self.server).clone()
    }

    /// The server's name. For a server that isn’t saved, the URL or the program.
    pub fn name(&self) -> String {
        match self.server().map(|server| server.place) {
            None => "mooring".to_owned(),
            Some(Place::Saved(name) | Place::Url(name)) => name,
            Some(Place::Command(words)) => words.into_iter().next().unwrap_or_default(),
        }
    }

    /// Has lines be about another server, once it is connected.
    pub async fn use_server(&self, session: &CommandContext, server: ShellServer) -> Result<(), Fault> {
        let ShellServer { place, target } = server.clone();
        let shared = Box::pin(connect_shared(session, &place, target)).await;
        let shared = shared.map_err(|fault| fault.at(&sign_in_target(&place)))?;
        self.close(session).await;
        *self.shared.lock().await = Some(Arc::new(shared));
        *lock(&self.server) = Some(server);
        Ok(())
    }

    /// Ends the connection.
    pub async fn close(&self, session: &CommandContext) {
        for uri in self.watched() {
            // The connection ends, and with it what is watched.
            let _ended = self.unsubscribe(&uri).await;
        }
        let Some(mut shared) = self.shared.lock().await.take() else { return };
        let until = tokio::time::Instant::now() + LEAVE_WITHIN;
        loop {
            shared = match Arc::try_unwrap(shared) {
                Ok(shared) => return shared.close(session).await,
                Err(shared) if tokio::time::Instant::now() < until => shared,
                Err(_) => return,
            };
            tokio::time::sleep(LEAVE_WITHIN / 20).await;
        }
    }

    /// The tools of the server, which is connected again if its connection was lost. `None` if the shell has
    /// no server.
    pub async fn tools(&self, session: &CommandContext) -> Result<Option<Listing>, Fault> {
        let Some(ShellServer { place, target }) = self.server() else { return Ok(None) };
        let shared = self.shared_connection(session, &place, target).await?;
        let server = shared.connection.server();
        session.interrupt.guard(server.list(ItemKind::Tools, false)).await?.map(Some)
    }

    /// The server's list, if it is connected.
    pub async fn list(&self, kind: ItemKind) -> Option<Listing> {
        let shared = self.shared.lock().await.clone()?;
        tokio::time::timeout(PROPOSAL_PATIENCE, shared.connection.server().list(kind, false)).await.ok()?.ok()
    }

    /// The values that the server suggests, if it is connected.
    pub async fn values(&self, wanted: CompletionRequest) -> Vec<String> {
        let Some(shared) = self.shared.lock().await.clone() else { return Vec::new() };
        // Without proposals the person types the value.
        shared.connection.server().values(wanted).await.unwrap_or_default()
    }

    /// Shows changes above the line that is typed.
    pub fn show_changes_with(&self, printer: LinePrinter) {
        // A shell has one terminal.
        let _first = self.printer.set(printer);
    }

    /// The resources whose changes are shown.
    pub fn watched(&self) -> Vec<String> {
        let mut watches = lock(&self.watches);
        watches.retain(|_, watch| !watch.task.is_finished());
        watches.keys().cloned().collect()
    }

    /// Shows the changes of a resource from now on.
    pub async fn subscribe(&self, session: &CommandContext, uri: &str) -> Result<(), Fault> {
        if self.watched().iter().any(|known| known == uri) {
            return Ok(());
        }
        let Some(ShellServer { place, target }) = self.server() else {
            return Err(Fault::usage("which server?").next("use SERVER"));
        };
        let mut shared = self.shared_connection(session, &place, target.clone()).await?;
        if matches!(shared.connection, ServerConnection::Running(_)) {
            // From now on, only that connection reports changes.
            shared = Arc::new(Box::pin(connect_shared(session, &place, target)).await?);
        }
        let (stop, stopped) = oneshot::channel();
        let (confirm, confirmed) = oneshot::channel();
        let (output, printer, of) = (session.output, self.printer.get().cloned(), uri.to_owned());
        let mut tasks = JoinSet::new();
        let task = tasks.spawn(async move {
            let (mut confirm, mut is_stopped) = (Some(confirm), false);
            let on_notice = |notice| {
                if let Some(confirm) = confirm.take() {
                    // Who waits may have been interrupted.
                    let _heard = confirm.send(());
                }
                if let Some(line) = change_line(output, &notice) {
                    show(output, printer.as_ref(), line);
                }
            };
            let until = async {
                // Dropping the sender asks for the stop as well.
                let _stopped = stopped.await;
                is_stopped = true;
            };
            let ended = shared.connection.server().follow(&of, until, on_notice).await;
            if let (None, false, Err(fault)) = (&confirm, is_stopped, &ended) {
                let line =
                    format!("no longer watched: {}: {}", escape_line(&of), escape_line(&fault.message));
                show(output, printer.as_ref(), line);
            }
            ended
        });
        let began = async {
            tokio::select! {
                Ok(()) = confirmed => None,
                Some(ended) = tasks.join_next() => Some(ended),
            }
        };
        match session.interrupt.guard(began).await {
            Ok(None) => {
                lock(&self.watches).insert(uri.to_owned(), Watch { stop, tasks, task });
                Ok(())
            }
            Ok(Some(ended)) => ended.map_err(anyhow::Error::from)?,
            Err(interrupted) => {
                Watch { stop, tasks, task }.stop().await;
                Err(interrupted)
            }
        }
    }

    /// Stops showing changes of a resource. `None` if they weren’t shown; the result is the server's answer.
    pub async fn unsubscribe(&self, uri: &str) -> Option<Result<(), Fault>> {
        let watch = lock(&self.watches).remove(uri)?;
        Some(watch.stop().await.map_or(Ok(()), Err))
    }

    /// The shell's connection. Connects again if it was lost.
    async fn shared_connection(
        &self,
        session: &CommandContext,
        place: &Place,
        target: args::Target,
    ) -> Result<Arc<SharedConnection>, Fault> {
        let mut shared = self.shared.lock().await;
        if let Some(lost) = shared.take_if(|shared| shared.connection.is_lost()).and_then(Arc::into_inner) {
            lost.close(session).await;
        }
        if let Some(shared) = &*shared {
            return Ok(Arc::clone(shared));
        }
        let made = Box::pin(connect_shared(session, place, target)).await;
        Ok(Arc::clone(shared.insert(Arc::new(made.map_err(|fault| fault.at(&sign_in_target(place)))?))))
    }

    /// The server of a line that names none, with the options that it was named with.
    pub fn name_server(&self, line: &mut args::Target) -> Option<Place> {
        let ShellServer { place, target } = self.server()?;
        if let Place::Saved(name) = &place
            && let [first, rest @ ..] = &*line.words
            && first == name
            && rest.first().is_none_or(|item| !item.contains(['=', '{']))
        {
            line.words.remove(0);
        }
        line.fill_in(target);
        Some(place)
    }

    /// Whether a line can use the shell's connection: it names the shell’s server, and needs no other
    /// connection.
    pub fn holds(&self, place: &Place, line: &args::Target) -> bool {
        self.server().is_some_and(|server| server.place == *place && server.target.connects_as(line))
    }

    /// Runs `work` with the shell's connection.
    pub async fn work<W>(
        &self,
        session: &CommandContext,
        place: &Place,
        mut target: args::Target,
        read: impl AsyncFnOnce(&Place, Vec<String>) -> Result<NamedItem<W>, Fault>,
        work: impl AsyncFnOnce(ConnectedServer<'_>, W) -> Result<Exit, Fault>,
    ) -> Result<Exit, Fault> {
        let words = std::mem::take(&mut target.words);
        let timeout = target.timeout;
        let wanted = session.interrupt.guard(read(place, words)).await??;
        let at_place = |fault: Fault| fault.at(&sign_in_target(place));
        let shared = self.shared_connection(session, place, target).await?;
        let visit = shared.connection.lend(session, place, timeout);
        let done = session.interrupt.guard(Box::pin(work(visit, wanted.what))).await;
        if let Ok(Ok(Exit::Connect) | Err(Fault { exit: Exit::Connect, .. })) = &done
            && let ServerConnection::Own { connection, .. } = &shared.connection
        {
            // A request can fail before the connection knows that it has ended.
            let _stays = tokio::time::timeout(LEAVE_WITHIN, connection.lost()).await;
        }
        done?.map_err(at_place)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints an unsolicited line.
fn show(output: Output, printer: Option<&LinePrinter>, line: String) {
    if let Some(printer) = printer {
        printer.print(line);
    } else if let Err(error) = output.line(&line) {
        tracing::warn!(%error, "a change could not be shown");
    }
}

/// Makes the shell's connection.
async fn connect_shared(
    session: &CommandContext,
    place: &Place,
    target: args::Target,
) -> Result<SharedConnection, Fault> {
    let Answers { preset, shared: given } =
        session.interrupt.guard(answers::read(session.output, &target.questions)).await??;
    if let Some(given) = given.filter(|_| !asks_own_connection(&target))
        && let Some((mooring, server, _)) =
            session.interrupt.guard(find_running(session, Some(place), &[])).await?
        && let Some(server) = Box::pin(open_running(session, mooring, &server, given)).await?
    {
        return Ok(SharedConnection { connection: ServerConnection::Running(server), host: None });
    }
    let host = open_host(session, true).await?;
    let options = Connecting { preset, ..Connecting::default() };
    match connect(session, &host, place, target, options).await {
        Ok(connection) => Ok(SharedConnection { connection, host: Some(host) }),
        Err(fault) => {
            leave(session, &host, true).await;
            Err(fault)
        }
    }
}

/// A change, in a line.
pub fn change_line(output: Output, notice: &Notice) -> Option<String> {
    let Notice::ResourceChanged { uri } = notice else { return None };
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let at_us = i64::try_from(since.as_micros()).unwrap_or(i64::MAX);
    if output.json {
        return Some(json!({ "ok": true, "result": { "uri": uri, "at_us": at_us } }).to_string());
    }
    let time = time(at_us);
    Some(format!("{}  changed: {}", output.tone(TextStyle::Quiet, &time), escape_line(uri)))
}
