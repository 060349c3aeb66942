//! What of a definition matters most to whoever decides about it: what people and models go by, before what only
//! programs read.

/// The members of every kind of thing, what matters most first. Others come after them.
const MEMBERS: [&str; 16] = [
    "name",
    "title",
    "description",
    "uriTemplate",
    "command",
    "program",
    "programSha256",
    "url",
    "issuer",
    "annotations",
    "arguments",
    "args",
    "cwd",
    "inputSchema",
    "outputSchema",
    "execution",
];

/// The members of these names are words, wherever they are.
const WORDS: [&str; 3] = ["name", "title", "description"];

/// The place of a member of a definition among the others.
pub(crate) fn member_rank(name: &str) -> usize {
    MEMBERS.iter().position(|known| *known == name).unwrap_or(MEMBERS.len())
}

/// Whether a member of a definition is one that people or models go by.
pub(crate) fn is_known_member(name: &str) -> bool {
    MEMBERS.contains(&name)
}

/// The place of what is at a JSON pointer: by its member, and in that words first.
pub(crate) fn pointer_rank(pointer: &str) -> (usize, bool) {
    // Of namesakes there is a list.
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = pointer.split('/').skip(1).skip_while(is_number);
    let member = parts.next().unwrap_or_default();
    let last = parts.last().unwrap_or(member);
    (member_rank(member), !WORDS.contains(&last))
}
