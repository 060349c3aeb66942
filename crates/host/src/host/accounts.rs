//! Accounts: signing in, signing out, and their state.

use std::collections::BTreeMap;
use std::sync::Arc;

use mooring_accounts::{
    Account, AccountServer, AttemptBrowser, AttemptHandle, LocalSignIn, LocalSignInGuard, SignInAttempt,
    SignInOptions, SignInProblem, SignInProblemCode, SignInService, SignOutResult, redact_resource,
};
use mooring_base::server_id::ServerId;
use mooring_connections::{ConnectOptions, ConnectionFactory, Registry, Target, connect, known_secrets};
use mooring_definitions::SavedServer;
use mooring_disk::StoreError;
use mooring_errors::HostError;
use mooring_oauth::{Browser, StepObserver};
use mooring_recorder::{Journal, KnownSecrets};
use mooring_server_state::{HostEvent, StateName, send_event};
use mooring_settings::Settings;
use mooring_store::{LoginRow, LoginState, Store, TableChanges};
use mooring_words::{StoredSentence, say};
use tokio::sync::{broadcast, watch};
use url::Url;

use super::Host;

/// What a sign-in needs. It does not reference the host, so that a running sign-in does not keep the host
/// alive.
#[derive(Clone)]
struct SignInRunner {
    connections: Arc<ConnectionFactory>,
    sign_ins: SignInService,
    journal: Arc<Journal>,
    settings: watch::Receiver<Settings>,
    events: broadcast::Sender<HostEvent>,
    registry: Arc<Registry>,
    supervise: bool,
}

impl SignInRunner {
    /// Signs in. A saved server uses the account from its next start.
    async fn sign_in(
        &self,
        target: Target,
        wanted: &SignInOptions,
        browser: &dyn Browser,
        trail: StepObserver,
    ) -> Result<(Option<LocalSignInGuard>, LoginRow), HostError> {
        let (server, url) = server_url(&self.registry, &target)?;
        let guard = server.map(|server| self.registry.signing_in.begin(server));
        let secrets = target_secrets(&self.registry, &target)?;
        let target_name = match &target {
            Target::Saved { name } => Some(name.clone()),
            _ => None,
        };
        let sign_ins = &self.sign_ins;
        if !sign_ins.has_challenged(server, &url) {
            // A server states its requirements when it rejects a request. If it accepts requests without an
            // account, a connection attempt changes nothing.
            let options = ConnectOptions::default();
            let asked = Box::pin(connect(&self.connections, &self.registry, target, options)).await;
            drop(asked);
        }
        let name = match &target_name {
            Some(name) => name.clone(),
            None => url.host_str().unwrap_or_default().to_owned(),
        };
        let recorder = Arc::new(self.journal.recorder(server, name.into(), secrets));
        let reporter_recorder = Arc::clone(&recorder);
        let trail = StepObserver::new(move |step| {
            reporter_recorder.log_auth_step(&step);
            trail.record(step);
        });
        let published = self.settings.borrow().client_document();
        let wanted = SignInOptions { document: wanted.document.clone().or(published), ..wanted.clone() };
        let signed_in = Box::pin(sign_ins.sign_in(server, &url, &wanted, browser, trail)).await;
        match &signed_in {
            Ok(row) => {
                let sentence =
                    say!("signed in to {resource}", resource = redact_resource(&row.login.resource));
                recorder.log_auth_end("sign_in", true, &sentence);
            }
            Err(error) => recorder.log_auth_end("sign_in", false, error.sentence()),
        }
        Ok((guard, signed_in?))
    }

    /// Restarts the server that the user signed in to.
    async fn start_signed_in(
        &self,
        guard: Option<LocalSignInGuard>,
        login: &LoginRow,
    ) -> Result<(), HostError> {
        let Some(guard) = guard else { return Ok(()) };
        self.restart(Some(guard.server)).await?;
        guard.started(login);
        Ok(())
    }

    /// Restarts a server with another account or none, when supervising.
    async fn restart(&self, server: Option<ServerId>) -> Result<(), HostError> {
        match server.filter(|_| self.supervise) {
            Some(server) => self.registry.restart(server).await,
            None => Ok(()),
        }
    }

    /// Restarts a server if it is enabled.
    async fn restart_running(&self, server: ServerId) -> Result<(), HostError> {
        let runs = self.registry.view(server).is_ok_and(|view| view.enabled);
        self.restart(Some(server).filter(|_| runs)).await
    }

