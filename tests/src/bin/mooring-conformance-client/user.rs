//! A user of a server that requires a sign-in. Signs in on request, with the production code.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use mooring_accounts::{EnterpriseProvider, SignInGrant, SignInOptions, SignInService};
use mooring_mcp::{Authorize, RequestError};
use mooring_oauth::{
    AuthorizationUrl, Browser, BrowserFuture, Client, ClientAuthentication, Error, StepObserver,
};
use mooring_store::Store;
use mooring_vault::{KeyPlacement, VaultOptions};
use mooring_words::Sentence;
use secrecy::SecretString;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::Mutex;
use url::Url;

/// How often to sign in during one run, at most.
const MAX_SIGN_INS: u32 = 3;
/// The URL of our client's metadata document, as the suite expects it.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// A user with a temporary profile.
pub(crate) struct TestUser {
    sign_ins: SignInService,
    url: Url,
    wanted: SignInOptions,
    /// How often the user has signed in.
    times: AtomicU32,
    turn: Mutex<()>,
    _home: TempDir,
}

impl TestUser {
    /// Creates a user with the accounts in the suite's context.
    pub(crate) async fn new(url: &Url, context: &Value) -> anyhow::Result<Self> {
        let home = tempfile::tempdir()?;
        let store = Store::open(home.path()).await?;
        let sign_ins = SignInService::open(&store, home.path(), VaultOptions::default())?;
        sign_ins.vault().create(KeyPlacement::Memory).await.map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let wanted = sign_in_options(context)?;
        Ok(Self {
            sign_ins,
            url: url.clone(),
            wanted,
            times: AtomicU32::new(0),
            turn: Mutex::default(),
            _home: home,
        })
    }

    /// The authorizer for connections.
    pub(crate) async fn authorizer(&self) -> std::sync::Arc<dyn Authorize> {
        self.sign_ins.authorizer(None, &self.url).await
    }

    /// Signs in, unless that has happened since `before`. Fails after [`MAX_SIGN_INS`].
    pub(crate) async fn sign_in(&self, before: u32) -> anyhow::Result<()> {
        let _turn = self.turn.lock().await;
        if self.times.load(Ordering::Relaxed) > before {
            return Ok(());
        }
        anyhow::ensure!(
            self.times.fetch_add(1, Ordering::Relaxed) < MAX_SIGN_INS,
            "the server is never satisfied"
        );
        let trail = StepObserver::new(|step| {
            eprintln!("{:?} {} {:?} {}", step.purpose, step.url.unwrap_or_default(), step.status, step.found);
        });
        self.sign_ins.sign_in(None, &self.url, &self.wanted, &RedirectBrowser, trail).await?;
        Ok(())
    }

    /// How often the user has signed in.
    pub(crate) fn sign_in_count(&self) -> u32 {
        self.times.load(Ordering::Relaxed)
    }

    /// Sends a request, and signs in if the server requires it.
    pub(crate) async fn ask<T>(
        &self,
        mut ask: impl AsyncFnMut() -> Result<T, RequestError>,
    ) -> anyhow::Result<T> {
        loop {
            let before = self.sign_in_count();
            match ask().await {
                Err(RequestError::SignIn { .. }) => self.sign_in(before).await?,
                outcome => return Ok(outcome?),
            }
        }
    }
}

/// How this user signs in, from the values in the context.
fn sign_in_options(context: &Value) -> anyhow::Result<SignInOptions> {
    let text = |name: &str| context.get(name).and_then(Value::as_str);
    let client = |id: &str, secret: &str| {
        let secret = text(secret).map(SecretString::from);
        text(id).map(|id| Client { id: id.to_owned(), secret, authentication: ClientAuthentication::None })
    };
    let mut wanted = SignInOptions { document: Some(Url::parse(DOCUMENT)?), ..SignInOptions::default() };
    wanted.client = client("client_id", "client_secret");
    if let Some(key) = text("private_key_pem") {
        let known = wanted.client.as_mut().context("a key without a client")?;
        known.secret = Some(SecretString::from(key));
        known.authentication = ClientAuthentication::PrivateKeyJwt;
        wanted.grant = SignInGrant::ClientCredentials;
    } else if let Some(assertion) = text("valid_jwt") {
        wanted.grant = SignInGrant::Assertion(SecretString::from(assertion));
    } else if let Some(id_token) = text("idp_id_token") {
        wanted.grant = SignInGrant::Enterprise(Box::new(EnterpriseProvider {
            issuer: text("idp_issuer").context("no idp_issuer")?.to_owned(),
            token_endpoint: text("idp_token_endpoint").map(Url::parse).transpose()?,
            client: client("idp_client_id", "idp_client_secret").context("no idp_client_id")?,
            id_token: SecretString::from(id_token),
        }));
    } else if std::env::var("MCP_CONFORMANCE_SCENARIO").is_ok_and(|name| name.contains("client-credentials"))
    {
        // The suite's context doesn't name the grant, so the scenario's name decides.
        wanted.grant = SignInGrant::ClientCredentials;
    }
    Ok(wanted)
}

/// A browser whose person approves at once: it follows all redirects, finally to our own URL.
struct RedirectBrowser;

impl Browser for RedirectBrowser {
    fn open<'a>(&'a self, url: &'a AuthorizationUrl) -> BrowserFuture<'a> {
        Box::pin(async move {
            let failed = |error: reqwest::Error| Error::Refused(Sentence::quoted(error.to_string()));
            let client =
                reqwest::Client::builder().timeout(Duration::from_secs(10)).build().map_err(failed)?;
            client.get(url.as_url().clone()).send().await.map_err(failed)?;
            Ok(())
        })
    }
}
