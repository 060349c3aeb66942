//! A shell: the connection that stays from line to line, and the resources whose changes it shows.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use mooring_host::Host;
use mooring_terminal::time;
use mooring_typed::Place;
use mooring_visits::{ItemKind, Listing, Notice, WantedValues};
use serde_json::json;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};

use crate::CommandContext;
use crate::answers::{self, Answers};
use crate::args;
use crate::connection::{
    ConnectedServer, Connecting, Held, NamedItem, PROPOSAL_PATIENCE, asks_own_connection, connect,
    find_running, leave, open_host, open_running, sign_in_target,
};
use crate::fault::{Exit, Fault};
use crate::output::{Output, TextStyle, beside_progress, escape_line};

/// A shell: the server that its lines are about.
#[derive(Default)]
pub struct Shell {
    server: Mutex<Option<ShellServer>>,
    held: tokio::sync::Mutex<Option<Arc<HeldServer>>>,
    followed: Mutex<BTreeMap<String, Followed>>,
    printer: Arc<Mutex<Option<Printer>>>,
}

/// Prints a line above the one that is typed.
type Printer = Box<dyn FnMut(String) + Send>;

/// A resource whose changes are shown.
struct Followed {
    stop: oneshot::Sender<()>,
    /// Owns the one task.
    tasks: JoinSet<Result<(), Fault>>,
    task: AbortHandle,
}

/// A server as it was named.
#[derive(Clone)]
pub struct ShellServer {
    /// Where it is.
    pub place: Place,
    /// The options behind it.
    pub target: args::Target,
}

/// The connection to it, which all lines share.
struct HeldServer {
    held: Held,
    /// Of a connection of its own.
    host: Option<Host>,
}

impl HeldServer {
    async fn close(self, session: &CommandContext) {
        self.held.close(session).await;
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

    /// Its name: of what isn’t saved, the URL or the program.
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
        let held = Box::pin(hold(session, &place, target)).await;
        let held = held.map_err(|fault| fault.at(&sign_in_target(&place)))?;
        self.close(session).await;
        *self.held.lock().await = Some(Arc::new(held));
        *lock(&self.server) = Some(server);
        Ok(())
    }

    /// Ends the connection.
    pub async fn close(&self, session: &CommandContext) {
        for uri in self.followed() {
            // The connection ends, and with it what is watched.
            let _ended = self.leave(&uri).await;
        }
        if let Some(held) = self.held.lock().await.take().and_then(Arc::into_inner) {
            held.close(session).await;
        }
    }

    /// What the server offers, where it is connected.
    pub async fn list(&self, kind: ItemKind) -> Option<Listing> {
        let held = self.held.lock().await.clone()?;
        tokio::time::timeout(PROPOSAL_PATIENCE, held.held.server().list(kind, false)).await.ok()?.ok()
    }

    /// The values that the server proposes, where it is connected.
    pub async fn values(&self, wanted: WantedValues) -> Vec<String> {
        let Some(held) = self.held.lock().await.clone() else { return Vec::new() };
        let asked = tokio::time::timeout(PROPOSAL_PATIENCE, held.held.server().values(wanted)).await;
        asked.ok().and_then(Result::ok).unwrap_or_default()
    }

    /// Shows changes above the line that is typed.
    pub fn show_changes_with(&self, printer: Printer) {
        *lock(&self.printer) = Some(printer);
    }

    /// The resources whose changes are shown.
    pub fn followed(&self) -> Vec<String> {
        let mut followed = lock(&self.followed);
        followed.retain(|_, followed| !followed.task.is_finished());
        followed.keys().cloned().collect()
    }

