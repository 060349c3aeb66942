//! A server with placeholders, and how the person's values take their places.

use mooring_base::credentials::looks_secret;
use mooring_policy::is_shell;
use mooring_store::SecretPlace;
use mooring_words::{Sentence, say};

use super::folders::Folders;
use super::inputs::{DeclaredInput, ImportInput, ImportInputKind, ImportValue, MAX_INPUTS};
use super::placeholder::find_placeholder;
use super::placeholder_parts::{PartKind, split_parts};
use crate::server::NewServer;

/// Takes the place of a value while a URL is checked. It can be a part of a host, a port or a path.
const SAMPLE: &str = "1";

/// A variable or header whose value the person enters, or a part of it.
#[derive(Debug, Clone)]
pub(super) struct TemplateValue {
    pub(super) place: SecretPlace,
    pub(super) name: String,
    /// The value with placeholders. `None` if all of it is entered.
    pub(super) text: Option<String>,
}

/// A server whose arguments, URL, folder, variables and headers can have placeholders.
#[derive(Debug, Clone)]
pub(super) struct ServerTemplate {
    /// The server, without the variables and headers in `values`.
    pub(super) server: NewServer,
    pub(super) values: Vec<TemplateValue>,
    pub(super) inputs: Vec<TemplateInput>,
    pub(super) folders: Folders,
}

#[derive(Debug, Clone)]
pub(super) struct TemplateInput {
    pub(super) input: ImportInput,
    /// Whether the server works without it.
    pub(super) is_optional: bool,
    /// Whether its value is encrypted in a variable or header. Without a description, it may be a secret.
    is_sealed: bool,
    /// The argument before the value that is left out with it.
    pub(super) flag: Option<String>,
    pub(super) is_command: bool,
}

/// Where a placeholder is.
#[derive(Clone, Copy)]
enum Position<'a> {
    Argument,
    Url,
    Folder,
    /// A variable or header.
    Value(&'a TemplateValue),
}

/// Whether a text has a placeholder that can be filled.
pub(super) fn has_values(text: &str) -> bool {
    split_parts(text).iter().any(|part| part.kind.key().is_some())
}

/// The first placeholder that can't be filled.
pub(super) fn find_unknown(text: &str) -> Option<&str> {
    let parts = split_parts(text).into_iter();
    parts.filter(|part| part.kind.key().is_none()).find_map(|part| find_placeholder(part.written))
}

/// A URL with a sample in place of each placeholder.
pub(super) fn sample_url(url: &str) -> String {
    let sample = |(index, part): (usize, super::placeholder_parts::Part<'_>)| match part.kind.key() {
        Some(_) if index == 0 => format!("https://{SAMPLE}"),
        Some(_) => SAMPLE.to_owned(),
        None => part.written.to_owned(),
    };
    split_parts(url).into_iter().enumerate().map(sample).collect()
}

impl ServerTemplate {
    /// Finds what a server asks for. Fails if that is too much.
    pub(super) fn new(
        server: NewServer,
        values: Vec<TemplateValue>,
        describe: impl Fn(&str) -> Option<DeclaredInput>,
        folders: &Folders,
    ) -> Result<Self, Sentence> {
        let mut inputs: Vec<TemplateInput> = Vec::new();
        let mut template = Self { server, values, inputs: Vec::new(), folders: folders.clone() };
        for (text, position) in template.texts() {
            let asked = match text {
                Some(text) => split_parts(text).into_iter().map(|part| part.kind).collect(),
                None => vec![whole_value(position)],
            };
            for kind in asked {
                let Some(key) = kind.key() else { continue };
                let index = match inputs.iter().position(|known| known.input.key == key) {
                    Some(index) => index,
                    None if inputs.len() == MAX_INPUTS => {
                        return Err(say!("it asks for more than {limit} values", limit = MAX_INPUTS));
                    }
                    None => {
                        inputs.push(TemplateInput::new(kind, key, describe(key), folders));
                        inputs.len() - 1
                    }
                };
                inputs[index].use_at(position);
            }
        }
        for known in &mut inputs {
            known.finish();
        }
        template.inputs = inputs;
        Ok(template)
    }

    /// What the person has to enter.
    pub(super) fn inputs(&self) -> Vec<ImportInput> {
        self.inputs.iter().map(|known| known.input.clone()).collect()
    }

    /// Whether a variable or header is encrypted once it has a value.
    pub(super) fn encrypts(&self) -> bool {
        self.values.iter().any(|value| self.is_sealed(&value.keys()))
    }

