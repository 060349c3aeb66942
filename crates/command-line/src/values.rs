//! Parses values of the command line: headers, variables, sizes and times.

use std::time::Duration;

pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write a header as NAME:VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write a variable as NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A size in bytes, KiB, MiB or GiB.
pub(crate) fn size(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 4] = [("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("", 1)];
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches("ib").trim_end_matches('b');
    let (digits, unit) = UNITS
        .iter()
        .find_map(|(letter, unit)| Some((digits.strip_suffix(letter)?, *unit)))
        .unwrap_or((digits, 1));
    let count: usize = digits.trim().parse().map_err(|_| "a size is required, such as 64MiB")?;
    count
        .checked_mul(unit)
        .filter(|bytes| (1 << 10..=1 << 30).contains(bytes))
        .ok_or_else(|| "from 1KiB to 1GiB".to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is required")?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err("from 0.001 to 86400 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_read_in_its_unit() {
        let sizes = ["2048", "64MiB", "64 m", "1g", "3kb"].map(|text| size(text).unwrap());
        assert_eq!(sizes, [2048, 64 << 20, 64 << 20, 1 << 30, 3 << 10]);
        for wrong in ["", "m", "-1", "1", "2GiB", "1.5m", "99999999999999999999"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_value_may_contain_the_separator() {
        assert_eq!(header("Authorization: Bearer a:b"), Ok(("Authorization".into(), "Bearer a:b".into())));
        assert_eq!(variable("A=b=c"), Ok(("A".into(), "b=c".into())));
        assert!(seconds("0").is_err());
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
    }
}
