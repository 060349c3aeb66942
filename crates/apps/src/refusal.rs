//! Sentences for the person that say why a file is not edited.

use mooring_words::{Sentence, say};

pub(crate) fn appears_twice(name: &str) -> Sentence {
    say!("“{name}” appears twice, and which one counts is unclear", name)
}

pub(crate) fn wrong_type(name: &str) -> Sentence {
    say!("“{name}” isn’t the list of servers that it should be", name)
}

pub(crate) fn not_by_name() -> Sentence {
    say!("the file doesn’t hold settings by name")
}

pub(crate) fn cannot_edit() -> Sentence {
    say!("the file can’t be edited without changing something else")
}

pub(crate) fn name_taken(name: &str) -> Sentence {
    say!("the file already has a server named “{name}” that isn’t Mooring’s", name)
}

pub(crate) fn changed_meanwhile() -> Sentence {
    say!("the file has changed since the change was planned")
}
