//! Progress of programs that download packages, on standard error: `npx`, `uvx`, `docker run` and others.
//! These programs download before the server runs, which can take minutes.

use tokio::sync::watch;

/// Whether the program that starts a server is downloading the server's package, according to the program's
/// output.
#[derive(Debug, Default)]
pub(crate) struct Fetching(watch::Sender<bool>);

impl Fetching {
    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }

    /// Reads a line of standard error.
    pub(crate) fn read_line(&self, line: &[u8]) {
        // Once the server is connected, there are no receivers.
        if self.0.receiver_count() == 0 {
            return;
        }
        let told = std::str::from_utf8(line).ok().and_then(is_downloading);
        self.0.send_if_modified(|fetches| told.is_some_and(|now| std::mem::replace(fetches, now) != now));
    }
}

/// How many bytes of a line are read.
const LONGEST_LINE: usize = 400;

/// Whether a package is being downloaded, according to a line. A line that isn't from a package runner comes
/// from the server, so the download is over. `None` if the line says nothing about this.
fn is_downloading(line: &str) -> Option<bool> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    let line = line.get(..LONGEST_LINE).unwrap_or(line).to_ascii_lowercase();
    let begins = [
        "npm warn exec the following package",
        "downloading ",
        "downloaded ",
        "building ",
        "built ",
        "resolved ",
        "prepared ",
        "download http",
        "go: downloading ",
        "unable to find image '",
    ];
    // Docker writes the name of a layer or tag first.
    let (first, rest) = line.split_once(": ").unwrap_or_default();
    let is_layer = !first.is_empty() && !first.contains(' ');
    let layers = [
        "pulling from ",
        "pulling fs layer",
        "waiting",
        "verifying checksum",
        "download complete",
        "pull complete",
    ];
    let is_docker = is_layer && layers.iter().any(|words| rest.starts_with(words));
    let is_npm = line.starts_with("npm warn ") || line.starts_with("npm notice");
    if is_docker || begins.iter().any(|begin| line.starts_with(begin)) {
        Some(true)
    } else if is_npm || line.starts_with("digest: sha256:") {
        None
    } else {
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fetches_a_package_is_told_by_its_words() {
        for line in [
            "npm warn exec The following package was not found and will be installed: cowsay@1.6.0",
            "npm WARN exec The following packages were not found and will be installed: a@1, b@2",
            "Downloading pydantic-core (2.0MiB)",
            "Downloading cpython-3.13.1-linux-x86_64-gnu (download) (20.8MiB)",
            "Unable to find image 'mcp/time:latest' locally",
            "latest: Pulling from mcp/time",
            "6e909acdb790: Pulling fs layer",
            "Download https://deno.land/std@0.224.0/http/server.ts",
            "go: downloading golang.org/x/sync v0.7.0",
        ] {
            assert_eq!(is_downloading(line), Some(true), "{line}");
        }
        for line in [
            "Installed 34 packages in 12ms",
            "Installed 1 package in 2ms",
            "Status: Downloaded newer image for mcp/time:latest",
            "Secure MCP Filesystem Server running on stdio",
            "INFO: downloading the model",
            "2026-11-30 10:00:00 worker: downloading in the background",
        ] {
            assert_eq!(is_downloading(line), Some(false), "{line}");
        }
        for line in
            ["npm warn deprecated x@1", "npm notice New major version", "Digest: sha256:0af1", " ", ""]
        {
            assert_eq!(is_downloading(line), None, "{line}");
        }
    }
}
