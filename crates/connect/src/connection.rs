//! A connection to a server: a separate one, or through the running Mooring.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mooring_accounts::Account;
use mooring_answers::{GivenAnswers, PresetAnswers, SamplingAnswers};
use mooring_approvals::{NetworkDoubt, NetworkProblem};
use mooring_base::server_id::ServerId;
use mooring_calls::{CompletionReference, CompletionRequest};
use mooring_connections::{ConnectOptions, Connection, Target};
use mooring_definitions::Transport;
use mooring_errors::{FailureCode, HostError};
use mooring_host::{Host, HostOptions, VaultView, home_from_environment};
use mooring_store::{LoginRow, WriterHealth};
use mooring_typed::Place;
use mooring_vault::{VaultMode, VaultOptions};
use mooring_visits::{
    ItemKind, Opened, Remark, RunningMooring, RunningServer, Server, Unavailable, has_own_authorization,
};
use serde_json::value::RawValue;
use tokio::runtime::Handle;

use crate::CommandContext;
use crate::answers;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{ExchangeJson, Output, escape_line, quote};
use crate::secret_input;
use crate::target::{era_choice, host_target, saved_in};

/// What else to try when a command exits immediately.
const ENV_HINT: &str =
    "Variables of your shell, such as API keys, aren’t passed on. Pass one with --env NAME=VALUE.";

/// How long completion waits for suggested names. Meanwhile the person can continue typing.
pub(crate) const PROPOSAL_PATIENCE: Duration = Duration::from_secs(2);
/// A command that waits longer than this for its server is a slow one.
const SLOW: Duration = Duration::from_secs(1);
/// The file in the data folder that counts them.
const SLOW_COMMANDS: &str = "slow-commands";
/// How often a faster way is suggested.
const OFFER_EVERY: u64 = 10;

/// The options with which commands open the data folder by default: no servers are kept running and no log is
/// written.
pub fn host_options(home: PathBuf) -> HostOptions {
    HostOptions {
        home,
        supervise: false,
        has_person: false,
        journal: false,
        demo_server: None,
        client_name: "mooring",
        client_version: env!("CARGO_PKG_VERSION"),
        vault: vault_options,
        browser: mooring_accounts::system_browser,
        clock: mooring_base::clock::Clock::system(),
    }
}

/// Opens the host; `journal` writes the log. An interrupt drops that.
pub async fn open_host(session: &CommandContext, journal: bool) -> Result<Host, Fault> {
    let options = HostOptions { journal, ..host_options(home_from_environment()?) };
    let host = session.interrupt.guard(Host::open(options)).await??;
    for path in host.closed_to_others() {
        session.output.note(&format!("Other users could write to {}; they no longer can.", path.display()));
    }
    Ok(host)
}

/// The saved server of this name.
pub fn server_named(host: &Host, name: &str) -> Result<ServerId, Fault> {
    let servers = host.servers();
    let found = servers.iter().find(|server| server.config.name == name).map(|server| server.id);
    found.ok_or_else(|| {
        let known = servers.into_iter().map(|server| server.config.name).collect();
        HostError::NameNotFound { name: name.to_owned(), known }.into()
    })
}

/// The vault. If it has a passphrase, the person is asked for it.
fn vault_options() -> VaultOptions {
    VaultOptions { passphrase: Some(Arc::new(secret_input::passphrase)), ..VaultOptions::default() }
}

/// Opens the vault if the person can be asked for a passphrase, before anything else is printed: a connection
/// to the target may need secrets, and rules and approvals can only be checked with the vault's key.
async fn open_vault_for(host: &Host, target: &Target) {
    if !matches!(target, Target::Command { .. }) {
        open_passphrase_vault(host).await;
    }
}

/// Opens the vault if it has a passphrase and contains secrets.
pub async fn open_passphrase_vault(host: &Host) {
    if let Ok(VaultView { mode: Some(VaultMode::Passphrase), secret_count: 1.., .. }) =
        host.vault_view().await
        && let Err(error) = host.open_vault().await
    {
        tracing::info!(%error, "the vault was not opened");
    }
}

/// A connection with what is printed about it.
pub struct ConnectedServer<'a> {
    /// Where to print, and what interrupts it.
    pub session: &'a CommandContext,
    /// The place as the person named it.
    pub place: &'a Place,
    /// The server.
    pub server: Server<'a>,
    /// The timeout of a request, if the person sets one.
    pub timeout: Option<Duration>,
    /// Whether a configured `Authorization` header is sent, so that no login is used.
    pub own_authorization: bool,
}

/// The item that the words after the server name.
pub struct NamedItem<W> {
    /// The tool that is to be called.
    pub tool: Option<String>,
    /// The result.
    pub what: W,
}

