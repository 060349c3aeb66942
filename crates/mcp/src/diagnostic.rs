//! Diagnostics: problems of something that a server sent, and their places.

use std::fmt;

use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

/// Kinds of problems. The text form (`DiagnosticCode::as_str`) is part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DiagnosticCode {
    /// The JSON-RPC envelope.
    Envelope,
    /// Output on stdout that is not a message.
    Noise,
    /// A required member is absent.
    Missing,
    /// A member has another type than the schema gives it.
    WrongType,
    /// A limit was reached, and the rest is left out.
    Limit,
    /// A list that does not end correctly.
    Pagination,
    /// A response or notification that matches no pending request.
    Unmatched,
    /// The handshake.
    Handshake,
    /// Mirroring of arguments into headers.
    Header,
    /// HTTP: status, content type or event stream.
    Http,
    /// A URI that another server also uses.
    Address,
}

impl DiagnosticCode {
    /// The code's word in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Noise => "noise",
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::Limit => "limit",
            Self::Pagination => "pagination",
            Self::Unmatched => "unmatched",
            Self::Handshake => "handshake",
            Self::Header => "header",
            Self::Http => "http",
            Self::Address => "address",
        }
    }
}

/// One problem. `path` is its place, such as `tools[17].inputSchema`, or empty for the whole message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Diagnostic {
    /// The kind of the problem.
    #[ts(type = "string")]
    pub code: DiagnosticCode,
    /// The place of the problem.
    pub path: String,
    /// The message: lower case, no final period.
    pub message: Sentence,
}

impl Diagnostic {
    /// The longest path in bytes, because paths may contain a server's words.
    const LONGEST_PATH: usize = 4096;

    /// A diagnostic at `path`, cut only if extremely long. Front ends cut more after removing secrets.
    pub fn new(code: DiagnosticCode, path: impl Into<String>, message: Sentence) -> Self {
        let mut path = path.into();
        path.truncate(path.floor_char_boundary(Self::LONGEST_PATH));
        Self { code, path, message }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}
