//! Names of tools and prompts for an app that sees several servers.
//!
//! A name is `server__tool`. It only has letters, digits, `_` and `-`, which even the strictest models
//! accept. These models accept 64 characters, of which an app may need some for its own prefix. A name only
//! depends on the server's and the tool's name, and so doesn't change when other servers are added or
//! removed.

use mooring_base::digest::sha256;

/// Separates the server's name from the tool's.
const SEPARATOR: &str = "__";
/// Digits of the hash in a name that could not be used unchanged.
const HASH_DIGITS: usize = 6;

/// The name of a server's tool or prompt for apps. `longest` is the most characters that it may have, at
/// least 32.
///
/// If the plain name can't be used, the result contains a hash of both names. The server's name is then cut
/// at its end and the tool's at its start, because tools' names differ at their ends.
pub fn exposed_name(server: &str, name: &str, longest: usize) -> String {
    let (prefix, clean) = (clean_name(server), clean_name(name));
    // If the prefix contained or ended in a separator, two pairs could have the same name.
    let is_plain = prefix == server && clean == name && !prefix.contains(SEPARATOR) && !prefix.ends_with('_');
    let plain = format!("{prefix}{SEPARATOR}{clean}");
    if is_plain && !prefix.is_empty() && !clean.is_empty() && plain.len() <= longest {
        return plain;
    }
    let hash = sha256(&format!("{server}\0{name}"));
    let hash = hash.get(..HASH_DIGITS).unwrap_or(&hash);
    let room = longest.saturating_sub(SEPARATOR.len() + hash.len() + 1);
    let tail_length = clean.len().min(room - prefix.len().min(room / 3));
    let tail = clean.get(clean.len() - tail_length..).unwrap_or_default();
    let head = prefix.get(..prefix.len().min(room - tail_length)).unwrap_or_default();
    format!("{head}-{hash}{SEPARATOR}{tail}")
}

/// Replaces every character that is not allowed in a name.
fn clean_name(name: &str) -> String {
    let is_kept = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    name.chars().map(|character| if is_kept(character) { character } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn plain_names_stay_and_others_get_a_hash() {
        assert_eq!(exposed_name("github", "create_issue", 64), "github__create_issue");
        assert_eq!(exposed_name("a", "_b", 64), "a___b");
        let odd = exposed_name("my server", "weather.now", 64);
        assert!(odd.starts_with("my_server-") && odd.ends_with("__weather_now"), "{odd}");
        let long = exposed_name(&"s".repeat(80), &format!("{}_end", "t".repeat(80)), 50);
        assert!(long.len() == 50 && long.ends_with("t_end") && long.starts_with("ssss"), "{long}");
        // A name that fits is the same for every `longest`.
        assert_eq!(exposed_name("github", "create_issue", 32), "github__create_issue");
        let chinese = exposed_name("港口", "查询", 64);
        assert!(chinese.starts_with("__-") && chinese.ends_with("____"), "{chinese}");
    }

    #[test]
    fn no_two_tools_share_a_name() {
        let parts =
            ["", "a", "a_", "_a", "a__", "__a", "a__b", "b", "_", "__", "a b", "a.b", "港", "口", "a-b"];
        let long = ["a".repeat(60), format!("{}b", "a".repeat(60))];
        for longest in [32, 50, 64] {
            let parts = || parts.into_iter().chain(long.iter().map(String::as_str));
            let mut seen = HashSet::new();
            for server in parts() {
                for tool in parts() {
                    let name = exposed_name(server, tool, longest);
                    assert!(name.len() <= longest && clean_name(&name) == name, "{name}");
                    assert!(seen.insert(name.clone()), "{server}, {tool}: {name}");
                }
            }
        }
    }
}
