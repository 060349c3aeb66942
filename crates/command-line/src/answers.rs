//! The options that answer a server's questions. On the command line no one is there to ask.

use std::path::PathBuf;

use clap::Args;

/// How the questions of a server are answered: on the command line nobody is there to ask. What nothing is said about
/// is not declared, so that a server does not ask it.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
#[command(next_help_heading = "Answers to the server's questions")]
pub struct AnswerArgs {
    /// Forms: accept their defaults, decline, cancel, or answer with the JSON in FILE: an object of values for every
    /// form that asks for them, or an array of answers like {"action":"accept","content":{…}} in order. For URLs you
    /// are asked on a terminal; otherwise they are printed. `open` opens them
    #[arg(long, value_name = "accept-defaults | decline | cancel | open | @FILE")]
    pub elicit: Option<String>,
    /// Sampling requests: decline them, answer with the practice model (no AI involved), or with a model of a
    /// provider that is set up in the window, without asking you again
    #[arg(long, value_name = "decline | practice | PROVIDER[/MODEL]")]
    pub sample: Option<String>,
    /// A folder to share with the server; may be repeated. This doesn't limit what the server can access
    #[arg(long, value_name = "DIR")]
    pub root: Vec<PathBuf>,
    /// Share folders even if one is your home folder or the whole disk
    #[arg(long, requires = "root")]
    pub wide_root: bool,
}

impl AnswerArgs {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.elicit.is_none() && self.sample.is_none() && self.root.is_empty()
    }
}

/// The option for one kind of question, for hints.
#[derive(Debug)]
pub struct AnswerOption {
    /// The client capability that the server needs to ask.
    pub capability: &'static str,
    /// The part of the capability, such as `url` of `elicitation`. `None` for the rest of it.
    pub part: Option<&'static str>,
    /// How errors of servers name the capability, in lower case: all words of one of these lists.
    pub named: &'static [&'static [&'static str]],
    /// The option.
    pub option: &'static str,
    /// What the option does, in a sentence.
    pub hint: &'static str,
}

/// The options for all kinds of questions. The first one that fits is the right one.
pub const ANSWER_OPTIONS: &[AnswerOption] = &[
    AnswerOption {
        capability: "elicitation",
        part: Some("url"),
        named: &[&["elicit", "url"]],
        option: "--elicit",
        hint: "--elicit open opens the URLs that a server wants opened.",
    },
    AnswerOption {
        capability: "elicitation",
        part: None,
        named: &[&["elicit"]],
        option: "--elicit",
        hint: "--elicit accept-defaults or @FILE answers its forms.",
    },
    AnswerOption {
        capability: "sampling",
        part: None,
        named: &[&["sampling"], &["createmessage"], &["create_message"]],
        option: "--sample",
        hint: "--sample practice or PROVIDER/MODEL answers what it asks a model.",
    },
    AnswerOption {
        capability: "roots",
        part: None,
        named: &[&["roots"]],
        option: "--root",
        hint: "--root DIR tells it of a folder.",
    },
];
