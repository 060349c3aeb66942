//! Tests that all checks and parsers read an object as `serde_json` does, however its keys are written.

use std::fmt::Debug;
use std::time::Duration;

use bytes::Bytes;
use mooring_jsonrpc::{Members, raw};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::calls::TaskSupport;
use crate::client::lists::remove_items;
use crate::client_capabilities::{ClientCapabilities, QuestionKind, check_declared};
use crate::diagnostic::Diagnostic;
use crate::era::probe::{classify_answer, read_supported_versions};
use crate::error::RpcError;
use crate::filter::{RESOURCE_UPDATED, SubscriptionFilter, TASK, read_uri};
use crate::frame::{ResponseIdScanner, truncated};
use crate::headers::param_headers;
use crate::inbound::{Question, QuestionContext, QuestionOrigin};
use crate::input_rounds::{ResultType, read_result_type};
use crate::limits::{LimitTracker, Limits};
use crate::link::notification::read_progress;
use crate::message::{self, Message, ResponseBody, ResponseId};
use crate::model::call_result::CallResult;
use crate::model::handshake::{ServerCapabilities, ServerFacts};
use crate::model::listing::PageCollector;
use crate::model::prompt::Prompt;
use crate::model::resource::{Resource, ResourceTemplate};
use crate::model::tool::Tool;
use crate::model::{schema, shape};
use crate::peer::cache::Cache;
use crate::peer::elicitations;
use crate::peer::notifications::read_created_task;
use crate::peer::requests::{insert_related_task, read_related_task, task_metadata};
use crate::questions::pending::read_progress_token;
use crate::request::{ResultKind, Success};
use crate::skills::{Skill, read_content};
use crate::table::RpcResponse;
use crate::task::{Task, TaskForm};
use crate::url_required::{is_accept, read_urls};
use crate::{sampling, tasks};

/// A way to write an object.
#[derive(Debug, Clone, Copy)]
enum Style<'a> {
    /// Every key and every string begins with an escape.
    Escaped,
    /// Each member occurs twice, first with a value that doesn't count. Either key may be escaped.
    Doubled { first: &'a str, escapes: (bool, bool) },
}

fn text(text: &str, escape: bool) -> String {
    let Some(first) = text.chars().next().filter(|first| escape && first.is_ascii()) else {
        return Value::from(text).to_string();
    };
    let rest = Value::from(&text[1..]).to_string();
    format!("\"\\u{:04x}{}", u32::from(first), &rest[1..])
}

fn written(value: &Value, style: Style<'_>) -> String {
    match value {
        Value::String(value) => text(value, matches!(style, Style::Escaped)),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(|value| written(value, style)).collect();
            format!("[{}]", values.join(","))
        }
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                let value = written(value, style);
                match style {
                    Style::Escaped => format!("{}:{value}", text(key, true)),
                    Style::Doubled { first, escapes } => {
                        format!("{}:{first},{}:{value}", text(key, escapes.0), text(key, escapes.1))
                    }
                }
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
        value => value.to_string(),
    }
}

fn all_styles(value: &Value) -> Vec<String> {
    const OTHERS: [&str; 9] = [
        "null",
        "true",
        "false",
        "7",
        "\"other\"",
        "[]",
        "[{\"type\":\"text\"}]",
        "{}",
        "{\"title\":\"other\"}",
    ];
    let mut all = vec![written(value, Style::Escaped)];
    for first in OTHERS {
        for escapes in [(false, false), (true, false), (false, true), (true, true)] {
            all.push(written(value, Style::Doubled { first, escapes }));
        }
    }
    all
}

/// Reads an object in every style, and compares the results with the result for the plain object.
fn agree<T: Debug>(reader: &str, value: &Value, read: impl Fn(&str) -> T) {
    let expected = format!("{:?}", read(&value.to_string()));
    for text in all_styles(value) {
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *value, "{reader}: {text}");
        assert_eq!(format!("{:?}", read(&text)), expected, "{reader}: {text}");
    }
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn value_of(json: Option<&RawValue>) -> Option<Value> {
    json.map(|json| value(json.get()))
}

fn odd(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(ToString::to_string).collect()
}

