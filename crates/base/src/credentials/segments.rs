//! Segments of text up to a separator. Several names and prefixes in a segment ask for its end and its
//! content. Both are cached: without that, hostile text would take quadratic time.

use std::ops::Range;

use super::scan_cost::count_bytes;

/// For each kind of character that tells generated values from words, its last position in a segment: enough to
/// answer for any part that ends where the segment ends.
#[derive(Clone, Copy, Default)]
pub struct SegmentTraits {
    /// A byte that never occurs in a generated value.
    odd: Option<usize>,
    letter: Option<usize>,
    capital: Option<usize>,
    digit: Option<usize>,
    slash: Option<usize>,
    point: Option<usize>,
    /// A byte other than a point.
    solid: Option<usize>,
    /// `://` or `:\\`.
    scheme: Option<usize>,
}

impl SegmentTraits {
    /// The traits of the bytes in `range`.
    pub(crate) fn of(bytes: &[u8], range: Range<usize>) -> Self {
        count_bytes(range.len());
        let mut traits = Self::default();
        let text = bytes.get(range.clone()).unwrap_or_default();
        for (index, byte) in text.iter().enumerate() {
            let at = Some(range.start + index);
            if *byte != b'.' {
                traits.solid = at;
            }
            match byte {
                b'0'..=b'9' => traits.digit = at,
                b'a'..=b'z' => traits.letter = at,
                b'A'..=b'Z' => (traits.letter, traits.capital) = (at, at),
                b'/' => traits.slash = at,
                b'.' => traits.point = at,
                b':' if matches!(text.get(index + 1..index + 3), Some(b"//" | b"\\\\")) => traits.scheme = at,
                b'{' | b'}' | b'<' | b'>' | b'$' => traits.odd = at,
                byte if !byte.is_ascii_graphic() => traits.odd = at,
                _ => {}
            }
        }
        traits
    }

    /// Whether there is a digit or a capital at or after `start`.
    pub(super) fn has_digit_or_capital(&self, start: usize) -> bool {
        self.digit.max(self.capital) >= Some(start)
    }

    /// The segment's end without trailing points, but not before `start`.
    pub(super) fn end_before_points(&self, start: usize) -> usize {
        self.solid.map_or(start, |solid| start.max(solid + 1))
    }

    /// Whether the value in `range` looks generated rather than typed: one word with letters and digits, or a
    /// long one. `range` must end where the segment ends.
    pub fn look_generated(&self, bytes: &[u8], range: Range<usize>) -> bool {
        let has = |last: Option<usize>| last >= Some(range.start);
        let value = bytes.get(range.clone()).unwrap_or_default();
        let is_path = value.starts_with(b"/")
            || value.starts_with(b"./")
            || has(self.scheme)
            || (has(self.slash) && has(self.point));
        value.len() >= 8
            && !has(self.odd)
            && has(self.letter)
            && (has(self.digit) || (value.len() >= 20 && has(self.capital)))
            && !is_path
    }
}

/// Finds where segments end, and caches the last one.
pub struct Segments {
    ends: fn(u8) -> bool,
    last: Option<(Range<usize>, Option<SegmentTraits>)>,
}

impl Segments {
    /// Segments end before a byte for which `ends` is true.
    pub fn new(ends: fn(u8) -> bool) -> Self {
        Self { ends, last: None }
    }

    /// The end of the segment that contains `at`.
    pub fn end(&mut self, bytes: &[u8], at: usize) -> usize {
        if let Some((range, _)) = &self.last
            && range.start <= at
            && at <= range.end
        {
            return range.end;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let length = rest.iter().position(|byte| (self.ends)(*byte)).unwrap_or(rest.len());
        count_bytes(length + 1);
        self.last = Some((at..at + length, None));
        at + length
    }

    /// The traits of the segment that contains `at`.
    pub fn traits(&mut self, bytes: &[u8], at: usize) -> SegmentTraits {
        self.end(bytes, at);
        let Some((range, traits)) = &mut self.last else { return SegmentTraits::default() };
        *traits.get_or_insert_with(|| SegmentTraits::of(bytes, range.clone()))
    }
}
