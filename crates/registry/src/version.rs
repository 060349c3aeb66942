//! The order of versions.

use std::cmp::Ordering;

/// Whether `other` is a newer version than `own`. Versions that have no numbers to compare are newer if they differ,
/// because only the registry knows their order.
pub fn is_newer_version(own: &str, other: &str) -> bool {
    match (read_numbers(own), read_numbers(other)) {
        (Some((own_numbers, own_rest)), Some((numbers, rest))) => match numbers.cmp(&own_numbers) {
            Ordering::Greater => true,
            Ordering::Less => false,
            // A version without a suffix follows its previews.
            Ordering::Equal => match (own_rest.is_empty(), rest.is_empty()) {
                (false, true) => true,
                (true, _) => false,
                (false, false) => rest != own_rest,
            },
        },
        _ => own != other,
    }
}

/// The numbers of a version without zeros at its end, and the suffix of a preview.
fn read_numbers(version: &str) -> Option<(Vec<u64>, &str)> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    let version = version.split_once('+').map_or(version, |(version, _)| version);
    let (numbers, rest) = version.split_once('-').unwrap_or((version, ""));
    let mut numbers = numbers.split('.').map(|number| number.parse().ok()).collect::<Option<Vec<u64>>>()?;
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    Some((numbers, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_or_equal_version_is_no_update() {
        for (own, other, expect) in [
            ("1.2.3", "1.2.4", true),
            ("1.2.3", "1.10.0", true),
            ("1.2.3", "1.2.3", false),
            ("1.2.3", "1.2.2", false),
            ("1.2", "1.2.0", false),
            ("v1.2", "1.3", true),
            ("1.2.0-beta.1", "1.2.0", true),
            ("1.2.0", "1.2.0-beta.1", false),
            ("1.2.0-beta.1", "1.2.0-beta.2", true),
            ("1.2.0+a", "1.2.0+b", false),
            ("2025.01.31", "2025.02.01", true),
            ("abc", "def", true),
            ("abc", "abc", false),
        ] {
            assert_eq!(is_newer_version(own, other), expect, "{own} {other}");
        }
    }
}
