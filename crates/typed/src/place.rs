//! The server that the first words of a command name.

/// What words name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A saved server.
    Saved(String),
    /// A URL.
    Url(String),
    /// A command that starts a server: every word that was left.
    Command(Vec<String>),
}

/// Why it isn't clear what words name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unclear {
    /// No words.
    Nothing,
    /// The first is neither a saved server nor a URL, a path or a program.
    Unknown(String),
    /// The first is a saved server and a program, and more words follow.
    Both(String),
}

/// Programs that start servers, also where they aren't installed: what is missing then is the program.
const STARTERS: [&str; 13] = [
    "npx", "uvx", "bunx", "pnpx", "node", "deno", "bun", "python", "python3", "uv", "docker", "podman",
    "pipx",
];

/// Finds the server that the first words name, and returns it with the remaining words. `saved` are the names
/// of the saved servers, and `is_program` says whether a word is a program on this computer. `NAME.ITEM`
/// names a saved server and one of its items in one word.
pub fn read_place<'a>(
    words: &[String],
    saved: impl IntoIterator<Item = &'a str> + Clone,
    is_program: impl Fn(&str) -> bool,
) -> Result<(Place, Vec<String>), Unclear> {
    let (first, rest) = words.split_first().ok_or(Unclear::Nothing)?;
    let starts = STARTERS.contains(&first.as_str()) || is_path(first) || is_program(first);
    if saved.clone().into_iter().any(|name| name == first) {
        // A program alone starts no server that one could mean.
        let both = starts && !rest.is_empty();
        return if both {
            Err(Unclear::Both(first.clone()))
        } else {
            Ok((Place::Saved(first.clone()), rest.to_vec()))
        };
    }
    let item_of = |name: &&str| {
        first.strip_prefix(*name).and_then(|rest| rest.strip_prefix('.')).is_some_and(|item| !item.is_empty())
    };
    if let Some(name) = saved.into_iter().filter(item_of).max_by_key(|name| name.len()) {
        let item = first[name.len() + 1..].to_owned();
        return Ok((
            Place::Saved(name.to_owned()),
            std::iter::once(item).chain(rest.iter().cloned()).collect(),
        ));
    }
    if let Some(url) = url_of(first).filter(|_| !is_program(first)) {
        return Ok((Place::Url(url), rest.to_vec()));
    }
    // A command in one word, as some documentation has it.
    if starts || (rest.is_empty() && first.contains(char::is_whitespace)) {
        return Ok((Place::Command(words.to_vec()), Vec::new()));
    }
    Err(Unclear::Unknown(first.clone()))
}

fn is_path(word: &str) -> bool {
    word.starts_with(['.', '/', '~']) || word.contains('\\')
}

/// Files that a program runs, and not names of hosts.
const SCRIPTS: [&str; 10] = ["js", "mjs", "cjs", "ts", "py", "sh", "rb", "jar", "exe", "pl"];

/// Parses a word as a URL, also without a scheme: `127.0.0.1:9/mcp`, `localhost:3000`, `mcp.example.com/mcp`.
pub fn url_of(word: &str) -> Option<String> {
    if let Some((scheme, rest)) = word.split_once("://") {
        let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter));
        return (is_scheme && !rest.is_empty()).then(|| word.to_owned());
    }
    if word.contains(char::is_whitespace) || word.contains('@') {
        return None;
    }
    let end = word.find(['/', '?', '#']).unwrap_or(word.len());
    let (authority, path) = word.split_at(end);
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return None;
    }
    let loopback = is_loopback(host);
    let known = loopback || host.parse::<std::net::Ipv4Addr>().is_ok() || is_ipv6(host);
    let named = is_domain(host) && (port.is_some() || !path.is_empty() || !is_script(host));
    // Inside a network a host may have one word; then its port says that it is one.
    let inside = is_label(host) && port.is_some();
    (known || named || inside).then(|| format!("{}://{word}", if loopback { "http" } else { "https" }))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || host == "[::1]"
}

fn is_ipv6(host: &str) -> bool {
    let inside = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    inside.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok())
}

fn is_label(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
}

/// A name with a dot whose end is no number.
fn is_domain(host: &str) -> bool {
    host.rsplit_once('.')
        .is_some_and(|(_, end)| end.len() >= 2 && !end.starts_with(|it: char| it.is_ascii_digit()))
        && host.split('.').all(is_label)
}

fn is_script(host: &str) -> bool {
    host.rsplit_once('.').is_some_and(|(_, end)| SCRIPTS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn read(line: &str) -> Result<(Place, Vec<String>), Unclear> {
        let saved = ["demo", "my.files", "my", "node", "weather"];
        read_place(&words(line), saved, |word| ["node", "my-server"].contains(&word))
    }

    fn saved(name: &str, rest: &str) -> (Place, Vec<String>) {
        (Place::Saved(name.to_owned()), words(rest))
    }

    fn command(line: &str) -> (Place, Vec<String>) {
        (Place::Command(words(line)), Vec::new())
    }

    #[test]
    fn a_saved_name_comes_first() {
        assert_eq!(read("demo"), Ok(saved("demo", "")));
        assert_eq!(read("demo echo message=hi"), Ok(saved("demo", "echo message=hi")));
        assert_eq!(read("demo.echo a=1"), Ok(saved("demo", "echo a=1")));
        // The longest name that fits.
        assert_eq!(read("my.files.read"), Ok(saved("my.files", "read")));
        assert_eq!(read("node"), Ok(saved("node", "")));
    }

    #[test]
    fn a_command_takes_every_word() {
        for line in ["npx -y x --flag", "my-server stdio", "./server", "~/bin/server a", "/opt/x", "uvx y"] {
            assert_eq!(read(line), Ok(command(line)), "{line}");
        }
        let one = vec!["npx -y x".to_owned()];
        assert_eq!(read_place(&one, [], |_| false), Ok((Place::Command(one.clone()), Vec::new())));
    }

    #[test]
    fn what_is_unclear_is_said() {
        assert_eq!(read(""), Err(Unclear::Nothing));
        assert_eq!(read("demoo echo"), Err(Unclear::Unknown("demoo".to_owned())));
        assert_eq!(read("node y.js"), Err(Unclear::Both("node".to_owned())));
    }

    #[test]
    fn a_url_needs_no_scheme() {
        for (word, url) in [
            ("https://x.test/mcp", "https://x.test/mcp"),
            ("ftp://x", "ftp://x"),
            ("127.0.0.1:9/mcp", "http://127.0.0.1:9/mcp"),
            ("localhost:3000", "http://localhost:3000"),
            ("localhost", "http://localhost"),
            ("[::1]:3000/mcp", "http://[::1]:3000/mcp"),
            ("192.168.1.4:80", "https://192.168.1.4:80"),
            ("mcp.example.com/mcp", "https://mcp.example.com/mcp"),
            ("mcp.example.com", "https://mcp.example.com"),
            ("intranet:8080/mcp", "https://intranet:8080/mcp"),
        ] {
            assert_eq!(url_of(word).as_deref(), Some(url), "{word}");
        }
        for word in [
            "demo",
            "server.py",
            "./x/y",
            "a/b",
            "@a/b",
            "x@y.com",
            "C:\\x",
            "1.5",
            "://x",
            "name:tag",
            "a:99999",
        ] {
            assert_eq!(url_of(word), None, "{word}");
        }
    }
}
