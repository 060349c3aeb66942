//! Parses and writes timestamps (ISO 8601, RFC 3339).

use std::time::{Duration, SystemTime};

/// Parses a timestamp such as `2026-07-28T10:30:00.250Z`, with any offset. `None` if invalid or before 1970.
pub(crate) fn parse_timestamp(text: &str) -> Option<SystemTime> {
    let (date, rest) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-');
    let year: i64 = date.next()?.parse().ok()?;
    let month: i64 = date.next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
    let day: i64 = date.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        Some(at) => (rest.get(..at)?, parse_offset(rest.get(at..)?)?),
        None => (rest, 0),
    };
    let mut clock = clock.splitn(3, ':');
    let hour: i64 = clock.next()?.parse().ok().filter(|hour| (0..24).contains(hour))?;
    let minute: i64 = clock.next()?.parse().ok().filter(|minute| (0..60).contains(minute))?;
    let second: f64 =
        clock.next().unwrap_or("0").parse().ok().filter(|second| (0.0..61.0).contains(second))?;
    let seconds = days_since_epoch(year, month, day)? * 86_400 + hour * 3600 + minute * 60 - offset;
    let whole = Duration::from_secs(u64::try_from(seconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(whole)?.checked_add(Duration::from_secs_f64(second))
}

/// Parses an offset into seconds east of UTC.
fn parse_offset(text: &str) -> Option<i64> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return Some(0),
    };
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let hours: i64 = digits.get(..2)?.parse().ok()?;
    let minutes: i64 = digits.get(2..4).map_or(Some(0), |minutes| minutes.parse().ok())?;
    Some(sign * (hours * 3600 + minutes * 60))
}

/// The days from 1970-01-01 to a Gregorian date. Here, years begin in March, so that leap days are last.
fn days_since_epoch(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468)
}

/// Writes a timestamp in UTC.
pub(crate) fn format_timestamp(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let (day, clock) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date_of_days(day);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The Gregorian date that is `days` days after 1970-01-01. Years begin in March in this computation.
fn date_of_days(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: &str) -> Option<u128> {
        parse_timestamp(text).map(|time| time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis())
    }

    #[test]
    fn what_is_written_is_read_as_the_same_time() {
        for millis in
            [0, 951_782_399_999, 951_782_400_000, 1_709_256_599_001, 1_785_234_600_250, 4_107_542_400_000]
        {
            let time = SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
            let text = format_timestamp(time);
            assert_eq!(parse_timestamp(&text), Some(time), "{text}");
        }
        let known = SystemTime::UNIX_EPOCH + Duration::from_millis(1_785_234_600_250);
        assert_eq!(format_timestamp(known), "2026-07-28T10:30:00.250Z");
    }

    #[test]
    fn timestamps_are_read_with_fractions_and_offsets() {
        assert_eq!(millis("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(millis("2026-07-28T10:30:00.250Z"), Some(1_785_234_600_250));
        assert_eq!(millis("2026-07-28T12:30:00+02:00"), Some(1_785_234_600_000));
        assert_eq!(millis("2024-02-29T23:59:59-0130"), Some(1_709_256_599_000));
        for nonsense in [
            "",
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-07-28",
            "1850-01-01T00:00:00Z",
            "2026-07-28T25:00:00Z",
        ] {
            assert_eq!(millis(nonsense), None, "{nonsense}");
        }
    }
}
