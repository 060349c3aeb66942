//! The first line on a connection to the gateway, and the gateway's answer. The first line says what the
//! connection is for. MCP messages follow, or the messages of a command of the same version.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mooring_app_key::{AppKey, Challenge};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use crate::BridgeError;
use crate::lines::{Line, Lines};

/// The version of these two lines.
const VERSION: u32 = 1;
/// How long a gateway may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// The longest name of an app, in characters.
const MAX_APP: usize = 64;

/// What a connection to the gateway is for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hello {
    /// An app connects to use the servers.
    App(AppHello),
    /// A window asks for the data folder. A gateway without a window then ends and releases the folder.
    HandOver,
    /// A command connects to use servers through the Mooring that runs them. The messages that follow aren't
    /// MCP.
    Command(CommandHello),
}

/// The first line of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommandHello {
    /// The command's version of Mooring. The messages that follow don't name a version.
    pub version: String,
}

/// The first line of an app.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AppHello {
    /// The app's name, 1 to 64 characters.
    pub app: String,
    /// The name of the only server that the app sees. `None` if it sees all of them.
    pub server: Option<String>,
    /// The public key for the key in the app's entry. Entries of earlier versions have no key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The bridge's answer to a challenge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Signed {
    /// The signature, in hexadecimal digits.
    pub signed: String,
}

#[derive(Serialize, Deserialize)]
struct Versioned<T> {
    mooring: u32,
    #[serde(flatten)]
    said: T,
}

/// The gateway's answer. An empty answer accepts the connection.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Welcome {
    /// Why the gateway refuses the connection.
    pub refused: Option<String>,
    /// A nonce that the bridge has to sign with the app's key before the gateway accepts the connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
}

impl Welcome {
    /// Refuses the connection with a reason.
    pub fn refused(reason: String) -> Self {
        Self { refused: Some(reason), challenge: None }
    }
}

impl Signed {
    /// Parses the line. `None` if it isn't a signature.
    pub fn read(line: &str) -> Option<Self> {
        serde_json::from_str::<Versioned<Self>>(line).ok().map(|signed| signed.said)
    }
}

impl Hello {
    /// Parses the line. The error is a message for the sender.
    pub fn read(line: &str) -> Result<Self, String> {
        let hello: Versioned<Self> = serde_json::from_str(line)
            .map_err(|_| "this is Mooring’s gateway, for `mooring bridge`".to_owned())?;
        if hello.mooring != VERSION {
            return Err("the bridge is of another version of Mooring".to_owned());
        }
        if let Self::App(AppHello { app, .. }) = &hello.said {
            let is_name = !app.trim().is_empty() && app.chars().count() <= MAX_APP;
            if !is_name || app.chars().any(char::is_control) {
                return Err(format!("an app’s name has 1 to {MAX_APP} characters"));
            }
        }
        Ok(hello.said)
    }
}

/// Serializes `said` and the version of the exchange as one line of JSON, with its line feed.
pub fn line(said: impl Serialize) -> Result<String, BridgeError> {
    let text = serde_json::to_string(&Versioned { mooring: VERSION, said });
    text.map(|text| text + "\n").map_err(|error| BridgeError::App(error.into()))
}

/// The path of the socket of a data folder's gateway.
pub fn socket_path(home: &Path) -> PathBuf {
    home.join("gateway.sock")
}

/// Whether the process at the other end belongs to the same user.
pub fn is_own(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw())
}

/// A connection to the gateway of a data folder.
#[derive(Debug)]
pub struct Connected {
    /// Lines from the gateway.
    pub from: Lines<OwnedReadHalf>,
    /// Where to write messages for the gateway.
    pub to: OwnedWriteHalf,
}

/// Connects to the gateway of a data folder, sends `hello` and waits for the answer. `key` is the key in the
/// app's entry, which signs the gateway's challenge. A gateway that doesn't answer counts as not running.
pub async fn connect(home: &Path, hello: &Hello, key: Option<&AppKey>) -> Result<Connected, BridgeError> {
    let connected = tokio::time::timeout(ANSWER_TIMEOUT, connect_in_time(home, hello, key)).await;
    connected.unwrap_or(Err(BridgeError::NotRunning))
}

async fn connect_in_time(home: &Path, hello: &Hello, key: Option<&AppKey>) -> Result<Connected, BridgeError> {
    let path = socket_path(home);
    let stream = UnixStream::connect(&path).await.map_err(|_| BridgeError::NotRunning)?;
    if !is_own(&stream) {
        return Err(BridgeError::OfAnotherUser(path));
    }
    let listener =
        stream.peer_cred().ok().and_then(|peer| peer.pid()).and_then(|pid| u32::try_from(pid).ok());
    let listener = listener.unwrap_or_default();
    let (from, mut to) = stream.into_split();
    let mut from = Lines::new(from, usize::MAX);
    let lost = |_| BridgeError::NotRunning;
    to.write_all(line(hello)?.as_bytes()).await.map_err(lost)?;
    let mut welcome = read_welcome(&mut from).await?;
    if let (Some(nonce), Some(key)) = (&welcome.challenge, key) {
        let signed = key.sign(Challenge { nonce, listener });
        to.write_all(line(Signed { signed })?.as_bytes()).await.map_err(lost)?;
        welcome = read_welcome(&mut from).await?;
    }
    match welcome.refused {
        Some(reason) => Err(BridgeError::Refused(reason)),
        None => Ok(Connected { from, to }),
    }
}

async fn read_welcome(from: &mut Lines<OwnedReadHalf>) -> Result<Welcome, BridgeError> {
    let Ok(Some(Line::Text(answer))) = from.next().await else { return Err(BridgeError::NotRunning) };
    let welcome: Versioned<Welcome> = serde_json::from_str(&answer).map_err(|_| BridgeError::NotRunning)?;
    Ok(welcome.said)
}
