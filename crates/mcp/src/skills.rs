//! Skills of a server (extension `io.modelcontextprotocol/skills`, SEP-2640). Skills are listed with all of
//! their files. Files are only read when they are needed, and only used if they match their entry.
//!
//! A matching digest proves that entry and content belong together, not that either can be trusted. The host
//! is responsible for consent and caching. Reading directories is not supported.

mod frontmatter;

use std::collections::HashSet;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mooring_jsonrpc::{JsonObject, Members, elements, is_text, member, read_value, string};
use mooring_words::{Sentence, say};
use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use ts_rs::TS;

use crate::client::Client;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::error::RequestError;
use crate::limits::{LimitKind, LimitTracker};
use crate::model::fields::FieldReader;
use crate::model::handshake::Handshake;
use crate::model::listing::Listing;
use crate::request::{CallOptions, Request};

/// The extension's id, with which servers declare that they have skills.
const EXTENSION: &str = "io.modelcontextprotocol/skills";
/// The most files of one skill, according to the extension.
const FILES: usize = 512;
/// The most bytes of all files of one skill, according to the extension.
const BYTES: u64 = 16 * 1024 * 1024;

/// A skill as its server describes it (`Skill` in the extension). The server and the URI identify the skill.
/// The name is only a label.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "SkillView")]
pub struct Skill {
    /// The URI of the skill's `SKILL.md`.
    pub uri: String,
    /// The name in the frontmatter.
    pub name: String,
    /// The description in the frontmatter.
    pub description: String,
    /// The whole frontmatter as sent.
    #[serde(skip)]
    pub frontmatter: Box<RawValue>,
    /// The files. Front ends only get the number of files, if it is fixed.
    #[serde(serialize_with = "serialize_count")]
    #[ts(type = "number | null")]
    pub files: SkillFiles,
    /// The whole entry as sent.
    #[serde(skip)]
    pub raw: Box<RawValue>,
    /// Problems of the entry.
    pub diagnostics: Vec<Diagnostic>,
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFiles {
    /// Exactly these files, including `SKILL.md`.
    Listed(Vec<SkillFile>),
    /// The server generates the files, so their content can't be verified.
    Dynamic,
}

/// Serializes the number of files, or null if the server generates them.
fn serialize_count<S: Serializer>(files: &SkillFiles, serializer: S) -> Result<S::Ok, S::Error> {
    match files {
        SkillFiles::Listed(files) => Some(files.len()).serialize(serializer),
        SkillFiles::Dynamic => serializer.serialize_none(),
    }
}

/// One file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// The file's URI.
    pub uri: String,
    /// The SHA-256 of the content.
    pub digest: [u8; 32],
    /// The size in bytes.
    pub size: u64,
}

/// The verified content of a skill's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillContent {
    /// The content.
    pub bytes: Vec<u8>,
    /// Problems of the response.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a skill or one of its files can't be used.
#[derive(Debug, Clone)]
pub enum SkillError {
    /// The request failed.
    Request(RequestError),
    /// The server does not declare skills, so nothing was requested.
    NotOffered,
    /// The entry breaks a rule that protects the skill's users.
    Unusable(Diagnostic),
    /// The content does not match the entry.
    Unverified {
        /// The file.
        uri: String,
        /// What differs.
        reason: Sentence,
    },
}

impl SkillError {
    /// The error as a sentence for people: lower case, no final period.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Request(error) => error.sentence(),
            Self::NotOffered => say!("the server doesn’t offer skills"),
            Self::Unusable(odd) => say!("the skill can’t be used: {reason}", reason = odd.to_string()),
            Self::Unverified { uri, reason } => {
                say!("{uri} isn’t what the skill’s entry describes: {reason}", uri, reason)
            }
        }
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence())
    }
}

impl std::error::Error for SkillError {}

