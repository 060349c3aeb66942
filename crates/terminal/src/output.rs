//! Prints everything. No other module writes to standard output or standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::ops::Deref;
use std::sync::LazyLock;
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use mooring_faults::{Exit, Fault};
use mooring_policy::deceptive_characters;
use mooring_visits::{Remark, ServerFacts};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Where and how a command prints.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Whether results are printed in JSON.
    pub json: bool,
    color: bool,
    error_color: bool,
    /// Whether progress is shown.
    shows_progress: bool,
}

/// Styles of text.
#[derive(Debug, Clone, Copy)]
pub enum TextStyle {
    /// Emphasized.
    Strong,
    /// Less important.
    Quiet,
    /// Success, or an addition.
    Good,
    /// A failure, or a removal.
    Bad,
    /// A name that can be typed.
    Accent,
}

impl TextStyle {
    fn ansi_code(self) -> &'static str {
        match self {
            Self::Strong => "1",
            Self::Quiet => "2",
            Self::Good => "32",
            Self::Bad => "31",
            Self::Accent => "36",
        }
    }
}

/// The JSON object that `--json` prints.
#[derive(Serialize)]
struct Envelope<'a, R> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<mooring_faults::FaultJson<'a>>,
    #[serde(flatten)]
    exchange: Option<ExchangeJson<'a>>,
}

/// The fields next to `result` in the JSON of a command that talked to a server.
#[derive(Serialize)]
pub struct ExchangeJson<'a> {
    diagnostics: Vec<DiagnosticJson<'a>>,
    server: PeerJson<'a>,
    revision: Option<&'a str>,
    era: Option<&'a str>,
    transport: &'a str,
    reason: Option<&'a str>,
    elapsed_ms: u64,
}

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    code: &'a str,
    path: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct PeerJson<'a> {
    name: Option<&'a str>,
    version: Option<&'a str>,
}

impl<'a> ExchangeJson<'a> {
    /// Collects the fields after a command has used a server.
    pub fn new(
        facts: &'a ServerFacts,
        remarks: impl IntoIterator<Item = &'a Remark>,
        elapsed: Duration,
    ) -> Self {
        let diagnostics = facts.remarks.iter().chain(remarks).map(|remark| DiagnosticJson {
            code: &remark.code,
            path: &remark.path,
            message: &remark.message,
        });
        Self {
            diagnostics: diagnostics.collect(),
            server: PeerJson { name: facts.name.as_deref(), version: facts.version.as_deref() },
            revision: facts.revision.as_deref(),
            era: facts.era.as_deref(),
            transport: &facts.transport,
            reason: facts.reason.as_deref(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Output {
    /// The output of this process.
    pub fn new(json: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            json,
            color: wanted && !json && io::stdout().is_terminal(),
            error_color: wanted && io::stderr().is_terminal(),
            shows_progress: !json && io::stderr().is_terminal(),
        }
    }

    /// `text` in a tone for standard output, if colors are shown there.
    pub fn tone(self, tone: TextStyle, text: &str) -> Cow<'_, str> {
        apply_tone(self.color, tone, text)
    }

    /// Prints a line of text.
    pub fn line(self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.write_all(b"\n")
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(self) -> bool {
        io::stdout().is_terminal()
    }

    /// `text` in a tone for standard error, if colors are shown there.
    pub fn error_tone(self, tone: TextStyle, text: &str) -> Cow<'_, str> {
        apply_tone(self.error_color, tone, text)
    }

    /// Prints a text unchanged, for another program.
    pub fn text(self, text: &str) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        stdout.flush()
    }

    /// Prints a JSON value on one line.
    pub fn json_line(self, value: &impl Serialize) -> io::Result<()> {
        self.line(&serde_json::to_string(value)?)
    }

    /// Prints the JSON object of a command that talked to a server.
    pub fn answer(self, result: &impl Serialize, exchange: ExchangeJson<'_>) -> io::Result<()> {
        self.json_line(&Envelope { ok: true, result: Some(result), error: None, exchange: Some(exchange) })
    }

    /// Prints the JSON object of a command that didn't talk to a server.
    pub fn result(self, result: &impl Serialize) -> io::Result<()> {
        self.json_line(&Envelope { ok: true, result: Some(result), error: None, exchange: None })
    }

    /// Prints a view that the window also shows. Its member names are converted to snake case, as in all
    /// commands' JSON.
    pub fn view(self, view: &impl Serialize) -> Result<(), Fault> {
        let mut value = serde_json::to_value(view).map_err(anyhow::Error::from)?;
        convert_to_snake_case(&mut value);
        Ok(self.result(&value)?)
    }

    /// Prints the JSON object of a failure. `result` is the partial result, if there is one.
    pub fn print_failure(
        self,
        fault: &Fault,
        result: Option<&RawValue>,
        exchange: Option<ExchangeJson<'_>>,
    ) -> io::Result<()> {
        let printed = self.json_line(&Envelope { ok: false, result, error: Some(fault.to_json()), exchange });
        match printed {
            // The command failed anyway. Standard error may still have a reader.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.fault(fault);
                Ok(())
            }
            printed => printed,
        }
    }

