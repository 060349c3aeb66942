//! Collects a list over all its pages (`cursor` and `nextCursor` in the schema).

use std::collections::HashSet;

use mooring_jsonrpc::{JsonObject, Member, Members, elements, raw, string};
use mooring_words::{Sentence, say};
use serde_json::value::RawValue;

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits::{LimitKind, LimitTracker};
use crate::model::shape;
use crate::raw_json::RawJson;

/// Items of one kind from one server.
#[derive(Debug, Clone)]
pub struct Listing<T> {
    /// The usable items.
    pub items: Vec<T>,
    /// The server's result. If there were several pages, their items are joined in one list.
    pub raw: RawJson,
    /// Problems of the list or its items.
    pub diagnostics: Vec<Diagnostic>,
}

/// Collects pages until the list ends or a limit is reached.
#[derive(Debug)]
pub(crate) struct PageCollector<'a> {
    member: &'static str,
    empty_cursors: bool,
    bounds: &'a LimitTracker,
    items: Vec<Box<RawValue>>,
    first: Option<RawJson>,
    pages: usize,
    cursors: HashSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> PageCollector<'a> {
    /// A collector for items in `member`. With `empty_cursors`, an empty cursor also has a next page.
    pub(crate) fn new(member: &'static str, bounds: &'a LimitTracker, empty_cursors: bool) -> Self {
        Self {
            member,
            empty_cursors,
            bounds,
            items: Vec::new(),
            first: None,
            pages: 0,
            cursors: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }

    fn diagnose(&mut self, code: DiagnosticCode, path: &str, message: Sentence) {
        self.diagnostics.push(Diagnostic::new(code, path, message));
    }

    /// Records that the list was restarted.
    pub(crate) fn note_restart(&mut self) {
        self.diagnose(
            DiagnosticCode::Pagination,
            "nextCursor",
            say!("was rejected by the server; the list was read again from the start"),
        );
    }

    pub(crate) fn add_diagnostics(&mut self, odd: Vec<Diagnostic>) {
        self.diagnostics.extend(odd);
    }

    /// Adds a page. Returns the JSON text of the cursor for the next page.
    pub(crate) fn add_page(&mut self, page: RawJson) -> Option<String> {
        self.pages += 1;
        let members = Members::of(page.get());
        let next = members.get("nextCursor").filter(|cursor| *cursor != "null").map(str::to_owned);
        match members.get(self.member) {
            Some(items) => self.take_items(items),
            None => self.diagnose(DiagnosticCode::Missing, self.member, say!("is missing")),
        }
        shape::check_shape(&shape::PAGE, page.get(), "", &mut self.diagnostics);
        self.first.get_or_insert(page);
        self.follow_cursor(next?)
    }

    fn take_items(&mut self, value: &str) {
        let Some(items) = elements(value) else {
            self.diagnose(DiagnosticCode::WrongType, self.member, say!("isn’t an array"));
            return;
        };
        for item in items {
            if self.items.len() == self.bounds.items {
                let message =
                    say!("contains more than {limit} items; the rest was skipped", limit = self.bounds.items);
                self.bounds.note_reached(LimitKind::Items);
                self.diagnose(DiagnosticCode::Limit, self.member, message);
                return;
            }
            self.items.push(item.to_owned());
        }
    }

    fn follow_cursor(&mut self, cursor: String) -> Option<String> {
        match string(&cursor) {
            None if serde_json::from_str::<serde_json::Value>(&cursor).is_err() => {
                // For example, a lone surrogate, or a number that doesn't fit into a float.
                self.diagnose(
                    DiagnosticCode::Pagination,
                    "nextCursor",
                    say!("can’t be sent back; stopped there"),
                );
                return None;
            }
            None => self.diagnose(
                DiagnosticCode::Pagination,
                "nextCursor",
                say!("isn’t a string; sent back as it is"),
            ),
            Some(text) if text.is_empty() && !self.empty_cursors => {
                self.diagnose(
                    DiagnosticCode::Pagination,
                    "nextCursor",
                    say!("is empty; taken as the end of the list"),
                );
                return None;
            }
            Some(_) => {}
        }
        if self.pages >= self.bounds.pages {
            self.bounds.note_reached(LimitKind::Pages);
            self.diagnose(
                DiagnosticCode::Pagination,
                "nextCursor",
                say!("follows page {limit}; stopped there", limit = self.bounds.pages),
            );
            return None;
        }
        if self.items.len() >= self.bounds.items {
            self.bounds.note_reached(LimitKind::Items);
            let message =
                say!("continues after {limit} items; the rest was skipped", limit = self.bounds.items);
            self.diagnose(DiagnosticCode::Limit, self.member, message);
            return None;
        }
        if !self.cursors.insert(cursor.clone()) {
            self.diagnose(
                DiagnosticCode::Pagination,
                "nextCursor",
                say!("repeats an earlier one; stopped there"),
            );
            return None;
        }
        Some(cursor)
    }

    /// Parses the items and returns the list.
    pub(crate) fn finish<T>(
        mut self,
        read: impl Fn(&str, &str, &LimitTracker) -> Result<T, Diagnostic>,
    ) -> Listing<T> {
        let mut items = Vec::with_capacity(self.items.len());
        for (index, item) in self.items.iter().enumerate() {
            let path = format!("{}[{index}]", self.member);
            match read(item.get(), &path, self.bounds) {
                Ok(item) => items.push(item),
                Err(odd) => self.diagnostics.push(odd),
            }
            shape::check_item(self.member, item.get(), &path, &mut self.diagnostics);
        }
        let raw = self.join_pages();
        Listing { items, raw, diagnostics: self.diagnostics }
    }

    fn join_pages(&mut self) -> RawJson {
        let first = self.first.take().unwrap_or_default();
        if self.pages <= 1 {
            return first;
        }
        let is_kept = |member: &&Member<'_>| ![self.member, "nextCursor"].contains(&member.name());
        let whole = JsonObject::new().list(self.member, self.items.iter().map(|item| item.get()));
        let members = Members::of(first.get());
        let whole = members.iter().filter(is_kept).fold(whole, JsonObject::member).whole();
        raw(&whole).map_or(first, RawJson::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::model::tool::Tool;

    fn gather(limits: &LimitTracker, pages: &[&str]) -> (Listing<Tool>, usize) {
        let mut gathering = PageCollector::new("tools", limits, false);
        let mut asked = 0;
        for page in pages {
            asked += 1;
            if gathering.add_page(raw(page).unwrap().into()).is_none() {
                break;
            }
        }
        (gathering.finish(Tool::read), asked)
    }

    fn odd<T>(listing: &Listing<T>) -> Vec<String> {
        listing.diagnostics.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn one_page_is_kept_to_the_byte() {
        let page = r#"{ "tools" : [ {"name":"a","inputSchema":{}} ], "x": 1.0 }"#;
        assert_eq!(gather(&LimitTracker::default(), &[page]).0.raw.get(), page);
    }

    // Requirements: PAGE-02, TOOL-19, TOOL-23.
    #[test]
    fn pages_are_joined_and_bad_items_do_not_hide_good_ones() {
        let (listing, asked) = gather(
            &LimitTracker::default(),
            &[
                r#"{"tools":[{"name":"a","inputSchema":{}},17],"nextCursor":"p2","_meta":{"k":1}}"#,
                r#"{"tools":[{"name":"b","inputSchema":{}}]}"#,
            ],
        );
        assert_eq!(asked, 2);
        assert_eq!(listing.items.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            listing.raw.get(),
            r#"{"tools":[{"name":"a","inputSchema":{}},17,{"name":"b","inputSchema":{}}],"_meta":{"k":1}}"#
        );
        assert_eq!(odd(&listing), ["tools[1]: isn’t an object"]);
    }

    // Requirements: PAGE-03, PAGE-06.
    #[test]
    fn a_cursor_that_repeats_or_is_empty_ends_the_list() {
        let page = r#"{"tools":[],"nextCursor":"same"}"#;
        let (listing, asked) = gather(&LimitTracker::default(), &[page; 9]);
        assert_eq!(asked, 2);
        assert_eq!(odd(&listing), ["nextCursor: repeats an earlier one; stopped there"]);
        let (listing, asked) = gather(&LimitTracker::default(), &[r#"{"tools":[],"nextCursor":""}"#; 2]);
        assert_eq!((asked, odd(&listing).len()), (1, 1));
    }

    // Requirements: PAGE-06.
    #[test]
    fn items_are_taken_up_to_the_limit_and_left_out_above() {
        let limits = LimitTracker::from(Limits { items: 2, ..Limits::default() });
        let two = r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}]}"#;
        let three = r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}},{"name":"c"}]}"#;
        assert!(odd(&gather(&limits, &[two]).0).is_empty());
        let listing = gather(&limits, &[three]).0;
        assert_eq!(listing.items.len(), 2);
        assert_eq!(odd(&listing), ["tools: contains more than 2 items; the rest was skipped"]);
    }

    #[test]
    fn a_result_without_the_list_is_an_empty_list_with_a_diagnostic() {
        assert_eq!(odd(&gather(&LimitTracker::default(), &["{}"]).0), ["tools: is missing"]);
        assert_eq!(odd(&gather(&LimitTracker::default(), &[r#"{"tools":{}}"#]).0), ["tools: isn’t an array"]);
    }
}