impl<W> From<W> for NamedItem<W> {
    fn from(what: W) -> Self {
        Self { tool: None, what }
    }
}

/// A separate connection, or one through the running Mooring.
pub(crate) enum ServerConnection {
    Own { connection: Connection, transport: &'static str, own_authorization: bool },
    Running(Box<RunningServer>),
}

impl ServerConnection {
    /// Lends it to a command.
    pub(crate) fn lend<'a>(
        &'a self,
        session: &'a CommandContext,
        place: &'a Place,
        timeout: Option<Duration>,
    ) -> ConnectedServer<'a> {
        let own_authorization = match self {
            Self::Own { own_authorization, .. } => *own_authorization,
            Self::Running(server) => server.has_own_authorization(),
        };
        ConnectedServer { session, place, server: self.server(), timeout, own_authorization }
    }

    pub(crate) fn server(&self) -> Server<'_> {
        match self {
            Self::Own { connection, transport, .. } => Server::Own { connection, transport },
            Self::Running(server) => Server::Running(server),
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        match self {
            Self::Own { connection, .. } => connection.view().peer.is_none(),
            Self::Running(server) => server.is_lost(),
        }
    }

    /// Ends it in good order.
    pub(crate) async fn close(self, session: &CommandContext) {
        if let Self::Own { connection, .. } = self {
            session.interrupt.clean_up(connection.close()).await;
        }
    }
}

/// The options of a separate connection besides the target.
#[derive(Default)]
pub(crate) struct Connecting {
    pub redetect_era: bool,
    pub tool: Option<String>,
    pub preset: Option<PresetAnswers>,
}

/// Closes the host, and says what a person should know of it.
pub(crate) async fn leave(session: &CommandContext, host: &Host, has_failed: bool) {
    // While a command needs no vault, what waits for it is no news.
    let doubt = |problem: &NetworkProblem| problem.doubt != NetworkDoubt::Locked || has_failed;
    if let Some(problem) = host.network_problem().filter(doubt) {
        session.output.note(&format!("remark: {}", escape_line(&problem.message)));
    }
    session.interrupt.clean_up(host.shutdown()).await;
    if let WriterHealth::Failing { message, dropped } = host.journal_health() {
        let events = if dropped == 1 { "1 event is" } else { &format!("{dropped} events are") };
        session.output.note(&format!("remark: {events} missing from the log: {message}"));
    }
}

/// Has the running Mooring use a server. `None` if the server doesn't run there.
pub(crate) async fn open_running(
    session: &CommandContext,
    mooring: RunningMooring,
    server: &str,
    answers: GivenAnswers,
) -> Result<Option<Box<RunningServer>>, Fault> {
    let prove = async |challenge: &str| prove(session, challenge).await;
    let opened = Box::pin(mooring.open(server, answers, prove));
    match session.interrupt.guard(opened).await?? {
        Opened::Server(server) => Ok(Some(server)),
        Opened::NotRunning => Ok(None),
    }
}

/// A saved server that the running Mooring uses, for a command that only looks. `None` if it doesn't run
/// there.
pub async fn find_running_server(
    session: &CommandContext,
    server: &str,
) -> Result<Option<Box<RunningServer>>, Fault> {
    let place = Place::Saved(server.to_owned());
    let found = session.interrupt.guard(find_running(session, Some(&place), &[])).await?;
    let Some((mooring, server, _)) = found else { return Ok(None) };
    Box::pin(open_running(session, mooring, &server, GivenAnswers::default())).await
}

/// Whether the options require a separate connection, because a running one was made with other options.
pub(crate) fn asks_own_connection(target: &args::Target) -> bool {
    let args::Target { alone, header, env, era, max_message, account, .. } = target;
    *alone
        || !header.is_empty()
        || !env.is_empty()
        || *era != args::Era::Auto
        || max_message.is_some()
        || account.is_some()
}

/// The Mooring that has this data folder, if one runs that commands can use.
pub async fn find_running_mooring(output: Output, home: &Path) -> Result<RunningMooring, Unavailable> {
    let on_notice = Arc::new(move |notice| answers::say_notice(output, notice));
    RunningMooring::connect(home, env!("CARGO_PKG_VERSION"), on_notice).await
}