    /// Prints on standard error what happened, why, and what to do.
    pub fn fault(self, fault: &Fault) {
        if fault.exit == Exit::Interrupted {
            return;
        }
        let mut text = apply_tone(self.error_color, TextStyle::Bad, "error: ").into_owned();
        text.push_str(&escape(&fault.message).replace('\n', "\n  "));
        text.push('\n');
        for quoted in [&fault.details.server_message, &fault.details.evidence].into_iter().flatten() {
            for line in quoted.lines() {
                let bar = apply_tone(self.error_color, TextStyle::Quiet, "  │ ");
                text.push_str(&bar);
                text.push_str(&escape(line));
                text.push('\n');
            }
        }
        if let Some(next) = &fault.details.next {
            text.push_str("  → ");
            text.push_str(&escape(next));
            text.push('\n');
        }
        self.print_note(&text);
    }

    /// Prints a line in addition to the result, on standard error.
    pub fn note(self, text: &str) {
        self.print_note(&format!("{text}\n"));
    }

    #[expect(clippy::unused_self, reason = "printing goes through the output, like everything else")]
    fn print_note(self, text: &str) {
        // Standard error may be closed.
        let _closed = io::stderr().lock().write_all(text.as_bytes());
    }

    /// Shows a spinner with a message. It is hidden if standard error is no terminal.
    pub fn spinner(self, message: String) -> ShownProgress {
        let bar = self.show_progress(ProgressBar::no_length());
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed:>4}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_message(message);
        if self.shows_progress {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        bar
    }

    /// Shows a bar of `length` steps. It is hidden if standard error is no terminal.
    pub fn bar(self, length: u64) -> ShownProgress {
        let bar = self.show_progress(ProgressBar::new(length));
        bar.set_style(bar_style());
        bar
    }

    fn show_progress(self, bar: ProgressBar) -> ShownProgress {
        if self.shows_progress {
            return ShownProgress(PROGRESS.add(bar));
        }
        bar.set_draw_target(ProgressDrawTarget::hidden());
        ShownProgress(bar)
    }
}

/// The progress of all running work, on standard error.
static PROGRESS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Shows progress until this is dropped, even if the work is aborted.
#[derive(Debug)]
pub struct ShownProgress(ProgressBar);

impl Deref for ShownProgress {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Prints with `print` while progress may be shown.
pub fn beside_progress<T>(print: impl FnOnce() -> T) -> T {
    PROGRESS.suspend(print)
}

/// The style of a bar with a known length.
pub fn bar_style() -> ProgressStyle {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {msg} {elapsed:>4}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The width of the terminal in columns. `None` if standard output is no terminal.
pub fn width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stdout())
        && size.ws_col > 0
    {
        return Some(size.ws_col.into());
    }
    Some(80)
}

