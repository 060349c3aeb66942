//! Columns of text, aligned.

use std::io;

use crate::output::{Output, TextStyle, escape_line, width};

/// Rows of cells. The last column takes the remaining width.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

/// Between two columns.
const GAP: usize = 2;

impl Table {
    /// Adds a row. Its cells may be anybody's words.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        self.rows.push(cells.into_iter().map(|cell| escape_line(cell.as_ref()).into_owned()).collect());
    }

    /// Prints it, with some of its columns in a style.
    pub fn print(&self, output: Output, styles: &[(usize, TextStyle)]) -> io::Result<()> {
        let lines = self.lines(width(), |column, cell| {
            let style = styles.iter().find(|(of, _)| *of == column);
            style.map_or_else(|| cell.to_owned(), |(_, style)| output.tone(*style, cell).into_owned())
        });
        lines.iter().try_for_each(|line| output.line(line))
    }

    /// The lines, each cut to `width` columns where one is given. `paint` gets a cell's column and text.
    fn lines(&self, width: Option<usize>, paint: impl Fn(usize, &str) -> String) -> Vec<String> {
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
            leave_room(&mut widths, width);
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

/// Columns that the last cell has at least, and that the widest of those in the middle has then.
const ROOM: usize = 32;
const NARROWEST: usize = 12;

/// If a row is wider than the terminal, the widest middle column is cut before the last one disappears.
fn leave_room(widths: &mut [usize], width: usize) {
    let Some((last, others)) = widths.split_last_mut() else { return };
    let used: usize = others.iter().map(|width| width + GAP).sum();
    let over = (used + ROOM.min(*last)).saturating_sub(width);
    if let Some(widest) = others.iter_mut().skip(1).max_by_key(|width| **width) {
        *widest = widest.saturating_sub(over).max(NARROWEST.min(*widest));
    }
}

/// The columns a text takes on a terminal: East Asian wide characters and emoji take two.
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

/// Cuts `text` to `room` columns, with an ellipsis if something is cut.
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
        let lines = table.lines(Some(18), |_, cell| cell.to_owned());
        assert_eq!(lines, ["a     one    firs…", "日本  three  seco…"]);
    }
}
