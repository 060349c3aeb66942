//! Reads arguments of a tool or prompt from the command line, files or standard input.

use std::io::{IsTerminal as _, Read as _};
#[cfg(unix)]
use std::sync::Arc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mooring_calls::ToolCall;
use mooring_typed::{
    ARGUMENT_FORMS as FORMS, Arguments, SchemaView, Source, TypedArgument, TypedMistake, object_of,
};
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt;

use mooring_faults::Fault;

use crate::CommandContext;

/// The most bytes that are read. No server accepts more.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How long to wait for required arguments from standard input that was not mentioned.
const PIPE_PATIENCE: Duration = Duration::from_secs(10);

/// The given arguments.
#[derive(Debug)]
pub enum Given {
    /// No arguments.
    Nothing,
    /// A whole object, kept to the byte.
    Object(Box<RawValue>),
    /// Single members. The schema determines their types.
    Members(Vec<TypedArgument>),
}

/// Reads arguments from words of the command line, and from the files or the standard input that they name.
pub async fn read_words(words: &[String]) -> Result<Given, Fault> {
    Ok(match Arguments::read(words, read_text).map_err(to_fault)? {
        Arguments::None => Given::Nothing,
        Arguments::Members(members) => Given::Members(members),
        Arguments::Whole(Source::Here(text)) => Given::Object(parse_object(&text, "the arguments")?),
        Arguments::Whole(Source::StandardInput) => Given::Object(read_standard_input().await?),
        Arguments::Whole(Source::File(path)) => {
            let file = tokio::fs::File::open(&path)
                .await
                .map_err(|error| Fault::usage(format!("the file can’t be read: {path}: {error}")))?;
            Given::Object(parse_object(&read_all(file, &path).await?, &path)?)
        }
    })
}

impl Given {
    /// The object to send. The schema determines the types of single members.
    pub fn into_object(self, schema: Option<SchemaView<'_>>) -> Result<Option<Box<RawValue>>, Fault> {
        match self {
            Self::Nothing => Ok(None),
            Self::Object(object) => Ok(Some(object)),
            Self::Members(members) => {
                let text = object_of(&members, schema).map_err(to_fault)?;
                let raw = RawValue::from_string(text);
                raw.map(Some).map_err(|error| anyhow::Error::from(error).into())
            }
        }
    }

    /// Reads arguments from a pipe if none were typed. Waits for them if arguments are `needed`.
    pub async fn or_piped(self, session: &CommandContext, needed: bool) -> Result<Self, Fault> {
        if session.has_lines
            || !matches!(self, Self::Nothing)
            || !is_piped(if needed { PIPE_PATIENCE } else { Duration::ZERO }).await
        {
            return Ok(self);
        }
        let text = read_all(tokio::io::stdin(), "standard input").await?;
        if text.trim().is_empty() {
            return Ok(self);
        }
        Ok(Self::Object(parse_object(&text, "standard input")?))
    }
}

fn to_fault(mistake: TypedMistake) -> Fault {
    Fault::usage(mistake.message).next(mistake.next)
}

/// Reads the file whose text is the value of an argument.
pub(crate) fn read_text(path: &str) -> Result<String, String> {
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    match read {
        Ok(length) if length as u64 > MAX_BYTES => Err(format!("larger than 64 MiB: {path}")),
        Ok(_) => Ok(text),
        Err(error) => Err(format!("the file can’t be read: {path}: {error}")),
    }
}

async fn read_standard_input() -> Result<Box<RawValue>, Fault> {
    parse_object(&read_all(tokio::io::stdin(), "standard input").await?, "standard input")
}

/// Whether standard input is no terminal and has data within `patience`. The program that started this one
/// may leave a pipe open without writing to it.
async fn is_piped(patience: Duration) -> bool {
    if std::io::stdin().is_terminal() {
        return false;
    }
    #[cfg(unix)]
    {
        let wait = tokio::task::spawn_blocking(move || {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            let stdin = std::io::stdin();
            let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
            let limit = Timespec::try_from(patience).ok();
            poll(&mut ready, limit.as_ref()).is_ok_and(|count| count > 0)
        });
        wait.await.unwrap_or(false)
    }
    #[cfg(not(unix))]
    {
        let _waits = patience;
        false
    }
}

