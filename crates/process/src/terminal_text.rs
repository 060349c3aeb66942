//! Converts a program's terminal output to plain text.

/// The text without escape sequences (ECMA-48 § 5). Other control characters become spaces.
pub fn plain_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => match letters.next() {
                // A control sequence ends with its final byte, a string with BEL or ST.
                Some('[') => drop(letters.find(|letter| ('@'..='~').contains(letter))),
                Some(']') => drop(letters.find(|letter| matches!(letter, '\u{7}' | '\\' | '\u{9c}'))),
                _ => {}
            },
            letter if letter.is_control() => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown
}
