//! Finds placeholders that the other application or a shell would replace.

/// The first placeholder: `${input:key}`, `${env:X}`, `${X:-y}`, `{env:X}`, `{{X}}`, `$X`, `$env:X`, `%X%`, `<your
/// key>`, `YOUR_KEY`.
pub(super) fn find_placeholder(text: &str) -> Option<&str> {
    bracketed_placeholder(text)
        .or_else(|| dollar_variable(text))
        .or_else(|| percent_variable(text))
        .or_else(|| example_value(text))
}

fn bracketed_placeholder(text: &str) -> Option<&str> {
    [("${", "}"), ("{{", "}}"), ("{env:", "}"), ("{file:", "}")].iter().find_map(|(opening, closing)| {
        let found = text.get(text.find(opening)?..)?;
        found.get(..found.find(closing)? + closing.len())
    })
}

/// `$NAME` or `$env:NAME`, in capital letters only: other text after a dollar sign may be part of a password.
fn dollar_variable(text: &str) -> Option<&str> {
    text.match_indices('$').find_map(|(at, _)| {
        let is_start = text.get(..at)?.chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        let rest = text.get(at + 1..)?;
        let prefix =
            if rest.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("env:")) { 4 } else { 0 };
        let name = rest.get(prefix..)?;
        let length = name.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_')).unwrap_or(name.len());
        let name = name.get(..length)?;
        let is_name = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && (prefix > 0 || name.len() > 1 && !name.contains(|it: char| it.is_ascii_lowercase()));
        (is_start && is_name).then(|| text.get(at..=at + prefix + length))?
    })
}

/// `%NAME%`. Shorter matches are escaped bytes of a URL.
fn percent_variable(text: &str) -> Option<&str> {
    text.match_indices('%').find_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        let name = rest.get(..rest.find('%')?)?;
        let is_name = name.len() > 2
            && name.starts_with(|it: char| it.is_ascii_alphabetic())
            && name.chars().all(|it| it.is_ascii_alphanumeric() || "_()".contains(it));
        is_name.then(|| text.get(at..at + name.len() + 2))?
    })
}

/// An example value from a manual that the reader should replace.
fn example_value(text: &str) -> Option<&str> {
    let word = text.rsplit(' ').next().unwrap_or_default();
    let angle =
        text.find('<').and_then(|at| text.get(at..)).filter(|found| found.len() > 2 && found.ends_with('>'));
    let upper = word.to_ascii_uppercase();
    let names_you = upper.starts_with("YOUR_") || upper.starts_with("YOUR-");
    angle.or_else(|| {
        (names_you && word.chars().all(|it| it.is_ascii_alphanumeric() || "_-".contains(it))).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::find_placeholder;

    #[test]
    fn what_stands_for_something_else_is_found() {
        for (text, found) in [
            ("${workspaceFolder}/a", "${workspaceFolder}"),
            ("Bearer ${TOKEN:-none}", "${TOKEN:-none}"),
            ("{env:KEY}", "{env:KEY}"),
            ("{{HOME}}/d", "{{HOME}}"),
            ("Bearer $TOKEN", "$TOKEN"),
            ("$HOME/b", "$HOME"),
            ("a=$env:Token", "$env:Token"),
            ("%APPDATA%/c", "%APPDATA%"),
            ("%ProgramFiles(x86)%\\srv", "%ProgramFiles(x86)%"),
            ("<your-api-key>", "<your-api-key>"),
            ("Bearer YOUR_API_KEY", "YOUR_API_KEY"),
        ] {
            assert_eq!(find_placeholder(text), Some(found), "{text}");
        }
    }

    #[test]
    fn what_may_be_a_value_is_left_alone() {
        for text in [
            "$5 {a}",
            "pa$WORD",
            "$2a$10$abc",
            "a%20b%20c",
            "%E4%BD%A0",
            "100%",
            "x$",
            "{}",
            "a < b",
            "$abc",
            "%a b%",
        ] {
            assert_eq!(find_placeholder(text), None, "{text}");
        }
    }
}