/// Reads a line of input, without its line break. `None` at the end of the input. If the future is dropped,
/// later input is left for the next reader.
pub async fn read_line() -> Option<String> {
    #[cfg(unix)]
    {
        struct StopOnDrop(Arc<AtomicBool>);
        impl Drop for StopOnDrop {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let given_up = StopOnDrop(Arc::default());
        let is_given_up = Arc::clone(&given_up.0);
        let line = tokio::task::spawn_blocking(move || read_line_by_bytes(&is_given_up)).await.ok().flatten();
        drop(given_up);
        line
    }
    #[cfg(not(unix))]
    {
        use tokio::io::AsyncBufReadExt as _;
        let mut line = String::new();
        let read = tokio::io::BufReader::new(tokio::io::stdin()).read_line(&mut line).await.ok()?;
        (read > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    }
}

/// Whether the typed line means yes.
pub fn is_yes(typed: Option<String>) -> bool {
    typed.is_some_and(|typed| matches!(typed.trim(), "y" | "Y" | "yes"))
}

/// Reads a line byte by byte, so that nothing after the line break is consumed. `None` if the line is given
/// up.
#[cfg(unix)]
fn read_line_by_bytes(is_given_up: &AtomicBool) -> Option<String> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    /// Interval for checking whether the line was given up, in nanoseconds.
    const LOOK: i64 = 50_000_000;
    let stdin = std::io::stdin();
    let (mut line, mut byte) = (Vec::new(), [0]);
    loop {
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        let waited = poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: LOOK }));
        if is_given_up.load(Ordering::Relaxed) {
            return None;
        }
        match waited {
            Ok(0) | Err(rustix::io::Errno::INTR) => continue,
            Ok(_) => {}
            Err(_) => return None,
        }
        match rustix::io::read(&stdin, &mut byte) {
            Ok(0) | Err(_) if line.is_empty() => return None,
            Ok(0) | Err(_) => break,
            Ok(_) if byte[0] == b'\n' => break,
            Ok(_) => line.push(byte[0]),
        }
    }
    Some(String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned())
}

async fn read_all(reader: impl tokio::io::AsyncRead + Unpin, place: &str) -> Result<String, Fault> {
    let mut text = String::new();
    let mut reader = reader.take(MAX_BYTES + 1);
    reader
        .read_to_string(&mut text)
        .await
        .map_err(|error| Fault::usage(format!("can’t be read: {place}: {error}")))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Fault::usage(format!("larger than 64 MiB: {place}")));
    }
    Ok(text)
}

fn parse_object(text: &str, place: &str) -> Result<Box<RawValue>, Fault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let raw = serde_json::from_str::<&RawValue>(text).map_err(|error| {
        let message = error.to_string();
        Fault::usage(format!("not JSON: {place}: {message}")).next(FORMS)
    })?;
    if !raw.get().starts_with('{') {
        let start: String = raw.get().chars().take(40).collect();
        return Err(Fault::usage(format!("not a JSON object: {place}: {start}")).next(FORMS));
    }
    Ok(raw.to_owned())
}

/// Creates a call by the person at the command line.
pub fn call(
    tool: String,
    arguments: Option<Box<RawValue>>,
    timeout: Option<std::time::Duration>,
) -> ToolCall {
    ToolCall {
        request: None,
        tool,
        arguments,
        caller: mooring_policy::Caller::CommandLine,
        idle: timeout,
        total: timeout,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_kept_to_the_byte() {
        let raw = parse_object(" {\"b\": 1.0,\n \"a\": 2}\n", "x").unwrap();
        assert_eq!(raw.get(), "{\"b\": 1.0,\n \"a\": 2}");
    }

    #[test]
    fn what_is_no_object_says_so() {
        for text in ["[1]", "\"a\"", "7", "null"] {
            assert!(parse_object(text, "x").unwrap_err().message.starts_with("not a JSON object"), "{text}");
        }
        let fault = parse_object("{\"a\": tru}", "the arguments").unwrap_err();
        assert_eq!(fault.message, "not JSON: the arguments: expected ident at line 1 column 10");
    }
}
