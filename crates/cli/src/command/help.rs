//! `mooring help` for commands and topics, and `mooring completions`.

use clap::CommandFactory as _;
use mooring_typed::nearest;

use crate::CommandContext;
use crate::args::{self, Cli, TOPICS, Topic, topic};
use crate::fault::{Exit, Fault};
use crate::output::TextStyle;
use crate::table::Table;

pub(crate) fn run(session: &CommandContext, args: &args::Help) -> Result<Exit, Fault> {
    let mut command = Cli::command();
    let Some(first) = args.subject.first() else {
        print(session, &command.render_long_help().to_string())?;
        if !session.output.json {
            print_topics(session)?;
        }
        return Ok(Exit::Ok);
    };
    if let (Some(Topic { text, .. }), 1) = (topic(first), args.subject.len()) {
        return print(session, text);
    }
    // This puts the names of the parent commands into the help of subcommands.
    command.build();
    let mut found = &mut command;
    for word in &args.subject {
        let names = command_names(found);
        found = found.find_subcommand_mut(word).ok_or_else(|| unknown(word, &names))?;
    }
    print(session, &found.render_long_help().to_string())
}

fn print(session: &CommandContext, text: &str) -> Result<Exit, Fault> {
    if session.output.json {
        session.output.result(&serde_json::json!({ "text": text }))?;
    } else {
        session.output.text(text)?;
    }
    Ok(Exit::Ok)
}

fn print_topics(session: &CommandContext) -> Result<(), Fault> {
    session.output.line(&format!("\n{}", session.output.tone(TextStyle::Strong, "Topics:")))?;
    let mut table = Table::default();
    for Topic { name, about, .. } in TOPICS {
        table.row([format!("  mooring help {name}"), about.to_owned()]);
    }
    Ok(table.print(session.output, &[(1, TextStyle::Quiet)])?)
}

fn command_names(command: &clap::Command) -> Vec<String> {
    let verbs = command.get_subcommands();
    verbs.flat_map(clap::Command::get_name_and_visible_aliases).map(str::to_owned).collect()
}

fn unknown(word: &str, commands: &[String]) -> Fault {
    let names = commands.iter().map(String::as_str).chain(TOPICS.iter().map(|topic| topic.name));
    let next = nearest(word, names).map_or_else(
        || "See all: mooring help".to_owned(),
        |near| format!("Did you mean {near}? mooring help {near}"),
    );
    Fault::usage(format!("there is no command or topic called: {word}")).next(next)
}

pub(crate) fn completions(session: &CommandContext, args: &args::Completions) -> Result<Exit, Fault> {
    let script = args::script(args.shell, "mooring")?;
    print(session, &String::from_utf8_lossy(&script))
}
