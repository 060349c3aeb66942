//! The headers of stateless requests (2026-07-28, Streamable HTTP), which have to match the body.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use mooring_jsonrpc::{Params, code, member, raw};
use mooring_mcp::{decode_header, param_headers};
use mooring_revisions::OfferKind;
use serde_json::value::RawValue;

use super::PROTOCOL_VERSION;
use crate::answer::Failed;
use crate::head::RequestHead;
use crate::stateless::check_version;
use crate::view::AppView;

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

fn header_mismatch(reason: &str) -> Failed {
    Failed::new(code::HEADER_MISMATCH, format!("Header mismatch: {reason}"))
}

/// Checks all headers of a request.
pub(super) async fn check_headers(
    view: &AppView,
    headers: &HeaderMap,
    method: &str,
    params: &Params,
    head: &RequestHead,
) -> Result<(), Failed> {
    match (read_plain_header(headers, &PROTOCOL_VERSION)?, head.version.as_deref()) {
        (None, _) => return Err(header_mismatch(&format!("{PROTOCOL_VERSION} is missing"))),
        (Some(header), Some(body)) if header != body => {
            return Err(header_mismatch(&format!(
                "{PROTOCOL_VERSION} is {header:?}, and the body says {body:?}"
            )));
        }
        // If the body has no version, the request is refused when its body is read.
        (Some(header), _) => check_version(header)?,
    }
    match read_plain_header(headers, &METHOD)? {
        Some(header) if header == method => {}
        Some(header) => {
            return Err(header_mismatch(&format!("{METHOD} is {header:?}, and the body says {method:?}")));
        }
        None => return Err(header_mismatch(&format!("{METHOD} is missing"))),
    }
    let naming = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    // A request without a name or URI is refused when its body is read.
    let Some(named) = params.text(naming) else { return Ok(()) };
    let Some(header) = headers.get(NAME) else { return Err(header_mismatch(&format!("{NAME} is missing"))) };
    if decode_header(header).as_deref() != Some(named.as_str()) {
        return Err(header_mismatch(&format!("{NAME} is {header:?}, and the body says {named:?}")));
    }
    if method == "tools/call" {
        check_argument_headers(view, headers, &named, params.get("arguments")).await?;
    }
    Ok(())
}

/// The value of a header, without surrounding spaces.
fn read_plain_header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Failed> {
    let read = |value: &'a HeaderValue| {
        value
            .to_str()
            .map(str::trim)
            .map_err(|_| header_mismatch(&format!("{name} has characters that no header may have")))
    };
    headers.get(name).map(read).transpose()
}

/// Checks the headers that mirror arguments (`x-mcp-header` in the tool's schema).
async fn check_argument_headers(
    view: &AppView,
    headers: &HeaderMap,
    tool: &str,
    arguments: Option<&RawValue>,
) -> Result<(), Failed> {
    let catalogue = view.catalogue(&view.profile()).await?;
    // A call of an unknown tool is refused later.
    let Some(tool) = catalogue.find(OfferKind::Tools, tool) else { return Ok(()) };
    let Some(schema) = member(tool.definition(), "inputSchema").and_then(raw) else { return Ok(()) };
    // Tools with invalid annotations aren't offered anyway.
    let Ok(mirrored) = param_headers(&schema) else { return Ok(()) };
    for param in mirrored {
        let header = headers.get(param.name());
        if !param.matches(header, arguments.map_or("{}", RawValue::get)) {
            let name = param.name();
            return Err(header_mismatch(&format!("{name} is {header:?}, and the argument is another")));
        }
    }
    Ok(())
}
