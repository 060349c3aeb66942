//! Answers to a server's questions, as they are given on the command line.

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use mooring_host::{
    Answered, Answers, Breadth, FormAnswers, GivenAnswers, OnUrl, Root, RootError, SamplingAnswers,
    UrlQuestion,
};
use tokio::io::AsyncBufReadExt as _;

use crate::args::Questions;
use crate::fault::Fault;
use crate::output::{Output, in_one_line, shown_line};

/// Longest file with answers, in bytes.
const LONGEST_FILE: u64 = 1024 * 1024;
/// How long a call waits for what is to be done at a URL.
const LONGEST_VISIT: Duration = Duration::from_mins(10);

/// What was said about questions; nothing: none is answered.
pub(crate) async fn read(output: Output, questions: &Questions) -> Result<Option<Answers>, Fault> {
    let Questions { elicit, sample, root, wide_root } = questions;
    let urls = urls(output, elicit.as_deref());
    if elicit.is_none() && urls.is_none() && sample.is_none() && root.is_empty() {
        return Ok(None);
    }
    let forms = match elicit.as_deref() {
        None | Some("open") => None,
        Some("accept-defaults") => Some(FormAnswers::Defaults),
        Some("decline") => Some(FormAnswers::Decline),
        Some("cancel") => Some(FormAnswers::Cancel),
        Some(word) => match word.strip_prefix('@') {
            Some(path) => Some(FormAnswers::Given(given(Path::new(path)).await?)),
            None => {
                return Err(Fault::usage(format!("--elicit does not know {word}")).next(
                    "It takes accept-defaults, decline, cancel, open, or @FILE with answers as JSON.",
                ));
            }
        },
    };
    let sampling = sample.as_deref().map(|sample| match sample {
        "decline" => SamplingAnswers::Decline,
        "practice" => SamplingAnswers::Practice,
        model => SamplingAnswers::Model(model.to_owned()),
    });
    let breadth = if *wide_root { Breadth::Wide } else { Breadth::Narrow };
    let granted = root.iter().map(|path| Root::grant(path, None, breadth).map_err(|error| refused(&error)));
    let roots = granted.collect::<Result<_, _>>()?;
    let told = move |answered: Answered| {
        let Answered { message, answer } = answered;
        let answer = shown_line(answer.as_ref()).into_owned();
        if message.is_empty() {
            output.note(&format!("asked: {answer}"));
        } else {
            output.note(&format!("asked: {} — {answer}", in_one_line(&message)));
        }
    };
    Ok(Some(Answers { forms, urls, sampling, roots, told: Some(Box::new(told)) }))
}

/// What is done about URLs that a server wants opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Urls {
    Open,
    Ask,
    Print,
}

/// How URLs are answered. Where nothing is said about questions, only somebody at a terminal is asked.
fn urls(output: Output, elicit: Option<&str>) -> Option<OnUrl> {
    let is_attended = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    let urls = match elicit {
        Some("open") => Urls::Open,
        Some("decline" | "cancel") => Urls::Print,
        _ if is_attended => Urls::Ask,
        Some(_) => Urls::Print,
        None => return None,
    };
    Some(Box::new(move |question| Box::pin(opened(output, urls, is_attended, question))))
}

async fn opened(output: Output, urls: Urls, is_attended: bool, question: UrlQuestion) -> bool {
    let url = shown_line(&question.address.url).into_owned();
    output.note(&format!("The server wants this opened: {url}"));
    output.note(&format!("  │ {}", in_one_line(&question.message)));
    for warning in &question.address.warnings {
        output.note(&format!("  {}", shown_line(&warning.to_string())));
    }
    match urls {
        Urls::Print => {
            output.note("  → Not opened: --elicit open opens it.");
            return false;
        }
        Urls::Ask => {
            output.note("  Open it in your browser? [y/N]");
            if !matches!(typed().await.trim(), "y" | "Y" | "yes") {
                return false;
            }
        }
        Urls::Open => {}
    }
    if let Err(why) = question.open().await {
        output.note(&format!("  → It could not be opened: {}", shown_line(&why.to_string())));
        return false;
    }
    if !question.awaits_done {
        return true;
    }
    if is_attended {
        output.note("  Press Enter when you are done there.");
        typed().await;
        return true;
    }
    // The server says when it is done; then nobody waits for this any more.
    tokio::time::sleep(LONGEST_VISIT).await;
    false
}

/// One line of what is typed.
async fn typed() -> String {
    let mut line = String::new();
    // Without a line nothing was agreed to.
    let _read = tokio::io::BufReader::new(tokio::io::stdin()).read_line(&mut line).await;
    line
}

fn refused(error: &RootError) -> Fault {
    let fault = Fault::usage(error.sentence().to_string());
    match error {
        RootError::TooWide(_) => fault.next("Name a folder inside it, or add --wide-root."),
        _ => fault,
    }
}

async fn given(path: &Path) -> Result<GivenAnswers, Fault> {
    let name = path.display();
    let unread = |error: std::io::Error| Fault::usage(format!("the answers cannot be read: {name}: {error}"));
    if tokio::fs::metadata(path).await.map_err(unread)?.len() > LONGEST_FILE {
        return Err(Fault::usage(format!("longer than 1 MiB: {name}")));
    }
    let text = tokio::fs::read_to_string(path).await.map_err(unread)?;
    GivenAnswers::read(text.trim_start_matches('\u{feff}')).map_err(|error| {
        Fault::usage(format!("these are no answers: {name}: {error}")).next(
            r#"Write an object of values, or an array such as [{"action":"accept","content":{"name":"value"}},{"action":"decline"}]."#,
        )
    })
}