fn apply_tone(color: bool, tone: TextStyle, text: &str) -> Cow<'_, str> {
    if color { Cow::Owned(format!("\x1b[{}m{text}\x1b[0m", tone.ansi_code())) } else { Cow::Borrowed(text) }
}

/// Makes a server's text safe for a terminal. Characters that could control the terminal, or hide or reorder
/// text, are replaced by escape sequences.
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_characters(text, deceptive_characters(text))
}

/// Like [`escape`], but also escapes line breaks and tabs, so that a server's text can't start a new line.
pub fn escape_line(text: &str) -> Cow<'_, str> {
    let breaks = text.char_indices().filter(|(_, character)| matches!(character, '\n' | '\r' | '\t'));
    let mut places: Vec<(usize, char)> = breaks.chain(deceptive_characters(text)).collect();
    places.sort_unstable();
    places.dedup();
    escape_characters(text, places.into_iter())
}

/// Like [`escape`], but first replaces line breaks and tabs by spaces.
pub fn escape_to_line(text: &str) -> String {
    escape(&text.replace(['\n', '\r', '\t'], " ")).into_owned()
}

fn escape_characters(text: &str, places: impl Iterator<Item = (usize, char)>) -> Cow<'_, str> {
    let mut places = places.peekable();
    if places.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut from = 0;
    for (at, character) in places {
        out.push_str(text.get(from..at).unwrap_or_default());
        match character {
            '\n' | '\r' | '\t' => out.extend(character.escape_default()),
            _ => out.extend(character.escape_unicode()),
        }
        from = at + character.len_utf8();
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Quotes a word for a shell.
pub fn quote(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:=@%+,".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Converts the names of all members to snake case.
fn convert_to_snake_case(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(convert_to_snake_case),
        Value::Object(members) => {
            for (name, mut value) in std::mem::take(members) {
                convert_to_snake_case(&mut value);
                let mut words = String::with_capacity(name.len() + 4);
                for letter in name.chars() {
                    if letter.is_ascii_uppercase() {
                        words.push('_');
                    }
                    words.push(letter.to_ascii_lowercase());
                }
                members.insert(words, value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_server_cannot_control_the_terminal() {
        assert_eq!(escape("a\x1b[31mb\u{202e}c\u{e0041}\r"), "a\\u{1b}[31mb\\u{202e}c\\u{e0041}\\r");
        for hidden in "\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{2028}\u{2800}\u{3164}\u{fe01}\u{e0101}".chars()
        {
            assert_eq!(escape(&format!("a{hidden}b")), format!("a{}b", hidden.escape_unicode()));
        }
        assert!(matches!(escape("é 日本 👩‍🚀\r\n\tmore"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_name_cannot_begin_a_line_of_its_own() {
        assert_eq!(
            escape_line("echo\n2026-01-01  forged\t\u{202e}\r\n"),
            "echo\\n2026-01-01  forged\\t\\u{202e}\\r\\n"
        );
        assert!(matches!(escape_line("é 日本 👩‍🚀 more"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_result_goes_into_the_envelope_byte_for_byte() {
        let text = r#"{ "b":1.0,"a":10000000000000000001,"b":2 }"#;
        let raw = RawValue::from_string(text.to_owned()).unwrap();
        let envelope = Envelope { ok: true, result: Some(&raw), error: None, exchange: None };
        let text = serde_json::to_string(&envelope).unwrap();
        assert_eq!(text, r#"{"ok":true,"result":{ "b":1.0,"a":10000000000000000001,"b":2 }}"#);
    }

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        assert_eq!(quote("a-b/c=@1"), "a-b/c=@1");
        assert_eq!(quote("a b"), "'a b'");
        assert_eq!(quote("it's"), r"'it'\''s'");
        assert_eq!(quote(""), "''");
    }
}
