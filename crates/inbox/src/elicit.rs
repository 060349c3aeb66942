//! Handles `elicitation/create`: forms, and URLs to open.

use mooring_base::excerpt;
use mooring_forms::{FormRequest, FormValues, accept_result};
use mooring_jsonrpc::{Change, quoted, with_members};
use mooring_mcp::{Question, QuestionOrigin, Refusal};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::address::inspect_url;
use crate::prompter::{ResponseToServer, ServerPrompter, describe_occasion};
use crate::question::InteractionQuestion;
use crate::request::{InteractionDecision, InteractionRequest};

/// Maximum number of bytes of a server's message for a URL.
const LONGEST_MESSAGE: usize = 16 << 10;

#[derive(Deserialize)]
struct ElicitParams {
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default, rename = "elicitationId")]
    elicitation: Option<String>,
}

/// Answers `elicitation/create` with the person's decision. Values that look like secrets are passed to
/// `keep_out` before they are sent. `is_apps` is set during a call of an app: its model would take a
/// cancelled question that was never shown for the person's answer.
pub async fn answer(
    prompter: ServerPrompter,
    question: Question,
    is_apps: bool,
    keep_out: impl FnOnce(&[(&str, String)]),
) -> ResponseToServer {
    let asking = match read_request(&prompter, &question) {
        Ok(asking) => asking,
        Err(why) => {
            // Only a request can get an error; otherwise the question is cancelled (ELIC-17).
            return match question.origin {
                QuestionOrigin::Request { .. } => Err(Refusal { code: -32602, message: why }),
                _ => Ok(action_result("cancel")),
            };
        }
    };
    let form = match &asking.question {
        InteractionQuestion::Form { form, .. } => Some(form.clone()),
        _ => None,
    };
    let decided = prompter.interactions().ask(asking).await;
    if let (InteractionDecision::Suppressed(why), true) = (&decided, is_apps) {
        return Err(Refusal { code: -32603, message: format!("nobody was asked: {why}") });
    }
    Ok(match (decided, form) {
        (InteractionDecision::Accepted { content, .. }, Some(form)) => {
            // An accepted answer to a form is always an object.
            let entered = content.and_then(|content| serde_json::from_str(content.get()).ok());
            accept_result(&entered.unwrap_or_default(), &form, keep_out)
        }
        (InteractionDecision::Accepted { .. }, None) => action_result("accept"),
        (InteractionDecision::Declined { .. }, _) => action_result("decline"),
        (InteractionDecision::Cancelled | InteractionDecision::Suppressed(_), _) => action_result("cancel"),
    })
}

/// Prepares a question for an app that sees several servers: puts the server's name before the message.
/// `None` if the question is not an object, or if its URL is blocked or misleading.
pub fn for_app(params: &RawValue, server: Option<&str>) -> Option<Box<RawValue>> {
    // JSON-RPC allows an array as parameters, but `elicitation/create` does not.
    let params = Some(params).filter(|params| params.get().starts_with('{'))?;
    let ElicitParams { message, url, .. } = serde_json::from_str(params.get()).ok()?;
    if let Some(address) = url.as_deref().map(inspect_url)
        && (address.blocked.is_some() || address.misleads)
    {
        return None;
    }
    let Some(server) = server else { return Some(params.to_owned()) };
    let words = format!("“{server}” asks: {}", message.unwrap_or_default());
    mooring_jsonrpc::raw(&with_members(params.get(), &[("message", Change::Set(&quoted(&words)))]))
}

/// Passes those values of an app's answer to a form that look like secrets to `keep_out`.
pub fn keep_out_secrets(params: &RawValue, result: &RawValue, keep_out: impl FnOnce(&[(&str, String)])) {
    #[derive(Deserialize)]
    struct Answer {
        content: Option<FormValues>,
    }
    // A URL has no form, and a declined answer has no values.
    if let Ok(FormRequest { form, .. }) = FormRequest::read(params)
        && let Ok(Answer { content: Some(entered) }) = serde_json::from_str(result.get())
    {
        keep_out(&entered.secret_values(&form));
    }
}

fn read_request(prompter: &ServerPrompter, question: &Question) -> Result<InteractionRequest, String> {
    let unread = || "Invalid params".to_owned();
    // JSON-RPC allows an array as parameters, but `elicitation/create` does not.
    if !question.params.get().trim_start().starts_with('{') {
        return Err(unread());
    }
    let params: ElicitParams = serde_json::from_str(question.params.get()).map_err(|_| unread())?;
    let (asker, occasion) = (prompter.asker(), describe_occasion(&question.origin));
    if params.mode.as_deref() == Some("url") {
        let url = params.url.ok_or_else(|| "the question has no url".to_owned())?;
        let message = excerpt::truncate(params.message.unwrap_or_default(), LONGEST_MESSAGE);
        let question_shown =
            InteractionQuestion::Url { message, address: inspect_url(&url), opened: false, problem: None };
        // Nothing is sent after a URL error, and a round is repeated with the answer. In both cases, accept
        // means that the person has been there and wants to continue (ELIC-27). A request is answered at
        // once, and its completion is reported later.
        let awaits_done = !matches!(question.origin, QuestionOrigin::Request { .. });
        let asking = InteractionRequest::new(asker, occasion, question_shown);
        return Ok(InteractionRequest {
            elicitation_id: params.elicitation,
            awaits_completion: awaits_done,
            ..asking
        });
    }
    let FormRequest { message, form } =
        FormRequest::read(&question.params).map_err(|why| format!("Unsupported form: {why}"))?;
    Ok(InteractionRequest::new(asker, occasion, InteractionQuestion::Form { message, form }))
}

fn action_result(action: &str) -> Box<RawValue> {
    raw(&json!({ "action": action }))
}

fn raw(value: &impl serde::Serialize) -> Box<RawValue> {
    // Serializing this value can't fail.
    to_raw_value(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(params: &serde_json::Value, server: Option<&str>) -> Option<serde_json::Value> {
        let params = RawValue::from_string(params.to_string()).unwrap();
        for_app(&params, server).map(|params| serde_json::from_str(params.get()).unwrap())
    }

    #[test]
    fn an_app_hears_which_server_asks() {
        let form = json!({"message": "Who?", "requestedSchema": {"type": "object"}, "other": [1.0]});
        assert_eq!(asked(&form, None).unwrap(), form);
        let named = asked(&form, Some("my \"s\"")).unwrap();
        assert_eq!(named["message"], "“my \"s\"” asks: Who?");
        assert_eq!((&named["requestedSchema"], &named["other"]), (&form["requestedSchema"], &form["other"]));
        assert_eq!(asked(&json!({}), Some("s")).unwrap()["message"], "“s” asks: ");
        assert_eq!(asked(&json!([]), Some("s")), None);
    }

    #[test]
    fn no_app_gets_an_address_that_is_not_opened_or_misleads() {
        let page = |url: &str| asked(&json!({"mode": "url", "message": "m", "url": url}), Some("s"));
        for good in ["https://harbour.example/pay?x=1", "http://localhost:8080/", "https://bücher.example/"]
        {
            assert_eq!(page(good).unwrap()["url"], good);
        }
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "vscode://x",
            "http://harbour.example/",
            "https://bank.example@evil.example/",
            "https://xn--pple-43d.com/",
            "https://harbour.example/\u{202e}",
            "not an address",
            "",
        ] {
            assert!(page(bad).is_none(), "{bad}");
        }
    }
}
