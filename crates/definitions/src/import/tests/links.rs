//! Links of apps, entries of registries, and single lines.

use super::*;

/// The text is understood as this, and its only server is this.
fn check_read_as(text: &str, read_as: &str) -> String {
    let report = read_config(text, |_| false);
    assert_eq!(report.read_as.as_ref().map(ToString::to_string).as_deref(), Some(read_as), "{text}");
    let lines = check(text);
    assert_eq!(lines.len(), 1, "{text}: {lines:#?}");
    lines.into_iter().next().unwrap_or_default()
}

const TIDE: &str = r#"tide: npx ["-y", "@acme/tide"] env {} cwd None; TIDE_KEY to be entered"#;

#[test]
fn links_of_each_app_are_read() {
    let base64 = "eyJjb21tYW5kIjoibnB4IiwiYXJncyI6WyIteSIsIkBhY21lL3RpZGUiXSwiZW52Ijp7IlRJREVfS0VZIjoiJHtpbnB1dDprZXl9In19";
    let json = "%7B%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40acme%2Ftide%22%5D%2C%22env%22%3A%7B%22TIDE_KEY%22%3A%22%24%7Binput%3Akey%7D%22%7D%7D";
    let payload = "%7B%22name%22%3A%22tide%22%2C%22command%22%3A%22npx%22%2C%22args%22%3A%5B%22-y%22%2C%22%40acme%2Ftide%22%5D%2C%22env%22%3A%7B%22TIDE_KEY%22%3A%22%24%7Binput%3Akey%7D%22%7D%2C%22inputs%22%3A%5B%7B%22type%22%3A%22promptString%22%2C%22id%22%3A%22key%22%2C%22password%22%3Atrue%7D%5D%7D";
    for (link, app) in [
        (format!("mooring:add?name=tide&config={base64}"), "Mooring"),
        (format!("mooring://add/?name=tide&config={json}"), "Mooring"),
        (format!("vscode:mcp/install?{payload}"), "VS Code"),
        (format!("vscode-insiders:mcp/install?{payload}"), "VS Code"),
        (format!("https://vscode.dev/redirect/mcp/install?name=tide&config={json}&quality=insiders"), "VS Code"),
        ("https://insiders.vscode.dev/redirect?url=vscode%3Amcp%2Finstall%3F%257B%2522name%2522%253A%2522tide%2522%252C%2522command%2522%253A%2522npx%2522%252C%2522args%2522%253A%255B%2522-y%2522%252C%2522%2540acme%252Ftide%2522%255D%252C%2522env%2522%253A%257B%2522TIDE_KEY%2522%253A%2522%2524%257Binput%253Akey%257D%2522%257D%252C%2522inputs%2522%253A%255B%257B%2522type%2522%253A%2522promptString%2522%252C%2522id%2522%253A%2522key%2522%252C%2522password%2522%253Atrue%257D%255D%257D".to_owned(), "VS Code"),
        (format!("https://insiders.vscode.dev/redirect?url=vscode-insiders%3Amcp%2Finstall%3F{payload}"), "VS Code"),
        (format!("cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config={base64}"), "Cursor"),
        (format!("CURSOR://anysphere.cursor-deeplink/mcp/install?config={base64}&name=tide#top"), "Cursor"),
        (format!("https://cursor.com/en/install-mcp?name=tide&config={base64}"), "Cursor"),
        (format!("lmstudio://add_mcp?name=tide&config={base64}"), "LM Studio"),
        (format!("https://lmstudio.ai/install-mcp?name=tide&config={base64}"), "LM Studio"),
        (format!("https://kiro.dev/launch/mcp/add?name=tide&config={json}"), "Kiro"),
        ("goose://extension?cmd=npx&arg=-y&arg=%40acme%2Ftide&id=t&name=tide&description=d&env=TIDE_KEY%3Dyour%20key".to_owned(), "Goose"),
    ] {
        assert_eq!(check_read_as(&link, &format!("a link for {app}")), TIDE, "{link}");
        // In a README, a page or a sentence.
        for around in [format!("# Tide\n\n[![Install](https://x.example/a.svg)]({link}) |"), format!("<a href=\"{link}\">"), format!("Open {link}.")] {
            assert_eq!(check(&around), [TIDE], "{around}");
        }
    }
    // HTML writes ampersands as entities, and Markdown has marks beside a link.
    let html = format!("<a href=\"https://cursor.com/install-mcp?name=tide&amp;config={base64}\">Add</a>");
    assert_eq!(check(&html), [TIDE]);
    assert_eq!(
        check(&format!(
            "Install:[x](cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config={base64})"
        )),
        [TIDE]
    );
    assert_eq!(check(&format!("https://cursor.com/link/mcp%2Finstall?name=tide&config={base64}")), [TIDE]);
    assert_eq!(check(&format!("https://vs-open.link/mcp-install?{payload}")), [TIDE]);
    // Badges before it are no links.
    let badges = "https://img.shields.io/badge/x ".repeat(200);
    assert_eq!(check(&format!("{badges} lmstudio://add_mcp?name=tide&config={base64}")), [TIDE]);
    // A plus sign is a space where it is no base64.
    assert_eq!(
        check("goose://extension?cmd=uvx&arg=tide&name=Sea+Level"),
        [r#"Sea Level: uvx ["tide"] env {} cwd None"#]
    );
    // Another server of the same name is a second one.
    let two = format!(
        "lmstudio://add_mcp?name=tide&config={base64} goose://extension?cmd=docker&arg=run&arg=tide&name=tide"
    );
    let report = read_config(&two, |_| false);
    let found: Vec<_> = report.entries.iter().map(|it| (it.name.as_str(), it.alternative)).collect();
    assert_eq!(found, [("tide", false), ("tide (Goose)", true)]);
    // Several links to one server are one.
    let both = format!(
        "(cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config={base64}) (vscode:mcp/install?{payload})"
    );
    assert_eq!(check(&both), [TIDE]);
}

#[test]
fn links_to_remote_servers_are_read() {
    for link in [
        "mooring:add?name=tide&url=https%3A%2F%2Ftide.example%2Fmcp",
        "goose://extension?type=streamable_http&url=https%3A%2F%2Ftide.example%2Fmcp&name=tide",
    ] {
        assert_eq!(check(link), ["tide: https://tide.example/mcp headers {}"], "{link}");
    }
    // Base64 in the other alphabet and without padding, with the name inside.
    assert_eq!(
        check(
            "cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=eyJ0aWRlIjogeyJ1cmwiOiAiaHR0cHM6Ly90aWRlLmV4YW1wbGUvbWNwPz4-PiJ9fQ"
        ),
        ["tide: https://tide.example/mcp?>>> headers {}"]
    );
    // A plus sign that was not encoded.
    assert_eq!(
        check(
            "lmstudio://add_mcp?name=tide&config=eyJ1cmwiOiAiaHR0cHM6Ly90aWRlLmV4YW1wbGUvbWNwP2E9Pj4+fn5+In0="
        ),
        ["tide: https://tide.example/mcp?a=>>>~~~ headers {}"]
    );
}

#[test]
fn links_that_say_nothing_useful_are_named() {
    let unreadable = "has no readable configuration";
    for (link, part) in [
        ("cursor://anysphere.cursor-deeplink/mcp/install?name=tide", unreadable),
        ("cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config=%%%", unreadable),
        (
            "cursor://anysphere.cursor-deeplink/mcp/install?name=tide&config=e30",
            "the link for Cursor has no server",
        ),
        ("vscode:mcp/install?%7B%22name%22%3A", unreadable),
        ("vscode:mcp/install", unreadable),
        ("mooring:add?name=tide&config=//4=", unreadable),
        ("goose://extension?name=tide", "command and url are both missing"),
        ("mooring:add?config=%7B%22command%22%3A%22x%22%7D%7B%7D", unreadable),
    ] {
        let lines = check(link);
        assert!(matches!(&lines[..], [line] if line.contains(part)), "{link}: {lines:#?}");
    }
    let large = format!("mooring:add?name=tide&config=%7B%22command%22%3A%22{}%22%7D", "x".repeat(1 << 20));
    assert_eq!(check(&large), ["ERROR 1:1 the link is larger than 64 KiB"]);
    // Pages of the same sites that install nothing.
    for page in ["https://cursor.com/docs/mcp", "https://vscode.dev/redirect?to=x", "https://lmstudio.ai/"] {
        let host = url::Url::parse(page).unwrap().host_str().unwrap().to_owned();
        assert_eq!(check(page), [format!("{host}: {page} headers {{}}")]);
    }
    // A page opens a link, and no other page.
    let again =
        format!("https://vscode.dev/redirect?url={}", "https://vscode.dev/redirect?url=".repeat(100_000));
    assert_eq!(check(&again).len(), 1);
}

#[test]
fn single_lines_are_urls_or_commands() {
    for text in ["https://tide.example/mcp", "  `https://tide.example/mcp`\n"] {
        assert_eq!(check_read_as(text, "a URL"), "tide.example: https://tide.example/mcp headers {}");
    }
    for (text, server) in [
        ("npx -y @acme/tide /srv", r#"tide: npx ["-y", "@acme/tide", "/srv"] env {} cwd None"#),
        (
            "$ TIDE_KEY=a1 PORT=2 npx tide",
            r#"tide: npx ["tide"] env {"PORT": "2", "TIDE_KEY": "a1"} cwd None"#,
        ),
        (
            "# Start it\nuvx \\\n  tide --units 'm s'\n",
            r#"tide: uvx ["tide", "--units", "m s"] env {} cwd None"#,
        ),
        (
            "docker run -i --rm -e TIDE_KEY ghcr.io/acme/tide:1",
            r#"tide: docker ["run", "-i", "--rm", "-e", "TIDE_KEY", "ghcr.io/acme/tide:1"] env {} cwd None"#,
        ),
        ("/opt/tide/bin/tide stdio", r#"tide: /opt/tide/bin/tide ["stdio"] env {} cwd None"#),
        ("```sh\nnpx -y tide\n```", r#"tide: npx ["-y", "tide"] env {} cwd None"#),
    ] {
        assert_eq!(check_read_as(text, "a command line"), server, "{text}");
    }
    for text in [
        "Please install it",
        "Docker must be running",
        "Install it - then restart",
        "node >= 20",
        "x=1 means one",
        "and/or something",
        "Run `npx -y @acme/tide`",
        "https://tide.example/mcp is the address",
        "[\"npx\", \"-y\", \"@acme/tide\"]",
        "npm install tide && npx tide",
        "npm install -g tide",
        "npx tide; rm -rf x",
        "npx tide &&rm x",
        "npx tide>log",
        "npx -y tide # start it",
        "npx tide > log",
        "npx a\nnpx b",
    ] {
        let lines = check(text);
        assert!(matches!(&lines[..], [line] if line.starts_with("ERROR ")), "{text}: {lines:#?}");
    }
}
