//! Finds misleading characters in foreign text. These are invisible, reorder the text around them, or look
//! like letters of another script. The window highlights the same characters (`ui/src/lib/untrusted.ts`).

use std::collections::BTreeMap;

use mooring_words::{Sentence, say};
use serde::Serialize;
use ts_rs::TS;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unicode_script::{Script, UnicodeScript as _};
use unicode_security::skeleton;

use mooring_jsonrpc::canonical::{CanonicalNode, decode_lossy};

use crate::importance;

/// Maximum number of different characters that are reported for one text.
const MAX_FINDINGS: usize = 200;

/// A misleading character and its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HiddenCharacter {
    /// The JSON pointer of the text.
    pub pointer: String,
    /// The code point, such as `U+200B`.
    pub code_point: String,
    /// Why the character misleads.
    pub reason: Sentence,
    /// How often the character occurs there.
    pub count: u32,
}

impl HiddenCharacter {
    /// Restores a finding that was saved for a form that is no longer known in full.
    pub(crate) fn from_stored(pointer: String, code_point: String, count: u32) -> Option<Self> {
        let character =
            u32::from_str_radix(code_point.strip_prefix("U+")?, 16).ok().and_then(char::from_u32)?;
        let fault = classify_character(character)
            .or_else(|| skeleton_of(character).next().map(CharacterFault::LooksLike))?;
        Some(Self { pointer, code_point, reason: fault.sentence(), count })
    }
}

/// Why a character misleads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CharacterFault {
    Tag,
    Reorders,
    Terminal,
    Control,
    Variant,
    Blank,
    Unseen,
    Meaningless,
    LooksLike(char),
}

impl CharacterFault {
    fn sentence(self) -> Sentence {
        match self {
            Self::Tag => say!("is a tag: invisible to people, readable by models"),
            Self::Reorders => say!("reorders the text around it"),
            Self::Terminal => say!("starts a terminal control sequence"),
            Self::Control => say!("is a control character"),
            Self::Variant => say!("picks a variant of a character that has none"),
            Self::Blank => say!("is blank without being a space"),
            Self::Unseen => say!("is invisible"),
            Self::Meaningless => say!("has no agreed meaning"),
            Self::LooksLike(letter) => say!("looks like “{letter}”", letter = letter.to_string()),
        }
    }
}

/// The misleading characters of a JSON value, keys included, the most important places first. Members called
/// `name` are checked more strictly, because people rely on names.
pub(crate) fn find_hidden(value: &CanonicalNode) -> Vec<HiddenCharacter> {
    let mut found = BTreeMap::new();
    scan_value(value, "", false, &mut found);
    let mut findings: Vec<_> = found.into_iter().collect();
    findings.sort_by_cached_key(|((pointer, ..), _)| importance::pointer_rank(pointer));
    let findings = findings.into_iter().take(MAX_FINDINGS);
    findings
        .map(|((pointer, character, fault), count)| HiddenCharacter {
            pointer,
            code_point: format_code_point(character),
            reason: fault.sentence(),
            count,
        })
        .collect()
}

/// The misleading characters of a text that is not a name.
pub(crate) fn find_hidden_in_text(text: &str) -> Vec<HiddenCharacter> {
    find_hidden(&CanonicalNode::Text(text.to_owned()))
}

type FaultCounts = BTreeMap<(String, char, CharacterFault), u32>;

fn scan_value(value: &CanonicalNode, pointer: &str, is_name: bool, found: &mut FaultCounts) {
    match value {
        CanonicalNode::Text(text) => scan_text(text, pointer, is_name, found),
        CanonicalNode::Verbatim(written) => {
            scan_text(decode_lossy(written).as_ref().unwrap_or(written), pointer, is_name, found);
        }
        CanonicalNode::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                scan_value(item, &format!("{pointer}/{index}"), false, found);
            }
        }
        CanonicalNode::Object(members) => {
            // Important members are searched first, before the limit is reached.
            let mut members: Vec<&(String, CanonicalNode)> = members.iter().collect();
            members.sort_by_key(|(key, _)| importance::member_rank(key));
            for (key, member) in members {
                let place = format!("{pointer}/{}", escape_key(key));
                scan_text(decode_lossy(key).as_ref().unwrap_or(key), &place, true, found);
                scan_value(member, &place, key == "name", found);
            }
        }
    }
}

fn scan_text(text: &str, pointer: &str, is_name: bool, found: &mut FaultCounts) {
    if found.len() > MAX_FINDINGS || text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return;
    }
    let mut tell = |character, fault| {
        *found.entry((pointer.to_owned(), character, fault)).or_default() += 1;
    };
    for (_, character, fault) in find_faults(text) {
        tell(character, fault);
    }
    for word in text.split(|character: char| !character.is_alphanumeric()) {
        for (character, letter) in find_lookalikes(word, is_name) {
            tell(character, CharacterFault::LooksLike(letter));
        }
    }
}

