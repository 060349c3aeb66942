//! The examples of RFC 6570, and templates that it doesn't allow.

use super::*;

/// The variables of RFC 6570 §3.2, and those of its other examples.
fn values() -> BTreeMap<String, TemplateValue> {
    let text = |name: &str, text: &str| (name.to_owned(), TemplateValue::Text(text.to_owned()));
    let strings = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
    let keys = [("semi", ";"), ("dot", "."), ("comma", ",")];
    let mut values: BTreeMap<String, TemplateValue> = [
        text("dub", "me/too"),
        text("hello", "Hello World!"),
        text("half", "50%"),
        text("var", "value"),
        text("who", "fred"),
        text("base", "http://example.com/home/"),
        text("path", "/foo/bar"),
        text("v", "6"),
        text("x", "1024"),
        text("y", "768"),
        text("empty", ""),
        text("escaped", "100%25"),
        text("euro", "€10"),
    ]
    .into();
    let mut more = |name: &str, value| values.insert(name.to_owned(), value);
    more("count", TemplateValue::List(strings(&["one", "two", "three"])));
    more("dom", TemplateValue::List(strings(&["example", "com"])));
    more("list", TemplateValue::List(strings(&["red", "green", "blue"])));
    more("empty_list", TemplateValue::List(Vec::new()));
    more("empty_keys", TemplateValue::Pairs(Vec::new()));
    let pair = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    more("keys", TemplateValue::Pairs(keys.map(pair).into()));
    values
}

fn check(examples: &[(&str, &str)]) {
    let values = values();
    for (template, expect) in examples {
        assert_eq!(UriTemplate::parse(template).unwrap().expand_values(&values), *expect, "{template}");
    }
}

// Requirements: RES-04.
#[test]
fn simple_expansion_is_as_in_the_rfc() {
    check(&[
        ("{var}", "value"),
        ("{hello}", "Hello%20World%21"),
        ("{half}", "50%25"),
        ("O{empty}X", "OX"),
        ("O{undef}X", "OX"),
        ("{x,y}", "1024,768"),
        ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"),
        ("?{x,undef}", "?1024"),
        ("?{undef,y}", "?768"),
        ("{var:3}", "val"),
        ("{var:30}", "value"),
        ("{list}", "red,green,blue"),
        ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"),
        ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
        ("map?{x,y}", "map?1024,768"),
        ("{count}", "one,two,three"),
        ("{euro:1}", "%E2%82%AC"),
    ]);
}

// Requirements: RES-04.
#[test]
fn reserved_and_fragment_expansion_are_as_in_the_rfc() {
    check(&[
        ("{+var}", "value"),
        ("{+hello}", "Hello%20World!"),
        ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
        ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"),
        ("O{+undef}X", "OX"),
        ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"),
        ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"),
        ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"),
        ("{+list}", "red,green,blue"),
        ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"),
        ("{+keys*}", "semi=;,dot=.,comma=,"),
        ("{#var}", "#value"),
        ("{#hello}", "#Hello%20World!"),
        ("{#half}", "#50%25"),
        ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"),
        ("{#x,hello,y}", "#1024,Hello%20World!,768"),
        ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"),
        ("{#list}", "#red,green,blue"),
        ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"),
        ("{#keys*}", "#semi=;,dot=.,comma=,"),
        ("{+escaped}{escaped}", "100%25100%2525"),
        ("{+escaped:4}", "100%25"),
    ]);
}

// Requirements: RES-04.
#[test]
fn label_path_and_parameter_expansion_are_as_in_the_rfc() {
    check(&[
        ("{.who}", ".fred"),
        ("{.who,who}", ".fred.fred"),
        ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"),
        ("X{.var}", "X.value"),
        ("X{.empty}", "X."),
        ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"),
        ("X{.list}", "X.red,green,blue"),
        ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"),
        ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"),
        ("X{.empty_keys*}", "X"),
        ("{/who}", "/fred"),
        ("{/who,who}", "/fred/fred"),
        ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"),
        ("{/var}", "/value"),
        ("{/var,empty}", "/value/"),
        ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"),
        ("{/var:1,var}", "/v/value"),
        ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"),
        ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"),
        ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
        ("{;who}", ";who=fred"),
        ("{;half}", ";half=50%25"),
        ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"),
        ("{;v,bar,who}", ";v=6;who=fred"),
        ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"),
        ("{;x,y,undef}", ";x=1024;y=768"),
        ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"),
        ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"),
        ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
    ]);
}

