//! Answers to a server's questions on the command line.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use mooring_answers::{AnsweredQuestion, GivenAnswers, OnUrl, PresetAnswers, UrlElicitation};
use mooring_roots::{Root, RootBreadth, RootError};
use mooring_terminal::input::{is_yes, read_line};
use mooring_terminal::line_editor::is_typing;
use mooring_visits::Notice;

use crate::args::AnswerArgs;
use crate::fault::Fault;
use crate::output::{Output, escape_line, escape_to_line};

/// Longest file with answers, in bytes.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// How long a call waits for the person at a URL.
const URL_TIMEOUT: Duration = Duration::from_mins(10);

/// The answers of the command's options to a server's questions.
#[derive(Default)]
pub(crate) struct Answers {
    /// For a separate connection. `None` if no option was given.
    pub preset: Option<PresetAnswers>,
    /// For a running Mooring. `None` if the command needs a separate connection.
    pub shared: Option<GivenAnswers>,
}

/// Reads the options.
pub(crate) async fn read(output: Output, questions: &AnswerArgs) -> Result<Answers, Fault> {
    let AnswerArgs { elicit, root, wide_root, .. } = questions;
    let urls = url_handler(output, elicit.as_deref());
    let refuse = |word: &str| {
        Fault::usage(format!("--elicit doesn’t accept {word}"))
            .next("Use accept-defaults, decline, cancel, open, or @FILE with answers as JSON.")
    };
    let read_file = async |path: &str| read_given_answers(Path::new(path)).await;
    let given = GivenAnswers::read(questions, read_file, refuse).await?;
    let preset = given.preset().map_err(|error| invalid(elicit.as_deref(), &error))?;
    let shared = given.can_be_shared(questions).then_some(given);
    if questions.is_empty() && urls.is_none() {
        return Ok(Answers { preset: None, shared });
    }
    let breadth = if *wide_root { RootBreadth::Wide } else { RootBreadth::Narrow };
    let granted =
        root.iter().map(|path| Root::grant(path, None, breadth).map_err(|error| root_fault(&error)));
    let roots = granted.collect::<Result<_, _>>()?;
    let on_answered = move |answered: AnsweredQuestion| {
        say_answered(output, &answered.message, answered.answer.as_ref());
    };
    let preset = PresetAnswers { urls, roots, on_answered: Some(Box::new(on_answered)), ..preset };
    Ok(Answers { preset: Some(preset), shared })
}

/// Says how a question was answered.
fn say_answered(output: Output, message: &str, answer: &str) {
    let answer = escape_line(answer);
    if message.is_empty() {
        output.note(&format!("asked: {answer}"));
    } else {
        output.note(&format!("asked: {} — {answer}", escape_to_line(message)));
    }
}

/// Prints a notice from the running Mooring.
pub(crate) fn say_notice(output: Output, notice: Notice) {
    match notice {
        Notice::AskedAboutTerminal => output.note(
            "Mooring asks in its window whether the command line in this terminal may use your servers.",
        ),
        Notice::Asked => output.note("A question waits for you in Mooring’s window."),
        Notice::Answered { message, answer } => say_answered(output, &message, &answer),
        Notice::Call(_) | Notice::Following | Notice::ResourceChanged { .. } => {}
    }
}

/// What to do when a server wants to open a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPolicy {
    Open,
    Ask,
    Print,
}

/// The handler for URL elicitations. Without options, only a person at a terminal is asked.
fn url_handler(output: Output, elicit: Option<&str>) -> Option<OnUrl> {
    let is_attended = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let urls = match elicit {
        Some("open") => UrlPolicy::Open,
        Some("decline" | "cancel") => UrlPolicy::Print,
        _ if is_attended => UrlPolicy::Ask,
        Some(_) => UrlPolicy::Print,
        None => return None,
    };
    Some(Box::new(move |question| Box::pin(open_url(output, urls, is_attended, question))))
}

async fn open_url(output: Output, urls: UrlPolicy, is_attended: bool, question: UrlElicitation) -> bool {
    // No call waits for it, and the person is typing a line.
    if is_typing() {
        return false;
    }
    let url = escape_line(&question.address.url).into_owned();
    output.note(&format!("The server asks to open this URL: {url}"));
    output.note(&format!("  │ {}", escape_to_line(&question.message)));
    for warning in &question.address.warnings {
        output.note(&format!("  {}", escape_line(&warning.to_string())));
    }
    match urls {
        UrlPolicy::Print => {
            output.note("  → Not opened: --elicit open opens it.");
            return false;
        }
        UrlPolicy::Ask => {
            output.note("  Open it in your browser? [y/N]");
            if !is_yes(read_line().await) {
                return false;
            }
        }
        UrlPolicy::Open => {}
    }
    if let Err(why) = question.open().await {
        output.note(&format!("  → Couldn’t open it: {}", escape_line(&why.to_string())));
        return false;
    }
    if !question.awaits_done {
        return true;
    }
    if is_attended {
        output.note("  Press Enter when you are done there.");
        read_line().await;
        return true;
    }
    // When the server reports completion, this wait is dropped.
    tokio::time::sleep(URL_TIMEOUT).await;
    false
}

fn root_fault(error: &RootError) -> Fault {
    let fault = Fault::usage(error.sentence().to_string());
    match error {
        RootError::TooWide(_) => fault.next("Name a folder inside it, or add --wide-root."),
        _ => fault,
    }
}

async fn read_given_answers(path: &Path) -> Result<String, Fault> {
    let name = path.display();
    let unread = |error: std::io::Error| Fault::usage(format!("the answers can’t be read: {name}: {error}"));
    if tokio::fs::metadata(path).await.map_err(unread)?.len() > MAX_FILE_BYTES {
        return Err(Fault::usage(format!("longer than 1 MiB: {name}")));
    }
    let text = tokio::fs::read_to_string(path).await.map_err(unread)?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

fn invalid(elicit: Option<&str>, error: &serde_json::Error) -> Fault {
    let name = elicit.unwrap_or_default().trim_start_matches('@');
    Fault::usage(format!("invalid answers: {name}: {error}")).next(
        r#"Write an object of values, or an array such as [{"action":"accept","content":{"name":"value"}},{"action":"decline"}]."#,
    )
}
