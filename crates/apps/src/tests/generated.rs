//! A thousand generated files: whatever their layout, only the entry is added and removed.

mod json;
mod toml;
mod yaml;

use super::*;
use crate::document::Document;
use crate::format::Place;
use crate::value::Value;

/// A deterministic generator of numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut next = self.0;
        next = (next ^ (next >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        next = (next ^ (next >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        next ^ (next >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    /// True with a probability of `percent`.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn word(&mut self) -> String {
        let words =
            ["files", "theme", "a b", "naïve", "日本", "x.y", "key-1", "😀", "args", "url", "path/to", "Z"];
        format!("{}{}", self.pick(&words), self.below(1000))
    }
}

/// The style of one file.
struct Style {
    random: Random,
    comments: usize,
    /// Comments are numbered, so that a lost one is noticed.
    numbered: usize,
}

impl Style {
    fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let comments = [0, 10, 30][random.below(3)];
        Self { random, comments, numbered: 0 }
    }

    fn comment(&mut self) -> Option<String> {
        if !self.random.chance(self.comments) {
            return None;
        }
        self.numbered += 1;
        Some(format!("c<{}> \"{{[,:", self.numbered))
    }

    /// The text with this file's line ends, byte order mark and end.
    fn finish(&mut self, text: &str) -> String {
        let text = if self.random.chance(30) { text.trim_end_matches('\n') } else { text };
        let text = if self.random.chance(30) { text.replace('\n', "\r\n") } else { text.to_owned() };
        if self.random.chance(10) { format!("\u{feff}{text}") } else { text }
    }
}

fn comments(text: &str) -> Vec<&str> {
    let number =
        |rest: &str| rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    text.split("c<").skip(1).map(|rest| &rest[..number(rest)]).collect()
}

fn value(app: &App, text: &str) -> Value {
    Document::read(app.format, text).unwrap_or_else(|error| panic!("{error}\n{text}")).value().clone()
}

/// Tests this many files of an app. Returns in how many of them a foreign edit was kept with everything else,
/// byte for byte.
fn try_files(id: &str, count: u64, generate: fn(u64) -> String, foreign: [&str; 2]) -> usize {
    let (home, app, file) = Home::with(id, "");
    let (mut exact, mut taken_at_all) = (0, 0);
    for seed in 0..count {
        let text = generate(seed);
        let before = value(app, &text);
        let path = app.section(&before).path();
        let plain = before.clone().without_empty(&path.keys);
        fs::write(&file, &text).unwrap();

        let record =
            home.connect(app, &entry(id)).unwrap_or_else(|error| panic!("{id} {seed}: {error}\n{text}"));
        let after = fs::read_to_string(&file).unwrap();
        let mut rest = value(app, &after);
        assert_eq!(rest.take_servers(&path, "mooring").len(), 1, "{id} {seed}");
        assert_eq!(rest.without_empty(&path.keys), plain, "{id} {seed}:\n{after}");
        assert_eq!(comments(&after), comments(&text), "{id} {seed}:\n{after}");

        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored), "{id} {seed}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{id} {seed}");

        let own = before.servers(&path).into_iter().map(|(name, _)| name.to_owned()).collect();
        let record = home.connect(app, &Entry { replaces: own, ..entry(id) }).unwrap();
        let mut rest = value(app, &fs::read_to_string(&file).unwrap());
        let taken: Vec<&String> = record.added.taken.iter().flat_map(|taken| &taken.names).collect();
        taken_at_all += taken.len();
        for name in std::iter::once("mooring").chain(taken.iter().map(|name| name.as_str())) {
            rest.take_servers(&path, name);
        }
        let mut expect = before.clone();
        for name in taken {
            expect.take_servers(&path, name);
        }
        assert_eq!(rest.without_empty(&path.keys), expect.without_empty(&path.keys), "{id} {seed}");
        assert_eq!(record.plan().unwrap().write(), Ok(Undone::Restored), "{id} {seed}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "{id} {seed}");

        let record = home.connect(app, &entry(id)).unwrap();
        let edit = |text: &str| text.replacen(foreign[0], foreign[1], 1);
        fs::write(&file, edit(&fs::read_to_string(&file).unwrap())).unwrap();
        let undone = record.plan().unwrap_or_else(|error| panic!("{id} {seed}: {error}\n{after}")).write();
        assert_eq!(undone, Ok(Undone::Removed), "{id} {seed}");
        let left = fs::read_to_string(&file).unwrap();
        let expect = edit(&text);
        assert_ne!(expect, text);
        let meaning = |text: &str| value(app, text).without_empty(&path.keys);
        assert_eq!(meaning(&left), meaning(&expect), "{id} {seed}:\n{left}");
        assert_eq!(comments(&left), comments(&text), "{id} {seed}:\n{left}");
        exact += usize::from(left == expect);
        if left != expect && std::env::var_os("SHOW").is_some() {
            println!("{seed}:\n{text:?}\n{left:?}");
        }
        fs::remove_file(record.backup.unwrap()).unwrap();
    }
    assert_eq!(home.files().len(), 1);
    assert!(taken_at_all > 0, "{id}");
    exact
}

/// Changes some letters of a text.
fn mutated(random: &mut Random, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(4) {
        let at = random.below(letters.len() + 1);
        let odd: Vec<char> = "{}[]\",:#/\n\r\t -&*!|>'~é=?%@.\u{feff}\u{2028}".chars().collect();
        let letter = odd[random.below(odd.len())];
        match random.below(3) {
            0 => letters.insert(at, letter),
            1 if at < letters.len() => letters[at] = letter,
            _ => drop(letters.drain(at.saturating_sub(random.below(6))..at)),
        }
    }
    letters.into_iter().collect()
}

#[test]
fn mutated_files_are_edited_rightly_or_not_at_all() {
    type Generated = (&'static str, fn(u64) -> String);
    let all: [Generated; 4] = [
        ("cursor", json::generate),
        ("codex", toml::generate),
        ("goose", yaml::generate_map),
        ("continue", yaml::generate_list),
    ];
    let mut edited = 0;
    for (id, generate) in all {
        let app = app(id).unwrap();
        let mut random = Random(7);
        for seed in 0..1000 {
            let text = mutated(&mut random, &generate(seed));
            let Ok(document) = Document::read(app.format, &text) else { continue };
            let section = app.section(document.value());
            let path = section.path();
            let place = Place { path: &path, name: "mooring" };
            let Ok((after, created)) = document.insert_entry(place, &section.form.to_value(&entry(id)))
            else {
                continue;
            };
            let left = Document::read(app.format, &after).unwrap().remove_entry(place, created);
            let left = left.unwrap_or_else(|error| panic!("{id} {seed}: {error}\n{text:?}\n{after:?}"));
            let plain = |text: &str| value(app, text).without_empty(&path.keys);
            assert_eq!(plain(&left), plain(&text), "{id} {seed}:\n{text}\n{left}");
            assert_eq!(
                (comments(&after), comments(&left)),
                (comments(&text), comments(&text)),
                "{id} {seed}"
            );
            edited += 1;
        }
    }
    assert!(edited > 1200, "{edited}");
}

#[test]
fn generated_json_files_keep_everything_else() {
    let exact = try_files("cursor", 400, json::generate, ["\"sentinel\": 1", "\"sentinel\": 2"]);
    assert!(exact > 380, "{exact}");
}

#[test]
fn generated_toml_files_keep_everything_else() {
    let exact = try_files("codex", 300, toml::generate, ["sentinel = 1", "sentinel = 2"]);
    assert!(exact > 290, "{exact}");
}

#[test]
fn generated_yaml_files_keep_everything_else() {
    let exact = try_files("goose", 200, yaml::generate_map, ["sentinel: 1", "sentinel: 2"]);
    let more = try_files("continue", 100, yaml::generate_list, ["sentinel: 1", "sentinel: 2"]);
    assert!(exact + more > 260, "{exact} {more}");
}
