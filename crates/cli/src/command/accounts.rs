//! `mooring login`, `logout` and `accounts`: signing in to servers and out again.

use std::convert::Infallible;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mooring_accounts::{Account, SignInGrant, SignInOptions, SignOutResult, SystemBrowser};
use mooring_connect::{Verb, account_name, host_target, open_host, resolve};
use mooring_host::Host;
use mooring_oauth::{
    AuthorizationUrl, Browser, BrowserFuture, Step as SignInStep, StepObserver, split_scopes,
};
use mooring_store::LoginRow;
use mooring_typed::Place;
use secrecy::ExposeSecret as _;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use url::Url;

use crate::CommandContext;
use crate::args;
use crate::fault::{Exit, Fault};
use crate::input::read_line;
use crate::output::{Output, TextStyle, escape_line};
use crate::secret_input::{self, SecretSource};
use crate::table::Table;
use mooring_errors::HostError;

/// A login in JSON. It has no secrets.
#[derive(Serialize)]
struct AccountJson<'a> {
    id: i64,
    issuer: &'a str,
    resource: &'a str,
    account: Option<&'a str>,
    label: Option<&'a str>,
    client: Option<&'a str>,
    scopes_asked: &'a [String],
    scopes_granted: &'a [String],
    token_type: &'a str,
    /// In milliseconds since the Unix epoch.
    expires_at_ms: Option<i64>,
    used_at_ms: Option<i64>,
    refreshable: bool,
    state: &'static str,
    reason: Option<&'a str>,
    servers: Vec<&'a str>,
}

/// The names of the servers that use a login.
fn used_by(account: &Account) -> Vec<&str> {
    let chosen = account.servers.iter().filter(|server| server.chosen);
    chosen.map(|server| server.name.as_str()).collect()
}

fn json(account: &Account) -> AccountJson<'_> {
    let LoginRow { login, tokens, .. } = &account.login;
    let id = account.login.id;
    AccountJson {
        id,
        issuer: &login.issuer,
        resource: &login.resource,
        account: login.account.as_deref(),
        label: login.label.as_deref(),
        client: account.client.as_ref().map(|client| client.id.as_str()),
        scopes_asked: &tokens.scopes_asked,
        scopes_granted: &tokens.scopes_granted,
        token_type: &tokens.token_type,
        expires_at_ms: tokens.expires_at_us.map(|at| at / 1_000),
        used_at_ms: account.login.used_at_us.map(|at| at / 1_000),
        refreshable: tokens.refreshable,
        state: if account.ended.is_none() { "active" } else { "ended" },
        reason: account.ended.as_ref().map(|why| why.text.as_str()),
        servers: used_by(account),
    }
}

/// The columns: login number, account, resource, expiry, and what the login is for.
fn cells(account: &Account) -> [String; 5] {
    let LoginRow { id, login, tokens, .. } = &account.login;
    let who = account_name(account);
    let until = match (&account.ended, tokens.refreshable, tokens.expires_at_us) {
        (Some(why), ..) => format!("ended: {}", why.text),
        (_, true, _) => "renewed automatically".to_owned(),
        (_, false, Some(at)) => time_left(at),
        (_, false, None) => "no end known".to_owned(),
    };
    let used = used_by(account);
    let used = if used.is_empty() { "no saved server".to_owned() } else { used.join(", ") };
    [id.to_string(), who, login.resource.clone(), until, used]
}

/// How much longer a token is valid, for people.
fn time_left(expires_at_us: i64) -> String {
    let at = UNIX_EPOCH + Duration::from_micros(u64::try_from(expires_at_us).unwrap_or_default());
    match at.duration_since(SystemTime::now()) {
        Ok(left) if left.as_secs() >= 3_600 => format!("{} h left", left.as_secs() / 3_600),
        Ok(left) => format!("{} min left", left.as_secs() / 60),
        Err(_) => "expired".to_owned(),
    }
}

const VERB: Verb = Verb::of("login");

