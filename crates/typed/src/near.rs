//! Names that are nearly right.

/// The one of `names` that was most likely meant by `typed`: another case, a beginning, or a few letters apart.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let length = typed.chars().count();
    // A short name that is two letters apart is another name.
    let apart = match length {
        0 => return None,
        1..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let rated = names.into_iter().filter_map(|name| {
        let lower = name.to_lowercase();
        let distance = strsim::damerau_levenshtein(&typed, &lower);
        let rate = if distance <= apart {
            distance
        } else if length >= 3 && (lower.starts_with(&typed) || typed.starts_with(&lower) && lower.len() >= 3)
        {
            apart + 1
        } else if length >= 4 && lower.contains(&typed) {
            apart + 2
        } else {
            return None;
        };
        Some((rate, name))
    });
    rated.min_by_key(|(rate, name)| (*rate, name.len())).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearly_right_is_found() {
        let names = ["demo", "echo", "add", "get-sum", "get-tiny-image", "Weather"];
        for (typed, meant) in [
            ("demoo", Some("demo")),
            ("ech", Some("echo")),
            ("ecoh", Some("echo")),
            ("weather", Some("Weather")),
            ("tiny", Some("get-tiny-image")),
            ("get-smu", Some("get-sum")),
            ("ad", None),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, names), meant, "{typed}");
        }
    }
}