/// The running Mooring, with the named saved server and the words after it. `None` if the command must work
/// without it; it then also reports what is wrong with the words.
pub(crate) async fn find_running(
    session: &CommandContext,
    place: Option<&Place>,
    words: &[String],
) -> Option<(RunningMooring, String, Vec<String>)> {
    if matches!(place, Some(Place::Url(_) | Place::Command(_))) {
        return None;
    }
    let output = session.output;
    let home = home_from_environment().ok()?;
    let mut mooring = match find_running_mooring(output, &home).await {
        Ok(mooring) => mooring,
        Err(Unavailable::NotRunning) => return None,
        Err(Unavailable::Refused(reason)) => {
            let reason = escape_line(&reason).into_owned();
            output.note(&format!("remark: the running Mooring isn’t used: {reason}."));
            return None;
        }
    };
    let names = mooring.server_names().await.ok()?;
    let (server, rest) = match place {
        Some(Place::Saved(server)) => (server.clone(), words.to_vec()),
        _ => saved_in(words, &names)?,
    };
    names.contains(&server).then_some((mooring, server, rest))
}

/// Proves to a running Mooring that this command could open the vault itself.
async fn prove(session: &CommandContext, challenge: &str) -> Result<String, Fault> {
    let host = open_host(session, false).await?;
    let proven = async {
        open_passphrase_vault(&host).await;
        host.open_vault().await?;
        host.vault().prove(challenge).map_err(|error| Fault::from(HostError::from(error)))
    };
    let proven = proven.await;
    host.shutdown().await;
    proven
}

/// Sets how questions are answered: with the folders shared with this server, unless other ones were named.
async fn set_answers(
    host: &Host,
    target: &Target,
    granted: bool,
    mut answers: Option<PresetAnswers>,
) -> Result<(), Fault> {
    if let Target::Saved { name } = target
        && granted
        && let Some(server) = host.servers().into_iter().find(|server| server.config.name == *name)
    {
        let granted = host.folders().granted(server.id).await?;
        if !granted.is_empty() {
            answers.get_or_insert_default().roots = granted;
        }
    }
    let Some(answers) = answers else { return Ok(()) };
    if let Some(SamplingAnswers::Model(model)) = &answers.sampling {
        let next = "Set the provider up under Models in the window, or use decline or practice.";
        let known = host.check_model(model).await;
        known.map_err(|error| Fault::usage(error.to_string()).next(next))?;
    }
    host.set_preset_answers(answers);
    Ok(())
}

/// The server's name for `mooring login`.
pub(crate) fn sign_in_target(place: &Place) -> String {
    match place {
        Place::Saved(name) | Place::Url(name) => quote(name),
        Place::Command(_) => "SERVER".to_owned(),
    }
}

/// Makes a separate connection.
pub(crate) async fn connect(
    session: &CommandContext,
    host: &Host,
    place: &Place,
    args: args::Target,
    options: Connecting,
) -> Result<ServerConnection, Fault> {
    let args::Target { header, env, era, timeout, max_message, account, questions, .. } = args;
    let Connecting { redetect_era, tool, preset } = options;
    let target = host_target(place.clone(), header, env, account)?;
    session.interrupt.guard(set_answers(host, &target, questions.root.is_empty(), preset)).await??;
    let transport = transport(host, &target).as_str();
    let own_authorization = sends_own_authorization(host, &target);
    let may_lack_env = matches!(&target, Target::Command { env, .. } if env.is_empty());
    session.interrupt.guard(open_vault_for(host, &target)).await?;
    if !own_authorization {
        session.interrupt.guard(note_account(session, host, &target, account)).await??;
    } else if account.is_some() {
        return Err(Fault::usage("use either an account or an Authorization header, not both"));
    }
    let options = ConnectOptions {
        start_timeout: timeout,
        request_idle: timeout,
        max_message,
        era: era_choice(era),
        redetect_era,
        account,
        tool,
    };
    let spinner = session.output.spinner(format!("Connecting to {}", name(&target)));
    let connected = session.interrupt.guard(host.connect(target, options)).await;
    spinner.finish_and_clear();
    let connection = connected?.map_err(|error| {
        let exited = matches!(&error, HostError::Connect(failure) if failure.code == FailureCode::Exited);
        let fault = Fault::from(error).with_own_authorization(own_authorization);
        if exited && may_lack_env { fault.and_next(ENV_HINT) } else { fault }
    })?;
    Ok(ServerConnection::Own { connection, transport, own_authorization })
}