pub(crate) async fn login(session: &CommandContext, args: args::Login) -> Result<Exit, Fault> {
    let wanted = sign_in_options(session, &args).await?;
    let args::RemoteTarget { word, server, url } = args.target;
    let output = session.output;
    let trail = StepObserver::new(move |step| print_step(output, &step));
    let browser = TerminalBrowser { output, opens: !args.no_browser, back: watch::channel(None).0 };
    let host = open_host(session, true).await?;
    let signing_in = async {
        let place = match (server.map(Place::Saved).or(url.map(Place::Url)), word) {
            (Some(place), _) => place,
            (None, word) => resolve(&host, VERB, word.as_slice()).await?.0,
        };
        if matches!(place, Place::Command(_)) {
            return Err(Fault::usage("only a server behind a URL has a sign-in"));
        }
        let target = host_target(place, Vec::new(), Vec::new(), None)?;
        host.sign_in(target, &wanted, &browser, trail).await.map_err(Fault::from)
    };
    let signing_in = async {
        tokio::select! {
            signed_in = Box::pin(signing_in) => signed_in,
            never = browser.deliver_pasted() => match never {},
        }
    };
    let signed_in = match session.interrupt.guard(Box::pin(signing_in)).await {
        Ok(Ok(row)) => host.account(row.id).await.map_err(Fault::from),
        Ok(Err(fault)) | Err(fault) => Err(fault),
    };
    session.interrupt.clean_up(host.shutdown()).await;
    let account = signed_in?;
    if output.json {
        output.result(&json(&account))?;
    } else {
        let [id, who, resource, until, _] = cells(&account).map(|cell| escape_line(&cell).into_owned());
        output.line(&format!(
            "Signed in to {} as {who} ({until}).",
            output.tone(TextStyle::Strong, &resource)
        ))?;
        output.note(&format!("Sign out: mooring logout {id}"));
    }
    Ok(Exit::Ok)
}

/// Reads the sign-in options from the arguments.
async fn sign_in_options(session: &CommandContext, args: &args::Login) -> Result<SignInOptions, Fault> {
    let wanted = SignInOptions {
        other_account: args.another,
        pkce_unannounced: args.allow_silent_pkce,
        without_resource: args.without_resource,
        port: args.port,
        scopes: args.scope.iter().flat_map(|scope| split_scopes(scope)).collect(),
        ..SignInOptions::default()
    };
    let Some(id) = &args.client_id else { return Ok(wanted) };
    let secret = match &args.client_secret_file {
        None => None,
        Some(path) => {
            let source = SecretSource::File(path.clone());
            let secret = secret_input::read(session, source, "Client secret".to_owned()).await?;
            // An empty file may be a mistake. For a client without a secret, the option is left out.
            if secret.expose_secret().trim().is_empty() {
                return Err(Fault::usage(format!("empty: {}", path.display())));
            }
            Some(secret.expose_secret().to_owned())
        }
    };
    let mut wanted = wanted.with_client(id, secret, args.redirect.as_deref()).map_err(HostError::from)?;
    if args.client_credentials {
        wanted.grant = SignInGrant::ClientCredentials;
    }
    Ok(wanted)
}

/// Prints a step as it happens. It goes to standard error even with `--json`, so that standard output has only the
/// result.
fn print_step(output: Output, step: &SignInStep) {
    let mark = if step.ok { "·" } else { "✗" };
    let found = escape_line(step.found.as_ref()).into_owned();
    let url = step.url.as_deref().map(|url| format!("[{}]", escape_line(url)));
    let status = step.status.map(|status| status.to_string());
    let words = [Some(mark.to_owned()), Some(found), url, status];
    output.note(&words.into_iter().flatten().collect::<Vec<_>>().join(" "));
}

/// Opens the system's browser, or prints the URL for the person to open, and remembers the redirect URL.
struct TerminalBrowser {
    output: Output,
    opens: bool,
    /// The redirect URL, once the browser was sent to the sign-in page.
    back: watch::Sender<Option<Url>>,
}

impl Browser for TerminalBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        let back = url.as_url().query_pairs().find(|(name, _)| name == "redirect_uri");
        let back = back.and_then(|(_, back)| Url::parse(&back).ok());
        self.back.send_replace(back);
        if self.opens {
            self.output.note(&format!(
                "Your browser opens {}. Waiting for you to sign in there; Ctrl-C cancels.",
                url.host()
            ));
            return SystemBrowser.open(url);
        }
        self.output.note("Open this URL in a browser; Ctrl-C cancels:");
        self.output.note(url.as_url().as_str());
        self.output.note(
            "If the browser is on another computer, it ends at a page that can’t be opened: paste that page’s URL here.",
        );
        Box::pin(std::future::ready(Ok(())))
    }
}

impl TerminalBrowser {
    /// Reads URLs that the person pastes. A browser on another computer can't open the redirect URL, so the
    /// person copies it from there. Each pasted URL is requested from our callback server, which checks it
    /// like any other.
    async fn deliver_pasted(&self) -> Infallible {
        // Until the browser is sent, standard input may be needed for a passphrase.
        let mut sent = self.back.subscribe();
        let _sent = sent.wait_for(Option::is_some).await;
        // At the end of input nothing more can be pasted.
        while let Some(line) = read_line().await {
            let line = line.trim();
            let back = self.back.borrow().clone();
            let Some(back) = back.filter(|_| !line.is_empty()) else { continue };
            let pasted = Url::parse(line).ok().filter(|pasted| {
                (pasted.scheme(), pasted.port(), pasted.path()) == (back.scheme(), back.port(), back.path())
                    && pasted.host() == back.host()
                    && pasted.query().is_some()
            });
            let Some(pasted) = pasted else {
                let back = escape_line(back.as_str()).into_owned();
                self.output.note(&format!("This isn’t where the sign-in ends. That URL begins with {back}?"));
                continue;
            };
            if let Err(error) = deliver(&pasted).await {
                self.output.note(&format!("The URL could not be taken: {error}"));
            }
        }
        std::future::pending().await
    }
}