    /// Runs a sign-in from the window, from the click to the server's restart.
    async fn run_attempt(
        self,
        attempt: Arc<AttemptHandle>,
        target: Target,
        wanted: SignInOptions,
        browser: Arc<dyn Browser>,
    ) {
        let browser = AttemptBrowser { attempt: Arc::clone(&attempt), browser };
        match self.sign_in(target, &wanted, &browser, attempt.step_observer()).await {
            Ok((guard, row)) => {
                attempt.succeed(row.id);
                send_event(&self.events, HostEvent::AccountsChanged);
                if let Err(error) = self.start_signed_in(guard, &row).await {
                    tracing::warn!(%error, "a server could not be started after a sign-in");
                }
            }
            Err(error) => attempt.fail(to_sign_in_problem(error)),
        }
    }
}

/// Converts an error for a sign-in that could not begin or that failed.
fn to_sign_in_problem(error: HostError) -> SignInProblem {
    match error {
        HostError::SignIn(problem) => *problem,
        error => SignInProblem {
            code: SignInProblemCode::Refused,
            message: error.sentence(),
            said: None,
            next: error.next_step(),
            redirect: None,
            no_keychain: false,
        },
    }
}

impl Host {
    /// Signs in to an HTTP server at the person's request. Reports each step to `trail`. Dropping the future
    /// cancels the sign-in. A saved server uses the account from then on.
    pub async fn sign_in(
        &self,
        target: Target,
        wanted: &SignInOptions,
        browser: &dyn Browser,
        trail: StepObserver,
    ) -> Result<LoginRow, HostError> {
        let runner = self.sign_in_runner();
        let (guard, row) = runner.sign_in(target, wanted, browser, trail).await?;
        self.send_event(HostEvent::AccountsChanged);
        runner.start_signed_in(guard, &row).await?;
        Ok(row)
    }

    /// Begins to sign in to a saved server at the person's request, with the browser of
    /// [`HostOptions`](crate::HostOptions). Runs in the background: [`Self::sign_in_attempt`] shows its
    /// progress. Returns the running attempt if there is one.
    pub fn begin_sign_in(&self, id: ServerId, wanted: SignInOptions) -> Result<SignInAttempt, HostError> {
        let target = Target::Saved { name: self.server(id)?.config.name };
        server_url(&self.inner.registry, &target)?;
        let (runner, browser) = (self.sign_in_runner(), (self.inner.options.browser)());
        Ok(self.inner.attempts.begin(id, |attempt| runner.run_attempt(attempt, target, wanted, browser)))
    }

    /// The current sign-in to a server, or the last one of this run.
    pub fn sign_in_attempt(&self, id: ServerId) -> Option<SignInAttempt> {
        Some(self.inner.attempts.get(id)?.view())
    }

    /// Cancels a sign-in. Returns whether one was running.
    pub fn cancel_sign_in(&self, id: ServerId) -> bool {
        self.inner.attempts.cancel(id)
    }

    /// Opens the browser again at the person's request. Returns whether a sign-in is waiting for it.
    pub async fn reopen_browser(&self, id: ServerId) -> Result<bool, HostError> {
        let Some(url) = self.inner.attempts.get(id).and_then(|attempt| attempt.authorization_url()) else {
            return Ok(false);
        };
        (self.inner.options.browser)().open(&url).await?;
        Ok(true)
    }

    fn sign_in_runner(&self) -> SignInRunner {
        SignInRunner {
            connections: Arc::clone(&self.inner.connections),
            sign_ins: self.inner.sign_ins.clone(),
            journal: Arc::clone(&self.inner.journal),
            settings: self.inner.settings.subscribe(),
            events: self.inner.events.clone(),
            registry: Arc::clone(&self.inner.registry),
            supervise: self.inner.options.supervise,
        }
    }

    /// All accounts, active ones first.
    pub async fn accounts(&self) -> Result<Vec<Account>, HostError> {
        let mut accounts = Vec::new();
        let uses = self.inner.store.server_logins().list().await?;
        for row in self.inner.sign_ins.logins().await? {
            accounts.push(self.account_of(row, &uses).await?);
        }
        accounts.sort_by_key(|account| (account.ended.is_some(), account.login.id));
        Ok(accounts)
    }