/// Parses the messages of a frame, with their parts as values.
fn messages(text: &str) -> Vec<Value> {
    let part = |part: &[u8]| serde_json::from_slice::<Value>(part).unwrap();
    let read = message::parse_frame(&Bytes::copy_from_slice(text.as_bytes()), &Limits::default()).unwrap();
    let messages = read.messages.into_iter().map(|parsed| match parsed.message {
        Message::Request { id, method, params } => {
            json!([part(&id), method, params.map(|params| part(&params))])
        }
        Message::Notification { method, params } => json!([method, params.map(|params| part(&params))]),
        Message::Response { id, body: ResponseBody::Result(body) } => {
            json!([number(id.as_ref()), "result", part(&body)])
        }
        Message::Response { id, body: ResponseBody::Error(body) } => {
            json!([number(id.as_ref()), "error", part(&body)])
        }
    });
    messages.collect()
}

fn number(id: Option<&ResponseId>) -> Option<u64> {
    match id {
        Some(ResponseId::Ours { number, .. }) => Some(*number),
        _ => None,
    }
}

#[test]
fn every_gate_sees_what_serde_json_sees() {
    let result = json!({"jsonrpc": "2.0", "id": 7, "result": {"a": 1}});
    let request = json!({"jsonrpc": "2.0", "id": "x", "method": "m", "params": {"a": 1}});
    agree("the envelope of a result", &result, messages);
    agree("the envelope of an error", &json!({"id": 7, "error": {"code": 1}}), messages);
    agree("the envelope of a request", &request, messages);
    agree("the envelope of a notification", &json!({"method": "m", "params": {}}), messages);
    agree("the envelopes of a batch", &json!([result, request]), messages);
    let passing = |text: &str| {
        let mut passing = ResponseIdScanner::default();
        passing.feed(text.as_bytes());
        passing.finish().map(<[u8]>::to_vec)
    };
    agree("the id that passes by", &result, passing);
    agree("the id of a request that passes by", &request, passing);
    agree("the beginning of a result", &json!({"id": 7, "result": {"a": [1, {"b": 2}]}}), |text| {
        value(truncated::truncated_result(text.as_bytes()).unwrap().get())
    });

    let question = |asked, text: &str| {
        let origin =
            QuestionOrigin::Request { id: "1".into(), task: None, occasion: QuestionContext::Unknown };
        Question { kind: asked, params: raw(text).unwrap(), origin }
    };
    let forms = ClientCapabilities { forms: true, sampling: true, ..ClientCapabilities::default() };
    let urls_alone = ClientCapabilities { urls: true, ..ClientCapabilities::default() };
    for mode in ["url", "form"] {
        for abilities in [forms, urls_alone] {
            agree("the gate of elicitations", &json!({"mode": mode, "message": "m"}), |text| {
                check_declared(QuestionKind::Elicitation, text, abilities)
            });
        }
    }
    let block = |name: &str| json!({"type": name, "id": "a", "toolUseId": "a"});
    let exchange = json!({"tools": null, "messages": [
        {"role": "assistant", "content": [block("tool_use")]},
        {"role": "user", "content": block("tool_result")},
    ]});
    for params in [json!({"tools": []}), json!({"toolChoice": {}}), exchange.clone()] {
        agree("the gate of sampling", &params, |text| check_declared(QuestionKind::Sampling, text, forms));
    }
    agree("the messages of sampling", &exchange, |text| {
        Members::of(text).get("messages").map(sampling::check)
    });
    agree("what is accepted", &json!({"action": "accept", "content": {}}), is_accept);
    agree("the wish for a task", &json!({"task": {"ttl": 5000}}), |text| {
        task_metadata(&question(QuestionKind::Sampling, text)).map(|task| task.ttl)
    });
    let bomb: Value = {
        let mut definitions = serde_json::Map::new();
        for n in 0..40 {
            let next = json!({"$ref": format!("#/$defs/d{}", n + 1)});
            definitions.insert(format!("d{n}"), json!({"anyOf": [next, next]}));
        }
        json!({"$defs": definitions, "$ref": "#/$defs/d0"})
    };
    agree("the bound of schemas", &bomb, |text| schema::is_size_within(text, 100_000));
    let annotated = json!({"properties": {
        "a": {"type": "string", "x-mcp-header": "A"},
        "b": {"properties": {"c": {"type": "integer", "x-mcp-header": "C"}}},
    }});
    agree("the headers of a schema", &annotated, |text| param_headers(&raw(text).unwrap()));
    let headers = param_headers(&raw(&annotated.to_string()).unwrap()).unwrap();
    agree("the headers of arguments", &json!({"a": "x", "b": {"c": 7}}), |text| {
        headers.iter().map(|header| header.to_header(text)).collect::<Vec<_>>()
    });
}

