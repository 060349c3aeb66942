//! Shell commands that add a server to another application: `claude mcp add …` and `add-json`, also for Codex and
//! Gemini.

use mooring_base::command_line::ParsedCommand;

use super::jsonc;
use super::node::{Node, Place, Value};

/// Options with a value, and the configuration member with the same meaning.
const OPTIONS: [([&str; 2], &str); 8] = [
    (["-t", "--transport"], "transport"),
    (["-s", "--scope"], "scope"),
    (["-e", "--env"], "env"),
    (["-H", "--header"], "headers"),
    (["", "--url"], "url"),
    (["", "--bearer-token-env-var"], "bearer_token_env_var"),
    (["", "--client-id"], "client_id"),
    (["", "--timeout"], "timeout"),
];

/// The servers that commands in `text` add, as equivalent configurations.
pub(super) fn parse(text: &str) -> Vec<Node> {
    let text = join_lines(text);
    let mut end = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let start = end + line.len() - line.trim_start().len();
        end += line.len();
        parse_line(line.trim(), start, end)
    });
    lines.collect()
}

/// Joins lines that end with a backslash. Spaces keep all positions.
pub(super) fn join_lines(text: &str) -> String {
    text.replace("\\\r\n", "   ").replace("\\\n", "  ")
}

/// A line without the prompt of a shell and the backticks around it.
pub(super) fn without_prompt(line: &str) -> &str {
    line.trim_matches(['\u{feff}', '`', ' ', '\t']).trim_start_matches(['$', '>', ' '])
}

fn parse_line(line: &str, start: usize, end: usize) -> Option<Node> {
    let line = without_prompt(line);
    let mut verbs = line.split_whitespace().skip(1);
    let verb = (verbs.next() == Some("mcp")).then(|| verbs.next()).flatten();
    let is_add = matches!(verb, Some("add" | "add-json"));
    let ParsedCommand::Line(_, words) = is_add.then(|| ParsedCommand::read(line, &[], None))? else {
        return None;
    };
    let place = Place { start, end };
    let (mut env, mut headers, mut members, mut args) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut name, mut program) = (None, None);
    let mut words = words.into_iter().skip(2);
    while let Some(word) = words.next() {
        // Options after the program are the program's. Options after a URL are the application's.
        let is_own = program.as_deref().is_none_or(is_url);
        if word == "--" && program.is_none() {
            program = words.next();
        } else if is_own && word.starts_with('-') {
            let (option, value) = word
                .split_once('=')
                .map_or((word.as_str(), None), |(option, value)| (option, Some(value.to_owned())));
            let member = OPTIONS.iter().find(|(names, _)| names.contains(&option)).map(|(_, member)| *member);
            let value = value.or_else(|| member.and_then(|_| words.next()));
            match (member, value) {
                (Some("env"), Some(pair)) => env.push(pair),
                (Some("headers"), Some(header)) => {
                    let (name, value) = header.split_once(':').unwrap_or((&header, ""));
                    headers.push(place.member(name.trim(), place.text(value.trim())));
                }
                (_, value) => {
                    let name = member.unwrap_or(option.trim_start_matches('-'));
                    let value = value.map_or(Value::Bool(true), Value::String);
                    members.push(place.member(name, place.node(value)));
                }
            }
        } else if program.is_none() && !env.is_empty() && word.contains('=') {
            // One option can have several variables.
            env.push(word);
        } else if name.is_none() {
            name = Some(word);
        } else if program.is_none() {
            program = Some(word);
        } else {
            args.push(word);
        }
    }
    if verb == Some("add-json") {
        let json = program?;
        let server = jsonc::parse_range(&json, &(0..json.len())).roots.pop()?;
        return Some(place.servers([place.member(name?, server.moved_to(place))]));
    }
    if let Some(program) = program {
        let stdio = Value::String("stdio".to_owned());
        let is_remote = members.iter().any(|member| member.name == "transport" && member.node.value != stdio);
        let how = if is_remote || is_url(&program) { "url" } else { "command" };
        members.push(place.member(how, place.text(program)));
    }
    members.push(place.member("args", place.texts(args)));
    members.push(place.member("env", place.texts(env)));
    members.push(place.member("headers", place.object(headers)));
    Some(place.servers([place.member(name?, place.object(members))]))
}

pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}