    /// The account with this id.
    pub async fn account(&self, login: i64) -> Result<Account, HostError> {
        let uses = self.inner.store.server_logins().list().await?;
        self.account_of(self.login(login).await?, &uses).await
    }

    /// The account that a connection to a target uses: `named`, which must belong to the target, or the
    /// target's own.
    pub async fn account_for(
        &self,
        target: &Target,
        named: Option<i64>,
    ) -> Result<Option<Account>, HostError> {
        let (server, url) = server_url(&self.inner.registry, target)?;
        let row = self.inner.sign_ins.login_for(server, &url, named).await?;
        match (row, named) {
            (Some(row), _) => self.account(row.id).await.map(Some),
            (None, Some(named)) => Err(HostError::NoSuchLogin(named)),
            (None, None) => Ok(None),
        }
    }

    async fn account_of(&self, login: LoginRow, uses: &[(i64, i64, bool)]) -> Result<Account, HostError> {
        let client = self.inner.sign_ins.client_of(&login).await?;
        let servers =
            uses.iter().filter(|(_, used, _)| *used == login.id).filter_map(|(server, _, chosen)| {
                // A removed server may be restored, but is not listed until then.
                let view = self.server(ServerId(*server)).ok()?;
                Some(AccountServer { id: view.id, name: view.config.name, chosen: *chosen })
            });
        let servers = servers.collect();
        let ended = match &login.state {
            LoginState::Active => None,
            LoginState::Ended(reason) => Some(parse_end_reason(reason)),
        };
        Ok(Account { login, ended, client, servers })
    }

    async fn login(&self, id: i64) -> Result<LoginRow, HostError> {
        let row = self.inner.store.logins().get(id).await?;
        row.ok_or(HostError::NoSuchLogin(id))
    }

    /// Refreshes an account's token now, at the person's request.
    pub async fn refresh_account(&self, login: i64) -> Result<Account, HostError> {
        let row = self.login(login).await?;
        let renewed = self.inner.sign_ins.renew(&row).await;
        self.send_event(HostEvent::AccountsChanged);
        renewed.map_err(|problem| HostError::SignIn(Box::new(problem)))?;
        self.account(login).await
    }

    /// Revokes an account's tokens and deletes them here, for every server that uses them.
    pub async fn sign_out(&self, login: i64) -> Result<SignOutResult, HostError> {
        let row = self.login(login).await?;
        let uses = self.inner.store.server_logins().list_for_login(login).await?;
        let signed_out = self.inner.sign_ins.sign_out(&row).await?;
        self.inner.sign_ins.record_sign_out(&row, &signed_out);
        self.send_event(HostEvent::AccountsChanged);
        let runner = self.sign_in_runner();
        for (server, _) in uses.into_iter().filter(|(_, chosen)| *chosen) {
            runner.restart_running(ServerId(server)).await?;
        }
        Ok(signed_out)
    }

    /// Signs out of all accounts at once.
    pub async fn sign_out_all(&self) -> Result<Vec<SignOutResult>, HostError> {
        let rows = self.inner.sign_ins.logins().await?;
        let all = rows.iter().map(|row| self.sign_out(row.id));
        // A failure for one account does not stop the others.
        futures_util::future::join_all(all).await.into_iter().collect()
    }

    /// Removes an account that is signed out.
    pub async fn forget_account(&self, login: i64) -> Result<(), HostError> {
        let row = self.login(login).await?;
        if row.state == LoginState::Active {
            return Err(HostError::LoginInForce(login));
        }
        self.inner.sign_ins.forget(&row).await?;
        self.send_event(HostEvent::AccountsChanged);
        Ok(())
    }

    /// Sets the account that a server uses, or none. Restarts a running server. Fails if the server may not
    /// use the account.
    pub async fn choose_account(&self, server: ServerId, login: Option<i64>) -> Result<(), HostError> {
        self.server(server)?;
        let uses = self.inner.store.server_logins();
        match login {
            Some(login) => {
                let may = uses.list_for_login(login).await?.iter().any(|(known, _)| *known == server.0);
                if !may {
                    return Err(HostError::NoSuchLogin(login));
                }
                uses.choose(server.0, login).await?;
            }
            None => uses.choose_none(server.0).await?,
        }
        self.send_event(HostEvent::AccountsChanged);
        self.sign_in_runner().restart_running(server).await
    }