impl From<RequestError> for SkillError {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

impl Handshake {
    /// Whether the server declares the extension `name`.
    pub fn offers_extension(&self, name: &str) -> bool {
        let extension = Members::of(self.capabilities.get()).inside("extensions").get(name);
        extension.is_some_and(|settings| settings.starts_with('{'))
    }
}

impl Client {
    /// Lists all skills over all pages (`skills/list`). A server may have skills that it doesn't list.
    pub async fn list_skills(&self) -> Result<Listing<Skill>, SkillError> {
        self.check_offered()?;
        Ok(self.list_items("skills/list", "skills", Skill::read).await?)
    }

    /// The current entry of the skill whose `SKILL.md` is at `uri` (`skills/get`).
    pub async fn skill(&self, uri: &str) -> Result<Skill, SkillError> {
        self.check_offered()?;
        let params = JsonObject::new().text("uri", uri);
        let request = Request { subject: Some(uri.into()), ..Request::new("skills/get", Some(&params)) };
        let answer = self.wire.request_with_input(request).await?;
        let missing = || Diagnostic::new(DiagnosticCode::Missing, "skill", say!("is missing"));
        let entry = member(answer.raw.get(), "skill").ok_or_else(missing)?;
        let skill = Skill::read(entry, "skill", &self.wire.link.limits)?;
        if skill.uri != uri {
            let message = say!("isn’t the one requested: {uri}", uri = &skill.uri);
            return Err(Diagnostic::new(DiagnosticCode::Unmatched, "skill.uri", message).into());
        }
        Ok(skill)
    }

    /// Reads and verifies a skill's file or `SKILL.md`. A file that is not in the entry is never requested.
    pub async fn read_skill_file(
        &self,
        skill: &Skill,
        uri: &str,
        options: CallOptions,
    ) -> Result<SkillContent, SkillError> {
        let unverified = |reason: Sentence| SkillError::Unverified { uri: uri.to_owned(), reason };
        let listed = skill.find_file(uri).map_err(unverified)?;
        let answer = self.read_resource(uri, options).await?;
        let bytes = read_content(answer.raw.get(), uri).map_err(unverified)?;
        if let Some(file) = listed {
            file.verify_content(&bytes).map_err(unverified)?;
        }
        if uri == skill.uri {
            frontmatter::verify_frontmatter(&bytes, skill.frontmatter.get()).map_err(unverified)?;
        }
        Ok(SkillContent { bytes, diagnostics: answer.diagnostics })
    }

    fn check_offered(&self) -> Result<(), SkillError> {
        if self.handshake().offers_extension(EXTENSION) { Ok(()) } else { Err(SkillError::NotOffered) }
    }
}

impl From<Diagnostic> for SkillError {
    fn from(odd: Diagnostic) -> Self {
        Self::Unusable(odd)
    }
}

impl Skill {
    /// Parses an element of `skills`. Refuses one that breaks a rule about files, which protects users.
    pub(crate) fn read(text: &str, path: &str, bounds: &LimitTracker) -> Result<Self, Diagnostic> {
        let mut fields = FieldReader::new(path, bounds);
        let raw = fields.read_whole(text)?;
        let (mut uri, mut frontmatter, mut resources) = (None, None, None);
        for (key, value) in &Members::of(text) {
            match key {
                "uri" => uri = Some(value),
                "frontmatter" => frontmatter = fields.read_object(value, key),
                "resources" => resources = Some(value),
                _ => {}
            }
        }
        let uri = fields.read_required(uri, "uri", LimitKind::Uri)?;
        let odd =
            |code, key: &str, message: Sentence| Diagnostic::new(code, format!("{path}.{key}"), message);
        let root = uri.strip_suffix("/SKILL.md");
        let root =
            root.ok_or_else(|| odd(DiagnosticCode::WrongType, "uri", say!("isn’t the URI of a SKILL.md")))?;
        let frontmatter = frontmatter.ok_or_else(|| {
            odd(DiagnosticCode::Missing, "frontmatter", say!("is missing or not an object"))
        })?;
        let written = Members::of(frontmatter.get());
        let name = fields.read_required(written.get("name"), "frontmatter.name", LimitKind::Name)?;
        let description = fields.read_required(
            written.get("description"),
            "frontmatter.description",
            LimitKind::Description,
        )?;
        let files = match resources {
            Some(word) if is_text(word, "dynamic") => SkillFiles::Dynamic,
            Some(array) if array.starts_with('[') => {
                SkillFiles::Listed(SkillFile::read_all(array, &format!("{path}.resources"), &uri, root)?)
            }
            Some(_) => {
                return Err(odd(
                    DiagnosticCode::WrongType,
                    "resources",
                    say!("is neither a list nor the word dynamic"),
                ));
            }
            None => return Err(odd(DiagnosticCode::Missing, "resources", say!("is missing"))),
        };
        if root.rsplit(['/', ':']).next() != Some(&name) {
            fields.diagnose(DiagnosticCode::Unmatched, "uri", say!("doesn’t end in the skill’s name"));
        }
        Ok(Self { uri, name, description, frontmatter, files, raw, diagnostics: fields.diagnostics })
    }