#[test]
fn every_view_sees_what_serde_json_sees() {
    let bounds = LimitTracker::default();
    let item = json!({
        "name": "n", "title": "t", "description": "d", "uri": "a:b", "uriTemplate": "a:{b}", "mimeType": "x/y",
        "size": 3, "annotations": {"title": "T", "readOnlyHint": true, "audience": ["user"]},
        "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"},
        "arguments": [{"name": "a", "required": true}], "execution": {"taskSupport": "required"},
        "icons": [{"src": "https://a/b"}], "_meta": {},
    });
    let bare = json!({"name": "n", "annotations": {"title": "T"}, "inputSchema": {"type": "object"}});
    for tool in [&item, &bare] {
        agree("a tool", tool, |text| {
            let mut tool = Tool::read(text, "tools[0]", &bounds).unwrap();
            tool.check_output();
            let schemas = [tool.input_schema, tool.output_schema, tool.annotations];
            let schemas = schemas.map(|schema| value_of(schema.as_deref()));
            (tool.name, tool.title, tool.description, schemas, odd(&tool.diagnostics))
        });
    }
    agree("whether a tool runs as a task", &item, TaskSupport::read);
    agree("a prompt", &item, |text| {
        let prompt = Prompt::read(text, "prompts[0]", &bounds).unwrap();
        (prompt.name, prompt.title, prompt.description, prompt.arguments, odd(&prompt.diagnostics))
    });
    agree("a resource", &item, |text| {
        let read = Resource::read(text, "resources[0]", &bounds).unwrap();
        let annotations = value_of(read.annotations.as_deref());
        (read.uri, read.name, read.title, read.mime_type, read.size, annotations, odd(&read.diagnostics))
    });
    agree("a template", &item, |text| {
        let read = ResourceTemplate::read(text, "resourceTemplates[0]", &bounds).unwrap();
        let annotations = value_of(read.annotations.as_deref());
        (read.uri_template, read.variables, read.name, annotations, odd(&read.diagnostics))
    });
    for list in ["tools", "resources", "prompts"] {
        agree("the shape of an item", &json!({"icons": [{"mimeType": 1}], "annotations": 1}), |text| {
            let mut found = Vec::new();
            shape::check_item(list, text, "item", &mut found);
            odd(&found)
        });
    }
    let digest = format!("sha256:{}", "0".repeat(64));
    let skill = json!({
        "uri": "skill://s/SKILL.md", "frontmatter": {"name": "s", "description": "d"},
        "resources": [{"uri": "skill://s/SKILL.md", "digest": digest, "size": 3}],
    });
    let made_up =
        json!({"uri": "skill://s/SKILL.md", "frontmatter": skill["frontmatter"], "resources": "dynamic"});
    for skill in [&skill, &made_up] {
        agree("a skill", skill, |text| {
            let skill = Skill::read(text, "skills[0]", &bounds).unwrap();
            (skill.uri, skill.name, skill.description, skill.files, odd(&skill.diagnostics))
        });
    }
    agree("the content of a skill", &json!({"contents": [{"uri": "u", "text": "x"}]}), |text| {
        read_content(text, "u")
    });

    let page = json!({"tools": [bare, {"name": "m"}], "nextCursor": "c", "_meta": {}, "ttlMs": 1, "cacheScope": "x"});
    agree("a page", &page, |text| {
        let mut pages = PageCollector::new("tools", &bounds, false);
        let next = pages.add_page(raw(text).unwrap().into()).map(|cursor| value(&cursor));
        let _last = pages.add_page(raw(text).unwrap().into());
        let listing = pages.finish(|item, _, _| Ok(value(item)));
        (next, listing.items, value(listing.raw.get()), odd(&listing.diagnostics))
    });
    agree("a list without what is refused", &page, |text| {
        let members = Members::of(text);
        let last = mooring_jsonrpc::elements(members.get("tools").unwrap()).unwrap().pop().unwrap();
        value(remove_items(text, "tools", &[last.get().to_owned()]).unwrap().get())
    });
    for flag in [json!(true), json!("true"), json!(false)] {
        let result = json!({"content": [{"type": "text", "text": "x"}, {"type": "image"}], "isError": flag});
        agree("the result of a call", &result, |text| {
            let result = CallResult::read(raw(text).unwrap().into(), Vec::new(), Duration::ZERO);
            (result.is_error, CallResult::is_error(text), odd(&result.diagnostics))
        });
    }
    for (method, result) in [
        ("resources/read", json!({"contents": [{"uri": "u"}, {"uri": "v", "blob": ""}], "ttlMs": -1})),
        ("prompts/get", json!({"messages": [{"role": "robot", "content": {"type": "text", "text": 1}}]})),
        ("completion/complete", json!({"completion": {"values": [1], "hasMore": 2}})),
    ] {
        agree(method, &result, |text| {
            let mut found = Vec::new();
            shape::check_answer(method, &raw(text).unwrap().into(), &mut found);
            odd(&found)
        });
    }
}

