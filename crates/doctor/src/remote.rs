//! The checks of a server with a URL.

use std::net::SocketAddr;
use std::time::Duration;

use mooring_errors::{Failure, FailureCode};
use mooring_mcp::find_issuer;
use mooring_words::{Sentence, io_error_sentence, say};
use tokio::net::{TcpStream, lookup_host};
use url::{Host, Url};

use crate::attempt::{Attempt, Subject, add_access, add_by_attempt, add_tools, connect};
use crate::check::{Check, CheckCode, Fix};
use crate::run::{Run, within};
use crate::sign_in;

/// How long resolving a name may take.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(15);
/// How long connecting to one address may take, as for the HTTP client.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Maximum number of addresses that are tried and shown.
const MAX_ADDRESSES: usize = 4;

/// Everything after the checks of the network.
const AFTER_NETWORK: [CheckCode; 12] = [
    CheckCode::Secrets,
    CheckCode::Approval,
    CheckCode::Tls,
    CheckCode::Answer,
    CheckCode::ResourceMetadata,
    CheckCode::AuthorizationServer,
    CheckCode::Client,
    CheckCode::RedirectAddress,
    CheckCode::Clock,
    CheckCode::Account,
    CheckCode::Protocol,
    CheckCode::Tools,
];

pub(crate) async fn check_remote(subject: &Subject<'_>, running: Option<Attempt>, run: &mut Run<'_>) {
    use CheckCode as Code;
    let Some(url) = subject.config.url.as_deref().and_then(|url| Url::parse(url).ok()) else {
        run.add_required(subject.failed(Code::ServerSettings, Failure::unreadable_definition()));
        run.skip_blocked(&[Code::Proxy, Code::NameLookup, Code::Connection]);
        return run.skip_blocked(&AFTER_NETWORK);
    };
    run.add(Check::passed(Code::ServerSettings, [say!("the URL is {url}", url = shown(&url))]));
    let proxy = subject.host.network().proxy(&url).and_then(|proxy| proxy.shown_url());
    run.add(Check::passed(
        Code::Proxy,
        [match &proxy {
            Some(proxy) => say!("requests go through {proxy}", proxy),
            None => say!("requests don’t go through a proxy"),
        }],
    ));
    add_network(subject, &url, proxy.as_deref(), run).await;
    if run.is_blocked() {
        return run.skip_blocked(&AFTER_NETWORK);
    }
    let attempt = connect(subject, running, run).await;
    let blamed = attempt.as_ref().err().map(remote_culprit);
    add_access(subject, &attempt, blamed, run);
    add_tls(subject, &url, proxy.is_some(), &attempt, blamed, run).await;
    if blamed == Some(Code::Account) {
        run.add(Check::passed(Code::Answer, [say!("the server answers, and requires you to sign in")]));
        sign_in::add_checks(subject, &url, run).await;
    } else {
        add_answer(subject, &attempt, blamed, run);
        sign_in::add_skipped(run);
    }
    add_account(subject, &attempt, blamed, run);
    add_by_attempt(subject, Code::Protocol, &attempt, blamed, run);
    add_tools(&attempt, run);
}

/// The URL without what may be secret.
fn shown(url: &Url) -> String {
    let origin = url.origin().ascii_serialization();
    // Some servers have a secret in the path.
    if url.path().len() > 1 { format!("{origin}/…") } else { origin }
}