    /// Finds the entry of a file. `None` if the server generates the skill's files.
    fn find_file(&self, uri: &str) -> Result<Option<&SkillFile>, Sentence> {
        match &self.files {
            SkillFiles::Listed(files) => {
                let listed = files.iter().find(|file| file.uri == uri);
                listed.map(Some).ok_or_else(|| say!("the entry doesn’t list it"))
            }
            SkillFiles::Dynamic if is_inside(uri, self.root_uri()) => Ok(None),
            SkillFiles::Dynamic => Err(say!("it isn’t in the skill’s directory")),
        }
    }

    fn root_uri(&self) -> &str {
        self.uri.strip_suffix("/SKILL.md").unwrap_or(&self.uri)
    }
}

impl SkillFile {
    fn read_all(array: &str, path: &str, skill: &str, root: &str) -> Result<Vec<Self>, Diagnostic> {
        let odd = |code, path: String, message: Sentence| Diagnostic::new(code, path, message);
        let elements = elements(array)
            .ok_or_else(|| odd(DiagnosticCode::WrongType, path.to_owned(), say!("isn’t an array")))?;
        if elements.len() > FILES {
            return Err(odd(
                DiagnosticCode::Limit,
                path.to_owned(),
                say!("contains more than {limit} files", limit = FILES),
            ));
        }
        let mut files: Vec<Self> = Vec::with_capacity(elements.len());
        let mut seen = HashSet::new();
        for (index, element) in elements.into_iter().enumerate() {
            let path = format!("{path}[{index}]");
            let file = Self::read(element.get(), &path)?;
            if !is_inside(&file.uri, root) {
                let message = say!("isn’t in the skill’s directory");
                return Err(odd(DiagnosticCode::Unmatched, format!("{path}.uri"), message));
            }
            if !seen.insert(file.uri.clone()) {
                return Err(odd(DiagnosticCode::Unmatched, format!("{path}.uri"), say!("is listed twice")));
            }
            files.push(file);
        }
        if files.iter().map(|file| file.size).try_fold(0_u64, u64::checked_add).is_none_or(|all| all > BYTES)
        {
            return Err(odd(
                DiagnosticCode::Limit,
                path.to_owned(),
                say!("contains more than {limit} bytes", limit = BYTES),
            ));
        }
        if !seen.contains(skill) {
            return Err(odd(
                DiagnosticCode::Missing,
                path.to_owned(),
                say!("doesn’t list the SKILL.md itself"),
            ));
        }
        Ok(files)
    }

