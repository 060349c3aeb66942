//! From a server's settings to what the engine starts or reaches.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mooring_mcp::Target;
use mooring_process::{LoginPath, PathSource, SearchPath, Spawn, login_shell_path, resolve};
use mooring_words::{Sentence, say};
use secrecy::ExposeSecret;
use tokio::sync::{OnceCell, watch};
use url::Url;

use crate::error::{Failure, FailureCode};
use crate::failure;
use crate::journal::redact::Secrets;
use crate::secrets::{Opened, SecretPlace};
use crate::server::{NewServer, Transport, address_problem};

/// The login shell's search path, asked for when the first saved server starts.
#[derive(Debug, Clone)]
pub(crate) struct LoginShell {
    path: Arc<OnceCell<LoginPath>>,
    /// Whether it may be asked.
    ready: watch::Receiver<bool>,
}

impl LoginShell {
    /// One that is asked no sooner than `ready` says so.
    pub(crate) fn new(ready: watch::Receiver<bool>) -> Self {
        Self { path: Arc::default(), ready }
    }

    /// The path, if the shell has answered.
    pub(crate) fn known(&self) -> Option<&LoginPath> {
        self.path.get()
    }

    /// The path; the first caller waits for the shell.
    pub(crate) async fn path(&self) -> &LoginPath {
        self.path
            .get_or_init(async || {
                // An error means that nobody is left to say so, and nothing to wait for.
                let _ = self.ready.clone().wait_for(|ready| *ready).await;
                login_shell_path().await
            })
            .await
    }
}

/// How a search path is called in a message.
pub(crate) fn whose(path: &LoginPath) -> Sentence {
    match path.source {
        PathSource::Shell { .. } => say!("your login shell's PATH"),
        PathSource::Environment { .. } => say!("the PATH (the login shell could not be asked)"),
    }
}

/// Where a server runs.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// A saved server: with the login shell's search path, in its own private directory unless its settings
    /// name one.
    Saved {
        /// The private directory.
        private: PathBuf,
    },
    /// A command of the caller's: in the caller's directory, with the caller's search path.
    Caller {
        /// The directory.
        cwd: PathBuf,
    },
}

/// What to connect to, ready for the engine.
pub(crate) struct Launch {
    pub(crate) target: Target,
    /// The program's absolute path, for stdio.
    pub(crate) program: Option<PathBuf>,
}

/// Finds the program and the directory, or reads the address, and gives the server the values that were sealed.
pub(crate) async fn prepare(
    config: &NewServer,
    place: &Place,
    login: &LoginShell,
    opened: Vec<Opened>,
) -> Result<Launch, Failure> {
    match config.transport {
        Transport::Http => address(config, &opened),
        Transport::Stdio => program(config, place, login, &opened).await,
    }
}

/// The values for one place.
fn values(opened: &[Opened], place: SecretPlace) -> impl Iterator<Item = (String, String)> {
    let here = opened.iter().filter(move |opened| opened.place == place);
    here.map(|opened| (opened.name.clone(), opened.value.expose_secret().to_owned()))
}

fn address(config: &NewServer, opened: &[Opened]) -> Result<Launch, Failure> {
    let text = config.url.as_deref().unwrap_or_default();
    let url = Url::parse(text).map_err(|error| {
        Failure::new(
            FailureCode::Refused,
            say!("not an address ({reason}): {url}", reason = address_problem(error), url = text),
        )
    })?;
    let plain = config.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let headers = plain.chain(values(opened, SecretPlace::Header)).collect();
    Ok(Launch { target: Target::Http { url, headers }, program: None })
}

async fn program(
    config: &NewServer,
    place: &Place,
    login: &LoginShell,
    opened: &[Opened],
) -> Result<Launch, Failure> {
    let command = config.command.as_deref().unwrap_or_default();
    let (cwd, search, whose) = match place {
        Place::Saved { private } => {
            let cwd = match &config.cwd {
                Some(cwd) => PathBuf::from(cwd),
                None => make_private(private).await?,
            };
            let login = login.path().await;
            (cwd, login.path.clone(), whose(login))
        }
        Place::Caller { cwd } => {
            let cwd = config.cwd.as_ref().map_or_else(|| cwd.clone(), PathBuf::from);
            (cwd, SearchPath::from_environment(), say!("your PATH"))
        }
    };
    if !tokio::fs::metadata(&cwd).await.is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::no_folder(&cwd.display().to_string()));
    }
    let program = resolve(command, &search, &cwd).map_err(|error| failure::from_resolve(error, &whose))?;
    let mut env = config.env.clone();
    env.extend(values(opened, SecretPlace::Env));
    let spawn = Spawn { program: program.clone(), args: config.args.clone(), env, cwd, search };
    Ok(Launch { target: Target::Stdio(spawn), program: Some(program) })
}

/// Makes a directory that only this user may enter.
async fn make_private(path: &Path) -> Result<PathBuf, Failure> {
    let mut builder = tokio::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    builder.mode(0o700);
    builder
        .create(path)
        .await
        .map_err(|error| Failure::private_folder(&path.display().to_string(), &error))?;
    Ok(path.to_owned())
}

/// What the settings of a server hold in confidence.
pub(crate) fn secrets(config: &NewServer) -> Secrets {
    let mut secrets = Secrets::default();
    for (name, value) in config.env.iter().chain(&config.headers) {
        secrets.learn(name, value);
    }
    if let Some(url) = &config.url {
        secrets.learn_address(url);
    }
    secrets
}
