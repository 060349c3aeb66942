//! Exact amounts of money, in millionths of a dollar.

use serde::{Deserialize, Serialize};

/// An amount of money in millionths of a dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Dollars(pub(crate) u64);

impl Dollars {
    /// Converts from millionths of a dollar.
    pub fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Converts to millionths of a dollar.
    pub fn micros(self) -> u64 {
        self.0
    }

    /// Converts to dollars for display.
    pub fn as_f64(self) -> f64 {
        // The precision of a double is enough for amounts that are displayed.
        #[expect(clippy::cast_precision_loss, reason = "for display")]
        let micros = self.0 as f64;
        micros / 1e6
    }

    /// Reads a decimal number of dollars with up to six places, such as `0.25`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && part.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
            return None;
        }
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part: u64 = format!("{part:0<6}").parse().ok()?;
        // The database stores the amount as a signed integer.
        let micros = whole.checked_mul(1_000_000)?.checked_add(part)?;
        i64::try_from(micros).ok().map(|_| Self(micros))
    }
}

impl std::fmt::Display for Dollars {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, part) = (self.0 / 1_000_000, self.0 % 1_000_000);
        let part = format!("{part:06}");
        match part.trim_end_matches('0') {
            "" => write!(f, "{whole}"),
            part => write!(f, "{whole}.{part}"),
        }
    }
}

impl TryFrom<String> for Dollars {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not an amount of dollars")
    }
}

impl From<Dollars> for String {
    fn from(dollars: Dollars) -> Self {
        dollars.to_string()
    }
}
