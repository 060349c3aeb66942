//! Kinds of servers that keep state for a single user. What one app does there is visible to the next app.

use mooring_base::codes;

codes! {
    /// What a server remembers between calls.
    pub enum SingleUserKind {
        /// A browser page.
        Browser = "browser",
        /// A shell, with its current folder and variables.
        Shell = "shell",
        /// A database connection, with its transaction and settings.
        Database = "database",
    }
}

/// Words in the names of packages, images and addresses of such servers.
const WORDS: [(SingleUserKind, &[&str]); 3] = [
    (
        SingleUserKind::Browser,
        &[
            "playwright",
            "puppeteer",
            "browser",
            "browsermcp",
            "browserbase",
            "devtools",
            "selenium",
            "stagehand",
        ],
    ),
    (SingleUserKind::Shell, &["commander", "shell", "terminal", "tmux", "iterm", "ssh", "repl", "jupyter"]),
    (
        SingleUserKind::Database,
        &[
            "postgres",
            "postgresql",
            "mysql",
            "mariadb",
            "mongodb",
            "mongo",
            "redis",
            "duckdb",
            "mssql",
            "oracle",
            "clickhouse",
            "snowflake",
            "sqlcl",
            "dbhub",
        ],
    ),
];

impl SingleUserKind {
    /// The kind of a server with this command, by the names of its program and package. Folders, options and
    /// values don't count, because they are chosen by the person.
    pub fn of_command(command: &str, args: &[String]) -> Option<Self> {
        let program = command.rsplit(['/', '\\']).next().unwrap_or(command);
        let is_name = |text: &&str| {
            !text.starts_with(['-', '/', '.', '~'])
                && !text.contains(['=', '\\', ' '])
                && !text.contains("://")
        };
        let names = args.iter().map(String::as_str).filter(is_name);
        std::iter::once(program).chain(names).find_map(Self::of_name)
    }

    fn of_name(name: &str) -> Option<Self> {
        let words = || name.split(|character: char| !character.is_alphanumeric());
        let has =
            |known: &[&str]| words().any(|word| known.iter().any(|known| word.eq_ignore_ascii_case(known)));
        WORDS.into_iter().find(|(_, known)| has(known)).map(|(kind, _)| kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_kinds_are_told_by_their_packages() {
        for (line, kind) in [
            ("npx -y @playwright/mcp@latest --headless", Some(SingleUserKind::Browser)),
            ("npx chrome-devtools-mcp@latest", Some(SingleUserKind::Browser)),
            ("uvx browser-use-mcp-server", Some(SingleUserKind::Browser)),
            ("npx -y @wonderwhy-er/desktop-commander", Some(SingleUserKind::Shell)),
            ("/usr/local/bin/mcp-shell", Some(SingleUserKind::Shell)),
            ("docker run -i --rm mcp/postgres postgresql://me@host/db", Some(SingleUserKind::Database)),
            ("uvx mysql_mcp_server", Some(SingleUserKind::Database)),
            ("npx -y @modelcontextprotocol/server-filesystem /home/me/shell", None),
            ("npx -y @modelcontextprotocol/server-memory", None),
            ("uvx mcp-server-git --repository ../terminal", None),
            ("node server.js NAME=browser", None),
            ("", None),
        ] {
            let mut words = line.split(' ').map(str::to_owned);
            let (command, args) = (words.next().unwrap(), words.collect::<Vec<_>>());
            assert_eq!(SingleUserKind::of_command(&command, &args), kind, "{line}");
        }
    }
}
