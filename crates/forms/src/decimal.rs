//! Exact decimals: `multipleOf` can't be checked on doubles.

use serde_json::Number;

/// Digits behind the point, at most.
const MOST_PLACES: u32 = 18;

/// A decimal: `units` divided by ten to the power of `places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    units: i128,
    places: u32,
}

impl Decimal {
    /// The number, unless it is too long for that.
    pub(crate) fn from_number(number: &Number) -> Option<Self> {
        Self::parse(&number.to_string())
    }

    /// The number as JSON text writes it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (digits, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let power: i32 = power.parse().ok()?;
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let units: i128 = format!("{whole}{part}").parse().ok()?;
        let places = i32::try_from(part.len()).ok()?.checked_sub(power)?;
        match u32::try_from(places) {
            Ok(places) => (places <= MOST_PLACES).then_some(Self { units, places }),
            Err(_) => {
                Some(Self { units: units.checked_mul(power_of_ten(places.unsigned_abs())?)?, places: 0 })
            }
        }
    }

    pub(crate) fn is_whole(self) -> bool {
        power_of_ten(self.places).is_some_and(|one| self.units % one == 0)
    }

    pub(crate) fn is_positive(self) -> bool {
        self.units > 0
    }

    /// Whether it is a multiple of another; none: that cannot be told.
    pub(crate) fn is_multiple_of(self, step: Self) -> Option<bool> {
        let places = self.places.max(step.places);
        let scaled = |one: Self| one.units.checked_mul(power_of_ten(places - one.places)?);
        Some(scaled(self)?.checked_rem(scaled(step)?)? == 0)
    }
}

fn power_of_ten(power: u32) -> Option<i128> {
    10_i128.checked_pow(power)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    // Requirements: ELIC-11, ELIC-16.
    #[test]
    fn multiple_of_is_checked_on_numbers_as_written() {
        let of = |text: &str| match serde_json::from_str(text).unwrap() {
            Value::Number(number) => Decimal::from_number(&number),
            other => panic!("{other}"),
        };
        let multiple = |number: &str, step: &str| of(number)?.is_multiple_of(of(step)?);
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
        ] {
            assert_eq!(multiple(number, step), Some(expected), "{number} {step}");
        }
        for (number, step) in [("1e300", "1"), ("1e-300", "1"), ("1", "0")] {
            assert_eq!(multiple(number, step), None, "{number} {step}");
        }
    }
}
