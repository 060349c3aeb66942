//! Converts a server's settings into what the engine starts or connects to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mooring_accounts::DecryptedSecret;
use mooring_base::url_error::url_error_sentence;
use mooring_definitions::{NewServer, Transport};
use mooring_errors::{Failure, FailureCode, failure};
use mooring_mcp::ServerTarget;
use mooring_process::{
    LoginShell, ProgramSearch, SearchPath, SpawnOptions, join_search_path, path_name, resolve,
    with_declared_path,
};
use mooring_recorder::KnownSecrets;
use mooring_store::SecretPlace;
use mooring_words::{Sentence, say};
use secrecy::ExposeSecret;
use url::Url;

/// Where a server runs.
#[derive(Debug, Clone)]
pub enum LaunchContext {
    /// A saved server. It uses the login shell's search path. Its directory is its private one, unless its
    /// settings name another.
    Saved {
        /// The private directory.
        private: PathBuf,
    },
    /// A caller's command. It uses the caller's directory and search path.
    Caller {
        /// The directory.
        cwd: PathBuf,
    },
}

/// A prepared server for the engine to connect to.
pub(crate) struct Launch {
    pub(crate) target: ServerTarget,
    /// The program's absolute path, for stdio.
    pub(crate) program: Option<PathBuf>,
}

/// Finds the program and the directory, or parses the URL, and adds the decrypted values.
pub(crate) async fn prepare(
    config: &NewServer,
    place: &LaunchContext,
    login: &LoginShell,
    opened: Vec<DecryptedSecret>,
) -> Result<Launch, Failure> {
    match config.transport {
        Transport::Http => prepare_http(config, &opened),
        Transport::Stdio => prepare_program(config, place, login, &opened).await,
    }
}

/// The decrypted values for one place, such as headers.
fn decrypted_values(
    opened: &[DecryptedSecret],
    place: SecretPlace,
) -> impl Iterator<Item = (String, String)> {
    let here = opened.iter().filter(move |opened| opened.place == place);
    here.map(|opened| (opened.name.clone(), opened.value.expose_secret().to_owned()))
}

fn prepare_http(config: &NewServer, opened: &[DecryptedSecret]) -> Result<Launch, Failure> {
    let text = config.url.as_deref().ok_or_else(Failure::unreadable_definition)?;
    let url = Url::parse(text).map_err(|error| {
        Failure::new(
            FailureCode::Refused,
            say!("not a URL ({reason}): {url}", reason = url_error_sentence(error), url = text),
        )
    })?;
    let plain = config.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let headers = plain.chain(decrypted_values(opened, SecretPlace::Header)).collect();
    Ok(Launch { target: ServerTarget::Http { url, headers }, program: None })
}

/// The program of a server, and how it was found.
#[derive(Debug, Clone)]
pub struct FoundProgram {
    /// Its absolute path.
    pub program: PathBuf,
    /// The working directory.
    pub cwd: PathBuf,
    /// The search path that the program gets.
    pub search: SearchPath,
    /// The name of the search path, such as `your PATH`.
    pub whose: Sentence,
}

/// Finds the program and the working directory of a server that is started with a command.
pub async fn find_program(
    config: &NewServer,
    place: &LaunchContext,
    login: &LoginShell,
) -> Result<FoundProgram, Failure> {
    let command = config.command.as_deref().ok_or_else(Failure::unreadable_definition)?;
    let cwd = match (&config.cwd, place) {
        (Some(cwd), _) => PathBuf::from(cwd),
        (None, LaunchContext::Saved { private }) => make_private(private).await?,
        (None, LaunchContext::Caller { cwd }) => cwd.clone(),
    };
    if !tokio::fs::metadata(&cwd).await.is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Failure::no_folder(&cwd.display().to_string()));
    }
    let declared = declared_path(&config.env);
    let (found, search, whose) = match place {
        LaunchContext::Saved { .. } => {
            let ProgramSearch { program, login } = login.find(command, declared, &cwd).await;
            (program, login.path.clone(), path_name(&login, declared))
        }
        LaunchContext::Caller { .. } => {
            let search = SearchPath::from_environment();
            let program = resolve(command, &join_search_path(declared, &search), &cwd);
            (program, search, with_declared_path(say!("your PATH"), declared))
        }
    };
    let program = found.map_err(|error| {
        let failure = failure::from_resolve(error, &whose);
        match place {
            LaunchContext::Saved { .. } => failure,
            LaunchContext::Caller { .. } => failure.with_install_command(command, &search),
        }
    })?;
    Ok(FoundProgram { program, cwd, search, whose })
}

async fn prepare_program(
    config: &NewServer,
    place: &LaunchContext,
    login: &LoginShell,
    opened: &[DecryptedSecret],
) -> Result<Launch, Failure> {
    let FoundProgram { program, cwd, search, .. } = find_program(config, place, login).await?;
    let mut env = config.env.clone();
    env.extend(decrypted_values(opened, SecretPlace::Env));
    let spawn = SpawnOptions { program: program.clone(), args: config.args.clone(), env, cwd, search };
    Ok(Launch { target: ServerTarget::Stdio(spawn), program: Some(program) })
}

/// The `PATH` among the unencrypted variables. The program is searched on it, and gets it. An encrypted
/// `PATH` is not used for the search, because messages name the searched folders.
fn declared_path(env: &BTreeMap<String, String>) -> Option<&str> {
    let is_path = |name: &str| if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" };
    env.iter().find(|(name, _)| is_path(name)).map(|(_, value)| value.as_str())
}

/// Creates a directory that only this user can access.
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

/// The secrets that a server's settings contain in plain text.
pub fn known_secrets(config: &NewServer) -> KnownSecrets {
    let mut secrets = KnownSecrets::default();
    for (name, value) in config.env.iter().chain(&config.headers) {
        secrets.add_if_secret(name, value);
    }
    if let Some(url) = &config.url {
        secrets.add_from_url(url);
    }
    secrets
}
