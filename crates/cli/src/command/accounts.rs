//! `mooring login`, `logout` and `accounts`: who is signed in where.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mooring_host::{
    AuthorizationUrl, Browser, BrowserFuture, Client, ClientAuthentication, Host, LoginRow, LoginState,
    SignIn, SignInStep, SignInWay, SystemBrowser, Target, Trail,
};
use secrecy::SecretString;
use serde::Serialize;
use serde_json::Value;

use crate::Session;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::output::{Output, Tone, shown, width};
use crate::table::Table;
use crate::visit::open;

/// Longest secret that is read from a file, in bytes.
const LONGEST_SECRET: u64 = 64 * 1024;

/// A login in JSON. Nothing of it is secret.
#[derive(Serialize)]
struct AccountJson<'a> {
    id: i64,
    issuer: &'a str,
    resource: &'a str,
    account: Option<&'a str>,
    label: Option<&'a str>,
    scopes_asked: &'a [String],
    scopes_granted: &'a [String],
    token_type: &'a str,
    /// In milliseconds since the Unix epoch.
    expires_at_ms: Option<i64>,
    refreshable: bool,
    state: &'static str,
    reason: Option<Value>,
    servers: &'a [String],
}

/// A login with the names of the servers that use it.
struct Account {
    row: LoginRow,
    servers: Vec<String>,
}

impl Account {
    async fn of(host: &Host, row: LoginRow) -> Result<Self, Fault> {
        let used_by = host.servers_of_login(&row).await?;
        let servers = host.servers().into_iter().filter(|server| used_by.contains(&server.id));
        Ok(Self { row, servers: servers.map(|server| server.config.name).collect() })
    }

    fn json(&self) -> AccountJson<'_> {
        let LoginRow { id, login, tokens, state, .. } = &self.row;
        AccountJson {
            id: *id,
            issuer: &login.issuer,
            resource: &login.resource,
            account: login.account.as_deref(),
            label: login.label.as_deref(),
            scopes_asked: &tokens.scopes_asked,
            scopes_granted: &tokens.scopes_granted,
            token_type: &tokens.token_type,
            expires_at_ms: tokens.expires_at_us.map(|at| at / 1_000),
            refreshable: tokens.refreshable,
            state: match state {
                LoginState::Active => "active",
                LoginState::Ended(_) => "ended",
            },
            reason: match state {
                LoginState::Active => None,
                LoginState::Ended(reason) => serde_json::from_str(reason).ok(),
            },
            servers: &self.servers,
        }
    }

    /// Number, who, where, until when, what for.
    fn cells(&self) -> [String; 5] {
        let LoginRow { id, login, tokens, state, .. } = &self.row;
        let who = login.label.as_deref().or(login.account.as_deref()).unwrap_or("somebody");
        let until = match (state, tokens.refreshable, tokens.expires_at_us) {
            (LoginState::Ended(_), ..) => "ended".to_owned(),
            (_, true, _) => "renews itself".to_owned(),
            (_, false, Some(at)) => left(at),
            (_, false, None) => "no end known".to_owned(),
        };
        let used =
            if self.servers.is_empty() { "no saved server".to_owned() } else { self.servers.join(", ") };
        [id.to_string(), who.to_owned(), login.resource.clone(), until, used]
    }
}

/// How long a token is still good for.
fn left(expires_at_us: i64) -> String {
    let at = UNIX_EPOCH + Duration::from_micros(u64::try_from(expires_at_us).unwrap_or_default());
    match at.duration_since(SystemTime::now()) {
        Ok(left) if left.as_secs() >= 3_600 => format!("{} h left", left.as_secs() / 3_600),
        Ok(left) => format!("{} min left", left.as_secs() / 60),
        Err(_) => "expired".to_owned(),
    }
}

pub(crate) async fn login(session: &Session, args: args::Login) -> Result<Exit, Fault> {
    let wanted = wanted(&args)?;
    let target = match (args.place.server, args.place.url) {
        (Some(name), _) => Target::Saved { name },
        (None, Some(url)) => Target::Url { url, headers: [].into() },
        (None, None) => return Err(Fault::usage("name a server or an address")),
    };
    let output = session.output;
    let trail = Trail::new(move |step| tell(output, &step));
    let browser: &dyn Browser = if args.no_browser { &Printed(output) } else { &Shown(output) };
    let host = open(true).await?;
    let signing_in = host.sign_in(target, &wanted, browser, trail);
    let signed_in = match session.interrupt.guard(signing_in).await {
        Ok(Ok(row)) => Account::of(&host, row).await,
        Ok(Err(error)) => Err(error.into()),
        Err(fault) => Err(fault),
    };
    session.interrupt.clean_up(host.shutdown()).await;
    let account = signed_in?;
    if output.json {
        output.result(&account.json())?;
    } else {
        let [id, who, resource, until, _] = account.cells().map(|cell| shown(&cell).into_owned());
        output.line(&format!("Signed in to {} as {who} ({until}).", output.tone(Tone::Strong, &resource)))?;
        output.note(&format!("Sign out: mooring logout {id}"));
    }
    Ok(Exit::Ok)
}

