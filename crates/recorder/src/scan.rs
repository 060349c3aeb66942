//! Reads values from any kind of text, such as JSON inside JSON, lines and URLs.
//!
//! A server chooses the text, and can put as many names into it as it likes. The cost must stay linear in the
//! text's length. Therefore, all text that is read for a name is either redacted and then skipped, or
//! remembered for later names ([`Segments`]), or limited in length.

use std::ops::Range;

/// The text that replaces a secret in the log.
pub(crate) const REDACTED: &str = "[redacted]";

use mooring_base::credentials::scan_cost::count_bytes;
use mooring_base::credentials::{Segments, looks_generated};

/// The most bytes of a quoted value that are read to decide whether the value looks generated. A value that
/// does is redacted to its end.
const VALUE_REACH: usize = 1 << 10;
/// The most bytes of a list that are read if its values must look generated.
const LIST_REACH: usize = 16 << 10;
/// The most backslashes before a quote. This is JSON nested in JSON seven times.
const MAX_BACKSLASHES: usize = 127;

/// Which values of a name are secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueFilter {
    /// All values.
    Any,
    /// Values that look generated.
    Generated,
}

impl ValueFilter {
    /// Whether this quoted value, or its start, passes the filter.
    pub(super) fn matches(self, value: &[u8]) -> bool {
        !value.is_empty()
            && value != REDACTED.as_bytes()
            && match self {
                Self::Any => true,
                Self::Generated => looks_generated(value),
            }
    }
}

/// A position in a text, and what is already known about the bytes after it.
pub(crate) struct Scanner<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
    /// Characters of names.
    pub(super) names: Segments,
    /// Values without quotes.
    words: Segments,
    /// Values of headers.
    lines: Segments,
    /// Spaces after values.
    pub(super) gaps: Segments,
    /// Where objects begin that are known to have no values.
    pub(super) without_values: Range<usize>,
    /// Objects that are schemas.
    pub(super) schemas: Vec<usize>,
}