/// The characters of a text that hide, reorder or control something at their place, each with its offset in
/// bytes. Excludes characters that only look like others.
pub fn deceptive_characters(text: &str) -> impl Iterator<Item = (usize, char)> {
    find_faults(text).map(|(at, character, _)| (at, character))
}

fn find_faults(text: &str) -> impl Iterator<Item = (usize, char, CharacterFault)> {
    text.char_indices().filter_map(|(at, character)| {
        let fault = classify_character(character)?;
        (!is_legitimate(text, at, character)).then_some((at, character, fault))
    })
}

fn classify_character(character: char) -> Option<CharacterFault> {
    Some(match character {
        '\t' | '\n' | ' '..='~' => return None,
        '\u{1b}' | '\u{90}' | '\u{9b}' | '\u{9d}' => CharacterFault::Terminal,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => CharacterFault::Control,
        '\u{e0000}'..='\u{e007f}' => CharacterFault::Tag,
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            CharacterFault::Reorders
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => CharacterFault::Variant,
        '\u{180b}'..='\u{180d}' | '\u{180f}' => CharacterFault::Variant,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{2800}' => CharacterFault::Blank,
        '\u{34f}' | '\u{17b4}' | '\u{17b5}' => CharacterFault::Unseen,
        _ => match character.general_category() {
            GeneralCategory::SpaceSeparator => CharacterFault::Blank,
            GeneralCategory::Format
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator => CharacterFault::Unseen,
            GeneralCategory::PrivateUse | GeneralCategory::Unassigned | GeneralCategory::Surrogate => {
                CharacterFault::Meaningless
            }
            _ => return None,
        },
    })
}

/// Joiners, selectors and tags are legitimate where a script or a pictograph needs them.
fn is_legitimate(text: &str, at: usize, character: char) -> bool {
    let (head, tail) = text.split_at(at);
    let before = head.chars().next_back().unwrap_or_default();
    let after = tail.chars().nth(1).unwrap_or_default();
    match character {
        '\r' => after == '\n',
        '\u{200d}' => {
            (is_pictograph(before) && is_pictograph(after)) || (needs_joiners(before) && needs_joiners(after))
        }
        '\u{200c}' => needs_joiners(before) && needs_joiners(after),
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictograph(before) && before != '\u{fe0f}' || matches!(before, '0'..='9' | '#' | '*')
        }
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => before.script() == Script::Han,
        '\u{180b}'..='\u{180d}' | '\u{180f}' => {
            before.script() == Script::Mongolian && !matches!(before, '\u{180b}'..='\u{180f}')
        }
        // One such space between things that belong together is normal. Several spaces push the following
        // text out of sight.
        '\u{a0}' | '\u{2009}' | '\u{202f}' => needs_no_break_space(before, after),
        '\u{3000}' => is_ideographic(before) || is_ideographic(after),
        // Signs for numbers and verses. They are visible, although Unicode classifies them as format
        // characters.
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' => true,
        '\u{e0020}'..='\u{e007f}' => is_in_flag(head, tail),
        _ => false,
    }
}

/// Whether the tag at the start of `tail` is part of one of the three flags that are written with tags.
fn is_in_flag(head: &str, tail: &str) -> bool {
    const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
    let tag = |character: char| char::from_u32(u32::from(character).wrapping_sub(0xe0000));
    let back = || head.chars().rev().take(6);
    let mut tags: Vec<char> = back().take_while(|character| *character != '\u{1f3f4}').collect();
    if back().nth(tags.len()) != Some('\u{1f3f4}') {
        return false;
    }
    tags.reverse();
    tags.extend(tail.chars().take(6 - tags.len()));
    let letters: String = tags.into_iter().filter_map(tag).collect();
    FLAGS.iter().any(|flag| letters.strip_suffix('\u{7f}') == Some(flag))
}

/// Whether a no-break space is usual between these characters: in numbers, and before units and French
/// punctuation.
fn needs_no_break_space(before: char, after: char) -> bool {
    before.is_ascii_digit() && (after.is_alphanumeric() || matches!(after, '%' | '€' | '£' | '¥' | '$' | '°'))
        || before == '«' && after.is_alphanumeric()
        || !(before.is_whitespace() || before.is_control()) && matches!(after, '»' | ':' | ';' | '!' | '?')
}