    /// Shows the changes of a resource from now on.
    pub async fn follow(&self, session: &CommandContext, uri: &str) -> Result<(), Fault> {
        if self.followed().iter().any(|known| known == uri) {
            return Ok(());
        }
        let Some(ShellServer { place, target }) = self.server() else {
            return Err(Fault::usage("which server?").next("use SERVER"));
        };
        let mut held = self.held(session, &place, target.clone()).await?;
        if matches!(held.held, Held::Running(_)) {
            // That one tells changes alone from then on.
            held = Arc::new(Box::pin(hold(session, &place, target)).await?);
        }
        let (stop, stopped) = oneshot::channel();
        let (told, begun) = oneshot::channel();
        let (output, printer, of) = (session.output, Arc::clone(&self.printer), uri.to_owned());
        let mut tasks = JoinSet::new();
        let task = tasks.spawn(async move {
            let mut told = Some(told);
            let tell = |notice| {
                if let Some(told) = told.take() {
                    // Who waits may have been interrupted.
                    let _heard = told.send(());
                }
                if let Some(line) = change_line(output, &notice) {
                    show(output, &printer, line);
                }
            };
            let until = async {
                // Whoever drops it wants the same.
                let _stopped = stopped.await;
            };
            let ended = held.held.server().follow(&of, until, tell).await;
            if let (None, Err(fault)) = (&told, &ended) {
                let line =
                    format!("no longer watched: {}: {}", escape_line(&of), escape_line(&fault.message));
                show(output, &printer, line);
            }
            ended
        });
        let began = async {
            tokio::select! {
                Ok(()) = begun => None,
                Some(ended) = tasks.join_next() => Some(ended),
            }
        };
        match session.interrupt.guard(began).await? {
            None => {
                lock(&self.followed).insert(uri.to_owned(), Followed { stop, tasks, task });
                Ok(())
            }
            Some(ended) => ended.map_err(anyhow::Error::from)?,
        }
    }

    /// Shows them no longer; false: they weren’t shown.
    pub async fn leave(&self, uri: &str) -> Result<bool, Fault> {
        let Some(Followed { stop, mut tasks, .. }) = lock(&self.followed).remove(uri) else {
            return Ok(false);
        };
        // It may have ended.
        let _stopped = stop.send(());
        if let Some(ended) = tasks.join_next().await {
            ended.map_err(anyhow::Error::from)??;
        }
        Ok(true)
    }

    /// The connection that stays: made anew where it was lost.
    async fn held(
        &self,
        session: &CommandContext,
        place: &Place,
        target: args::Target,
    ) -> Result<Arc<HeldServer>, Fault> {
        let mut held = self.held.lock().await;
        if let Some(lost) = held.take_if(|held| held.held.is_lost()).and_then(Arc::into_inner) {
            lost.close(session).await;
        }
        if let Some(held) = &*held {
            return Ok(Arc::clone(held));
        }
        let made = Box::pin(hold(session, place, target)).await;
        Ok(Arc::clone(held.insert(Arc::new(made.map_err(|fault| fault.at(&sign_in_target(place)))?))))
    }

    /// The server of a line that names none, with the options that it was named with.
    pub fn name_server(&self, line: &mut args::Target) -> Option<Place> {
        let ShellServer { place, target } = self.server()?;
        if let Place::Saved(name) = &place
            && let [first, item, ..] = &*line.words
            && first == name
            && !item.contains(['=', '{'])
        {
            line.words.remove(0);
        }
        line.fill_in(target);
        Some(place)
    }

    /// Whether a line works with the connection that stays: it is about the shell’s server, and asks for no other one.
    pub fn holds(&self, place: &Place, line: &args::Target) -> bool {
        self.server().is_some_and(|server| server.place == *place && server.target.connects_as(line))
    }

    /// Does `work` with the connection that stays.
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
        let held = self.held(session, place, target).await?;
        let visit = held.held.lend(session, place, timeout);
        let done = session.interrupt.guard(Box::pin(work(visit, wanted.what))).await;
        done?.map_err(at_place)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Shows a line that came by itself.
fn show(output: Output, printer: &Mutex<Option<Printer>>, line: String) {
    let shown = beside_progress(|| match &mut *lock(printer) {
        Some(printer) => {
            printer(line + "\n");
            Ok(())
        }
        None => output.line(&line),
    });
    if let Err(error) = shown {
        tracing::warn!(%error, "a change could not be shown");
    }
}

/// Makes a connection that stays.
async fn hold(session: &CommandContext, place: &Place, target: args::Target) -> Result<HeldServer, Fault> {
    let Answers { preset, shared } =
        session.interrupt.guard(answers::read(session.output, &target.questions)).await??;
    if let Some(given) = shared.filter(|_| !asks_own_connection(&target))
        && let Some((mooring, server, _)) =
            session.interrupt.guard(find_running(session, Some(place), &[])).await?
        && let Some(server) = Box::pin(open_running(session, mooring, &server, given)).await?
    {
        return Ok(HeldServer { held: Held::Running(server), host: None });
    }
    let host = open_host(session, true).await?;
    let options = Connecting { preset, ..Connecting::default() };
    match connect(session, &host, place, target, options).await {
        Ok(held) => Ok(HeldServer { held, host: Some(host) }),
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