    fn send_event(&self, event: HostEvent) {
        send_event(&self.inner.events, event);
    }

    /// The service for accounts and the vault that encrypts them.
    pub fn sign_ins(&self) -> &SignInService {
        &self.inner.sign_ins
    }
}

/// Watches for changes of accounts by other processes: sends events, and restarts servers that got an
/// account. Never returns.
pub(super) async fn watch(
    store: Store,
    registry: Arc<Registry>,
    events: broadcast::Sender<HostEvent>,
    mut changes: TableChanges,
) {
    let mut before = None;
    loop {
        let compared = snapshot_logins(&store).await.map(|mut now| {
            if let Some(old) = before.take().filter(|old| *old != now) {
                send_event(&events, HostEvent::AccountsChanged);
                restart_signed_in(&registry, &old, &mut now);
            }
            before = Some(now);
        });
        changes.changed_after(compared, "the logins could not be read").await;
    }
}

/// Restarts the servers that waited for an account which another process has now saved. A server with a
/// running sign-in in this process is left for the next check.
fn restart_signed_in(registry: &Registry, old: &LoginSnapshot, now: &mut LoginSnapshot) {
    let is_other = |(server, login): &(i64, (i64, i64))| old.chosen.get(server) != Some(login);
    let others: Vec<_> = now.chosen.clone().into_iter().filter(is_other).collect();
    for (server, login) in others {
        let id = ServerId(server);
        let local = registry.signing_in.get(id);
        if local == Some(LocalSignIn::Running) {
            now.chosen.remove(&server);
            now.chosen.extend(old.chosen.get(&server).map(|login| (server, *login)));
            continue;
        }
        let waits = registry
            .view(id)
            .is_ok_and(|view| view.enabled && view.connection.state == StateName::SignInNeeded);
        if waits && local != Some(LocalSignIn::Started(login.0, login.1)) {
            registry.restart_if_enabled(id);
        }
    }
}

/// The state that other processes may change.
#[derive(Clone, PartialEq, Eq)]
struct LoginSnapshot {
    /// The id and version of every account.
    versions: Vec<(i64, i64)>,
    /// The active account of each server, and when it was signed in.
    chosen: BTreeMap<i64, (i64, i64)>,
}

async fn snapshot_logins(store: &Store) -> Result<LoginSnapshot, StoreError> {
    let rows = store.logins().list().await?;
    let uses = store.server_logins().list().await?;
    let active = |login: i64| rows.iter().find(|row| row.id == login && row.state == LoginState::Active);
    let chosen = uses.iter().filter(|(_, _, chosen)| *chosen);
    let chosen = chosen.filter_map(|(server, login, _)| {
        let row = active(*login)?;
        Some((*server, (row.id, row.created_at_us)))
    });
    let chosen = chosen.collect();
    Ok(LoginSnapshot { versions: rows.iter().map(|row| (row.id, row.version)).collect(), chosen })
}

/// The server and URL of a target. Fails if the target is not an HTTP server.
fn server_url(registry: &Registry, target: &Target) -> Result<(Option<ServerId>, Url), HostError> {
    let no_address = || HostError::InvalidServer {
        field: "url",
        message: say!("only a server with a URL can be signed in to"),
    };
    let (server, url) = match target {
        Target::Saved { name } => {
            let SavedServer { row, config } = registry.by_name(name)?;
            (Some(ServerId(row.id)), config.url)
        }
        Target::Url { url, .. } => (None, Some(url.clone())),
        Target::Command { .. } => (None, None),
    };
    let url = url.ok_or_else(no_address)?;
    Ok((server, Url::parse(&url).map_err(|_| no_address())?))
}

/// The secrets in a target's settings, so that they can be redacted from the log of a sign-in.
fn target_secrets(registry: &Registry, target: &Target) -> Result<KnownSecrets, HostError> {
    let mut secrets = KnownSecrets::default();
    match target {
        Target::Saved { name } => secrets = known_secrets(&registry.by_name(name)?.config),
        Target::Url { url, .. } => secrets.add_from_url(url),
        Target::Command { .. } => {}
    }
    Ok(secrets)
}

/// Parses the stored reason why an account ended.
fn parse_end_reason(stored: &str) -> StoredSentence {
    serde_json::from_str(stored).unwrap_or_else(|_| say!("for an unknown reason").into())
}