/// Whether the character is displayed at full width, like the ideographic space.
fn is_ideographic(character: char) -> bool {
    matches!(character.script(), Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo)
        || matches!(character, '\u{3001}'..='\u{303f}' | '\u{ff01}'..='\u{ff5e}')
}

fn is_pictograph(character: char) -> bool {
    matches!(u32::from(character),
        0xa9 | 0xae | 0x203c | 0x2049 | 0x2122 | 0x2139 | 0x2194..=0x21aa | 0x231a..=0x23ff | 0x24c2
        | 0x25aa..=0x25fe | 0x2600..=0x27bf | 0x2934 | 0x2935 | 0x2b05..=0x2b55 | 0x3030 | 0x303d | 0x3297
        | 0x3299 | 0xfe0f | 0x1f000..=0x1faff)
}

fn needs_joiners(character: char) -> bool {
    matches!(
        character.script(),
        Script::Arabic
            | Script::Syriac
            | Script::Mongolian
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
    )
}

/// The letters of a word that look like ASCII letters. They count next to Latin letters, or in a name that
/// consists only of such letters.
fn find_lookalikes(word: &str, is_name: bool) -> Vec<(char, char)> {
    if word.is_ascii() {
        return Vec::new();
    }
    let alike: Vec<(char, char)> = word
        .chars()
        .filter(|character| !character.is_ascii() && looks_latin(*character))
        .filter_map(|character| {
            let mut likeness = skeleton_of(character);
            let letter = likeness.next()?;
            (letter.is_ascii_alphanumeric() && likeness.next().is_none()).then_some((character, letter))
        })
        .collect();
    let others = || word.chars().filter(|character| alike.iter().all(|(known, _)| known != character));
    let is_mixed = others().any(|character| character.script() == Script::Latin);
    let is_whole = is_name && others().all(|character| character.is_ascii());
    if is_mixed || is_whole { alike } else { Vec::new() }
}

/// Whether a word mixes Latin letters with letters that look like Latin ones.
pub(crate) fn mixes_alphabets(word: &str) -> bool {
    word.chars().any(looks_latin) && word.chars().any(|character| character.script() == Script::Latin)
}

/// Whether the character's script has letters that look like Latin ones.
fn looks_latin(character: char) -> bool {
    match character.script() {
        Script::Cyrillic
        | Script::Greek
        | Script::Armenian
        | Script::Cherokee
        | Script::Coptic
        | Script::Lisu => true,
        // Mathematical letters.
        Script::Common => matches!(u32::from(character), 0x1d400..=0x1d7ff),
        // Full-width letters.
        Script::Latin => matches!(u32::from(character), 0xff21..=0xff3a | 0xff41..=0xff5a),
        _ => false,
    }
}

fn skeleton_of(character: char) -> impl Iterator<Item = char> {
    let text = character.to_string();
    let likeness: Vec<char> = skeleton(&text).collect();
    likeness.into_iter()
}

/// The code point in the form `U+200B`.
pub(crate) fn format_code_point(character: char) -> String {
    format!("U+{:04X}", u32::from(character))
}