    /// Whether a variable or header with these inputs is encrypted.
    pub(super) fn is_sealed(&self, keys: &[&str]) -> bool {
        let mut inputs = self.inputs.iter();
        inputs.any(|known| known.is_sealed && keys.contains(&known.input.key.as_str()))
    }

    /// Whether one of these inputs is a secret.
    pub(super) fn has_secret(&self, keys: &[&str]) -> bool {
        let mut inputs = self.inputs.iter();
        inputs.any(|known| known.input.secret && keys.contains(&known.input.key.as_str()))
    }

    /// The numbers of the arguments with a placeholder that can't be filled, and the placeholder.
    pub(super) fn unfilled_arguments(&self) -> Vec<(usize, &str)> {
        let find = if self.runs_shell() { find_placeholder } else { find_unknown };
        let args = self.server.args.iter().enumerate();
        args.filter_map(|(index, argument)| Some((index + 1, find(argument)?))).collect()
    }

    /// What is wrong with a value.
    pub(super) fn check_value(&self, value: &ImportValue) -> Option<Sentence> {
        let known = self.inputs.iter().find(|known| known.input.key == value.key)?;
        known.input.read_values(value.text(), |path| self.folders.expand_home(path)).err()
    }

    /// All texts with placeholders, and where they are.
    fn texts(&self) -> Vec<(Option<&str>, Position<'_>)> {
        let url = self.server.url.iter().map(|url| (Some(url.as_str()), Position::Url));
        let args = self.server.args.iter().filter(|_| !self.runs_shell());
        let args = args.map(|argument| (Some(argument.as_str()), Position::Argument));
        let folder = self.server.cwd.iter().map(|cwd| (Some(cwd.as_str()), Position::Folder));
        let values = self.values.iter().map(|value| (value.text.as_deref(), Position::Value(value)));
        url.chain(args).chain(folder).chain(values).collect()
    }

    /// Whether the program is a shell: what is inserted into its script would run as a part of it.
    pub(super) fn runs_shell(&self) -> bool {
        self.server.command.as_deref().is_some_and(is_shell)
    }
}

/// A variable or header that is entered as a whole.
fn whole_value(position: Position<'_>) -> PartKind<'_> {
    match position {
        Position::Value(value) => PartKind::Value { key: &value.name, default: None },
        Position::Argument | Position::Url | Position::Folder => PartKind::Text,
    }
}

impl TemplateValue {
    /// The names of its inputs.
    pub(super) fn keys(&self) -> Vec<&str> {
        match &self.text {
            Some(text) => split_parts(text).iter().filter_map(|part| part.kind.key()).collect(),
            None => vec![&self.name],
        }
    }
}

impl TemplateInput {
    fn new(kind: PartKind<'_>, key: &str, declared: Option<DeclaredInput>, folders: &Folders) -> Self {
        let is_sealed = declared.is_none();
        let DeclaredInput { mut input, is_optional, flag, is_command } = declared.unwrap_or_default();
        if is_sealed {
            key.clone_into(&mut input.key);
            input.kind = match kind {
                PartKind::Folder(_) | PartKind::FolderName(_) => ImportInputKind::Folder,
                _ => ImportInputKind::Text,
            };
            input.secret = matches!(kind, PartKind::File(_)) || looks_secret(key);
        }
        if let PartKind::Value { default: Some(default), .. } = kind {
            input.default = input.default.or_else(|| Some(default.to_owned()));
        }
        input.default = input.default.map(|default| folders.replace_in(&default));
        // A default with other placeholders says how a value looks, but is none.
        if let Some(default) = input.default.take_if(|default| default.contains("${") || has_values(default))
        {
            input.example = input.example.or(Some(default));
        }
        Self { input, is_optional, is_sealed, flag, is_command }
    }

    fn use_at(&mut self, position: Position<'_>) {
        match position {
            Position::Value(value) => {
                self.input.repeated = false;
                self.input.secret |= self.input.kind == ImportInputKind::Text && looks_secret(&value.name);
            }
            Position::Argument => {
                self.input.required = !self.is_optional;
                self.input.exposed = true;
            }
            Position::Url | Position::Folder => {
                self.input.repeated = false;
                self.input.required = true;
                self.input.exposed = true;
            }
        }
    }

    /// Concludes from all uses.
    fn finish(&mut self) {
        let input = &mut self.input;
        input.exposed &= input.secret;
        if input.secret {
            input.default = None;
        }
        // A default of another kind is no value.
        if input.default.as_deref().is_some_and(|default| input.check(default, str::to_owned).is_err()) {
            input.default = None;
        }
        self.is_sealed = input.secret || (self.is_sealed && input.default.is_none());
    }
}