/// How the person signs in, by what they wrote.
fn wanted(args: &args::Login) -> Result<SignIn, Fault> {
    let mut wanted = SignIn::default();
    let Some(id) = &args.client_id else { return Ok(wanted) };
    let secret = match &args.client_secret_file {
        None => None,
        Some(path) => {
            let unread = |error| anyhow::Error::new(error).context(path.display().to_string());
            let length = std::fs::metadata(path).map_err(unread)?.len();
            if length > LONGEST_SECRET {
                return Err(Fault::usage(format!("{} is too long for a secret", path.display())));
            }
            let text = std::fs::read_to_string(path).map_err(unread)?;
            Some(SecretString::from(text.trim()))
        }
    };
    // How it authenticates is what its server supports, unless the secret is a key.
    let is_key = secret
        .as_ref()
        .is_some_and(|secret| secrecy::ExposeSecret::expose_secret(secret).starts_with("-----BEGIN"));
    let authentication =
        if is_key { ClientAuthentication::PrivateKeyJwt } else { ClientAuthentication::None };
    wanted.client = Some(Client { id: id.clone(), secret, authentication });
    if args.client_credentials {
        wanted.way = SignInWay::Client;
    }
    Ok(wanted)
}

/// One step, as it happens. With `--json` nothing but the result is printed.
fn tell(output: Output, step: &SignInStep) {
    let mark = if step.ok { "·" } else { "✗" };
    let found = shown(step.found.as_ref()).into_owned();
    let url = step.url.as_deref().map(|url| format!("[{}]", shown(url)));
    let status = step.status.map(|status| status.to_string());
    let words = [Some(mark.to_owned()), Some(found), url, status];
    output.note(&words.into_iter().flatten().collect::<Vec<_>>().join(" "));
}

/// Opens the person's browser, and says where it goes.
struct Shown(Output);

impl Browser for Shown {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        self.0.note(&format!(
            "Your browser opens {}. Waiting for you to sign in there; Ctrl-C cancels.",
            url.host()
        ));
        SystemBrowser.open(url)
    }
}

/// Prints the address for the person to open.
struct Printed(Output);

impl Browser for Printed {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        self.0.note("Open this address in a browser on this machine; Ctrl-C cancels:");
        self.0.note(url.as_url().as_str());
        Box::pin(std::future::ready(Ok(())))
    }
}

pub(crate) async fn logout(session: &Session, args: &args::Logout) -> Result<Exit, Fault> {
    let host = open(false).await?;
    let signed_out = async {
        let logins = host.logins().await?;
        let Some(login) = logins.iter().find(|login| login.id == args.login) else {
            return Err(Fault::usage(format!("no login has the number {}", args.login))
                .next("mooring accounts shows them"));
        };
        host.sign_out(login).await?;
        Ok(login.login.resource.clone())
    };
    let signed_out = session.interrupt.guard(signed_out).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let resource = signed_out??;
    if session.output.json {
        session.output.result(&serde_json::json!({ "id": args.login }))?;
    } else {
        session.output.line(&format!("Signed out of {}.", shown(&resource)))?;
    }
    Ok(Exit::Ok)
}

pub(crate) async fn list(session: &Session) -> Result<Exit, Fault> {
    let host = open(false).await?;
    let accounts = async {
        let mut accounts = Vec::new();
        for row in host.logins().await? {
            accounts.push(Account::of(&host, row).await?);
        }
        Ok::<_, Fault>(accounts)
    };
    let accounts = accounts.await;
    host.shutdown().await;
    let accounts = accounts?;
    let output = session.output;
    if output.json {
        output.result(&accounts.iter().map(Account::json).collect::<Vec<_>>())?;
        return Ok(Exit::Ok);
    }
    if accounts.is_empty() {
        output.line("Nobody is signed in anywhere.")?;
        output.note("Sign in: mooring login --server NAME, or --url URL");
        return Ok(Exit::Ok);
    }
    let mut table = Table::default();
    for account in &accounts {
        table.row(account.cells().map(|cell| shown(&cell).into_owned()));
    }
    for line in table.lines(width(), |_, column, cell| match column {
        1 => output.tone(Tone::Strong, cell).into_owned(),
        0 | 3 => output.tone(Tone::Quiet, cell).into_owned(),
        _ => cell.to_owned(),
    }) {
        output.line(&line)?;
    }
    Ok(Exit::Ok)
}
