//! Hints for errors of a server that wants to ask something: the option that allows it.

use mooring_command_line::ANSWER_OPTIONS;
use serde_json::Value;
use serde_json::value::RawValue;

/// A call fails because something has to be done at a URL first (2025-11-25).
const URL_ELICITATION_REQUIRED: i64 = -32042;
/// A request needs what was not declared (2026-07-28).
const MISSING_CLIENT_CAPABILITY: i64 = -32021;

const ERA: &str = "It asks questions in sessions only: --era session opens one.";

/// The hint for an error.
pub fn for_error(code: Option<i64>, message: &str, data: Option<&RawValue>) -> Option<String> {
    let data: Value = data.and_then(|data| serde_json::from_str(data.get()).ok()).unwrap_or_default();
    match code {
        Some(URL_ELICITATION_REQUIRED) => urls(&data),
        Some(MISSING_CLIENT_CAPABILITY) => for_capabilities(&data).or_else(|| for_message(message)),
        Some(_) => for_message(message),
        None => None,
    }
}

fn urls(data: &Value) -> Option<String> {
    let entries = data.get("elicitations")?.as_array()?;
    let lines: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            let url = entry.get("url")?.as_str()?;
            let message =
                entry.get("message").and_then(Value::as_str).filter(|message| !message.trim().is_empty());
            Some(message.map_or_else(|| url.to_owned(), |message| format!("{url} ({message})")))
        })
        .collect();
    if lines.is_empty() {
        return None;
    }
    let option = ANSWER_OPTIONS.iter().find(|option| option.part == Some("url"))?;
    Some(format!("Open {}, and then call again. {}", lines.join(" and "), option.hint))
}

/// The options for what an error says is required.
fn for_capabilities(data: &Value) -> Option<String> {
    let required = data.get("requiredCapabilities")?.as_object()?;
    let option_of = |(name, parts): (&String, &Value)| {
        let has = |part| parts.get(part).is_some();
        ANSWER_OPTIONS.iter().find(|option| option.capability == name && option.part.is_none_or(has))
    };
    let options: Vec<&str> = required.iter().filter_map(option_of).map(|option| option.hint).collect();
    (!options.is_empty()).then(|| options.join(" "))
}

/// Guesses from an error message, because SDKs report a missing capability only there.
pub fn for_message(message: &str) -> Option<String> {
    let words = message.to_lowercase();
    let has = |any: &[&str]| any.iter().any(|word| words.contains(word));
    if has(&["back-channel", "backchannel", "unavailable on 2026-07-28"]) {
        return Some(ERA.to_owned());
    }
    if !has(&["not support", "unsupported", "not declare", "capabilit", "not available"]) {
        return None;
    }
    let is_named = |lists: &[&[&str]]| lists.iter().any(|list| list.iter().all(|word| words.contains(word)));
    ANSWER_OPTIONS.iter().find(|option| is_named(option.named)).map(|option| option.hint.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URLS: &str = "--elicit open opens the URLs that a server wants opened.";
    const FORMS: &str = "--elicit accept-defaults or @FILE answers its forms.";
    const SAMPLING: &str = "--sample practice or PROVIDER/MODEL answers what it asks a model.";
    const ROOTS: &str = "--root DIR tells it of a folder.";

    fn hint(code: i64, message: &str, data: &str) -> Option<String> {
        for_error(Some(code), message, Some(&RawValue::from_string(data.to_owned()).unwrap()))
    }

    #[test]
    fn an_error_that_names_urls_has_them_in_its_next_step() {
        let data = r#"{"elicitations":[{"mode":"url","url":"https://a.example/x","message":"Sign the form"},{"url":"https://b.example/"}]}"#;
        assert_eq!(
            hint(-32042, "URL elicitation required", data).unwrap(),
            format!(
                "Open https://a.example/x (Sign the form) and https://b.example/, and then call again. {URLS}"
            )
        );
        assert_eq!(hint(-32042, "x", "{}"), None);
    }

    #[test]
    fn an_error_about_what_was_not_declared_names_the_option() {
        let required = |what: &str| format!(r#"{{"requiredCapabilities":{what}}}"#);
        for (code, message, data, option) in [
            (-32021, "x", required(r#"{"elicitation":{"url":{}}}"#), URLS),
            (-32021, "x", required(r#"{"elicitation":{"form":{}}}"#), FORMS),
            (-32021, "x", required(r#"{"sampling":{}}"#), SAMPLING),
            (-32021, "x", required(r#"{"roots":{}}"#), ROOTS),
            (-32603, "Client does not support URL elicitation", "{}".to_owned(), URLS),
            (-32603, "Client does not support form elicitation.", "{}".to_owned(), FORMS),
            (-32600, "Client does not support sampling/createMessage", "{}".to_owned(), SAMPLING),
            (-32600, "no back-channel for server-initiated requests", "{}".to_owned(), ERA),
        ] {
            assert_eq!(hint(code, message, &data).as_deref(), Some(option), "{message} {data}");
        }
        assert_eq!(hint(-32602, "roots of the equation", "{}"), None);
    }
}
