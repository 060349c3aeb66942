//! Puts values in the places of a template's placeholders.

use std::collections::HashMap;
use std::path::Path;

use mooring_store::SecretPlace;
use mooring_words::{Sentence, say};

use super::inputs::{ImportInput, ImportValue};
use super::placeholder_parts::{Part, PartKind, split_parts};
use super::template::{ServerTemplate, TemplateInput, TemplateValue, sample_url};
use crate::server::{NewServer, ServerSecret, check_url};

/// Maximum number of bytes of a server's arguments, variables and headers with their values.
const MAX_FILLED_BYTES: usize = 1024 * 1024;

/// The text of a template with its values.
enum Filled<'a> {
    /// Several if a value is repeated.
    Texts(Vec<String>),
    /// An input without a value.
    Lacks(&'a TemplateInput),
}

/// Fills a template.
struct Filling<'a> {
    template: &'a ServerTemplate,
    /// The values of each input.
    values: HashMap<&'a str, Vec<String>>,
    /// The names of the inputs that the person gave a value.
    given: Vec<&'a str>,
    /// Whether placeholders without a value stay.
    is_preview: bool,
    /// The number of bytes that may still be filled.
    left: usize,
    /// In a preview, what is wrong with the values, by their names. They stay placeholders.
    problems: HashMap<String, Sentence>,
}

impl ServerTemplate {
    /// The server as far as it is known: with the defaults, and with placeholders for the rest.
    pub(super) fn preview(&self) -> Result<NewServer, Sentence> {
        Filling::new(self, &HashMap::new(), true)?.server(false)
    }

    /// The server with these values as far as it is known, and the inputs with what is wrong with their values.
    /// Secrets stay placeholders.
    pub(super) fn preview_with(
        &self,
        values: &[&ImportValue],
    ) -> Result<(NewServer, Vec<ImportInput>), Sentence> {
        let mut inputs = self.inputs();
        let shown = inputs.iter().filter(|input| !input.secret);
        let given = shown.filter_map(|input| {
            let value = values.iter().find(|value| value.key == input.key)?;
            Some((input.key.as_str(), value.text()))
        });
        let given: HashMap<&str, &str> = given.collect();
        let mut filling = Filling::new(self, &given, true)?;
        let server = filling.server(false)?;
        let mut problems = filling.problems;
        if let Some((key, problem)) = self.url_problem(&server) {
            problems.entry(key).or_insert(problem);
        }
        for input in &mut inputs {
            input.problem = problems.remove(&input.key);
        }
        Ok((server, inputs))
    }

    /// What is wrong with a URL, and the first input in it.
    fn url_problem(&self, server: &NewServer) -> Option<(String, Sentence)> {
        let key = split_parts(self.server.url.as_deref()?).iter().find_map(|part| part.kind.key())?;
        let url = sample_url(server.url.as_deref()?);
        check_url(&url).err().map(|problem| (key.to_owned(), problem))
    }

    /// The server with the person's values. `encrypts` says whether values that only may be
    /// secrets can be encrypted.
    pub(super) fn fill(&self, values: &[&ImportValue], encrypts: bool) -> Result<NewServer, Sentence> {
        let mut given = HashMap::new();
        for value in values {
            let name = value.key.as_str();
            if self.inputs.iter().all(|known| known.input.key != value.key) {
                return Err(say!("this server doesn’t ask for {name}", name));
            }
            if given.insert(name, value.text()).is_some() {
                return Err(say!("{name} has two values", name));
            }
        }
        let server = Filling::new(self, &given, false)?.server(encrypts)?;
        // An error about a URL shows it.
        let has_secret = self.inputs.iter().any(|known| known.input.exposed);
        if has_secret && self.url_problem(&server).is_some() {
            return Err(say!("with its values the URL isn’t valid"));
        }
        Ok(server)
    }
}