#[test]
fn every_reader_of_a_handshake_sees_what_serde_json_sees() {
    let capabilities = json!({
        "tools": {"listChanged": true}, "prompts": {}, "resources": {"subscribe": true, "listChanged": false},
        "completions": {}, "logging": null, "tasks": {"requests": {"tools": {"call": {}}}, "list": {}},
        "extensions": {"io.modelcontextprotocol/tasks": {}},
    });
    agree("the offers", &capabilities, ServerCapabilities::read);
    let info = json!({"name": "n", "title": "t", "version": "1", "icons": [{"src": "data:,"}]});
    let answer = json!({
        "protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info, "instructions": "i",
        "_meta": {"io.modelcontextprotocol/serverInfo": info}, "supportedVersions": ["2026-07-28"], "ttlMs": 1,
    });
    let facts = |facts: ServerFacts| {
        let capabilities = value_of(facts.capabilities.as_deref());
        let icons = value_of(facts.icons.as_deref());
        (
            facts.revision,
            facts.name,
            facts.title,
            facts.version,
            facts.instructions,
            capabilities,
            icons,
            odd(&facts.diagnostics),
        )
    };
    agree("the answer to initialize", &answer, |text| {
        facts(ServerFacts::from_initialize(text, &Limits::default()))
    });
    agree("the answer to the probe", &answer, |text| {
        facts(ServerFacts::from_discover(text, &Limits::default()))
    });
    agree("the judgement of the probe", &answer, |text| {
        let raw = raw(text).unwrap().into();
        let found =
            Success { id: 1, raw, diagnostics: Vec::new(), elapsed: Duration::ZERO, kind: ResultKind::Plain };
        std::mem::discriminant(&classify_answer(Ok(found), true, false))
    });
    let error = json!({"code": -32022, "message": "m", "data": {"supported": ["2025-11-25"], "elicitations": [
        {"mode": "url", "elicitationId": "e", "url": "https://a/", "message": "m"},
    ]}});
    agree("an error", &error, |text| {
        let error = RpcError::read(text);
        let urls = read_urls(&error)
            .map(|urls| urls.into_iter().map(|(id, params)| (id, value(params.get()))).collect::<Vec<_>>());
        (
            error.code,
            error.message.clone(),
            value_of(error.data.as_deref()),
            read_supported_versions(&error),
            urls,
        )
    });
}

