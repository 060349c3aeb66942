//! Reading values out of text of any kind: JSON inside JSON, lines, URLs.

use std::ops::Range;

/// A place in the bytes.
pub(crate) struct Scan<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) at: usize,
}

impl Scan<'_> {
    pub(crate) fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Moves behind white space; whether there was any.
    pub(crate) fn blank(&mut self) -> bool {
        let start = self.at;
        while matches!(self.byte(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.at > start
    }

    /// Moves behind spaces and tabs; whether there were any.
    pub(super) fn spaces(&mut self) -> bool {
        let start = self.at;
        while matches!(self.byte(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        self.at > start
    }

    /// A quote with the backslashes before it, if one stands here: JSON inside a JSON text has its quotes
    /// escaped once, and so on. Moves behind it and returns the backslashes and the quote.
    pub(crate) fn quote(&mut self) -> Option<(usize, u8)> {
        let rest = self.bytes.get(self.at..)?;
        let slashes = rest.iter().take_while(|byte| **byte == b'\\').count();
        let quote = rest.get(slashes).copied().filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.at += slashes + 1;
        Some((slashes, quote))
    }

    /// The text here, or the texts of the list here, without their quotes.
    pub(super) fn quoted_values(&mut self) -> Vec<Range<usize>> {
        let mut values = Vec::new();
        let is_list = self.byte() == Some(b'[');
        if is_list {
            self.at += 1;
            self.blank();
        }
        while let Some((slashes, quote)) = self.quote() {
            let start = self.at;
            let Some(end) = self.closing(slashes, quote) else {
                // Cut off: everything to the end belongs to the value.
                values.push(start..self.bytes.len());
                break;
            };
            values.push(start..end);
            self.blank();
            if !is_list || self.byte() != Some(b',') {
                break;
            }
            self.at += 1;
            self.blank();
        }
        values.retain(|value| !value.is_empty());
        values
    }

    /// Moves behind the closing quote and returns where its backslashes begin.
    pub(super) fn closing(&mut self, slashes: usize, quote: u8) -> Option<usize> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let skip = rest.iter().position(|byte| *byte == quote || *byte == b'\\')?;
            self.at += skip;
            let run_start = self.at;
            let run = self.bytes.get(self.at..)?.iter().take_while(|byte| **byte == b'\\').count();
            self.at += run;
            if self.byte() == Some(quote) {
                self.at += 1;
                // With fewer backslashes the text around it ends, with more it is inside the value.
                if run <= slashes {
                    return Some(run_start);
                }
                // An even number of extra backslashes at depth 0 is the value's own.
                if slashes == 0 && run.is_multiple_of(2) {
                    return Some(self.at - 1);
                }
            } else if run == 0 {
                self.at += 1;
            }
        }
    }

    /// A quoted value, or one up to the next separator.
    pub(super) fn word(&mut self) -> Option<Range<usize>> {
        if let Some((slashes, quote)) = self.quote() {
            let start = self.at;
            let end = self.closing(slashes, quote).unwrap_or(self.bytes.len());
            return (start < end).then_some(start..end);
        }
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'&' | b'"' | b'\'' | b'\\' | b',' | b';' | b'#' | b')' | b'<')
        };
        self.until(ends)
    }

    /// The rest of the line, or of the text it stands in.
    pub(super) fn header_value(&mut self) -> Option<Range<usize>> {
        self.spaces();
        self.until(|byte| matches!(byte, b'\r' | b'\n' | b'"' | b'\'' | b'\\'))
    }

    fn until(&mut self, ends: impl Fn(&u8) -> bool) -> Option<Range<usize>> {
        let start = self.at;
        let length = self.bytes.get(start..)?.iter().position(ends).unwrap_or(self.bytes.len() - start);
        self.at += length;
        (length > 0).then_some(start..start + length)
    }
}
