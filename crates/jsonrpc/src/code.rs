//! Error codes of JSON-RPC (section 5.1) and of the protocol.

/// The text is not JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The JSON is not a message.
pub const INVALID_REQUEST: i64 = -32600;
/// The method does not exist.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are invalid for the method.
pub const INVALID_PARAMS: i64 = -32602;
/// The request failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// The resource does not exist (`server/resources`).
pub const RESOURCE_NOT_FOUND: i64 = -32002;
/// The session has ended or never existed. Used by the official servers.
pub const NO_SESSION: i64 = -32001;
/// Too many requests run at once.
pub const TOO_MANY: i64 = -32000;
/// The user must visit a URL first (2025-11-25).
pub const URL_REQUIRED: i64 = -32042;
/// The headers contradict the body (2026-07-28, like the next two).
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a capability that was not declared.
pub const MISSING_CAPABILITY: i64 = -32021;
/// The server does not support that protocol version.
pub const UNSUPPORTED_VERSION: i64 = -32022;
