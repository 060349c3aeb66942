//! Generated YAML: block and flow style, strings over several lines, anchors, and comments everywhere.

use super::Style;

pub(super) fn generate_map(seed: u64) -> String {
    generate(seed, |style, step| match style.random.below(7) {
        0 => String::new(),
        1 => "extensions:\n".to_owned(),
        2 => "extensions: {}\n".to_owned(),
        3 => "extensions: {\"x\": {type: builtin}, y: {\n    a: [1, 2] }}\n".to_owned(),
        4 => "extensions: ~\n".to_owned(),
        _ => {
            let mut text = "extensions:\n".to_owned();
            for at in 0..=style.random.below(3) {
                comment(style, step, &mut text);
                text.extend([step, &format!("ext{at}:\n")]);
                for key in 0..=style.random.below(3) {
                    text.push_str(&member(style, step, &step.repeat(2), &format!("key{key}")));
                }
            }
            text
        }
    })
}

pub(super) fn generate_list(seed: u64) -> String {
    generate(seed, |style, step| match style.random.below(5) {
        0 => String::new(),
        1 => "mcpServers:\n".to_owned(),
        2 => "mcpServers: []\n".to_owned(),
        _ => {
            let mut text = "mcpServers:\n".to_owned();
            let indent = if style.random.chance(50) { step } else { "" };
            for at in 0..=style.random.below(3) {
                comment(style, indent, &mut text);
                text.extend([indent, &format!("- name: server {at}\n")]);
                for key in 0..style.random.below(3) {
                    text.push_str(&member(style, step, &format!("{indent}  "), &format!("key{key}")));
                }
            }
            text
        }
    })
}

fn generate(seed: u64, servers: fn(&mut Style, &'static str) -> String) -> String {
    let mut style = Style::new(seed);
    let step = ["  ", "    "][style.random.below(2)];
    let mut parts = vec!["sentinel: 1\n".to_owned(), servers(&mut style, step)];
    for at in 0..style.random.below(5) {
        parts.push(member(&mut style, step, "", &format!("root{at}")));
    }
    let turn = style.random.below(parts.len());
    parts.rotate_left(turn);
    let mut text = String::new();
    comment(&mut style, "", &mut text);
    if style.random.chance(20) {
        text.push_str("---\n");
    }
    for part in parts {
        comment(&mut style, "", &mut text);
        if style.random.chance(20) {
            text.push('\n');
        }
        text.push_str(&part);
    }
    comment(&mut style, "", &mut text);
    style.finish(&text)
}

fn comment(style: &mut Style, indent: &str, text: &mut String) {
    if let Some(comment) = style.comment() {
        text.extend([indent, "# ", &comment, "\n"]);
    }
}

/// A member with any value, sometimes followed by a comment.
fn member(style: &mut Style, step: &str, indent: &str, key: &str) -> String {
    let lines = [
        "|\n+text\n+  # no comment\n",
        ">-\n+folded\n\n+more\n",
        "\n+inner: 1\n+more: [a, b]\n",
        "\n+- 1\n+- a: 2\n+  b: 3\n",
        "\"two\n+lines\"\n",
    ];
    if style.random.chance(25) {
        let value = style.random.pick(&lines).replace('+', &format!("{indent}{step}"));
        let space = if value.starts_with('\n') { "" } else { " " };
        return format!("{indent}{key}:{space}{value}");
    }
    let plain = [
        "1",
        "true",
        "text with: no",
        "\"quoted # no\"",
        "'it''s'",
        "[a, \"b\"]",
        "{c: d}",
        "&anchor x",
        "",
        "日本",
        "null",
    ];
    let value = style.random.pick(&plain).replace("with: no", "without");
    let behind = style.comment().map(|comment| format!(" # {comment}")).unwrap_or_default();
    format!("{indent}{key}: {value}{behind}\n")
}
