//! The codes of errors: JSON-RPC's (section 5.1), and the protocol's own.

/// Not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// JSON, but no message.
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not those of the method.
pub const INVALID_PARAMS: i64 = -32602;
/// What was asked could not be done.
pub const INTERNAL_ERROR: i64 = -32603;
/// There is no such resource (`server/resources`).
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The session has ended, or never was. What the official servers say.
pub const NO_SESSION: i64 = -32001;
/// More requests than may run at once.
pub const TOO_MANY: i64 = -32000;
/// Something has to be done at a URL first (2025-11-25).
pub const URL_REQUIRED: i64 = -32042;
/// The headers do not say what the body says (2026-07-28, as the next two).
pub const HEADER_MISMATCH: i64 = -32020;
/// A capability is needed that was not declared.
pub const MISSING_CAPABILITY: i64 = -32021;
/// Requests of that revision are not answered.
pub const UNSUPPORTED_VERSION: i64 = -32022;