/// Requests a URL on this computer, as a browser would.
async fn deliver(url: &Url) -> std::io::Result<()> {
    let (host, port) = (url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or(80));
    let mut stream = TcpStream::connect((host.trim_matches(['[', ']']), port)).await?;
    let (path, query) = (url.path(), url.query().unwrap_or_default());
    let request = format!("GET {path}?{query} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    // The page is for a browser; the result is reported by the sign-in.
    let mut page = Vec::new();
    stream.take(1 << 20).read_to_end(&mut page).await?;
    Ok(())
}

pub(crate) async fn logout(session: &CommandContext, args: &args::Logout) -> Result<Exit, Fault> {
    let host = open_host(session, true).await?;
    let signed_out = async {
        let accounts = host.accounts().await?;
        let signed_out = match &args.of {
            Some(of) => vec![host.sign_out(login_of(&host, of).await?).await?],
            None => host.sign_out_all().await?,
        };
        let resource_of = |signed_out: &SignOutResult| {
            let account = accounts.iter().find(|account| account.login.id == signed_out.login);
            account.map_or_else(String::new, |account| account.login.login.resource.clone())
        };
        let resources: Vec<_> = signed_out.iter().map(resource_of).collect();
        Ok::<_, Fault>((signed_out, resources))
    };
    let signed_out = session.interrupt.guard(signed_out).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let (signed_out, resources) = signed_out??;
    let output = session.output;
    if output.json {
        let all: Vec<_> = signed_out.iter().map(signed_out_json).collect();
        match &all[..] {
            [one] if args.of.is_some() => output.result(one)?,
            all => output.result(&all)?,
        }
        return Ok(Exit::Ok);
    }
    for (signed_out, resource) in signed_out.iter().zip(&resources) {
        output.line(&format!("Signed out of {}.", escape_line(resource)))?;
        if let Some(problem) = &signed_out.problem {
            output.note(&format!("The tokens couldn’t be revoked: {}", escape_line(&problem.message)));
            if let Some(next) = &problem.next {
                output.note(next);
            }
        }
    }
    if signed_out.is_empty() {
        output.line("No one was signed in.")?;
    }
    Ok(Exit::Ok)
}

/// Finds a login by its number or by a server that uses it.
async fn login_of(host: &Host, of: &str) -> Result<i64, Fault> {
    if let Ok(login) = of.parse() {
        return Ok(login);
    }
    let (place, _) = resolve(host, Verb::of("logout"), &[of.to_owned()]).await?;
    let nobody = || Fault::usage(format!("nobody is signed in to {of}")).next("See who is: mooring accounts");
    if matches!(place, Place::Command(_)) {
        return Err(nobody());
    }
    let account = host.account_for(&host_target(place, Vec::new(), Vec::new(), None)?, None).await?;
    account.map(|account| account.login.id).ok_or_else(nobody)
}

fn signed_out_json(signed_out: &SignOutResult) -> Value {
    let problem = signed_out.problem.as_ref().map(|problem| problem.message.as_str());
    serde_json::json!({ "id": signed_out.login, "revoked": signed_out.revoked, "problem": problem })
}

pub(crate) async fn accounts(session: &CommandContext, args: &args::Accounts) -> Result<Exit, Fault> {
    let host = open_host(session, args.refresh.is_some()).await?;
    let asked = async {
        if let Some(login) = args.refresh {
            return Ok(vec![host.refresh_account(login).await?]);
        }
        if let Some(login) = args.forget {
            host.forget_account(login).await?;
        }
        host.accounts().await
    };
    let accounts = session.interrupt.guard(asked).await;
    session.interrupt.clean_up(host.shutdown()).await;
    let accounts = accounts??;
    let output = session.output;
    if output.json {
        let all: Vec<_> = accounts.iter().map(json).collect();
        match &all[..] {
            [one] if args.refresh.is_some() => output.result(one)?,
            all => output.result(&all)?,
        }
        return Ok(Exit::Ok);
    }
    if accounts.is_empty() {
        output.line("No one is signed in.")?;
        output.note("Sign in: mooring login NAME, or mooring login URL");
        return Ok(Exit::Ok);
    }
    let mut table = Table::default();
    for account in &accounts {
        table.row(cells(account));
    }
    table.print(output, &[(0, TextStyle::Quiet), (1, TextStyle::Strong), (3, TextStyle::Quiet)])?;
    Ok(Exit::Ok)
}
