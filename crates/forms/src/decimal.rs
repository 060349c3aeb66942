//! Exact JSON numbers, for limits beyond the precision of doubles.

use std::cmp::Ordering;

/// The largest remainder for the computation.
const LARGEST_STEP: u128 = u128::MAX / 10 - 1;
/// The most digits of a number that is written out to be divided.
const MOST_DIGITS: i64 = 800;

/// A number of any size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decimal {
    is_negative: bool,
    /// The digits without zeros at either end. Empty for zero.
    digits: String,
    /// The power of ten of the last digit.
    exponent: i64,
}

impl Decimal {
    /// Parses a number in JSON's grammar. `None` if its exponent is out of bounds.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (is_negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (number, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let all = format!("{whole}{part}");
        if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = all.trim_matches('0');
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits: String::new(), exponent: 0 });
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let exponent = power
            .parse::<i64>()
            .ok()?
            .checked_sub(i64::try_from(part.len()).ok()?)?
            .checked_add(i64::try_from(zeros).ok()?)?;
        Some(Self { is_negative, digits: digits.to_owned(), exponent })
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.digits.is_empty() || self.exponent >= 0
    }

    pub(crate) fn is_positive(&self) -> bool {
        !self.is_negative && !self.digits.is_empty()
    }

    /// The number as a count.
    pub(crate) fn as_count(&self) -> Option<u64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        let scale = 10_u64.checked_pow(u32::try_from(self.exponent).ok()?)?;
        self.digits.parse::<u64>().ok()?.checked_mul(scale).filter(|_| !self.is_negative)
    }

    /// A text that is the same for all spellings of a number.
    pub(crate) fn unique_key(&self) -> String {
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{}e{}", self.digits, self.exponent)
    }

    /// Whether the number is a multiple of `step`. `None` if that would take too long to compute.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        if step.digits.is_empty() {
            return None;
        }
        if self.digits.is_empty() {
            return Some(true);
        }
        let base = self.exponent.min(step.exponent);
        let zeros = step.exponent.checked_sub(base).and_then(|zeros| u32::try_from(zeros).ok())?;
        let scale = 10_u128.checked_pow(zeros)?;
        let unit = step.digits.parse::<u128>().ok()?.checked_mul(scale)?;
        let zeros = self.exponent.checked_sub(base)?;
        if unit > LARGEST_STEP || zeros > MOST_DIGITS || self.digits.len() > 10_000 {
            return None;
        }
        let zeros = usize::try_from(zeros).ok()?;
        let written = self.digits.bytes().map(|byte| u128::from(byte - b'0'));
        let rest =
            written.chain(std::iter::repeat_n(0, zeros)).fold(0, |rest, digit| (rest * 10 + digit) % unit);
        Some(rest == 0)
    }

    fn compare_size(&self, other: &Self) -> Ordering {
        let height =
            |one: &Self| i128::from(one.exponent) + i128::try_from(one.digits.len()).unwrap_or(i128::MAX);
        // Digits without zeros at their ends compare like texts, if both numbers have the same magnitude.
        height(self).cmp(&height(other)).then_with(|| self.digits.cmp(&other.digits))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.digits.is_empty(), other.digits.is_empty()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return if other.is_negative { Ordering::Greater } else { Ordering::Less },
            (false, true) => return if self.is_negative { Ordering::Less } else { Ordering::Greater },
            (false, false) => {}
        }
        match (self.is_negative, other.is_negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_size(other),
            (true, true) => other.compare_size(self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    // Requirements: ELIC-11, ELIC-16.
    #[test]
    fn multiple_of_is_checked_on_numbers_as_written() {
        for (number, step, expected) in [
            ("4", "2", true),
            ("5", "2", false),
            ("-4", "2", true),
            ("0", "0.1", true),
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("4.20", "0.1", true),
            ("1e3", "250", true),
            ("1.5e-3", "0.0005", true),
            ("9007199254740993", "2", false),
            ("100000000000000000001", "2", false),
            ("1e300", "1", true),
        ] {
            assert_eq!(of(number).is_multiple_of(&of(step)), Some(expected), "{number} {step}");
        }
        for (number, step) in [("1e100000", "1"), ("1", "1e-100000"), ("1e-300", "1"), ("1", "0")] {
            assert_eq!(of(number).is_multiple_of(&of(step)), None, "{number} {step}");
        }
    }

    // Requirements: ELIC-16.
    #[test]
    fn numbers_are_compared_by_their_digits() {
        for (left, right, expected) in [
            ("1", "2", Ordering::Less),
            ("10", "9", Ordering::Greater),
            ("-10", "-9", Ordering::Less),
            ("1.0", "10e-1", Ordering::Equal),
            ("-0", "0.0", Ordering::Equal),
            ("0", "1e-400", Ordering::Less),
            ("0", "-1e-400", Ordering::Greater),
            ("1e400", "1e401", Ordering::Less),
            ("9007199254740993", "9007199254740992", Ordering::Greater),
            ("0.30000000000000000001", "0.3", Ordering::Greater),
            ("120", "12", Ordering::Greater),
        ] {
            assert_eq!(of(left).cmp(&of(right)), expected, "{left} {right}");
            assert_eq!(of(left).unique_key() == of(right).unique_key(), expected.is_eq(), "{left} {right}");
        }
        assert!(of("1e3").is_whole() && of("2.0").is_whole() && !of("2.5").is_whole());
        assert_eq!([Decimal::parse("1e99999999999999999999"), Decimal::parse("x")], [None, None]);
    }
}