    fn read(text: &str, path: &str) -> Result<Self, Diagnostic> {
        let odd =
            |code, key: &str, message: Sentence| Err(Diagnostic::new(code, format!("{path}.{key}"), message));
        let (mut uri, mut digest, mut size) = (None, None, None);
        for (key, value) in &Members::of(text) {
            match key {
                "uri" => uri = string(value),
                "digest" => digest = string(value).as_deref().and_then(parse_digest),
                "size" => size = value.parse().ok(),
                _ => {}
            }
        }
        let Some(uri) = uri else {
            return odd(DiagnosticCode::Missing, "uri", say!("is missing or not a string"));
        };
        let Some(digest) = digest else {
            return odd(
                DiagnosticCode::WrongType,
                "digest",
                say!("isn’t sha256: and 64 lowercase hexadecimal digits"),
            );
        };
        let Some(size) = size else {
            return odd(DiagnosticCode::WrongType, "size", say!("isn’t a number of bytes"));
        };
        Ok(Self { uri, digest, size })
    }

    fn verify_content(&self, bytes: &[u8]) -> Result<(), Sentence> {
        if u64::try_from(bytes.len()).ok() != Some(self.size) {
            return Err(say!(
                "it has {found} bytes, the entry says {stated}",
                found = bytes.len(),
                stated = self.size
            ));
        }
        if Sha256::digest(bytes).as_slice() != self.digest {
            return Err(say!("its SHA-256 doesn’t match"));
        }
        Ok(())
    }
}

/// Whether `uri` is below the directory `root`. Refuses `..` in any spelling.
fn is_inside(uri: &str, root: &str) -> bool {
    let Some(path) = uri.strip_prefix(root).and_then(|rest| rest.strip_prefix('/')) else { return false };
    let upwards = |segment: &str| {
        let plain = segment.to_ascii_lowercase().replace("%2e", ".");
        plain.is_empty() || plain == "." || plain == ".."
    };
    !path.contains(['?', '#', '\\']) && !path.split('/').any(upwards)
}

fn parse_digest(text: &str) -> Option<[u8; 32]> {
    let hex = text.strip_prefix("sha256:")?.as_bytes();
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let (pairs, []) = hex.as_chunks::<2>() else { return None };
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
    bytes?.try_into().ok()
}

/// Reads the content of the single item in the response to a `resources/read` of `uri`.
pub(crate) fn read_content(result: &str, uri: &str) -> Result<Vec<u8>, Sentence> {
    let whole = read_value(result).map_err(|error| Sentence::quoted(error.to_string()))?;
    let contents = whole.get("contents").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let [one] = contents else {
        return Err(say!("the answer contains {count} contents, not one", count = contents.len()));
    };
    if one.get("uri").and_then(Value::as_str) != Some(uri) {
        return Err(say!("the answer is about another resource"));
    }
    match (one.get("text").and_then(Value::as_str), one.get("blob").and_then(Value::as_str)) {
        (Some(text), None) => Ok(text.as_bytes().to_vec()),
        (None, Some(blob)) => STANDARD
            .decode(blob)
            .map_err(|error| say!("its base64 is broken: {reason}", reason = error.to_string())),
        _ => Err(say!("the answer contains neither text nor bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // of "abc"

    fn entry(resources: &str) -> String {
        format!(
            r#"{{"uri":"skill://a/b/SKILL.md","frontmatter":{{"name":"b","description":"d"}},"resources":{resources}}}"#
        )
    }

    fn file(uri: &str, size: u64) -> String {
        format!(r#"{{"uri":"{uri}","digest":"{DIGEST}","size":{size}}}"#)
    }

    fn read(resources: &str) -> Result<Skill, String> {
        Skill::read(&entry(resources), "skills[0]", &LimitTracker::default()).map_err(|odd| odd.to_string())
    }

    #[test]
    fn an_entry_is_read_with_all_its_files() {
        let files = [file("skill://a/b/SKILL.md", 3), file("skill://a/b/references/x.md", 3)].join(",");
        let skill = read(&format!("[{files}]")).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("b", "d"));
        assert!(skill.diagnostics.is_empty());
        assert!(skill.find_file("skill://a/b/references/x.md").unwrap().is_some());
        assert_eq!(
            skill.find_file("skill://a/b/other.md").unwrap_err().as_str(),
            "the entry doesn’t list it"
        );
    }

    #[test]
    fn an_entry_that_breaks_a_rule_about_its_files_is_refused() {
        let own = file("skill://a/b/SKILL.md", 3);
        let refused = |resources: &str| read(resources).unwrap_err();
        assert_eq!(refused("7"), "skills[0].resources: is neither a list nor the word dynamic");
        assert_eq!(refused("[]"), "skills[0].resources: doesn’t list the SKILL.md itself");
        assert_eq!(refused(&format!("[{own},{own}]")), "skills[0].resources[1].uri: is listed twice");
        for outside in
            ["skill://a/c/x", "skill://a/b", "skill://a/b/../c/x", "skill://a/b/%2E%2e/x", "file:///x"]
        {
            let odd = refused(&format!("[{own},{}]", file(outside, 1)));
            assert_eq!(odd, "skills[0].resources[1].uri: isn’t in the skill’s directory", "{outside}");
        }
        let odd = refused(&own.replace("ba78", "BA78").replace('{', "[{").replace('}', "}]"));
        assert_eq!(odd, "skills[0].resources[0].digest: isn’t sha256: and 64 lowercase hexadecimal digits");
        let none = r#"{"uri":"skill://b/SKILL.md","frontmatter":{"name":"b","description":"d"}}"#;
        let odd = Skill::read(none, "skills[0]", &LimitTracker::default()).unwrap_err();
        assert_eq!(odd.to_string(), "skills[0].resources: is missing");
    }

    #[test]
    fn files_and_bytes_are_accepted_up_to_the_limit() {
        let list = |count: usize, size: u64| {
            let others = (1..count).map(|index| file(&format!("skill://a/b/{index}"), 0));
            let all: Vec<_> = std::iter::once(file("skill://a/b/SKILL.md", size)).chain(others).collect();
            read(&format!("[{}]", all.join(",")))
        };
        assert!(list(FILES, BYTES).is_ok());
        assert_eq!(list(FILES + 1, 0).unwrap_err(), "skills[0].resources: contains more than 512 files");
        assert_eq!(list(2, BYTES + 1).unwrap_err(), "skills[0].resources: contains more than 16777216 bytes");
    }

    #[test]
    fn skill_without_digests_is_marked_and_stays_in_its_directory() {
        let skill = read("\"dynamic\"").unwrap();
        assert_eq!(skill.files, SkillFiles::Dynamic);
        assert!(skill.diagnostics.is_empty(), "it is allowed");
        assert_eq!(skill.find_file("skill://a/b/any.md"), Ok(None));
        assert!(skill.find_file("skill://a/c/any.md").is_err());
    }

    #[test]
    fn a_file_is_verified_by_its_length_and_its_digest() {
        let file = SkillFile { uri: "u".into(), digest: parse_digest(DIGEST).unwrap(), size: 3 };
        assert_eq!(file.verify_content(b"abc"), Ok(()));
        assert_eq!(file.verify_content(b"abcd").unwrap_err().as_str(), "it has 4 bytes, the entry says 3");
        assert_eq!(file.verify_content(b"xyz").unwrap_err().as_str(), "its SHA-256 doesn’t match");
    }

    #[test]
    fn content_is_text_or_base64_of_the_resource_that_was_asked_for() {
        let read = |members: &str| read_content(&format!(r#"{{"contents":[{members}]}}"#), "u");
        assert_eq!(read(r#"{"uri":"u","text":"é"}"#).unwrap(), "é".as_bytes());
        assert_eq!(read(r#"{"uri":"u","blob":"/wA="}"#).unwrap(), [0xff, 0]);
        assert!(read(r#"{"uri":"v","text":"x"}"#).is_err());
        assert!(read(r#"{"uri":"u"}"#).is_err());
        assert!(read("").is_err());
    }
}
