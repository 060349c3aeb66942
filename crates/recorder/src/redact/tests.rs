//! Tests what is replaced, what isn't, and what isn't even copied.

use super::*;

fn redactor(secrets: &[(&str, &str)]) -> Redactor {
    let mut known = KnownSecrets::default();
    for (name, value) in secrets {
        known.add_if_secret(name, value);
    }
    Redactor::new(Arc::new(SecretPatterns::new().unwrap()), Arc::default(), known)
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
            redactor.redact_bytes(&Bytes::from(cut));
        }
    }
    assert!(!redactor.redact_text(seed).contains("CANARY"), "{}", redactor.redact_text(seed));
}

#[test]
fn a_frame_without_secrets_is_passed_on_uncopied() {
    let body = Bytes::from_static(
        br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"hello"}]}}"#,
    );
    let redacted = redactor(&[("TOKEN", "supersecretvalue")]).redact_bytes(&body);
    assert_eq!(redacted.as_ptr(), body.as_ptr());
}

/// Ways in which credentials are written. `@` is the credential.
const SHAPES: &[&str] = &[
    // Members of JSON.
    r#"{"password":"@"}"#,
    r#"{"passwd":"@"}"#,
    r#"{"pass":"@"}"#,
    r#"{"pwd": "@"}"#,
    r#"{"db_pass":"@"}"#,
    r#"{"dbPass":"@"}"#,
    r#"{"userPassword":"@"}"#,
    r#"{"passphrase":"@"}"#,
    r#"{"passcode":"@"}"#,
    r#"{"key":"@"}"#,
    r#"{"apikey":"@"}"#,
    r#"{"api_key":"@"}"#,
    r#"{"apiKey":"@"}"#,
    r#"{"x-api-key":"@"}"#,
    r#"{"access_key":"@"}"#,
    r#"{"AccessKeyId":"@"}"#,
    r#"{"SecretAccessKey":"@"}"#,
    r#"{"accountKey":"@"}"#,
    r#"{"signing_key":"@"}"#,
    r#"{"encryptionKey":"@"}"#,
    r#"{"private_key":"@"}"#,
    r#"{"privateKey":"@"}"#,
    r#"{"jwt":"@"}"#,
    r#"{"auth":"@"}"#,
    r#"{"_auth":"@"}"#,
    r#"{"_authToken":"@"}"#,
    r#"{"authorization":"@"}"#,
    r#"{"bearer":"@"}"#,
    r#"{"token":"@"}"#,
    r#"{"id_token":"@"}"#,
    r#"{"refreshToken":"@"}"#,
    r#"{"session_token":"@"}"#,
    r#"{"csrfToken":"@"}"#,
    r#"{"session_id":"@"}"#,
    r#"{"sessionId":"@"}"#,
    r#"{"sessionKey":"@"}"#,
    r#"{"credential":"@"}"#,
    r#"{"credentials":"@"}"#,
    r#"{"creds":"@"}"#,
    r#"{"client_secret":"@"}"#,
    r#"{"clientSecret":"@"}"#,
    r#"{"webhookSecret":"@"}"#,
    r#"{"secret":"@"}"#,
    r#"{"secrets":["@"]}"#,
    r#"{"tokens":["@","@"]}"#,
    r#"{"cookie":"@"}"#,
    r#"{"Set-Cookie":["@"]}"#,
    r#"{"signature":"@"}"#,
    r#"{"hmac":"@"}"#,
    r#"{"pat":"@"}"#,
    r#"{"github_pat":"@"}"#,
    r#"{"otp":"@"}"#,
    r#"{"dsn":"@"}"#,
    r#"{"psk":"@"}"#,
    r#"{"Access Token":"@"}"#,
    r#"{"Secret Access Key" : "@"}"#,
    r#"{"password":{"value":"@"}}"#,
    r#"{"credentials":{"user":"@","more":{"x":["@"]}}}"#,
    r#"{"token":{"type":"bearer","raw":"@"}}"#,
    r"{'password': '@'}",
    r#"{"text":"{\"password\":\"@\"}"}"#,
    r#"{"text":"{\"pwd\": \"@\"}"}"#,
    r#"{"text":"{\"a\":\"{\\\"apiKey\\\":\\\"@\\\"}\"}"}"#,
    r#"{"text":"mysql --password @"}"#,
    r#"{"text":"machine h login me password @"}"#,
    r#"{"text":"run: tool --token @ now"}"#,
    // Variables in lists.
    r#"{"name":"DB_PASSWORD","value":"@"}"#,
    r#"{"value":"@","name":"DB_PASSWORD"}"#,
    r#"{"key":"API_TOKEN","value":"@","masked":true}"#,
    r#"{"variable_type":"env_var","key":"API_TOKEN","protected":false,"weight":1,"value":"@"}"#,
    r#"{"value" : "@", "protected" : true, "key" : "API_TOKEN"}"#,
    r#"{"env":[{"Name":"HOME","Value":"/"},{"Name":"API_KEY","Value":"@"}]}"#,
    r#"{"headers":[{"name":"Authorization","value":"Bearer @"}]}"#,
    r#"{"text":"{\"name\":\"DB_PASSWORD\",\"value\":\"@\"}"}"#,
    r#"{"text":"[{\"value\":\"@\",\"name\":\"DB_PASSWORD\"}]"}"#,
    "env:\n- name: DB_PASSWORD\n  value: @\n",
    "env:\n  - name: \"DB_PASSWORD\"\n    value: \"@\"\n",
    r#"{"text":"env:\n- name: DB_PASSWORD\n  value: @\n- name: B"}"#,
    // Elements of XML.
    "<password>@</password>",
    "<server><id>x</id><password>\n  @\n</password></server>",
    "<ApiKey encrypted=\"false\">@</ApiKey>",
    r#"{"text":"<client_secret>@<\/client_secret>"}"#,
    // Lines of files and output.
    "password: |\n  @\nhost: h",
    "- token: >-\n    first\n\n    @\n  host: h",
    r#"{"text":"db:\n  password: |\n    @\n  host: h"}"#,
    "token := \"@\"",
    "TOKEN := @",
    "const token: string = \"@\";",
    "let api_token: &'static str = \"@\";",
    "api_token: str = '@'",
    "curl -u me:@ https://h",
    "curl -s --user 'me:@' https://h",
    r#"{"cmd":"curl https://h -u \"me:@\""}"#,
    "password: @",
    "  password: '@'",
    "- password: \"@\"",
    "user: me\npassword: @\nhost: h",
    "db:\n    pass: @ # local",
    "token: @",
    "api_key: @",
    "secret_key_base: @",
    r#"{"text":"user: me\npassword: @\nhost: h"}"#,
    r#"{"text":"token: @"}"#,
    r#"{"text":"secret:\t@"}"#,
    "password = @",
    "password=@",
    "password = \"@\"",
    "token = '@'",
    "secret_key=@;",
    "Password=@;Server=h",
    "AccountKey=@;EndpointSuffix=x",
    "DB_PASS=@",
    "MYSQL_PWD=@ mysql",
    "PGPASSWORD=@ psql",
    "export GITHUB_TOKEN=@",
    "set NPM_TOKEN=@",
    "$env:API_KEY = '@'",
    "AWS_SECRET_ACCESS_KEY=@",
    "GITHUB_PAT=@",
    "SENTRY_DSN=@",
    "//registry.example/:_authToken=@",
    ":password => '@'",
    "password => \"@\"",
    "const apiKey = \"@\";",
    "let client_secret: \"@\"",
    "mysql --password @ db",
    "mysql --password=@ db",
    "tool --token @",
    "tool --api-key @ --verbose",
    "machine h login me password @",
    "machine h\n  login me\n  password @\n",
    // Headers.
    "Authorization: Bearer @",
    "authorization: token @",
    "> Authorization: Basic @",
    "Proxy-Authorization: @",
    "Cookie: session=@; a=b",
    "Set-Cookie: sid=@; HttpOnly",
    "X-Api-Key: @",
    "X-Auth-Token: @",
    "X-Amz-Security-Token: @",
    "api-key: @",
    "PRIVATE-TOKEN: @",
    "curl -H 'PRIVATE-TOKEN: @' https://h",
    "curl -H \"api-key: @\" https://h",
    "sent with bearer @ today",
    // URLs.
    "https://h/x?access_token=@",
    "https://h/x?a=1&token=@&b=2",
    "https://h/x?api_key=@",
    "https://h/x?key=@",
    "https://h/x?sig=@&se=1",
    "https://h/x?signature=@",
    "https://h/x?X-Amz-Signature=@",
    "https://h/x?X-Amz-Credential=@",
    "https://h/x?client_secret=@#top",
    "https://h/cb?code=@&state=x",
    "https://me:@@h/x",
    "postgres://me:@@db:5432/x",
    "redis://:@@cache:6379",
    "mongodb+srv://me:@@c.example/x",
    r#"{"uri":"amqp://me:@@mq/"}"#,
];