// Requirements: RES-04.
#[test]
fn query_expansion_is_as_in_the_rfc() {
    check(&[
        ("{?who}", "?who=fred"),
        ("{?half}", "?half=50%25"),
        ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="),
        ("{?x,y,undef}", "?x=1024&y=768"),
        ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"),
        ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"),
        ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("{?empty_list,empty_keys*}", ""),
        ("{&who}", "&who=fred"),
        ("{&half}", "&half=50%25"),
        ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
        ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ("{&var:3}", "&var=val"),
        ("{&list}", "&list=red,green,blue"),
        ("{&list*}", "&list=red&list=green&list=blue"),
        ("{&keys}", "&keys=semi,%3B,dot,.,comma,%2C"),
        ("{&keys*}", "&semi=%3B&dot=.&comma=%2C"),
    ]);
}

// Requirements: RES-04.
#[test]
fn what_is_no_template_is_refused_with_its_place() {
    use TemplateProblem::{Modifier, Name, Operator, Unclosed, Unopened};
    for (text, problem, position) in [
        ("é{/id*", Unclosed, 1),
        ("a{b{c}}", Unclosed, 1),
        ("/id*}", Unopened, 4),
        ("{}", Name, 1),
        ("{/}", Name, 2),
        ("{a,,b}", Name, 3),
        ("{/?id}", Name, 2),
        ("{var:prefix}", Modifier, 1),
        ("{hello:2*}", Name, 1),
        ("{x:0}", Modifier, 1),
        ("{x:10000}", Modifier, 1),
        ("{x:+1}", Modifier, 1),
        ("{??hello}", Name, 2),
        ("{!hello}", Operator, 1),
        ("{=path}", Operator, 1),
        ("{|var*}", Operator, 1),
        ("{$var}", Name, 1),
        ("{*keys?}", Name, 1),
        ("{with space}", Name, 1),
        ("{trailing }", Name, 1),
        ("{?empty=default,var}", Name, 2),
        ("{-prefix|/-/|var}", Name, 1),
        ("{x,h%4}", Name, 3),
        ("{a..b}", Name, 1),
        ("/h{#hello+}", Name, 4),
        ("{~thing}", Name, 1),
    ] {
        assert_eq!(UriTemplate::parse(text), Err(TemplateError { problem, position }), "{text}");
    }
    let error = UriTemplate::parse("file:///{path").unwrap_err();
    assert_eq!(error.to_string(), "not a URI template: a { without its } at character 9");
}

// Requirements: RES-04.
#[test]
fn a_template_is_read_up_to_its_longest_and_not_beyond() {
    let longest = "x".repeat(UriTemplate::MAX_BYTES);
    assert!(UriTemplate::parse(&longest).is_ok());
    let error = UriTemplate::parse(&format!("{longest}x")).unwrap_err();
    assert_eq!(error.problem, TemplateProblem::TooLong);
}

// Requirements: RES-04.
#[test]
fn names_are_given_once_and_in_order() {
    let template = UriTemplate::parse("db://{table}{?limit,after-id,table:2,a.b%20}").unwrap();
    assert_eq!(template.variables(), ["table", "limit", "after-id", "a.b%20"]);
    assert_eq!(template.to_string(), "db://{table}{?limit,after-id,table:2,a.b%20}");
    assert_eq!(UriTemplate::parse("plain").unwrap().variables(), [""; 0]);
    let texts = [("table", "a/b"), ("after-id", "é")].map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(template.expand(&texts.into()), "db://a%2Fb?after-id=%C3%A9&table=a%2F");
}

// Requirements: RES-04.
#[test]
fn literals_that_no_uri_may_hold_are_escaped() {
    check(&[
        ("a b<c>\"é\\^`|%zz%41'", "a%20b%3Cc%3E%22%C3%A9%5C%5E%60%7C%25zz%41'"),
        ("http://[::1]:8/a?b=c#d", "http://[::1]:8/a?b=c#d"),
    ]);
}