/// Adds the checks of the name and of the connection: those of the proxy, if there is one.
async fn add_network(subject: &Subject<'_>, url: &Url, proxy: Option<&str>, run: &mut Run<'_>) {
    use CheckCode as Code;
    let next = || say!("Check the URL and this computer’s connection to the network.");
    let at = proxy.and_then(|proxy| Url::parse(proxy).ok());
    let at = at.as_ref().unwrap_or(url);
    let (Some(host), Some(port)) = (at.host_str(), at.port_or_known_default()) else {
        run.add_required(Check::failed(Code::NameLookup, [say!("the URL has no host")]).next(next()));
        return run.skip_blocked(&[Code::Connection]);
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let fix =
        || if proxy.is_some() { Some(Fix::OpenNetworkSettings) } else { subject.saved(Fix::EditServer) };
    let looked_up = within(LOOK_UP_LIMIT, Code::NameLookup, lookup_host((bare, port))).await;
    let addresses: Vec<SocketAddr> = match looked_up {
        Ok(Ok(addresses)) => addresses.take(MAX_ADDRESSES).collect(),
        Ok(Err(error)) => {
            let reason = io_error_sentence(&error);
            let sentence = say!("{host} has no IP address: {reason}", host, reason);
            run.add_required(Check::failed(Code::NameLookup, [sentence]).next(next()).fix(fix()));
            return run.skip_blocked(&[Code::Connection]);
        }
        Err(late) => {
            run.add_required(late);
            return run.skip_blocked(&[Code::Connection]);
        }
    };
    let listed = addresses.iter().map(|address| address.ip().to_string()).collect::<Vec<_>>().join(", ");
    run.add_required(match at.host() {
        _ if addresses.is_empty() => {
            Check::failed(Code::NameLookup, [say!("{host} has no IP address", host)]).next(next()).fix(fix())
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => {
            Check::skipped(Code::NameLookup, say!("the URL has an IP address: {listed}", listed))
        }
        _ => Check::passed(Code::NameLookup, [say!("{host} is {listed}", host, listed)]),
    });
    if run.is_blocked() {
        return run.skip_blocked(&[Code::Connection]);
    }
    let mut evidence = Vec::new();
    for address in addresses {
        match reach(address).await {
            Ok(()) => {
                evidence.push(say!("{address} accepts connections", address = address.to_string()));
                return run.add(Check::passed(Code::Connection, evidence));
            }
            Err(reason) => {
                evidence.push(say!("{address}: {reason}", address = address.to_string(), reason));
            }
        }
    }
    let next = say!("Check that the server is running and that its URL and port are right.");
    let failed = Check::failed(Code::Connection, evidence).next(next).fix(fix());
    run.add_required(Check { error: Some(FailureCode::Refused.as_str().to_owned()), ..failed });
}

async fn reach(address: SocketAddr) -> Result<(), Sentence> {
    match tokio::time::timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(io_error_sentence(&error)),
        Err(_) => Err(say!("no result within {seconds} s", seconds = CONNECT_LIMIT.as_secs())),
    }
}

/// The check that a failure of a server with a URL belongs to.
fn remote_culprit(failure: &Failure) -> CheckCode {
    match failure.code {
        FailureCode::SecretMissing | FailureCode::VaultLocked => CheckCode::Secrets,
        FailureCode::DefinitionChanged => CheckCode::Approval,
        FailureCode::Certificate => CheckCode::Tls,
        FailureCode::SignIn => CheckCode::Account,
        FailureCode::Handshake | FailureCode::TooLarge => CheckCode::Protocol,
        FailureCode::CommandNotFound
        | FailureCode::NotExecutable
        | FailureCode::Exited
        | FailureCode::Timeout
        | FailureCode::Refused
        | FailureCode::NotMcp
        | FailureCode::HttpStatus
        | FailureCode::Internal => CheckCode::Answer,
    }
}

async fn add_tls(
    subject: &Subject<'_>,
    url: &Url,
    is_proxied: bool,
    attempt: &Attempt,
    blamed: Option<CheckCode>,
    run: &mut Run<'_>,
) {
    const CODE: CheckCode = CheckCode::Tls;
    if run.is_blocked() || blamed == Some(CODE) {
        return add_by_attempt(subject, CODE, attempt, blamed, run);
    }
    if url.scheme() != "https" {
        return run.add(Check::skipped(CODE, say!("the URL begins with http, so nothing is encrypted")));
    }
    if attempt.as_ref().is_err_and(|failure| failure.code == FailureCode::Refused) {
        return run.add(Check::skipped(CODE, say!("no answer came, so it isn’t known")));
    }
    let mut evidence = vec![say!("the certificate is trusted")];
    if !is_proxied && let Some(issuer) = Box::pin(find_issuer(url)).await {
        evidence.push(say!("it was issued by {issuer}", issuer));
    }
    let added = subject.host.certificates();
    if !added.is_empty() {
        let names = added.into_iter().map(|certificate| certificate.name).collect::<Vec<_>>().join(", ");
        evidence.push(say!("these authorities are trusted in addition to the system’s: {names}", names));
    }
    run.add(Check::passed(CODE, evidence));
}

fn add_answer(subject: &Subject<'_>, attempt: &Attempt, blamed: Option<CheckCode>, run: &mut Run<'_>) {
    const CODE: CheckCode = CheckCode::Answer;
    if run.is_blocked() || blamed == Some(CODE) {
        return add_by_attempt(subject, CODE, attempt, blamed, run);
    }
    let sentence = match attempt {
        Ok(facts) if facts.was_running || facts.was_asleep => {
            say!("it is connected; no second connection was made")
        }
        _ => say!("the server answers in MCP"),
    };
    run.add(Check::passed(CODE, [sentence]));
}

fn add_account(subject: &Subject<'_>, attempt: &Attempt, blamed: Option<CheckCode>, run: &mut Run<'_>) {
    const CODE: CheckCode = CheckCode::Account;
    if run.is_blocked() || blamed == Some(CODE) {
        return add_by_attempt(subject, CODE, attempt, blamed, run);
    }
    run.add(Check::passed(CODE, [say!("the server doesn’t require another sign-in")]));
}