/// Says from the second command on that waited for a saved server, now and then, how commands need not start theirs.
/// Not where Mooring runs already.
pub(crate) fn offer_background(output: Output, host: &Host, visit: &ConnectedServer<'_>) {
    let connect_time = Duration::from_millis(visit.server.facts().connect_ms);
    let is_saved = matches!(visit.place, Place::Saved(_));
    if !is_saved || connect_time < SLOW || host.is_supervised_elsewhere() {
        return;
    }
    let counter = host.home().join(SLOW_COMMANDS);
    let count = std::fs::read_to_string(&counter).ok().and_then(|text| text.trim().parse::<u64>().ok());
    let count = count.unwrap_or_default().wrapping_add(1);
    if let Err(error) = std::fs::write(&counter, count.to_string()) {
        tracing::info!(%error, "slow commands could not be counted");
        return;
    }
    if count % OFFER_EVERY == 2 && cfg!(unix) && !output.json {
        output.note("  → Each command connects anew. Keep the servers running: mooring serve --background");
    }
}

/// Says which account is used, where the person named one or there are several.
async fn note_account(
    session: &CommandContext,
    host: &Host,
    target: &Target,
    named: Option<i64>,
) -> Result<(), Fault> {
    let used = match (named, target) {
        (Some(_), _) => host.account_for(target, named).await?,
        (None, Target::Command { .. }) => return Ok(()),
        (None, _) => {
            let accounts = host.accounts().await?;
            let Some(used) = host.account_for(target, None).await.ok().flatten() else { return Ok(()) };
            let there = |account: &&Account| account.login.login.resource == used.login.login.resource;
            let several = accounts.iter().filter(|account| account.ended.is_none()).filter(there).count() > 1;
            Some(used).filter(|_| several)
        }
    };
    if let Some(used) = used {
        let who = escape_line(&account_name(&used)).into_owned();
        session.output.note(&format!("Signed in as {who} (login {}).", used.login.id));
    }
    Ok(())
}

/// Whether an `Authorization` header is configured, so that no login is used.
fn sends_own_authorization(host: &Host, target: &Target) -> bool {
    match target {
        Target::Command { .. } => false,
        Target::Url { headers, .. } => headers.keys().any(|name| name.eq_ignore_ascii_case("authorization")),
        Target::Saved { name } => host
            .servers()
            .iter()
            .any(|server| server.config.name == *name && has_own_authorization(&server.config)),
    }
}

fn transport(host: &Host, target: &Target) -> Transport {
    match target {
        Target::Url { .. } => Transport::Http,
        Target::Command { .. } => Transport::Stdio,
        Target::Saved { name } => host
            .servers()
            .into_iter()
            .find(|server| server.config.name == *name)
            .map_or(Transport::Stdio, |server| server.config.transport),
    }
}

fn name(target: &Target) -> &str {
    match target {
        Target::Saved { name } => name,
        Target::Command { program, .. } => program,
        Target::Url { url, .. } => url.split(['?', '#']).next().unwrap_or_default(),
    }
}

impl ConnectedServer<'_> {
    /// Whether it answers: one that has just been connected does.
    pub async fn answers(&self) -> Result<(), Fault> {
        match &self.server {
            Server::Own { .. } => Ok(()),
            Server::Running(_) => self.server.list(ItemKind::Tools, true).await.map(drop),
        }
    }

    /// The values that the server proposes for arguments of a prompt or a template, while the person types them.
    pub fn proposals<'a>(
        &'a self,
        of: &'a CompletionReference,
    ) -> impl Fn(&str, &str, &BTreeMap<String, String>) -> Vec<String> + 'a {
        |argument, begun, chosen| {
            let (argument, begun, chosen) = (argument.to_owned(), begun.to_owned(), chosen.clone());
            let wanted = CompletionRequest { of: of.clone(), argument, begun, chosen };
            // Without proposals the person types the value.
            Handle::current().block_on(self.server.values(wanted)).unwrap_or_default()
        }
    }

    /// Says what is odd about an answer.
    pub fn say_remarks(&self, remarks: &[Remark]) {
        for remark in remarks {
            self.session.output.note(&format!("remark: {}", escape_line(&remark.text)));
        }
    }

    /// Prints a fault with what is known about the connection, and the `beginning` of a result that is too large.
    pub fn report_failure(
        &self,
        fault: &Fault,
        beginning: Option<&RawValue>,
        elapsed: Duration,
    ) -> Result<Exit, Fault> {
        let output = self.session.output;
        let fault = fault.clone().with_own_authorization(self.own_authorization);
        let fault = &fault.at(&sign_in_target(self.place));
        if output.json {
            let facts = self.server.facts();
            output.print_failure(fault, beginning, Some(ExchangeJson::new(&facts, [], elapsed)))?;
        } else {
            output.fault(fault);
        }
        Ok(fault.exit)
    }
}

/// The account's name, or its number if it has none.
pub fn account_name(account: &Account) -> String {
    let LoginRow { id, login, .. } = &account.login;
    let name = login.label.as_ref().or(login.account.as_ref());
    name.cloned().unwrap_or_else(|| format!("account {id}"))
}
