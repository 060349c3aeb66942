//! The codes of JSON-RPC errors that the engine goes by.

/// The server has no such method.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// It cannot use the parameters.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The headers do not say what the body says (2026-07-28).
pub(crate) const HEADER_MISMATCH: i64 = -32020;
/// The request needs an ability that was not declared (2026-07-28).
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
/// The server does not speak the request's revision (2026-07-28).
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;
/// Something has to be done at a URL first (2025-11-25).
pub(crate) const URL_REQUIRED: i64 = -32042;
