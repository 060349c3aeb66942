//! Answers to a server's questions, as they are given on the command line.

use std::path::Path;

use mooring_host::{Answered, Answers, Breadth, FormAnswers, GivenAnswers, Root, RootError, SamplingAnswers};

use crate::args::Questions;
use crate::fault::Fault;
use crate::output::{Output, in_one_line, shown_line};

/// Longest file with answers, in bytes.
const LONGEST_FILE: u64 = 1024 * 1024;

/// What was said about questions; nothing: none is answered.
pub(crate) async fn read(output: Output, questions: &Questions) -> Result<Option<Answers>, Fault> {
    let Questions { elicit, sample, root, wide_root } = questions;
    if elicit.is_none() && sample.is_none() && root.is_empty() {
        return Ok(None);
    }
    let forms = match elicit.as_deref() {
        None => None,
        Some("accept-defaults") => Some(FormAnswers::Defaults),
        Some("decline") => Some(FormAnswers::Decline),
        Some("cancel") => Some(FormAnswers::Cancel),
        Some(word) => match word.strip_prefix('@') {
            Some(path) => Some(FormAnswers::Given(given(Path::new(path)).await?)),
            None => {
                return Err(Fault::usage(format!("--elicit does not know {word}"))
                    .next("It takes accept-defaults, decline, cancel, or @FILE with answers as JSON."));
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
    Ok(Some(Answers { forms, sampling, roots, told: Some(Box::new(told)) }))
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
