//! Ranges of versions, as npm and Python packages write them: `>=16.0.0`, `^1.2`, `>=3.8,<4`, `18.x || >=20`.

use std::cmp::Ordering;

/// A version's numbers: major, minor and patch.
type Numbers = [u64; 3];

/// Whether a version is in a range. `None` if one of them can't be read.
pub(crate) fn is_in_range(version: &str, range: &str) -> Option<bool> {
    let (version, _) = read_version(version)?;
    let mut any = false;
    for alternative in range.split("||") {
        let mut all = true;
        for comparison in split_comparisons(alternative) {
            all &= compare_versions(version, comparison)?;
        }
        any |= all;
    }
    Some(any)
}

/// The comparisons of an alternative. An operator may be apart from its version.
fn split_comparisons(alternative: &str) -> Vec<(&str, &str)> {
    let mut operator = "";
    let mut comparisons = Vec::new();
    for word in alternative.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
        let start = word.find(|letter: char| !"<>=^~!".contains(letter)).unwrap_or(word.len());
        let (own, version) = word.split_at(start);
        let own = if own.is_empty() { operator } else { own };
        if version.is_empty() {
            operator = own;
        } else {
            operator = "";
            comparisons.push((own, version));
        }
    }
    comparisons
}

fn compare_versions(version: Numbers, (operator, bound): (&str, &str)) -> Option<bool> {
    let (bound, given) = read_version(bound)?;
    // What follows the last number that was given doesn't count: `18` is every 18.
    let order = version.iter().zip(bound).take(given).map(|(own, bound)| own.cmp(&bound));
    let order = order.fold(Ordering::Equal, Ordering::then);
    let below = |changed: usize| {
        let same = version.iter().zip(bound).take(changed).all(|(own, bound)| *own == bound);
        version >= bound && same
    };
    Some(match operator {
        "" | "=" | "==" | "===" => order.is_eq(),
        "!=" => order.is_ne(),
        ">=" => version >= bound,
        ">" => order.is_gt(),
        "<=" => order.is_le(),
        "<" => version < bound,
        "~" => below(given.min(2)),
        "~=" => below(given.saturating_sub(1).max(1)),
        // The first number that isn't 0 may not change.
        "^" => below((bound.iter().take_while(|number| **number == 0).count() + 1).min(given.max(1))),
        _ => return None,
    })
}

/// The numbers of a version, and how many there are. A `v` in front is read, and what follows `-` or `+` is not.
fn read_version(version: &str) -> Option<(Numbers, usize)> {
    let version = version.trim().trim_start_matches(['v', 'V']);
    let version = version.split(['-', '+']).next().unwrap_or(version);
    let mut numbers = [0; 3];
    let mut given = 0;
    for part in version.split('.') {
        if matches!(part, "x" | "X" | "*") {
            break;
        }
        let digits = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let number = part.get(..digits)?.parse().ok()?;
        if let Some(place) = numbers.get_mut(given) {
            *place = number;
            given += 1;
        }
    }
    Some((numbers, given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_node_and_python_write_them() {
        for (version, range, expected) in [
            ("18.2.0", ">=16.0.0", Some(true)),
            ("v18.2.0", ">=v18.0.0", Some(true)),
            ("14.21.3", ">=16.0.0", Some(false)),
            ("3.11.4", ">=3.8,<4.0", Some(true)),
            ("4.0.0", ">=3.8.0 <4", Some(false)),
            ("3.12.0rc1", ">= 3.12", Some(true)),
            ("1.9.0", "^1.2", Some(true)),
            ("2.0.0", "^1.2", Some(false)),
            ("0.3.0", "^0.2.1", Some(false)),
            ("0.2.9", "^0.2.1", Some(true)),
            ("1.2.9", "~1.2.3", Some(true)),
            ("1.3.0", "~1.2.3", Some(false)),
            ("3.9.1", "~=3.8", Some(true)),
            ("18.4.0", "18.x || >=20", Some(true)),
            ("19.0.0", "18.x || >=20", Some(false)),
            ("18.4.0", "18", Some(true)),
            ("18.4.0", ">18", Some(false)),
            ("18.4.0", "<=18", Some(true)),
            ("18.4.0", "*", Some(true)),
            ("18.4.0", "", Some(true)),
            ("18.4.0", "latest", None),
            ("unknown", ">=1", None),
        ] {
            assert_eq!(is_in_range(version, range), expected, "{version} in {range}");
        }
    }
}
