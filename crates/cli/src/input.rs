//! Arguments of a tool, from the command line, a file or standard input.

use mooring_host::ToolCall;
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt;

use crate::fault::Fault;

/// The most that is read: more than any server accepts.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Reads arguments: a JSON object as it is, `@FILE`, or `-`.
pub(crate) async fn arguments(word: &str) -> Result<Box<RawValue>, Fault> {
    let (text, place) = match word {
        "-" => (read(tokio::io::stdin(), "standard input").await?, "standard input"),
        _ => match word.strip_prefix('@') {
            Some(path) => {
                let file = tokio::fs::File::open(path)
                    .await
                    .map_err(|error| Fault::usage(format!("the file can’t be read: {path}: {error}")))?;
                (read(file, path).await?, path)
            }
            None => (word.to_owned(), "the arguments"),
        },
    };
    parse(&text, place)
}

async fn read(reader: impl tokio::io::AsyncRead + Unpin, place: &str) -> Result<String, Fault> {
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

fn parse(text: &str, place: &str) -> Result<Box<RawValue>, Fault> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let raw = serde_json::from_str::<&RawValue>(text).map_err(|error| {
        let message = error.to_string();
        Fault::usage(format!("not JSON: {place}: {message}"))
            .next(r#"A tool takes a JSON object, such as '{"name":"value"}'."#)
    })?;
    if !raw.get().starts_with('{') {
        let start: String = raw.get().chars().take(40).collect();
        return Err(Fault::usage(format!("not a JSON object: {place}: {start}"))
            .next(r#"A tool takes a JSON object, such as '{"name":"value"}'."#));
    }
    Ok(raw.to_owned())
}

/// A call by the person at the command line.
pub(crate) fn call(
    tool: String,
    arguments: Option<Box<RawValue>>,
    timeout: Option<std::time::Duration>,
) -> ToolCall {
    ToolCall {
        request: None,
        tool,
        arguments,
        caller: mooring_host::Caller::CommandLine,
        idle: timeout,
        total: timeout,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_kept_to_the_byte() {
        let raw = parse(" {\"b\": 1.0,\n \"a\": 2}\n", "x").unwrap();
        assert_eq!(raw.get(), "{\"b\": 1.0,\n \"a\": 2}");
    }

    #[test]
    fn what_is_no_object_says_so() {
        for text in ["[1]", "\"a\"", "7", "null"] {
            assert!(parse(text, "x").unwrap_err().message.starts_with("not a JSON object"), "{text}");
        }
        let fault = parse("{\"a\": tru}", "the arguments").unwrap_err();
        assert_eq!(fault.message, "not JSON: the arguments: expected ident at line 1 column 10");
    }
}
