//! Rules of consent, and what of servers was approved.

use mooring_host::KeptSentence as Sentence;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// The call runs.
    Allow,
    /// The person is asked.
    Ask,
    /// The call does not run.
    Deny,
}

/// A rule as it is entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleInput {
    /// What it says.
    pub effect: RuleEffect,
    /// For which saved server; none: for all.
    pub server: Option<i64>,
    /// For which tools: a name, or one with `*` for any characters and `\*` for a star; none: for all.
    pub tool: Option<String>,
    /// For which caller: `workbench`, `command_line`, `sampling`; none: for all.
    pub caller: Option<String>,
    /// Only for tools that say they destroy something, or say nothing of it.
    pub destructive_only: bool,
    /// What has to hold for the arguments, all of it.
    pub arguments: Vec<ArgumentCondition>,
    /// Until when it counts, in milliseconds of Unix time; none: until it is removed.
    pub expires_at: Option<i64>,
}

/// What has to hold for an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ArgumentCondition {
    /// Which value, as a JSON pointer (RFC 6901).
    pub pointer: String,
    /// What has to hold.
    pub test: ArgumentTest,
    /// What it is compared with: JSON text for `equals`, a text otherwise.
    pub value: String,
}

/// How an argument is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentTest {
    /// It is this value.
    Equals,
    /// It is a text that begins so.
    StartsWith,
    /// It is a text with this in it.
    Contains,
    /// It is there at all.
    Present,
}

/// A rule in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RuleView {
    /// Its row.
    pub id: i64,
    /// What it says.
    pub rule: RuleInput,
    /// The server's name.
    pub server_name: Option<String>,
    /// It counts until the application ends.
    pub session: bool,
    /// It is bound to the definition of one tool as the person saw it; a changed one is asked about again.
    pub pinned: bool,
    /// When it was made, in milliseconds of Unix time.
    pub created_at: i64,
    /// It came of an answer in the Inbox.
    pub from_answer: bool,
    /// How often it has decided.
    pub uses: u32,
    /// When it last decided.
    pub used_at: Option<i64>,
    /// Another program changed it, removed it or added it. It counts as Mooring saved it; one that was added counts only if
    /// it denies.
    pub changed: bool,
}

/// What a rule would have changed for calls that were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Simulation {
    /// How many calls of the log were looked at.
    pub calls: u32,
    /// Of those, the ones that the rule is about.
    pub matched: u32,
    /// Those that would have been decided otherwise, newest first, at most two hundred.
    pub changed: Vec<SimulatedCall>,
    /// Calls whose arguments are no longer in the log, and which a condition on arguments cannot be tried on.
    pub unknown: u32,
    /// Saved so, the rule counts for one definition of its tool.
    pub pinned: bool,
}

/// A call that would have been decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SimulatedCall {
    /// The log's row of its verdict.
    pub row: i64,
    /// When, in milliseconds of Unix time.
    pub at: i64,
    /// The server's name.
    pub server_name: String,
    /// The tool.
    pub tool: String,
    /// Who called.
    pub caller: String,
    /// What would be decided without the rule.
    pub before: RuleEffect,
    /// What would be decided with it.
    pub after: RuleEffect,
}

/// What of a server was looked at and approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TrustView {
    /// The server.
    pub server: i64,
    /// How it is started or reached.
    pub definition: PinView,
    /// Its tools, prompts, templates and instructions, what changed first.
    pub items: Vec<PinView>,
}

/// What kind of thing is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PinKind {
    /// How the server is started or reached.
    Server,
    /// What it says of itself to models.
    Instructions,
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource template.
    Template,
}

/// Where the approval of a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    /// Nobody has looked at it.
    New,
    /// The person approved it as it is.
    Approved,
    /// It is not what it was: blocked until the person looks at it.
    Changed,
    /// The server no longer has it.
    Gone,
}

/// One thing that can be approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PinView {
    /// What it is.
    pub kind: PinKind,
    /// Its name; of a template its address.
    pub name: String,
    /// Where it stands.
    pub state: PinState,
    /// SHA-256 of its canonical form as it is now, in hexadecimal digits; an approval names it.
    pub hash: String,
    /// When it was approved, in milliseconds of Unix time.
    pub approved_at: Option<i64>,
    /// What changed, by member, what matters most first.
    pub changes: Vec<PinChange>,
    /// How many members changed beside those.
    pub unshown: u32,
    /// Its canonical form as it is now, as JSON text.
    pub now: String,
    /// How many bytes that has, where it is too long to be kept whole: then `now` is what is kept of it.
    pub whole: Option<u32>,
    /// Characters in it that cannot be seen, or look like others.
    pub hidden: Vec<HiddenCharacter>,
}

/// A member that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PinChange {
    /// Which, as a JSON pointer.
    pub pointer: String,
    /// Its text as a run of pieces, in order.
    pub pieces: Vec<DiffPiece>,
}

/// A piece of a difference between two texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DiffPiece {
    /// Whether it is in both.
    pub op: DiffOp,
    /// The piece.
    pub text: String,
}

/// Where a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DiffOp {
    /// In both.
    Same,
    /// In the approved text only.
    Removed,
    /// In the present text only.
    Added,
}

/// A character that misleads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HiddenCharacter {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// As `U+200B`.
    pub code_point: String,
    /// What is wrong with it.
    pub reason: Sentence,
    /// How often it is there.
    pub count: u32,
}

/// An approval of one thing as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PinApproval {
    /// What it is.
    pub kind: PinKind,
    /// Its name.
    pub name: String,
    /// The hash that was shown; another one is refused with `definition_changed`.
    pub hash: String,
}