#[test]
fn a_generated_credential_is_replaced_in_every_shape() {
    const CREDENTIALS: [&str; 3] = ["c4n4ry8f1d5c2e6b7a", "Zx9-Kq3_Lm7Pw2Rt5Yv8", "0a1b2c3d4e5f60718293a4b5"];
    let redactor = redactor(&[]);
    let mut left = Vec::new();
    for shape in SHAPES {
        for credential in CREDENTIALS {
            let text = shape.replace("@@", "\u{1}h_at").replace('@', credential);
            let text = text.replace('\u{1}', credential).replace("h_at", "@");
            if redactor.redact_text(&text).contains(credential) {
                left.push(text);
            }
        }
    }
    assert!(left.is_empty(), "{} of {}: {left:#?}", left.len(), SHAPES.len() * CREDENTIALS.len());
}

#[test]
fn json_stays_json_when_a_credential_is_replaced() {
    let redactor = redactor(&[]);
    for shape in SHAPES.iter().filter(|shape| shape.starts_with("{\"")) {
        let text = redactor.redact_text(&shape.replace('@', "c4n4ry8f1d5c2e6b7a"));
        assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
    }
    check(r#"{"password":12345678,"a":1}"#, r#"{"password":"[redacted]","a":1}"#);
    check(r#"{"t":"{\"otp\":123456}"}"#, r#"{"t":"{\"otp\":\"[redacted]\"}"}"#);
    check(r#"{"token":12345678.5}"#, r#"{"token":"[redacted]"}"#);
}

#[test]
fn a_password_that_is_a_word_is_replaced_behind_its_name() {
    check("password: hunter", "password: [redacted]");
    check(r#"{"pass":"hunter"}"#, r#"{"pass":"[redacted]"}"#);
    check("DB_PASS=hunter", "DB_PASS=[redacted]");
    check("machine h login me password hunter", "machine h login me password [redacted]");
    check("mysql --password hunter db", "mysql --password [redacted] db");
    check(r#"{"a":"mysql --password hunter"}"#, r#"{"a":"mysql --password [redacted]"}"#);
    check(
        r#"[{"name":"DB_PASS","value":"hunter"},{"name":"A","value":"b"}]"#,
        r#"[{"name":"DB_PASS","value":"[redacted]"},{"name":"A","value":"b"}]"#,
    );
    check(r#"{"value":"hunter","name":"DB_PASS"}"#, r#"{"value":"[redacted]","name":"DB_PASS"}"#);
    check("- name: DB_PASS\n  value: hunter\n", "- name: DB_PASS\n  value: [redacted]\n");
    check("<password>hunter</password>", "<password>[redacted]</password>");
    check("pass: |\n  hunter\n  two\n\nhost: h", "pass: |\n  [redacted]\n\nhost: h");
    check(r#"{"t":"pass: |\n  hunter\n"}"#, r#"{"t":"pass: |\n  [redacted]\n"}"#);
    check(r#"{"t":"pass: |\n  hunter"}"#, r#"{"t":"pass: |\n  [redacted]"}"#);
    check("const pass: string = \"hunter\"", "const pass: string = \"[redacted]\"");
    check("curl -u me:hunter h", "curl -u me:[redacted] h");
}

#[test]
fn text_that_holds_no_credential_stays_as_it_is() {
    for text in [
        r#"{"key":"name","value":"x"}"#,
        r#"{"key":"docs/readme.md","auth":"none","signature":"fn main()"}"#,
        r#"{"sessions":3,"author":"me","keyboard":"de","monkey":1,"design":"x1234567"}"#,
        r#"{"token":{"type":"string","minLength":3},"secret":{"$ref":"\#/x"}}"#,
        r#"{"usage":{"total_tokens":123456,"tokens":1234567},"token":4095,"passed":12345,"pass":12}"#,
        "token: the text of a login",
        "The password: it must have eight characters",
        "error: token expired, sign in again",
        "password must not be empty",
        "compass: north1234",
        "see https://me@example.org/ and ssh://git@example.org:22/x",
        "https://h/x?key=name&keyword=x1234567",
        "the key = value pairs",
        "keys: a, b",
        r#"{"name":"password","type":"string","description":"x","value":""}"#,
        r#"{"name":"get_token","description":"Reads a token","inputSchema":{"value":"x1234567"}}"#,
        r#"{"value":"abc","name":"key"},{"value":"x","other":"password"}"#,
        r#"{"title":"password","value":"hunter"}"#,
        "- name: DB_PASSWORD\n  valueFrom:\n    fieldRef: x\n",
        "- name: password\n  description: of the user\n",
        "<password></password><token/><key>CFBundleName</key>",
        "use Vec<Token>::new() and <token> in <b>text</b>",
        "secret: |\nhost: h",
        "fn sign(token: &str, keys: Vec<String>) -> bool",
        "the password: see above = \"x\"",
        "docker run -u 1000:1000 image; sudo -u me: x; curl -u me https://h; curl -u me:$PASS h",
    ] {
        unchanged(text);
    }
}

#[test]
fn the_columns_of_a_row_lose_their_credentials_too() {
    let redactor = redactor(&[]);
    let mut record = mooring_log::LogRecord {
        at_us: 1,
        server_id: None,
        source: "s".into(),
        connection: 1,
        kind: mooring_log::LogKind::Frame,
        direction: mooring_log::Direction::Out,
        method: Some("resources/read".into()),
        rpc_id: Some(r#""token=c4n4ry8f1d5c2e6b7a""#.into()),
        subject: Some("https://me:c4n4ry8f1d5c2e6b7a@h/x?access_token=c4n4ry8f1d5c2e6b7a".into()),
        status: mooring_log::LogStatus::None,
        duration_us: None,
        size: 1,
        app: None,
        call: None,
        body: Bytes::new(),
    };
    mooring_store::RecordFinisher::finish(&redactor, &mut record);
    assert_eq!(record.subject.as_deref(), Some("https://me:[redacted]@h/x?access_token=[redacted]"));
    assert!(!format!("{record:?}").contains("c4n4ry"), "{record:?}");
}
