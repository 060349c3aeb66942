//! Parses notifications of the server.

use bytes::Bytes;
use mooring_jsonrpc::{Members, raw, string};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::message::read_own_id;
use crate::model::notification::{Notification, Progress};
use crate::text::cut_text;

/// A notification. Progress has its own variant.
#[derive(Debug)]
pub(crate) enum IncomingNotification {
    Progress(u64, Progress),
    Other(Notification),
}

pub(super) fn read_notification(
    method: String,
    params: Option<Bytes>,
) -> Result<IncomingNotification, Diagnostic> {
    let odd =
        |message: Sentence| Diagnostic::new(DiagnosticCode::WrongType, format!("{method}.params"), message);
    let params = match params {
        Some(params) => {
            let text = std::str::from_utf8(&params).map_err(|_| odd(say!("isn’t UTF-8")))?;
            Some(raw(text).ok_or_else(|| odd(say!("isn’t valid JSON")))?)
        }
        None => None,
    };
    if method != "notifications/progress" {
        return Ok(IncomingNotification::Other(Notification { method, params }));
    }
    read_progress(params.as_deref()).map_err(odd)
}

pub(crate) fn read_progress(params: Option<&RawValue>) -> Result<IncomingNotification, Sentence> {
    let mut id = None;
    let mut read = Progress { progress: 0.0, total: None, message: None };
    for (key, value) in &Members::of(params.map_or("{}", RawValue::get)) {
        let number = || value.trim_matches('"').parse::<f64>().ok().filter(|number| number.is_finite());
        match key {
            "progressToken" => id = read_own_id(value.as_bytes()),
            "progress" => read.progress = number().ok_or_else(|| say!("progress isn’t a number"))?,
            "total" => read.total = number(),
            "message" => read.message = string(value).map(|text| cut_text(&text, 4096).to_owned()),
            _ => {}
        }
    }
    let id = id.ok_or_else(|| say!("progressToken isn’t one of ours"))?;
    Ok(IncomingNotification::Progress(id, read))
}
