//! Every bound of the engine in one place. The figures are those of the project's security rules; a
//! peer that exceeds one loses that message or that call, never its neighbours.

use std::time::Duration;

/// Bytes in one kibibyte.
const KIB: usize = 1024;
/// Bytes in one mebibyte.
const MIB: usize = 1024 * KIB;

/// What one connection may cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Largest message, event or HTTP body, in bytes.
    pub message_bytes: usize,
    /// Most JSON values in one message, containers included.
    pub nodes: usize,
    /// Deepest nesting of arrays and objects in one message.
    pub depth: usize,
    /// Requests of ours that may wait for an answer at once.
    pub in_flight: usize,
    /// Most items of one list, over all its pages.
    pub items: usize,
    /// Most pages of one list.
    pub pages: usize,
    /// Longest tool name, in bytes.
    pub name_bytes: usize,
    /// Longest URI or URI template, in bytes.
    pub uri_bytes: usize,
    /// Longest description, in bytes; what is longer is shown cut.
    pub description_bytes: usize,
    /// Largest schema, in bytes.
    pub schema_bytes: usize,
    /// Messages that a server may send unasked, a second.
    pub unasked_per_second: usize,
    /// How many of them may come at once.
    pub unasked_burst: usize,
    /// Bytes that a server may send unasked, a second.
    pub unasked_bytes_per_second: usize,
    /// Most rounds of questions that one call may need.
    pub rounds: usize,
    /// Longest line of stderr, in bytes; what is longer is cut.
    pub stderr_line_bytes: usize,
    /// How much of stderr is remembered for diagnosis, in bytes.
    pub stderr_tail_bytes: usize,
}

impl Limits {
    /// The smallest value a person may choose for [`Self::message_bytes`].
    pub const MESSAGE_BYTES_DEFAULT: usize = 4 * MIB;
    /// The largest value a person may choose for [`Self::message_bytes`].
    pub const MESSAGE_BYTES_MAX: usize = 16 * MIB;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: Self::MESSAGE_BYTES_DEFAULT,
            nodes: 200_000,
            depth: 64,
            in_flight: 64,
            items: 1_000,
            pages: 50,
            name_bytes: 128,
            uri_bytes: 8 * KIB,
            description_bytes: 16 * KIB,
            schema_bytes: 256 * KIB,
            unasked_per_second: 1_000,
            unasked_burst: 2_000,
            unasked_bytes_per_second: 16 * MIB,
            rounds: 10,
            stderr_line_bytes: 64 * KIB,
            stderr_tail_bytes: MIB,
        }
    }
}

/// How long we wait for a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// From the start of a connection to the answer to `initialize`.
    pub connect: Duration,
    /// Longest silence while a request waits; progress of that request starts it anew.
    pub idle: Duration,
    /// Longest time one request may take, whatever progress it reports.
    pub total: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self { connect: Duration::from_mins(2), idle: Duration::from_mins(1), total: Duration::from_mins(10) }
    }
}
