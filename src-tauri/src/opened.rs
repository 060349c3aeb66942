//! The links and files on the command line of a start, which the window opens.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use mooring_definitions::import::{self, MAX_IMPORT_BYTES, MAX_LINK_BYTES};
use mooring_words::{Sentence, say};
use serde::Serialize;
use tauri::Url;
use tokio::sync::{Mutex, mpsc};
use ts_rs::TS;

use crate::closing::HIDDEN;

/// How many items wait for a page that is still loading. Further items are dropped.
const MAX_WAITING: usize = 16;
/// Maximum number of characters of an argument that is shown because it can't be opened.
const MAX_SHOWN: usize = 200;
/// The extensions of files with configurations.
const EXTENSIONS: [&str; 8] = ["json", "jsonc", "json5", "toml", "yaml", "yml", "md", "txt"];

/// The extensions of bundles, as people and older tools name them.
pub(crate) const BUNDLE_EXTENSIONS: [&str; 2] = ["mcpb", "dxt"];

/// One thing for the window to open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Opened {
    /// The URL of a server that the person may want to add.
    Url {
        /// The URL, not checked.
        url: String,
    },
    /// A link that adds a server, or the text of a file with a configuration to import, not checked.
    Configuration {
        /// The text.
        text: String,
    },
    /// A bundle's file, which is read when the page asks for its review.
    Bundle {
        /// The file's full path.
        path: String,
    },
    /// The Inbox.
    Inbox,
    /// The list of what needs a review.
    Review,
    /// The dialog about what closing the window should do.
    CloseQuestion {
        /// Whether there is a tray that can bring the window back.
        tray: bool,
    },
    /// Something that the window can't open.
    Rejected {
        /// The reason, for the person.
        message: Sentence,
    },
}

/// The items that wait for the window's page.
pub(crate) struct OpenedQueue {
    sender: mpsc::Sender<Opened>,
    receiver: Mutex<mpsc::Receiver<Opened>>,
}

impl Default for OpenedQueue {
    fn default() -> Self {
        let (sender, receiver) = mpsc::channel(MAX_WAITING);
        Self { sender, receiver: Mutex::new(receiver) }
    }
}

impl OpenedQueue {
    /// Adds the arguments of a start.
    pub(crate) async fn add(&self, arguments: Vec<String>) {
        for argument in arguments {
            let read = tokio::task::spawn_blocking(move || open(&argument)).await;
            // Neither a link nor a path is logged: both can contain secrets.
            if !read.is_ok_and(|opened| self.sender.try_send(opened).is_ok()) {
                tracing::warn!("too much is to be opened at once: something was left out");
            }
        }
    }

    /// Adds one thing to open.
    pub(crate) fn push(&self, opened: Opened) {
        if self.sender.try_send(opened).is_err() {
            tracing::warn!("too much is to be opened at once: something was left out");
        }
    }

    /// Whether a page receives the items.
    pub(crate) fn has_reader(&self) -> bool {
        self.receiver.try_lock().is_err()
    }

    /// Forwards every item to `sink` until it returns false.
    pub(crate) async fn forward(&self, sink: impl Fn(Opened) -> bool) {
        let mut receiver = self.receiver.lock().await;
        while let Some(opened) = receiver.recv().await {
            if !sink(opened) {
                return;
            }
        }
    }
}

/// The arguments of this process. Paths are made absolute, because another process may open them.
pub(crate) fn arguments() -> Vec<String> {
    let folder = std::env::current_dir().unwrap_or_default();
    let arguments = std::env::args_os().skip(1).filter(|argument| argument != HIDDEN);
    arguments.map(|argument| absolute(&folder, &argument.to_string_lossy())).collect()
}

/// Makes a path absolute and leaves a link unchanged.
pub(crate) fn absolute(folder: &Path, argument: &str) -> String {
    if is_link(argument) {
        return argument.to_owned();
    }
    let path = match Url::parse(argument) {
        Ok(url) if url.scheme() == "file" => url.to_file_path().unwrap_or_else(|()| argument.into()),
        _ => PathBuf::from(argument),
    };
    folder.join(path).to_string_lossy().into_owned()
}

fn is_link(argument: &str) -> bool {
    Url::parse(argument).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mooring"))
        || import::is_link(argument)
}

/// The URL in a link: an `http` or `https` URL, with or without `mooring:` in front.
fn server_url(link: &str) -> Option<&str> {
    let url = match link.split_at_checked("mooring:".len()) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("mooring:") => rest.trim_start_matches('/'),
        _ => link,
    };
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")).then_some(url)
}

/// The screen that a link of Mooring opens, such as `mooring:open/inbox`.
fn screen(link: &str) -> Option<Opened> {
    let (scheme, path) = link.split_once(':')?;
    match path.trim_matches('/') {
        _ if !scheme.eq_ignore_ascii_case("mooring") => None,
        "open/inbox" => Some(Opened::Inbox),
        "open/review" => Some(Opened::Review),
        _ => None,
    }
}