#[test]
fn every_reader_on_the_way_sees_what_serde_json_sees() {
    let progress = json!({"progressToken": 7, "progress": 1.5, "total": 2, "message": "m"});
    agree("progress", &progress, |text| {
        read_progress(Some(&raw(text).unwrap())).map_err(|reason| reason.to_string())
    });
    let related = json!({"action": "accept", "_meta": {
        "progressToken": 3, "io.modelcontextprotocol/related-task": {"taskId": "t"}, "x": 1,
    }});
    agree("the task of a question", &related, read_related_task);
    agree("the token of a question", &related, read_progress_token);
    agree("an answer that names its task", &related, |text| value(&insert_related_task(text, "t")));
    agree("the id of an elicitation", &json!({"elicitationId": "e"}), elicitations::read_elicitation_id);
    let asks = json!({"resultType": "input_required", "inputRequests": {"a": {"method": "m"}}, "requestState": {"s": 1}});
    for result in [&asks, &json!({"resultType": "complete"}), &json!({"resultType": "task", "taskId": "t"})] {
        agree("what a result says of itself", result, |text| match read_result_type(text) {
            ResultType::Complete { stated } => json!({ "stated": stated }),
            ResultType::InputRequired { requests, state } => {
                let requests: Vec<Value> =
                    requests.into_iter().map(|(key, request)| json!([key, value(request)])).collect();
                json!([requests, state.map(value)])
            }
            ResultType::Other(name) => json!(name),
        });
    }
    let task = json!({
        "taskId": "t", "status": "working", "statusMessage": "m", "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "2025-11-25T10:40:00Z", "ttl": 1000, "pollInterval": 2000, "ttlMs": 3000, "pollIntervalMs": 4000,
    });
    for form in [TaskForm::Core, TaskForm::Extension] {
        agree("a task", &task, |text| {
            let task = Task::read(text, form, "tool", &Limits::default()).unwrap();
            (
                task.id,
                task.status,
                task.status_message,
                task.created_at,
                task.updated_at,
                task.poll_interval,
                task.ttl,
            )
        });
    }
    agree("a result that is a task", &json!({"task": task}), |text| {
        let body = ResponseBody::Result(Bytes::copy_from_slice(text.as_bytes()));
        let answer = RpcResponse { id: 1, body, diagnostics: Vec::new(), elapsed: Duration::ZERO };
        let raw = raw(text).unwrap().into();
        let success =
            Success { id: 1, raw, diagnostics: Vec::new(), elapsed: Duration::ZERO, kind: ResultKind::Plain };
        (read_created_task(&answer).map(value), tasks::is_created_task(&success))
    });
    let asked = SubscriptionFilter {
        tools: true,
        prompts: true,
        resources: true,
        uris: ["a:b".to_owned()].into(),
        tasks: ["t".to_owned()].into(),
    };
    let agreed = json!({
        "toolsListChanged": true, "promptsListChanged": false, "resourcesListChanged": true,
        "resourceSubscriptions": ["a:b", "a:c"], "taskIds": ["t"],
    });
    agree("what is subscribed to", &agreed, |text| Some(asked.intersect_agreed(text)));
    agree("what a change is about", &json!({"uri": "a:b", "taskId": "t"}), |text| {
        (read_uri(text), asked.covers(RESOURCE_UPDATED, text), asked.covers(TASK, text))
    });
    agree("the shape of what is told", &json!({"level": "loud", "logger": 1, "data": {}}), |text| {
        let mut found = Vec::new();
        shape::check_notification("notifications/message", Some(text), &mut found);
        odd(&found)
    });
    for result in
        [json!({"ttlMs": 1000, "cacheScope": "public"}), json!({"ttlMs": 1000}), json!({"ttlMs": 0})]
    {
        agree("how long a result is kept", &result, |text| {
            let (cache, now) = (Cache::default(), Instant::now());
            cache.put(
                cache.version_for("tools/list", ""),
                &raw(text).unwrap().into(),
                &Limits::default(),
                now,
            );
            let at = |after: u64| cache.get("tools/list", "", now + Duration::from_millis(after)).is_some();
            let kept = [at(0), at(999), at(1000)];
            cache.put(
                cache.version_for("tools/list", ""),
                &raw(text).unwrap().into(),
                &Limits::default(),
                now,
            );
            cache.sign_in_changed();
            (kept, cache.get("tools/list", "", now).is_some())
        });
    }
}