// Requirements: RES-04.
#[test]
fn what_a_template_is_filled_in_to_matches_it() {
    let values = values();
    for text in [
        "{var}",
        "O{undef}X",
        "{x,hello,y}",
        "{+path}/here",
        "{#path,x}/here",
        "X{.list*}",
        "{/list*,path:4}",
        "{;x,y,empty}",
        "{?x,y,empty}",
        "{?keys*}",
        "?fixed=yes{&x,y}",
        "up{+path}{var}/here",
        "a b {hello}",
        "{?list*}",
        "db://{var}{/x}{?y}{#who}",
    ] {
        let template = UriTemplate::parse(text).unwrap();
        let filled = template.expand_values(&values);
        assert!(template.matches(&filled), "{text}: {filled}");
        assert!(template.matches(&template.expand(&BTreeMap::new())), "{text}, empty");
        assert!(!template.matches(&format!("x\u{0}{filled}#?/#")) || text.contains(['+', '#']), "{text}");
    }
}

// Requirements: RES-04.
#[test]
fn what_no_template_leads_to_does_not_match() {
    for (text, matching, others) in [
        (
            "acct://{id}",
            &["acct://me", "acct://a%20b", "acct://a b", "acct://"][..],
            &["acct://me/x", "acct:/me", "acct://me?x", "Acct://me"][..],
        ),
        ("file:///{name}", &["file:///x"], &["file:///home/me/.ssh/id_rsa?token=abc", "file:///home/me"]),
        ("file:///{+path}", &["file:///home/me?x#y"], &["file://home"]),
        (
            "harbour://{city}/berths{?from,to}",
            &["harbour://q/berths", "harbour://q/berths?to=2&from=1", "harbour://q/berths?from"],
            &[
                "harbour://q/berths?token=1",
                "harbour://q/berths?from=1&token=2",
                "harbour://q/berths?fromage=1",
                "harbour://q",
            ],
        ),
        ("a:{x}{&y}", &["a:1&y=2"], &["a:1&z=2#", "a:1?y=2"]),
        ("a:b{/x}", &["a:b/1", "a:b"], &["a:b/1/2", "a:bc"]),
        ("a:b{/x*}/end", &["a:b/1/2/end", "a:b/end"], &["a:b/1/2/en"]),
        ("notes://日本/{x}", &["notes://日本/1", "notes://%E6%97%A5%E6%9C%AC/1"], &["notes://日/1"]),
        ("plain:x", &["plain:x"], &["plain:xy", "plain:"]),
    ] {
        let template = UriTemplate::parse(text).unwrap();
        for uri in matching {
            assert!(template.matches(uri), "{text}: {uri}");
        }
        for uri in others {
            assert!(!template.matches(uri), "{text}: {uri}");
        }
    }
    assert!(!UriTemplate::parse("{+x}").unwrap().matches(&"x".repeat(UriTemplate::MAX_BYTES + 1)));
}

// Requirements: RES-04.
#[test]
fn templates_that_may_lead_to_one_address_overlap() {
    for (one, other, expected) in [
        ("acct://{a}", "acct://{b}", true),
        ("acct://{a}", "{+b}", true),
        ("acct://me/{a}", "acct://{+b}", true),
        ("acct://{a}/x", "acct://{a}/y", false),
        ("acct://{a}", "ui://{a}", false),
        ("acct://one/{a}", "acct://two/{a}", false),
    ] {
        let (one, other) = (UriTemplate::parse(one).unwrap(), UriTemplate::parse(other).unwrap());
        assert_eq!((one.may_overlap(&other), other.may_overlap(&one)), (expected, expected), "{one} {other}");
    }
}

// Requirements: RES-04.
#[test]
fn a_template_names_its_variables_and_is_filled_in() {
    let variables = |text: &str| UriTemplate::parse(text).map(|template| template.variables()).ok();
    let named = ["city", "from", "to"].map(str::to_owned).to_vec();
    assert_eq!(variables("harbour://{city}/berths{?from,to}"), Some(named));
    assert_eq!(variables("harbour://{city"), None);
    let values = BTreeMap::from([("city".to_owned(), "青岛 1".to_owned())]);
    let template = UriTemplate::parse("harbour://{city}/berths{?from,to}").unwrap();
    assert_eq!(template.expand(&values), "harbour://%E9%9D%92%E5%B2%9B%201/berths");
}
