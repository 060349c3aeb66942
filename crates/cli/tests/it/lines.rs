//! Lines that people are likely to type first. Each one works, or prints the line that works.

use crate::support::{CommandOutput, TestHome};
use crate::typed::{demo_server, place_with_demo};

/// The expected result of a line.
pub(crate) enum Ends {
    /// It succeeds and prints this.
    Says(&'static str),
    /// It fails, and its next step contains this.
    Leads(&'static str),
    /// It fails, and its error contains this.
    Refuses(&'static str),
}
use Ends::{Leads, Refuses, Says};

/// Runs a line; `␣` is a space within a word, `SERVER` the path of the demo server.
pub(crate) fn run(place: &TestHome, line: &str) -> CommandOutput {
    let words: Vec<String> =
        line.split(' ').map(|word| word.replace('␣', " ").replace("SERVER", &demo_server())).collect();
    let mut command = place.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    command.env("HOME", place.folder()).output().unwrap().into()
}

/// The problem with how a line ended, if any.
fn wrong(place: &TestHome, line: &str, ends: &Ends) -> Option<String> {
    let ran = run(place, line);
    let is_right = match ends {
        Says(text) => ran.exit == 0 && ran.out.contains(text),
        Leads(text) => {
            let next = ran.err.split_once("→ ").map(|(_, next)| next.replace(&demo_server(), "SERVER"));
            ran.exit == 2 && ran.out.is_empty() && next.unwrap_or_default().contains(text)
        }
        Refuses(text) => ran.exit != 0 && ran.out.is_empty() && ran.err.contains(text),
    };
    (!is_right).then(|| format!("{line}: {ran:?}"))
}

pub(crate) fn check(place: &TestHome, line: &str, ends: &Ends) {
    assert_eq!(wrong(place, line, ends), None);
}

/// Lines that users of other programs might type in the first minutes, by subject.
const LINES: &[(&str, Ends)] = &[
    // Lines that name a server in their first words.
    ("tools demo", Says("echo")),
    ("tools --server demo", Says("echo")),
    ("tools SERVER", Says("echo")),
    ("tools -- SERVER", Says("echo")),
    ("prompts demo", Says("passage_plan")),
    ("resources demo", Says("harbour://guide")),
    ("templates demo", Says("harbour://")),
    ("skills demo", Says("no skills")),
    ("probe demo", Says("Ready")),
    ("ping demo", Says("Ready")),
    ("probe SERVER", Says("Ready")),
    ("read demo harbour://guide", Says("harbour")),
    ("read harbour://guide --server demo", Says("harbour")),
    ("read harbour://guide -- SERVER", Says("harbour")),
    ("read demo harbour://berths/{city} city=rotterdam", Says("Rotterdam")),
    ("read demo harbour://berths/{city}", Leads("city=…")),
    ("prompt demo explain_guide", Says("user:")),
    ("tools", Leads("mooring tools demo")),
    ("tools demoo", Leads("mooring tools demo")),
    ("tool demo", Leads("tools")),
    ("probe nothing-like-it", Leads("mooring probe demo")),
    ("read demo", Leads("mooring resources demo")),
    ("prompt demo", Leads("mooring prompts demo")),
    ("call demo", Leads("mooring tools demo")),
    ("call", Leads("mooring call demo TOOL")),
    ("call SERVER echo", Leads("mooring call TOOL -- SERVER echo")),
    ("tools demo --jsno", Leads("--json")),
    ("tools --servr demo", Leads("--server")),
    ("call demo echo text=a --time-out 3", Leads("--timeout")),
    ("probe demo echo", Leads("mooring probe --help")),
    ("tools demo --header A:b", Leads("mooring set NAME --header")),
    ("tools demo -H A:b", Leads("mooring set NAME --header")),
    ("tools npx -y no-such-package-of-ours --timeout 0", Refuses("--timeout")),
    ("probe http://127.0.0.1:9/mcp", Refuses("couldn’t be reached")),
    ("tools 127.0.0.1:9/mcp", Refuses("couldn’t be reached")),
    ("login demo", Refuses("only a server with a URL")),
    // Arguments.
    ("call demo echo text=hi", Says("hi\n")),
    ("call demo.echo text=hi", Says("hi\n")),
    ("call echo text=hi --server demo", Says("hi\n")),
    ("call echo text=hi -- SERVER", Says("hi\n")),
    ("call demo echo text=a␣b=c", Says("a b=c\n")),
    ("call demo echo text:=\"quoted\"", Says("quoted\n")),
    ("call demo echo text=@note.txt", Says("from a file\n")),
    ("call demo echo @args.json", Says("whole\n")),
    ("call demo echo {\"text\":\"json\"}", Says("json\n")),
    ("call demo add a=1 b=-2.5", Says("-1.5\n")),
    ("call demo add a:=1 b:=2", Says("3\n")),
    ("call demo echo text=1", Says("1\n")),
    ("call demo echo text=true", Says("true\n")),
    ("call demo echo text=", Says("\n")),
    ("prompt demo passage_plan from=Rotterdam to=Mombasa", Says("Rotterdam")),
    ("call demo echo", Leads("mooring tools demo echo")),
    ("call demo echo message=hi", Leads("mooring tools demo echo")),
    ("call demo echo txt=hi", Leads("Did you mean text?")),
    ("call demo echo --message hi", Leads("message=hi")),
    ("call demo echo --text=hi", Leads("text=hi")),
    ("call demo echo text:hi", Leads("text=hi")),
    ("call demo echo hello", Leads("name=value")),
    ("call demo echo {text:␣hi}", Leads("name=value")),
    ("call demo echo {'text':'hi'}", Leads("name=value")),
    ("call demo echo [1]", Leads("name=value")),
    ("call demo echo text=@missing.txt", Leads("text:=")),
    ("call demo echo @missing.json", Refuses("can’t be read")),
    ("call demo add a=one b=2", Leads("mooring tools demo add")),
    ("call demo image hour=noon", Leads("mooring tools demo image")),
    ("call demo ech text=hi", Leads("Did you mean echo?")),
    ("call demo ECHO text=hi", Leads("Did you mean echo?")),
    ("call demo zzzz", Leads("mooring tools demo")),
    ("call echo text=hi", Leads("mooring call demo echo text=hi")),
    ("call demo add --ask", Refuses("needs a terminal")),
    ("prompt demo passage_pla from=a to=b", Leads("Did you mean passage_plan?")),
    ("prompt demo passage_plan from=a", Leads("mooring prompts demo passage_plan")),
    ("prompt demo passage_plan from=a too=b", Leads("Did you mean to?")),
    // Single items, and results.
    ("tools demo echo", Says("Takes")),
    ("tools demo book_berth", Says("contact.name")),
    ("tools demo.echo", Says("Takes")),
    ("prompts demo passage_plan", Says("required")),
    ("resources demo harbour://guide", Says("text/markdown")),
    ("tools demo ecoh", Leads("Did you mean echo?")),
    ("search echo", Says("echo")),
    ("search nothing-like-it", Says("")),
    ("call demo image --output light.png", Says("")),
    ("call demo image --output light.png", Leads("--force")),
    ("call demo structured --jsonpath $.structuredContent.harbours[0].city", Says("")),
    ("call demo structured --structured", Says("harbours")),
    ("read demo harbour://lighthouse.png -o tower.png", Says("")),
    // Words from other programs.
    ("ls", Says("demo")),
    ("list", Says("demo")),
    ("version", Says("mooring ")),
    ("--version", Says("mooring ")),
    ("help", Says("Connect to MCP servers")),
    ("help", Says("Topics:")),
    ("help call", Says("mooring call")),
    ("help arguments", Says("name:=JSON")),
    ("help argument", Leads("mooring help arguments")),
    ("call --help", Says("--send-anyway")),
    ("logs", Says("tools/call")),
    ("logs demo", Says("tools/call")),
    ("log", Leads("mooring logs")),
    ("status", Leads("mooring list")),
    ("run demo echo text=hi", Leads("mooring call")),
    ("nothing-like-it", Leads("mooring help")),
    ("export", Says("mcpServers")),
    ("export demo", Says("\"demo\"")),
    ("export demoo", Refuses("demo")),
    ("completions bash", Says("COMPLETE")),
    ("completions tcsh", Refuses("zsh")),
    ("apps", Says("")),
    ("connect nothing-like-it", Refuses("nothing-like-it")),
    ("connect claude", Leads("claude-code")),
    ("import missing.json", Refuses("there is no file missing.json")),
    ("import mcp.json", Says("weather")),
    ("accounts", Says("")),
    ("vault", Says("")),
    ("roots", Says("")),
    ("subscribe demo", Leads("mooring resources demo")),
    ("subscribe demo harbour://guide", Refuses("doesn’t offer subscriptions")),
    // Saving, changing and removing servers.
    ("add near SERVER", Says("Added near.")),
    ("add near SERVER", Refuses("near")),
    ("add x http://127.0.0.1:9/mcp", Says("Added x.")),
    ("add y 127.0.0.1:9/mcp", Says("Added y.")),
    ("add z node y.js", Says("Added z.")),
    ("add w npx -y a-package --flag", Says("Added w.")),
    ("add", Refuses("NAME")),
    ("add nope -- no-such-program", Says("Added nope.")),
    ("edit near --timeout 30", Says("near")),
    ("edit near", Refuses("nothing to change")),
    ("edit nearr --timeout 3", Leads("near")),
    ("set near --env UNITS=metric", Says("near")),
    ("set near --env UNITS", Refuses("UNITS")),
    ("set near --secret-env KEY=value", Refuses("don’t put a secret on the command line")),
    ("rename near nearby", Says("Renamed near")),
    ("rename nearby", Refuses("NEW_NAME")),
    ("disable nearby", Says("Disabled nearby.")),
    ("tools nearby", Says("echo")),
    ("enable nearby", Says("Enabled nearby.")),
    ("trust nearby", Says("echo")),
    ("rm nearby", Says("Removed nearby.")),
    ("remove nearby", Refuses("nearby")),
    ("login x --print-url", Refuses("→ ")),
    ("logout x", Refuses("x")),
    ("serve --stop", Refuses("")),
];

#[test]
fn lines_do_what_is_meant_or_say_the_line_that_does() {
    let place = place_with_demo();
    let write = |name: &str, text: &str| std::fs::write(place.folder().join(name), text).unwrap();
    write("note.txt", "from a file");
    write("args.json", r#"{"text":"whole"}"#);
    write("mcp.json", r#"{"mcpServers":{"weather":{"command":"weather"}}}"#);
    let wrong: Vec<String> = LINES.iter().filter_map(|(line, ends)| wrong(&place, line, ends)).collect();
    assert!(LINES.len() >= 110 && wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), LINES.len());
    // Missing arguments are reported before anything is sent, unless the person insists.
    let sent = run(&place, "call demo zzzz --send-anyway");
    assert_eq!(sent.exit, 4, "{sent:?}");
}
