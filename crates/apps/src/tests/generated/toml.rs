//! Generated TOML: tables, arrays of tables, dotted keys, inline tables, values over several lines.

use super::Style;

pub(super) fn generate(seed: u64) -> String {
    let mut style = Style::new(seed);
    let mut text = String::new();
    let form = style.random.below(6);
    comment(&mut style, &mut text);
    let mut root: Vec<String> =
        (0..style.random.below(4)).map(|at| line(&mut style, &format!("root{at}"))).collect();
    root.push("sentinel = 1\n".to_owned());
    match form {
        0 => root.push("mcp_servers = { }\n".to_owned()),
        1 => root
            .push("mcp_servers = { \"a.b\" = { command = \"x\" }, c = { url = \"{,}\" } } # c\n".to_owned()),
        2 => root.push("mcp_servers.dotted.command = \"x\"\nmcp_servers.dotted.args = [\"y\"]\n".to_owned()),
        _ => {}
    }
    let turn = style.random.below(root.len());
    root.rotate_left(turn);
    text.extend(root);
    let mut tables: Vec<String> = (0..style.random.below(4)).map(|at| table(&mut style, at)).collect();
    match form {
        3 => tables.push("[mcp_servers]\ninline = { command = \"x\" }\n".to_owned()),
        4 => {
            let env = "[mcp_servers.\"with env\".env]\nA = \"b\"\n";
            tables.push(format!("[mcp_servers.\"with env\"]\ncommand = '''x'''\n\n{env}"));
            tables.push("[mcp_servers.other]\nurl = \"https://example.com\"\n".to_owned());
        }
        _ => {}
    }
    if !tables.is_empty() {
        let turn = style.random.below(tables.len());
        tables.rotate_left(turn);
    }
    for table in tables {
        if style.random.chance(70) {
            text.push('\n');
        }
        comment(&mut style, &mut text);
        text.push_str(&table);
    }
    comment(&mut style, &mut text);
    style.finish(&text)
}

fn comment(style: &mut Style, text: &mut String) {
    if let Some(comment) = style.comment() {
        text.extend(["# ", &comment, "\n"]);
    }
}

fn table(style: &mut Style, at: usize) -> String {
    let header = style.random.pick(&["[table{}]", "[[array{}]]", "[ \"sp ace{}\" . inner ]", "[a{}.b.c]"]);
    let mut text = format!("{}\n", header.replace("{}", &at.to_string()));
    for key in 0..style.random.below(4) {
        text.push_str(&line(style, &format!("key{key}")));
    }
    text
}

fn line(style: &mut Style, key: &str) -> String {
    let values = [
        "\"text # no comment\"",
        "'raw \\'",
        "1_000",
        "0x1F",
        "-0.5e3",
        "true",
        "1979-05-27T07:32:00Z",
        "[1, 2,]",
        "[\n  \"a\", # inside\n  \"b\",\n]",
        "\"\"\"\n[mcp_servers.fake]\n\"\"\"",
        "{ a = 1, b = { c = \"}\" } }",
    ];
    let value = style.random.pick(&values);
    let indent = style.random.pick(&["", "", "  "]);
    let behind = style.comment().map(|comment| format!("  # {comment}")).unwrap_or_default();
    let before = style.comment().map(|comment| format!("# {comment}\n")).unwrap_or_default();
    format!("{before}{indent}{key} = {value}{behind}\n")
}
