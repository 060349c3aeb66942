//! Tests for reading requests.

use super::*;

fn read(params: &Value) -> ParamsResult<SamplingRequest> {
    SamplingRequest::read(&RawValue::from_string(params.to_string()).unwrap())
}

fn asked(content: &Value) -> Value {
    json!({ "messages": [{ "role": "user", "content": content }], "maxTokens": 10 })
}

// Requirements: SAMP-08, SAMP-10.
#[test]
fn a_request_is_read_as_each_revision_writes_it() {
    let text = json!({ "type": "text", "text": "x" });
    let image = json!({ "type": "image", "data": "aGk=", "mimeType": "image/png" });
    let audio = json!({ "type": "audio", "data": "aGk=", "mimeType": "audio/wav" });
    let request = read(&asked(&text)).unwrap();
    assert_eq!((request.last_text().as_str(), request.needs()), ("x", ModelNeeds::default()));
    assert!(read(&asked(&image)).unwrap().needs().images);
    assert!(read(&asked(&audio)).unwrap().needs().audio);
    let several = read(&asked(&json!([text, image, audio]))).unwrap();
    assert_eq!(several.messages[0].content.len(), 3);
    assert_eq!(several.needs(), ModelNeeds { images: true, audio: true, ..ModelNeeds::default() });
    let mut wanted = asked(&text);
    wanted["includeContext"] = "allServers".into();
    assert_eq!(read(&wanted).unwrap().context_refused.as_deref(), Some("allServers"));
    wanted["includeContext"] = "none".into();
    assert_eq!(read(&wanted).unwrap().context_refused, None);
}

#[test]
fn what_is_no_request_is_refused() {
    let text = |role: &str| json!({ "role": role, "content": { "type": "text", "text": "x" } });
    for params in [
        json!([]),
        json!({ "messages": {} }),
        json!({ "messages": [], "maxTokens": "1" }),
        json!({ "messages": [text("system")] }),
        json!({ "messages": [{ "role": "user" }] }),
        asked(&json!({ "type": "video", "data": "aGk=" })),
        asked(&json!({ "type": "image", "data": "no base64", "mimeType": "image/png" })),
        asked(&json!({ "type": "image", "data": "aGk=", "mimeType": "text/html" })),
        asked(&json!({ "type": "tool_use", "id": "1" })),
        json!({ "messages": [], "tools": [{}] }),
        json!({ "messages": [], "tools": [{ "name": "n".repeat(129) }] }),
        json!({ "messages": [], "tools": {} }),
        json!({ "messages": [], "toolChoice": { "mode": "any" } }),
        json!({ "messages": vec![text("user"); MOST_MESSAGES + 1] }),
        json!({ "messages": [], "tools": vec![json!({ "name": "t" }); MOST_TOOLS + 1] }),
    ] {
        let InvalidParams(why) = read(&params).unwrap_err();
        assert!(why.starts_with("Invalid params: "), "{params}: {why}");
    }
    assert!(read(&json!({ "messages": vec![text("user"); MOST_MESSAGES] })).is_ok());
    assert!(read(&json!({ "messages": [], "tools": vec![json!({ "name": "t" }); MOST_TOOLS] })).is_ok());
}

// Requirements: SAMP-14.
#[test]
fn rounds_with_tools_are_counted_and_what_came_with_a_use_stays() {
    let usage = json!({ "type": "tool_use", "id": "1", "name": "t", "input": {}, "_meta": { SIGNATURE: "s", "a": 1 } });
    let result = json!({ "type": "tool_result", "toolUseId": "1", "content": [
        { "type": "text", "text": "sunny" },
        { "type": "resource_link", "uri": "x:y", "name": "n" },
    ], "_meta": { "b": 2 } });
    let request = read(&json!({ "messages": [
        { "role": "assistant", "content": [usage] },
        { "role": "user", "content": [result] },
    ], "maxTokens": 5 }))
    .unwrap();
    assert_eq!(request.round_number(), 2);
    assert!(request.needs().tools);
    let (Block::ToolUse { signature, .. }, raw) =
        (&request.messages[0].content[0].block, &request.messages[0].content[0].raw)
    else {
        panic!("{request:?}")
    };
    assert_eq!((signature.as_deref(), raw), (Some("s"), &usage));
    let Block::ToolResult { content, .. } = &request.messages[1].content[0].block else {
        panic!("{request:?}")
    };
    assert_eq!(content.len(), 2);
    assert_eq!(request.messages[1].content[0].raw, result);
}

// Requirements: SAMP-03, SAMP-05, SAMP-13.
#[test]
fn an_edited_request_is_checked_like_the_servers_own() {
    let request = read(&asked(&json!({ "type": "text", "text": "x" }))).unwrap();
    let edit = |content: &Value| request.apply_edit(&content.to_string(), mooring_mcp::check_sampling);
    let (edited, chosen) = edit(&json!({
        "system": "be brief",
        "messages": [{ "role": "user", "content": [r#"{"type":"text","text":"changed"}"#] }],
        "maxTokens": 9, "provider": 3, "model": "m",
    }))
    .unwrap();
    assert_eq!(edited.system.as_deref(), Some("be brief"));
    assert_eq!((edited.last_text().as_str(), edited.max_tokens), ("changed", 9));
    assert_eq!(chosen, Some(ChosenModel { provider: Some(3), model: "m".to_owned() }));
    let (same, chosen) = edit(&json!({})).unwrap();
    assert_eq!((same.last_text().as_str(), same.max_tokens, chosen), ("x", 10, None));
    let result = r#"{"type":"tool_result","toolUseId":"1","content":[]}"#;
    for bad in [
        json!(7),
        json!({ "maxTokens": 11 }),
        json!({ "maxTokens": 0 }),
        json!({ "system": 1 }),
        json!({ "messages": [{ "role": "user", "content": ["{"] }] }),
        json!({ "messages": [{ "role": "user", "content": [result] }] }),
    ] {
        assert!(edit(&bad).is_err(), "{bad}");
    }
}

// Requirements: SAMP-03.
#[test]
fn an_edited_answer_is_content_that_a_model_can_give() {
    let text = r#"{"type":"text","text":"x"}"#;
    assert_eq!(
        read_edited_answer(&json!({ "content": [text] }).to_string()).unwrap(),
        [json!({ "type": "text", "text": "x" })]
    );
    let result = r#"{"type":"tool_result","toolUseId":"1","content":[]}"#;
    for bad in
        [json!([]), json!({ "content": [] }), json!({ "content": ["x"] }), json!({ "content": [result] })]
    {
        assert!(read_edited_answer(&bad.to_string()).is_err(), "{bad}");
    }
}