impl<'a> Filling<'a> {
    fn new(
        template: &'a ServerTemplate,
        given: &HashMap<&str, &str>,
        is_preview: bool,
    ) -> Result<Self, Sentence> {
        let expand = |path: &str| template.folders.expand_home(path);
        let (mut values, mut names, mut problems) = (HashMap::new(), Vec::new(), HashMap::new());
        for TemplateInput { input, .. } in &template.inputs {
            let text = given.get(input.key.as_str()).copied().or(input.default.as_deref());
            let read = match input.read_values(text.unwrap_or_default(), expand) {
                Err(problem) if is_preview => {
                    problems.insert(input.key.clone(), problem);
                    Vec::new()
                }
                read => read?,
            };
            if given.contains_key(input.key.as_str()) && !read.is_empty() {
                names.push(input.key.as_str());
            }
            values.insert(input.key.as_str(), read);
        }
        Ok(Self { template, values, given: names, is_preview, left: MAX_FILLED_BYTES, problems })
    }

    fn server(&mut self, encrypts: bool) -> Result<NewServer, Sentence> {
        let mut server = self.template.server.clone();
        if !self.template.runs_shell() {
            server.args = self.args()?;
        }
        if let Some(url) = &self.template.server.url {
            server.url = Some(self.single(url, true)?);
        }
        if let Some(cwd) = &self.template.server.cwd {
            server.cwd = Some(self.single(cwd, false)?);
        }
        for value in &self.template.values {
            self.add_value(value, &mut server, encrypts)?;
        }
        Ok(server)
    }

    /// The arguments. An optional one without a value is left out, with the flag before it.
    fn args(&mut self) -> Result<Vec<String>, Sentence> {
        let mut args: Vec<String> = Vec::new();
        for argument in &self.template.server.args {
            let flag = self.flag_of(argument).filter(|flag| args.last() == Some(flag)).cloned();
            match self.text(argument, false)? {
                Filled::Texts(texts) => {
                    for (index, text) in texts.into_iter().enumerate() {
                        args.extend(flag.clone().filter(|_| index > 0));
                        args.push(text);
                    }
                }
                Filled::Lacks(lacking) if lacking.is_optional => {
                    if flag.is_some() {
                        args.pop();
                    }
                }
                Filled::Lacks(lacking) => args.push(self.keep(argument, false, lacking)?),
            }
        }
        Ok(args)
    }