/// Escapes a key for a JSON pointer.
pub(crate) fn escape_key(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use mooring_jsonrpc::canonical::parse;

    fn hidden(value: &Value) -> Vec<HiddenCharacter> {
        find_hidden(&parse(&value.to_string()))
    }

    fn codes(text: &str) -> Vec<String> {
        find_hidden_in_text(text).into_iter().map(|found| found.code_point).collect()
    }

    #[test]
    fn what_cannot_be_seen_or_reorders_is_found_with_its_reason() {
        for (text, code, reason) in [
            ("a\u{e0041}b", "U+E0041", "is a tag: invisible to people, readable by models"),
            ("a\u{200b}b", "U+200B", "is invisible"),
            ("a\u{200d}b", "U+200D", "is invisible"),
            ("a\u{feff}b", "U+FEFF", "is invisible"),
            ("a\u{2028}b", "U+2028", "is invisible"),
            ("a\u{202e}b", "U+202E", "reorders the text around it"),
            ("a\u{2067}b", "U+2067", "reorders the text around it"),
            ("a\u{1b}[8mb", "U+001B", "starts a terminal control sequence"),
            ("a\u{8}b", "U+0008", "is a control character"),
            ("a\rb", "U+000D", "is a control character"),
            ("a\u{fe01}b", "U+FE01", "picks a variant of a character that has none"),
            ("a\u{e0155}b", "U+E0155", "picks a variant of a character that has none"),
            ("a\u{3164}b", "U+3164", "is blank without being a space"),
            ("a\u{a0}b", "U+00A0", "is blank without being a space"),
            ("a\u{2003}b", "U+2003", "is blank without being a space"),
            ("a\u{180b}b", "U+180B", "picks a variant of a character that has none"),
            ("a\u{e000}b", "U+E000", "has no agreed meaning"),
            ("p\u{430}y", "U+0430", "looks like “a”"),
        ] {
            let found = find_hidden_in_text(text);
            assert_eq!(found.len(), 1, "{text:?}: {found:?}");
            assert_eq!((found[0].code_point.as_str(), found[0].reason.as_str()), (code, reason));
        }
        // A selector after a selector selects nothing. Such sequences hide text in an emoji.
        assert_eq!(codes("😀\u{fe0f}\u{fe0f}\u{e0141}").len(), 2);
        let found = hidden(&json!({"a/b": ["x\u{200b}\u{200b}"], "k\u{200c}": 1}));
        assert_eq!((found[0].pointer.as_str(), found[0].count), ("/a~1b/0", 2));
        assert_eq!(found[1].pointer, "/k\u{200c}");
    }

    #[test]
    fn duplicate_keys_and_lone_surrogates_are_inspected_too() {
        for text in [
            r#"{"description":"a\u200bb","description":"clean"}"#,
            r#"{"_meta":"\ud800","description":"a\u200bb"}"#,
            r#"{"description":"\ud800a\u200bb"}"#,
        ] {
            let found = find_hidden(&parse(text));
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!((&*found[0].pointer, &*found[0].code_point), ("/description", "U+200B"), "{text}");
        }
        // Important places are reported even if others have more characters than the limit.
        let many: String = (0xe0100..=0xe01ef).filter_map(char::from_u32).collect();
        let found = hidden(&json!({"_meta": [many, many], "a": many, "description": "a\u{200b}"}));
        assert_eq!((found.len(), &*found[0].pointer), (MAX_FINDINGS, "/description"));
    }

    /// The window's tests use the same cases (`ui/src/lib/untrusted.test.ts`).
    const CASES: &str = include_str!("../../../ui/src/lib/untrusted.cases.json");

    #[derive(serde::Deserialize)]
    struct Cases {
        deceptive: Vec<String>,
        honest: Vec<String>,
        not_honest: BTreeMap<String, Vec<String>>,
    }

    #[test]
    fn the_same_characters_as_in_the_window_deceive() {
        let cases: Cases = serde_json::from_str(CASES).unwrap();
        let deceptive = |text: &str| -> Vec<String> {
            deceptive_characters(text).map(|(_, character)| format!("{:04X}", u32::from(character))).collect()
        };
        for code in cases.deceptive {
            let character = char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap();
            assert_eq!(deceptive(&format!("x{character}y")), [code]);
        }
        for (text, codes) in cases.not_honest {
            assert_eq!(deceptive(&text), codes, "{text:?}");
        }
        for text in cases.honest {
            assert_eq!(codes(&text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_name_in_letters_that_pass_for_others_is_told() {
        let found = hidden(&json!({"name": "с\u{43e}ру", "description": "сору"}));
        assert!(found.iter().all(|found| found.pointer == "/name"), "{found:?}");
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(hidden(&json!({"name": "файл"})), []);
        assert_eq!(codes("ｓudo").len(), 1);
    }

    /// Pseudo-random numbers, the same in every run.
    fn dice(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    }

    #[test]
    fn in_2000_strings_every_invisible_character_is_found() {
        let unseen: Vec<char> = (0x200b..=0x200f)
            .chain(0x202a..=0x202e)
            .chain(0x2060..=0x206f)
            .chain(0xe0000..=0xe007f)
            .chain(0xe0100..=0xe01ef)
            .chain(0xfe00..=0xfe0f)
            .chain(0x180b..=0x180f)
            .chain(0x2000..=0x200a)
            .chain([
                0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xad, 0x61c, 0xfeff, 0xfff9, 0x1d173, 0x2028, 0x2029,
                0x1b, 0x7, 0x7f, 0x9b,
            ])
            .filter_map(char::from_u32)
            .collect();
        let plain: Vec<char> = "abc XYZ 019 _-./ äöüß 中文字 ابجد मनु".chars().collect();
        let mut seed = 5;
        let mut pick = |from: &[char]| from[usize::try_from(dice(&mut seed)).unwrap() % from.len()];
        for _ in 0..2_000 {
            let hidden = pick(&unseen);
            // Neighbours that need neither joiners nor selectors.
            let mut text: String = (0..12).map(|_| pick(&plain)).collect();
            let clean = codes(&text);
            assert_eq!(clean, Vec::<String>::new(), "{text:?}");
            text.push('q');
            text.push(hidden);
            text.push('q');
            text.extend((0..12).map(|_| pick(&plain)));
            assert_eq!(codes(&text), [format_code_point(hidden)], "{text:?}");
        }
    }
}
