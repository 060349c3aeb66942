//! Aligned columns of text.

use std::io;

use crate::output::{Output, TextStyle, escape_line, width};

/// A table of cells. The last column takes the remaining width.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

/// Spaces between two columns.
const GAP: usize = 2;

impl Table {
    /// Adds a row. Its cells are escaped, because they may be from a server.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.rows.push(cells.into_iter().map(|cell| escape_line(cell.as_ref()).into_owned()).collect());
    }

    /// Prints the table. `styles` has the styles of some columns.
    pub fn print(&self, output: Output, styles: &[(usize, TextStyle)]) -> io::Result<()> {
        let lines = self.format_lines(width(), |column, cell| {
            let style = styles.iter().find(|(of, _)| *of == column);
            style.map_or_else(|| cell.to_owned(), |(_, style)| output.tone(*style, cell).into_owned())
        });
        lines.iter().try_for_each(|line| output.line(line))
    }

    /// The table's lines. If `width` is given, each is cut to this number of columns. `paint` gets a cell's
    /// column and text.
    fn format_lines(&self, width: Option<usize>, paint: impl Fn(usize, &str) -> String) -> Vec<String> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            for (column, cell) in row.iter().enumerate() {
                let cell = columns(cell);
                match widths.get_mut(column) {
                    Some(width) => *width = cell.max(*width),
                    None => widths.push(cell),
                }
            }
        }
        if let Some(width) = width {
            shrink_widest_column(&mut widths, width);
        }
        let line = |row: &Vec<String>| {
            let mut line = String::new();
            let mut used = 0;
            for (column, cell) in row.iter().enumerate() {
                let room = width.map_or(usize::MAX, |width| width.saturating_sub(used));
                let most = if column + 1 < row.len() { widths.get(column).copied() } else { None };
                let cell = cut(cell, most.map_or(room, |most| most.min(room)));
                line.push_str(&paint(column, &cell));
                if column + 1 < row.len() {
                    let full = widths.get(column).copied().unwrap_or_default() + GAP;
                    line.push_str(&" ".repeat(full - columns(&cell).min(full)));
                    used += full;
                }
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

/// The least width of the last column, and of the middle column that is cut for it.
const ROOM: usize = 32;
const NARROWEST: usize = 12;

/// If the table is wider than the terminal, reduces its widest middle column so that the last column stays
/// visible.
fn shrink_widest_column(widths: &mut [usize], width: usize) {
    let Some((last, others)) = widths.split_last_mut() else { return };
    let used: usize = others.iter().map(|width| width + GAP).sum();
    let over = (used + ROOM.min(*last)).saturating_sub(width);
    if let Some(widest) = others.iter_mut().skip(1).max_by_key(|width| **width) {
        *widest = widest.saturating_sub(over).max(NARROWEST.min(*widest));
    }
}

/// The number of columns that a text takes on a terminal. East Asian wide characters and emoji take two.
pub fn columns(text: &str) -> usize {
    text.chars()
        .map(|character| match u32::from(character) {
            0x200d | 0x300..=0x36f | 0xfe00..=0xfe0f => 0,
            0x1100..=0x115f
            | 0x2e80..=0xa4cf
            | 0xac00..=0xd7a3
            | 0xf900..=0xfaff
            | 0xfe30..=0xfe6f
            | 0xff00..=0xff60
            | 0xffe0..=0xffe6
            | 0x1f300..=0x1faff
            | 0x20000..=0x3fffd => 2,
            _ => 1,
        })
        .sum()
}

/// Cuts `text` to `room` columns. Cut text ends with an ellipsis.
pub fn cut(text: &str, room: usize) -> String {
    if columns(text) <= room {
        return text.to_owned();
    }
    let mut out = String::new();
    for character in text.chars() {
        if columns(&out) + columns(character.encode_utf8(&mut [0; 4])) >= room {
            break;
        }
        out.push(character);
    }
    if room > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_aligned_and_the_line_is_cut() {
        let mut table = Table::default();
        table.row(["a", "one", "first thing"]);
        table.row(["日本", "three", "second thing"]);
        let lines = table.format_lines(Some(18), |_, cell| cell.to_owned());
        assert_eq!(lines, ["a     one    firs…", "日本  three  seco…"]);
    }
}