    /// The flag before an argument that belongs to its value.
    fn flag_of(&self, argument: &str) -> Option<&'a String> {
        let parts = split_parts(argument);
        let key = parts.iter().find_map(|part| part.kind.key())?;
        self.template.inputs.iter().find(|known| known.input.key == key)?.flag.as_ref()
    }

    /// A text that can't be left out.
    fn single(&mut self, text: &str, is_url: bool) -> Result<String, Sentence> {
        match self.text(text, is_url)? {
            Filled::Texts(texts) => Ok(texts.concat()),
            Filled::Lacks(lacking) => self.keep(text, is_url, lacking),
        }
    }

    /// A text of which a value is missing. In a preview, its placeholder stays.
    fn keep(&mut self, text: &str, is_url: bool, lacking: &TemplateInput) -> Result<String, Sentence> {
        if !self.is_preview {
            return Err(missing_value(lacking));
        }
        self.insert_values(&split_parts(text), 0, is_url)
    }

    /// Adds a variable or header. Without its value it waits for it, or is left out if it is optional.
    fn add_value(
        &mut self,
        value: &'a TemplateValue,
        server: &mut NewServer,
        encrypts: bool,
    ) -> Result<(), Sentence> {
        let TemplateValue { place, name, text } = value;
        let keys = value.keys();
        let filled = match text {
            Some(text) => self.text(text, false)?,
            None => self.whole(name),
        };
        let plain = match place {
            SecretPlace::Env => &mut server.env,
            SecretPlace::Header => &mut server.headers,
        };
        let secret = |value| ServerSecret { place: *place, name: name.clone(), value, entered: false };
        match filled {
            Filled::Texts(texts) => {
                // A secret that the person entered is never stored unencrypted.
                if self.template.has_secret(&keys) || (encrypts && self.template.is_sealed(&keys)) {
                    plain.remove(name);
                    server.secrets.push(secret(Some(texts.concat().into())));
                } else {
                    plain.insert(name.clone(), texts.concat());
                }
            }
            Filled::Lacks(lacking) if keys.iter().any(|key| self.given.contains(key)) => {
                return Err(missing_value(lacking));
            }
            Filled::Lacks(lacking) if lacking.is_optional || plain.contains_key(name) => {}
            Filled::Lacks(_) => server.secrets.push(secret(None)),
        }
        Ok(())
    }

    /// The value of a variable or header that is entered as a whole.
    fn whole(&self, name: &str) -> Filled<'a> {
        let values = self.values.get(name).cloned().unwrap_or_default();
        let known = self.template.inputs.iter().find(|known| known.input.key == name);
        match known {
            Some(known) if values.is_empty() => Filled::Lacks(known),
            _ => Filled::Texts(values),
        }
    }

    /// A text with its values: one for each value of an input that is repeated.
    fn text(&mut self, text: &str, is_url: bool) -> Result<Filled<'a>, Sentence> {
        let parts = split_parts(text);
        let mut count = 1;
        for key in parts.iter().filter_map(|part| part.kind.key()) {
            let Some(known) = self.template.inputs.iter().find(|known| known.input.key == key) else {
                continue;
            };
            match self.values.get(key).map(Vec::len).unwrap_or_default() {
                0 => return Ok(Filled::Lacks(known)),
                length => count = count.max(length),
            }
        }
        let texts = (0..count).map(|index| self.insert_values(&parts, index, is_url));
        texts.collect::<Result<_, _>>().map(Filled::Texts)
    }

    /// The parts of a text with the values at an index. A placeholder without a value stays.
    fn insert_values(&mut self, parts: &[Part<'_>], index: usize, is_url: bool) -> Result<String, Sentence> {
        let mut filled = String::new();
        for part in parts {
            let values = part.kind.key().and_then(|key| self.values.get(key));
            let value = values.and_then(|values| values.get(index).or(values.first()));
            match (value, part.kind) {
                (Some(path), PartKind::FolderName(_)) => {
                    let name = Path::new(path).file_name().unwrap_or_default();
                    filled.push_str(&name.to_string_lossy());
                }
                (Some(value), kind) if is_url => {
                    let name = kind.key().unwrap_or_default();
                    match encode_in_url(&filled, value) {
                        Some(encoded) => filled.push_str(&encoded),
                        None if self.is_preview => {
                            self.problems.insert(name.to_owned(), host_problem(name));
                            filled.push_str(part.written);
                        }
                        None => return Err(host_problem(name)),
                    }
                }
                (Some(value), _) => filled.push_str(value),
                (None, _) => filled.push_str(part.written),
            }
            if filled.len() > self.left {
                let limit = MAX_FILLED_BYTES / 1024;
                return Err(say!("with its values the server is longer than {limit} KiB", limit));
            }
        }
        self.left -= filled.len();
        Ok(filled)
    }
}

fn host_problem(name: &str) -> Sentence {
    say!("the value of {name} can’t be a part of the URL’s host", name)
}

fn missing_value(lacking: &TemplateInput) -> Sentence {
    say!("enter a value for {name}", name = lacking.input.key.as_str())
}

/// Encodes a value for its place in a URL behind `before`. `None` if it would change which host is reached.
fn encode_in_url(before: &str, value: &str) -> Option<String> {
    // A whole URL is checked when the server is saved.
    if before.is_empty() {
        return Some(value.to_owned());
    }
    let path = before.split_once("://").map_or(before, |(_, behind)| behind);
    if !path.contains(['/', '?', '#']) {
        let is_host = |it: char| it.is_alphanumeric() || "-._:".contains(it);
        return value.chars().all(is_host).then(|| value.to_owned());
    }
    let kept = if path.contains('?') { "-._~/:," } else { "-._~/:,@;=+!$" };
    let mut encoded = String::new();
    for sign in value.chars() {
        if sign.is_ascii_alphanumeric() || kept.contains(sign) {
            encoded.push(sign);
        } else {
            let mut bytes = [0; 4];
            encoded.extend(sign.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")));
        }
    }
    Some(encoded)
}
