//! A single line that is a URL or a command, as READMEs and terminals have it.

use mooring_base::command_line::split_words;
use mooring_words::{Sentence, say};

use super::add_command::{is_url, join_lines, without_prompt};
use super::node::{Node, Place};

/// Programs that run packages, scripts or images, as they are written. A line that begins with another name may be a
/// sentence.
const RUNNERS: [&str; 25] = [
    "bun", "bunx", "cargo", "cmd", "deno", "dnx", "docker", "dotnet", "go", "java", "jbang", "nix", "node",
    "npm", "npx", "php", "pipx", "pnpm", "pnpx", "podman", "python", "python3", "uv", "uvx", "yarn",
];
/// Words behind a program that only install something and start no server.
const INSTALLS: [&str; 6] = ["install", "i", "add", "pull", "clone", "build"];

/// The server that a single line describes, and what the line is. `None` if it is neither a URL nor a command, such
/// as JSON with an error.
pub(super) fn parse(text: &str) -> Option<(Node, Sentence)> {
    let joined = join_lines(text);
    let is_other =
        |line: &str| line.is_empty() || ["#", "```", "~~~"].iter().any(|start| line.starts_with(start));
    let is_line = |line: &&str| !is_other(line.trim());
    let mut lines = joined.lines().filter(is_line);
    let line = lines.next().filter(|line| lines.next().is_none() && !line.contains('{'))?;
    let start = line.as_ptr() as usize - joined.as_ptr() as usize;
    let place = Place { start, end: start + line.len() };
    let line = without_prompt(line);
    if is_url(line) && !line.contains(char::is_whitespace) {
        return Some((place.object([place.member("url", place.text(line))]), say!("a URL")));
    }
    let mut words = split_words(line)?.into_iter().peekable();
    let mut env = Vec::new();
    while let Some(pair) = words.next_if(|word| is_assignment(word)) {
        env.push(pair);
    }
    let program = words.next()?;
    let args: Vec<String> = words.collect();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.trim_end_matches(".exe").trim_end_matches(".cmd");
    let is_path = ["/", "~/", "./", "../"].iter().any(|start| program.starts_with(start))
        || program.get(1..3).is_some_and(|drive| drive == ":\\");
    let installs = args.first().is_some_and(|word| INSTALLS.contains(&word.as_str()));
    if !(RUNNERS.contains(&name) || is_path) || args.is_empty() || installs || needs_shell(line) {
        return None;
    }
    let members = [
        place.member("command", place.text(program)),
        place.member("args", place.texts(args)),
        place.member("env", place.texts(env)),
    ];
    Some((place.object(members), say!("a command line")))
}

/// Whether a line has a sign outside quotes that only a shell understands, or a comment.
fn needs_shell(line: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    for sign in line.chars() {
        match quote {
            Some(open) if sign == open => quote = None,
            Some(_) => {}
            None if matches!(sign, '"' | '\'') => quote = Some(sign),
            None if matches!(sign, ';' | '&' | '|' | '<' | '>' | '`') => return true,
            None if sign == '#' && before.is_whitespace() => return true,
            None => {}
        }
        before = sign;
    }
    false
}

/// Whether a word sets a variable for the command behind it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_')
            && !name.starts_with(|it: char| it.is_ascii_digit())
    })
}
