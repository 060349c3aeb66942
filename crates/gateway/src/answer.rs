//! Answers to the requests of apps.

use mooring_errors::HostError;
use mooring_jsonrpc::{Params, code};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// The result of a request, as JSON.
pub(crate) type Answer = Result<String, Failed>;

/// A JSON-RPC error.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) code: i64,
    pub(crate) message: String,
    /// JSON.
    pub(crate) data: Option<String>,
}

impl Failed {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }
}

impl From<HostError> for Failed {
    fn from(error: HostError) -> Self {
        Self::new(code::INTERNAL_ERROR, error.sentence().to_string())
    }
}

/// Deserializes parameters that are small.
pub(crate) fn read_params<T: DeserializeOwned>(params: &Params) -> Result<T, Failed> {
    params.read().map_err(|error| invalid(&error.to_string()))
}

/// Deserializes the arguments of a call. `None` counts as an empty object.
pub(crate) fn read_arguments<T: DeserializeOwned>(arguments: Option<&RawValue>) -> Result<T, Failed> {
    serde_json::from_str(arguments.map_or("{}", RawValue::get)).map_err(|error| invalid(&error.to_string()))
}

pub(crate) fn invalid(what: &str) -> Failed {
    Failed::new(code::INVALID_PARAMS, format!("Invalid params: {what}"))
}
