//! What is replaced, what stays, and what is not even copied.

use super::*;

fn redactor(secrets: &[(&str, &str)]) -> Redactor {
    let mut known = Secrets::default();
    for (name, value) in secrets {
        known.learn(name, value);
    }
    Redactor::new(Arc::new(Names::new().unwrap()), Arc::default(), &known).unwrap()
}

fn check(input: &str, expect: &str) {
    assert_eq!(redactor(&[]).redact_text(input), expect);
}

fn unchanged(input: &str) {
    check(input, input);
}

#[test]
fn values_of_json_members_whose_names_look_secret_are_replaced() {
    check(
        r#"{"access_token":"abc","expires":3,"refreshToken" : "d\"e\\","client_secret":"","a":"b"}"#,
        r#"{"access_token":"[redacted]","expires":3,"refreshToken" : "[redacted]","client_secret":"","a":"b"}"#,
    );
    check(
        r#"{"headers":{"Authorization":"Basic dTpw","X-API-Key":"k","Set-Cookie":["a=1","b=2"],"n":1}}"#,
        r#"{"headers":{"Authorization":"[redacted]","X-API-Key":"[redacted]","Set-Cookie":["[redacted]","[redacted]"],"n":1}}"#,
    );
    check(
        r#"{"DB_PASSWORD":"hunter2","apiKey":"x","aws_access_key_id":"AKIA","Access Token":"y"}"#,
        r#"{"DB_PASSWORD":"[redacted]","apiKey":"[redacted]","aws_access_key_id":"[redacted]","Access Token":"[redacted]"}"#,
    );
}

#[test]
fn json_inside_a_json_text_is_read_at_every_depth() {
    check(
        r#"{"text":"{\"token\":\"a\\\"b\",\"keep\":\"c\"}"}"#,
        r#"{"text":"{\"token\":\"[redacted]\",\"keep\":\"c\"}"}"#,
    );
    check(
        r#"{"t":"{\"u\":\"{\\\"secret\\\": \\\"a\\\"}\"}"}"#,
        r#"{"t":"{\"u\":\"{\\\"secret\\\": \\\"[redacted]\\\"}\"}"}"#,
    );
}

#[test]
fn what_only_mentions_a_secret_stays() {
    unchanged(r#"{"tools":[{"name":"get_token","description":"Returns the token: a secret"}]}"#);
    unchanged(r#"{"properties":{"password":{"type":"string"}},"required":["password","token"]}"#);
    unchanged(r#"{"maxTokens":100,"tokens":5,"secret":null,"password":true}"#);
    unchanged(r#"{"_meta":{"progressToken":"abc"}}"#);
    unchanged("the token expired: sign in again");
    unchanged("Bearer authentication is required for cookies");
    unchanged(
        r#"Bearer resource_metadata="https://h/.well-known/oauth-protected-resource", DPoP algs="ES256""#,
    );
}

#[test]
fn a_code_is_a_secret_only_where_it_signs_in() {
    unchanged(r#"{"error":{"code":"E_TOO_MANY","message":"x"}}"#);
    check(
        r#"{"code":"abc","redirect_uri":"http://127.0.0.1/"}"#,
        r#"{"code":"[redacted]","redirect_uri":"http://127.0.0.1/"}"#,
    );
    check("GET /cb?code=abc&state=xyz", "GET /cb?code=[redacted]&state=xyz");
    unchanged("exit code=3");
}

#[test]
fn lines_of_text_lose_headers_assignments_and_bearer_tokens() {
    check("> Authorization: Bearer abc.def\nnext", "> Authorization: [redacted]\nnext");
    check("using bearer sk-12345678 now", "using bearer [redacted] now");
    check("OPENAI_API_KEY=sk-1 PORT=3", "OPENAI_API_KEY=[redacted] PORT=3");
    check("password='a b' next", "password='[redacted]' next");
    check("GET /x?api_key=1&q=2", "GET /x?api_key=[redacted]&q=2");
    check("x-api-key: 12 34", "x-api-key: [redacted]");
    check(r#"{"message":"sent Cookie: a=b; c=d"}"#, r#"{"message":"sent Cookie: [redacted]"}"#);
}

#[test]
fn a_value_cut_off_at_the_end_is_replaced_to_the_end() {
    check(r#"{"token":"abc"#, r#"{"token":"[redacted]"#);
    check(r#"{"token":""#, r#"{"token":""#);
    check(r#"{"token":"abc\"#, r#"{"token":"[redacted]"#);
}

#[test]
fn a_servers_own_secrets_are_replaced_wherever_they_appear() {
    let redactor = redactor(&[
        ("GITHUB_TOKEN", "gh\"p_Zz9/+"),
        ("DEBUG", "verbose"),
        ("Authorization", "Bearer topsecret"),
        ("DATABASE", "postgres://me:pa55word@db/x"),
        ("SHORT_KEY", "abc"),
    ]);
    let check = |input: &str, expect: &str| assert_eq!(redactor.redact_text(input), expect);
    check(r#"{"text":"gh\"p_Zz9/+ and gh"}"#, r#"{"text":"[redacted] and gh"}"#);
    check("raw gh\"p_Zz9/+", "raw [redacted]");
    check(
        "b64 Z2gicF9aejkvKw== hex 676822705f5a7a392f2b pct gh%22p_Zz9%2F%2B",
        "b64 [redacted] hex [redacted] pct [redacted]",
    );
    check("verbose abc topsecret", "verbose abc [redacted]");
    check("connecting to me:pa55word@db", "connecting to me:[redacted]@db");
    check(r#"{"token":"gh\"p_Zz9/+"}"#, r#"{"token":"[redacted]"}"#);
}

#[test]
fn names_that_look_secret_are_told_from_those_that_do_not() {
    for name in
        ["GITHUB_TOKEN", "apiKey", "X-Api-Key", "GITHUB_PAT", "DB_PASS", "Authorization", "SENTRY_DSN"]
    {
        assert!(looks_secret(name), "{name}");
    }
    for name in ["PATH", "PORT", "NODE_ENV", "KEYBOARD", "COMPASS", "DEBUG", "X-Request-Id"] {
        assert!(!looks_secret(name), "{name}");
    }
}

#[test]
fn secrets_do_not_show_in_debug_output() {
    let redactor = redactor(&[("TOKEN", "supersecretvalue")]);
    assert!(!format!("{redactor:?}").contains("supersecret"));
}

#[test]
fn no_input_makes_it_panic_or_leak_a_member_value() {
    let seed = r#"{"a":"{\"token\":\"CANARY\\\\\"}","Authorization: ":"Bearer CANARY_1234","password":["CANARY","\\"],"code":"CANARY","state":"x"}"#;
    let redactor = redactor(&[]);
    for from in 0..seed.len() {
        for to in from..seed.len() {
            let cut = [seed.as_bytes().get(..from).unwrap(), seed.as_bytes().get(to..).unwrap()].concat();
            redactor.redact(&Bytes::from(cut));
        }
    }
    assert!(!redactor.redact_text(seed).contains("CANARY"), "{}", redactor.redact_text(seed));
}

#[test]
fn a_frame_without_secrets_is_passed_on_uncopied() {
    let body = Bytes::from_static(
        br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"hello"}]}}"#,
    );
    let redacted = redactor(&[("TOKEN", "supersecretvalue")]).redact(&body);
    assert_eq!(redacted.as_ptr(), body.as_ptr());
}