/// A quoted text.
pub(super) struct QuotedText {
    pub(super) value: Range<usize>,
    pub(super) is_wanted: bool,
    /// The closing quote was found, and the scan is after it.
    is_closed: bool,
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        let ends_word = |byte: u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'&' | b'"' | b'\'' | b'\\' | b',' | b';' | b'#' | b')' | b'<')
        };
        Self {
            bytes,
            at,
            names: Segments::new(|byte| !is_name_byte(byte)),
            words: Segments::new(ends_word),
            lines: Segments::new(|byte| matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'\\')),
            gaps: Segments::new(|byte| !matches!(byte, b' ' | b'\t')),
            without_values: 0..0,
            schemas: Vec::new(),
        }
    }

    pub(crate) fn current_byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The bytes from here on.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Moves past white space. Returns whether there was any.
    pub(crate) fn skip_whitespace(&mut self) -> bool {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
    }

    /// Moves past spaces and tabs. Returns whether there were any.
    pub(super) fn skip_spaces(&mut self) -> bool {
        self.skip_while(|byte| matches!(byte, b' ' | b'\t'))
    }

    fn skip_while(&mut self, is_blank: impl Fn(u8) -> bool) -> bool {
        let length = self.rest().iter().take_while(|byte| is_blank(**byte)).count();
        count_bytes(length + 1);
        self.at += length;
        length > 0
    }

    /// Reads a quote and the backslashes before it, if there is one here. Quotes of JSON inside a JSON text
    /// are escaped once, and so on. Moves past the quote, and returns the number of backslashes and the
    /// quote.
    pub(crate) fn read_quote(&mut self) -> Option<(usize, u8)> {
        let rest = self.rest();
        let slashes = rest.iter().take(MAX_BACKSLASHES + 1).take_while(|byte| **byte == b'\\').count();
        count_bytes(slashes + 1);
        let quote = rest.get(slashes).copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.at += slashes + 1;
        Some((slashes, quote))
    }

    /// Reads the quoted string here. A wanted string is read to its end. Another string is read only until it
    /// is clear that it isn't wanted.
    pub(super) fn read_quoted(&mut self, wanted: ValueFilter) -> Option<QuotedText> {
        let (slashes, quote) = self.read_quote()?;
        let start = self.at;
        let near = self.bytes.len().min(start + VALUE_REACH);
        let closed = self.find_closing_quote(slashes, quote, near);
        let value = start..closed.unwrap_or(near);
        let is_wanted = wanted.matches(self.bytes.get(value.clone()).unwrap_or_default());
        if closed.is_some() || !is_wanted {
            return Some(QuotedText { value, is_wanted, is_closed: closed.is_some() });
        }
        let closed = self.find_closing_quote(slashes, quote, self.bytes.len());
        // If the text is truncated, everything to its end belongs to the value.
        let end = closed.unwrap_or(self.bytes.len());
        Some(QuotedText { value: start..end, is_wanted, is_closed: closed.is_some() })
    }

    /// Reads the wanted string here, or the wanted strings of the list here, without quotes.
    pub(super) fn read_quoted_values(&mut self, wanted: ValueFilter) -> Vec<Range<usize>> {
        let mut values = Vec::new();
        let is_list = self.current_byte() == Some(b'[');
        if is_list {
            self.at += 1;
            self.skip_whitespace();
        }
        let end = match wanted {
            ValueFilter::Any => self.bytes.len(),
            ValueFilter::Generated => self.bytes.len().min(self.at + LIST_REACH),
        };
        while self.at < end
            && let Some(QuotedText { value, is_wanted, is_closed }) = self.read_quoted(wanted)
        {
            if is_wanted {
                values.push(value);
            }
            if !is_list || !is_closed {
                break;
            }
            self.skip_whitespace();
            if self.current_byte() != Some(b',') {
                break;
            }
            self.at += 1;
            self.skip_whitespace();
        }
        values
    }

    /// Moves past the closing quote, and returns where the quote's backslashes begin. If there is none before
    /// `end`, the search can continue where it stopped.
    pub(super) fn find_closing_quote(&mut self, slashes: usize, quote: u8, end: usize) -> Option<usize> {
        let bytes = self.bytes.get(..end)?;
        loop {
            let rest = bytes.get(self.at..)?;
            let skip = memchr::memchr2(quote, b'\\', rest);
            count_bytes(skip.unwrap_or(rest.len()) + 1);
            let Some(skip) = skip else {
                self.at = end;
                return None;
            };
            let run_start = self.at + skip;
            let rest = bytes.get(run_start..)?;
            let run = rest.iter().take_while(|byte| **byte == b'\\').count();
            count_bytes(run);
            match rest.get(run) {
                None => {
                    self.at = run_start;
                    return None;
                }
                Some(byte) if *byte == quote => {
                    self.at = run_start + run + 1;
                    // With fewer backslashes, the surrounding string ends. With more backslashes, the quote
                    // is inside the value.
                    if run <= slashes {
                        return Some(run_start);
                    }
                    // At depth 0, an even number of backslashes belongs to the value.
                    if slashes == 0 && run.is_multiple_of(2) {
                        return Some(self.at - 1);
                    }
                }
                Some(_) => self.at = run_start + run,
            }
        }
    }

    /// Reads the wanted value here, either quoted or up to the next separator.
    pub(super) fn read_value(&mut self, wanted: ValueFilter) -> Option<Range<usize>> {
        if matches!(self.current_byte(), Some(b'"' | b'\'' | b'\\'))
            && let Some(quoted) = self.read_quoted(wanted)
        {
            return Some(quoted.value).filter(|_| quoted.is_wanted);
        }
        let value = self.at..self.words.end(self.bytes, self.at);
        self.at = value.end;
        let is_wanted = Self::matches_word(self.bytes, &mut self.words, &value, wanted);
        is_wanted.then_some(value)
    }

    /// The end of the unquoted value here.
    pub(super) fn find_word_end(&mut self) -> usize {
        self.words.end(self.bytes, self.at)
    }

    /// Reads the rest of the line, or of the quoted string that contains it, if the rest passes the filter
    /// `wanted`.
    pub(super) fn read_header_value(&mut self, wanted: ValueFilter) -> Option<Range<usize>> {
        self.skip_spaces();
        let value = self.at..self.lines.end(self.bytes, self.at);
        self.at = value.end;
        let is_wanted = Self::matches_word(self.bytes, &mut self.lines, &value, wanted);
        is_wanted.then_some(value)
    }

    /// Whether a value without quotes passes the filter.
    fn matches_word(bytes: &[u8], runs: &mut Segments, value: &Range<usize>, wanted: ValueFilter) -> bool {
        !value.is_empty()
            && bytes.get(value.clone()) != Some(REDACTED.as_bytes())
            && match wanted {
                ValueFilter::Any => true,
                ValueFilter::Generated => {
                    runs.traits(bytes, value.start).look_generated(bytes, value.clone())
                }
            }
    }
}
