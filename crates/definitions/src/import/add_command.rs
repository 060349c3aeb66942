//! Shell commands that add a server to another application: `claude mcp add …`, also for Codex and Gemini.

use mooring_base::command_line::ParsedCommand;

use super::node::{Member, Node, Value};

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
    // Joins lines that end with a backslash. Spaces keep all positions.
    let text = text.replace("\\\r\n", "   ").replace("\\\n", "  ");
    let mut end = 0;
    let lines = text.split_inclusive('\n').filter_map(|line| {
        let start = end + line.len() - line.trim_start().len();
        end += line.len();
        parse_line(line.trim(), start, end)
    });
    lines.collect()
}

fn parse_line(line: &str, start: usize, end: usize) -> Option<Node> {
    let line = line.trim_matches('`').trim_start_matches(['$', '>', ' ']);
    let is_add = line.split_whitespace().skip(1).take(2).eq(["mcp", "add"]);
    let ParsedCommand::Line(_, words) = is_add.then(|| ParsedCommand::read(line, &[], None))? else {
        return None;
    };
    let node = |value| Node { value, start, end };
    let object = |members: Vec<(String, Value)>| {
        let members = members.into_iter();
        Value::Object(
            members.map(|(name, value)| Member { name, name_at: start, node: node(value) }).collect(),
        )
    };
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
                (Some("env"), Some(pair)) => env.push(node(Value::String(pair))),
                (Some("headers"), Some(header)) => {
                    let (name, value) = header.split_once(':').unwrap_or((&header, ""));
                    headers.push((name.trim().to_owned(), Value::String(value.trim().to_owned())));
                }
                (_, value) => {
                    let name = member.unwrap_or(option.trim_start_matches('-')).to_owned();
                    members.push((name, value.map_or(Value::Bool(true), Value::String)));
                }
            }
        } else if program.is_none() && !env.is_empty() && word.contains('=') {
            // One option can have several variables.
            env.push(node(Value::String(word)));
        } else if name.is_none() {
            name = Some(word);
        } else if program.is_none() {
            program = Some(word);
        } else {
            args.push(node(Value::String(word)));
        }
    }
    if let Some(program) = program {
        let stdio = Value::String("stdio".to_owned());
        let is_remote = members.iter().any(|(name, value)| name == "transport" && *value != stdio);
        let place = if is_remote || is_url(&program) { "url" } else { "command" };
        members.push((place.to_owned(), Value::String(program)));
    }
    members.push(("args".to_owned(), Value::Array(args)));
    members.push(("env".to_owned(), Value::Array(env)));
    members.push(("headers".to_owned(), object(headers)));
    Some(node(object(vec![("mcpServers".to_owned(), object(vec![(name?, object(members))]))])))
}

fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}
