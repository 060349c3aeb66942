//! Orders a definition's members by their importance for an approval. Members that people or models read come
//! before members that only programs read.

/// Members of all kinds of definitions, the most important first. Unknown members come after them.
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

/// Members with these names are prose at any depth.
const WORDS: [&str; 3] = ["name", "title", "description"];

/// The rank of a member of a definition. Lower is more important.
pub(crate) fn member_rank(name: &str) -> usize {
    MEMBERS.iter().position(|known| *known == name).unwrap_or(MEMBERS.len())
}

/// Whether people or models read this member of a definition.
pub(crate) fn is_known_member(name: &str) -> bool {
    MEMBERS.contains(&name)
}

/// The rank of the value at a JSON pointer. Values are ordered by their top-level member. Within a member,
/// prose comes first.
pub(crate) fn pointer_rank(pointer: &str) -> (usize, bool) {
    // Several definitions with the same name form a list.
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = pointer.split('/').skip(1).skip_while(is_number);
    let member = parts.next().unwrap_or_default();
    let last = parts.last().unwrap_or(member);
    (member_rank(member), !WORDS.contains(&last))
}
