//! What was odd about something a server sent, and where.

use std::fmt;

use mooring_words::Sentence;
use serde::Serialize;
use ts_rs::TS;

/// The kinds of oddities. The text form (`DiagnosticCode::as_str`) is part of the command line's contract.
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
    /// A limit was reached; what is beyond it is left out.
    Limit,
    /// A list that does not end by the rules.
    Pagination,
    /// An answer or a notification that belongs to nothing that waits.
    Unmatched,
    /// The handshake.
    Handshake,
    /// The mirroring of arguments into headers.
    Header,
    /// HTTP: status, content type or event stream.
    Http,
    /// An address that another server has as well.
    Address,
}

impl DiagnosticCode {
    /// The code as it stands in JSON.
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

/// One oddity. `path` says where, in the form `tools[17].inputSchema`; it is empty for the message as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
pub struct Diagnostic {
    /// A stable word for the oddity.
    #[ts(type = "string")]
    pub code: DiagnosticCode,
    /// Where it was found.
    pub path: String,
    /// What it is, in words: lower case, no final period.
    pub message: Sentence,
}

impl Diagnostic {
    /// Longest path kept, in bytes: paths may hold a server's words.
    const LONGEST_PATH: usize = 4096;

    /// A diagnostic at `path`. What is far longer than a diagnostic should be is cut; whoever shows one cuts it
    /// further, after secrets have been taken out.
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