/// Decides what the window opens for this argument.
fn open(argument: &str) -> Opened {
    if is_link(argument) {
        return open_link(argument);
    }
    let path = Path::new(argument);
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let has_extension = |known: &[&str]| extension.as_deref().is_some_and(|it| known.contains(&it));
    if has_extension(&BUNDLE_EXTENSIONS) {
        return Opened::Bundle { path: argument.to_owned() };
    }
    if !has_extension(&EXTENSIONS) {
        return useless(argument);
    }
    match read_text(path) {
        Ok(text) => Opened::Configuration { text },
        Err(error) => Opened::Rejected {
            message: say!(
                "{path} can’t be read: {reason}",
                path = argument,
                reason = Sentence::quoted(error.to_string())
            ),
        },
    }
}

/// A link opens what is reviewed before anything is saved or started.
fn open_link(link: &str) -> Opened {
    if link.len() > MAX_LINK_BYTES {
        let message = say!("the link is larger than {limit} KiB", limit = MAX_LINK_BYTES / 1024);
        return Opened::Rejected { message };
    }
    if import::is_link(link) {
        return Opened::Configuration { text: link.to_owned() };
    }
    let url = || server_url(link).map(|url| Opened::Url { url: url.to_owned() });
    screen(link).or_else(url).unwrap_or_else(|| useless(link))
}

fn useless(argument: &str) -> Opened {
    // Long text would fill the window.
    let name: String = argument.chars().take(MAX_SHOWN).collect();
    Opened::Rejected { message: say!("{name} is neither a link to a server nor a file with servers", name) }
}

/// Reads a file that is no larger than the limit for imports.
fn read_text(path: &Path) -> io::Result<String> {
    // Reading a pipe, for example, could block forever.
    if !path.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_IMPORT_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_IMPORT_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    String::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(argument: &str) -> String {
        match open(argument) {
            Opened::Url { url } => format!("url {url}"),
            Opened::Configuration { text } => format!("configuration {}", text.len()),
            Opened::Bundle { path } => format!("bundle {path}"),
            Opened::Rejected { message } => format!("rejected {message}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn links_and_files_of_servers_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, bytes: &[u8]| {
            std::fs::write(folder.path().join(name), bytes).unwrap();
            folder.path().join(name).display().to_string()
        };
        for (link, url) in [
            ("https://harbour.test/mcp", "https://harbour.test/mcp"),
            ("http://localhost:1/mcp?a=b", "http://localhost:1/mcp?a=b"),
            ("mooring:https://harbour.test/mcp", "https://harbour.test/mcp"),
            ("MOORING://https://harbour.test/mcp", "https://harbour.test/mcp"),
        ] {
            assert_eq!(kind(link), format!("url {url}"));
        }
        assert_eq!(kind(&file("servers.JSON", b"{}")), "configuration 2");
        let largest = vec![b' '; MAX_IMPORT_BYTES];
        assert_eq!(kind(&file("largest.json", &largest)), format!("configuration {MAX_IMPORT_BYTES}"));
        for name in ["tide.mcpb", "OLD.DXT"] {
            let path = folder.path().join(name).display().to_string();
            assert_eq!(kind(&path), format!("bundle {path}"));
        }
        for link in [
            "mooring:add?name=tide&url=https%3A%2F%2Ftide.example",
            "cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config=e30",
            "https://cursor.com/install-mcp?name=tide&config=e30",
        ] {
            assert_eq!(kind(link), format!("configuration {}", link.len()));
        }
        assert_eq!(kind("mooring:open/inbox"), "Inbox");
        assert_eq!(kind("mooring://open/review/"), "Review");
        assert_eq!(kind(&file("codex.toml", b"[a]")), "configuration 3");
        let useless =
            ["mooring:javascript:alert(1)", "mooring:", "mooring:open/vault", "cursor://x", "--help"];
        for useless in useless.into_iter().chain([file("notes.pdf", b"{}").as_str()]) {
            assert!(kind(useless).contains("neither a link to a server"), "{useless}");
        }
        let huge = format!("mooring:add?config={}", "x".repeat(1 << 20));
        assert_eq!(kind(&huge), "rejected the link is larger than 64 KiB");
        assert!(kind(&"y".repeat(1 << 20)).len() < 400);
        let folder_as_file = folder.path().join("folder.json");
        std::fs::create_dir(&folder_as_file).unwrap();
        let missing = folder.path().join("missing.json").display().to_string();
        let folder_as_file = folder_as_file.display().to_string();
        let too_large = file("large.json", &[&largest[..], b" "].concat());
        for unread in [missing, folder_as_file, too_large, file("bytes.json", &[0xff, 0xfe])] {
            assert!(kind(&unread).contains("can’t be read: "), "{unread}");
        }
    }

    #[test]
    fn paths_mean_the_folder_of_the_start_and_links_stay() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(&here, "a.json"), here.join("a.json").display().to_string());
        #[cfg(unix)]
        assert_eq!(absolute(&here, "file:///tmp/a%20b.json"), "/tmp/a b.json");
        for link in ["mooring:https://harbour.test/mcp", "https://harbour.test/mcp"] {
            assert_eq!(absolute(&here, link), link);
        }
    }
}
