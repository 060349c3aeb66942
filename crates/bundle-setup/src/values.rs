//! The values that a bundle asks for, as inputs of the same form that asks for the values of an import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mooring_base::command_line::expand_home_in;
use mooring_base::credentials::looks_secret;
use mooring_bundles::{
    BundleError, BundleManifest, ConfigKind, ConfigOption, ConfigValue, LaunchCommand, TargetSystem,
    UserFolders, default_texts, launch_command,
};
use mooring_definitions::import::{ImportInput, ImportInputKind, ImportValue};
use mooring_definitions::{InvalidServer, NewServer, ServerSecret, Transport};
use mooring_store::SecretPlace;
use mooring_words::{Sentence, say};
use secrecy::SecretString;

use crate::record::{BundleValues, value_keys};

/// What is entered for a bundle's server, and where it will be.
pub struct BundleSetup<'a> {
    manifest: BundleManifest,
    folder: &'a Path,
    folders: &'a UserFolders,
}

/// Variables of a server with their values; `None` for an encrypted one.
pub type KeptVariables = BTreeMap<String, Option<String>>;

impl<'a> BundleSetup<'a> {
    /// Prepares the server of a manifest that is or will be unpacked to `folder`.
    pub fn new(manifest: &BundleManifest, folder: &'a Path, folders: &'a UserFolders) -> Self {
        let mut manifest = manifest.clone();
        let env = manifest.server.launch_config(TargetSystem::THIS).map(|launch| launch.env);
        let env = env.unwrap_or_default();
        for option in &mut manifest.user_config {
            let place = placeholder(&option.key);
            let is_in_secret = |(name, text): &(String, String)| looks_secret(name) && text.contains(&place);
            // Authors forget to mark secrets.
            let is_text = option.kind == ConfigKind::String;
            option.sensitive |= is_text && (looks_secret(&option.key) || env.iter().any(is_in_secret));
        }
        Self { manifest, folder, folders }
    }

    /// What the form asks for. `earlier` are the values that the person entered for another version.
    pub fn inputs(&self, earlier: &BundleValues) -> Result<Vec<ImportInput>, BundleError> {
        let describe = |option| self.describe_option(option, earlier);
        self.manifest.user_config.iter().map(describe).collect()
    }

    fn describe_option(
        &self,
        option: &ConfigOption,
        earlier: &BundleValues,
    ) -> Result<ImportInput, BundleError> {
        let kind = match option.kind {
            ConfigKind::String => ImportInputKind::Text,
            ConfigKind::Number => ImportInputKind::Number,
            ConfigKind::Boolean => ImportInputKind::Boolean,
            ConfigKind::Directory => ImportInputKind::Folder,
            ConfigKind::File => ImportInputKind::File,
        };
        let own = default_texts(option, self.folder, TargetSystem::THIS, self.folders)?;
        let required = option.required && own.is_empty();
        let default = earlier.get(&option.key).cloned().unwrap_or(own).join("\n");
        Ok(ImportInput {
            key: option.key.clone(),
            title: Some(option.title.clone()),
            description: Some(option.description.clone()).filter(|text| !text.is_empty()),
            kind,
            secret: option.sensitive,
            exposed: option.sensitive && self.is_in_argument(&option.key),
            required,
            repeated: option.multiple,
            default: Some(default).filter(|default| !option.sensitive && !default.is_empty()),
            ..ImportInput::default()
        })
    }

    /// Whether a value is a part of the command, which isn't encrypted.
    fn is_in_argument(&self, key: &str) -> bool {
        let place = placeholder(key);
        let launch = self.manifest.server.launch_config(TargetSystem::THIS);
        launch.is_some_and(|it| it.command.contains(&place) || it.args.iter().any(|arg| arg.contains(&place)))
    }

    /// Checks what the person entered.
    pub fn read_values(
        &self,
        inputs: &[ImportInput],
        values: &[ImportValue],
    ) -> Result<BundleValues, InvalidServer> {
        let invalid = |message| InvalidServer { field: "values", message };
        if let Some(value) = values.iter().find(|value| inputs.iter().all(|input| input.key != value.key)) {
            let name = value.key.as_str();
            return Err(invalid(say!("this server doesn’t ask for {name}", name)));
        }
        let mut read = BundleValues::new();
        for input in inputs {
            let texts = self.read_value(input, values).map_err(invalid)?;
            if !texts.is_empty() {
                read.insert(input.key.clone(), texts);
            }
        }
        Ok(read)
    }

    /// The texts of a value, or what is wrong with it. What wasn't entered has the form's default. An empty value is
    /// the person's choice too.
    fn read_value(&self, input: &ImportInput, values: &[ImportValue]) -> Result<Vec<String>, Sentence> {
        let given = values.iter().rfind(|value| value.key == input.key).map(ImportValue::text);
        let expand = |path: &str| expand_home_in(path, Some(&self.folders.home));
        let texts = input.read_values(given.or(input.default.as_deref()).unwrap_or_default(), expand)?;
        let option = self.manifest.user_config.iter().find(|option| option.key == input.key);
        if let (Some(option), false) = (option, texts.is_empty()) {
            let checked = option.check(Some(&to_config_value(option, &texts)));
            checked.map_err(|error| error.sentence().clone())?;
        }
        Ok(texts)
    }

    /// The values that may be saved unencrypted.
    pub fn shown_values(&self, values: &BundleValues) -> BundleValues {
        let shown = values.iter().filter(|(key, _)| !self.is_secret(key));
        shown.map(|(key, texts)| (key.clone(), texts.clone())).collect()
    }

    /// The server, with a placeholder for each value that it needs and that is missing, wrong or a secret. It is only
    /// shown. Adds to the inputs what is wrong.
    pub fn preview(
        &self,
        inputs: &mut [ImportInput],
        values: &[ImportValue],
        keeps: &BTreeSet<String>,
    ) -> Result<NewServer, BundleError> {
        let mut manifest = self.manifest.clone();
        let mut shown = BTreeMap::new();
        for (option, input) in manifest.user_config.iter_mut().zip(inputs) {
            let texts = self.read_value(input, values);
            input.problem = texts.as_ref().err().cloned();
            let has_value = texts.as_ref().is_ok_and(|texts| !texts.is_empty());
            match texts {
                Ok(texts) if has_value && !input.secret => {
                    shown.insert(option.key.clone(), to_config_value(option, &texts));
                }
                _ if has_value
                    || keeps.contains(&option.key)
                    || (option.required && option.check(None).is_err()) =>
                {
                    (option.kind, option.multiple) = (ConfigKind::String, false);
                    shown.insert(option.key.clone(), ConfigValue::Text(placeholder(&option.key)));
                }
                _ => {}
            }
        }
        let command = launch_command(&manifest, self.folder, &shown, TargetSystem::THIS, self.folders)?;
        Ok(to_server(command, &KeptVariables::new(), true))
    }

    /// The valid ones of the values that the person has entered so far.
    pub fn valid_values(&self, inputs: &[ImportInput], values: &[ImportValue]) -> BundleValues {
        let read = |input: &ImportInput| Some((input.key.clone(), self.read_value(input, values).ok()?));
        inputs.iter().filter_map(read).filter(|(_, texts)| !texts.is_empty()).collect()
    }

    /// The secrets that the person doesn't have to enter, because another version has them in the same variables.
    /// `is_same` says whether a variable is the same apart from secrets. One that is entered changes its variables, so
    /// that no other secret in them can stay.
    pub fn kept_secrets(
        &self,
        values: &BundleValues,
        kept: &KeptVariables,
        is_same: impl Fn(&str) -> bool,
    ) -> BTreeSet<String> {
        let options = self.manifest.user_config.iter().filter(|option| option.sensitive);
        let keys = options.map(|option| &option.key);
        let mut secrets: BTreeSet<&String> =
            keys.filter(|key| !values.contains_key(*key) && !self.is_in_argument(key)).collect();
        let can_stay = |key: &str, secrets: &BTreeSet<&String>| {
            let variables = self.variables_of(key);
            let stays = |(name, text): &(String, String)| {
                let mut others = value_keys(text).into_iter().filter(|key| self.is_secret(key));
                kept.contains_key(name)
                    && is_same(name)
                    && others.all(|key| secrets.iter().any(|it| *it == key))
            };
            !variables.is_empty() && variables.iter().all(stays)
        };
        loop {
            let staying: BTreeSet<&String> =
                secrets.iter().copied().filter(|key| can_stay(key, &secrets)).collect();
            if staying.len() == secrets.len() {
                return staying.into_iter().cloned().collect();
            }
            secrets = staying;
        }
    }

    /// The server with the person's values. The secrets with the keys `keeps` stay as they are in the variables `kept`
    /// of another version.
    pub fn server(
        &self,
        values: &BundleValues,
        keeps: &BTreeSet<String>,
        kept: &KeptVariables,
    ) -> Result<NewServer, BundleError> {
        let command = self.command(values, keeps)?;
        let variables = keeps.iter().flat_map(|key| self.variables_of(key)).map(|(name, _)| name);
        let unchanged = variables.filter_map(|name| kept.get_key_value(&name));
        let unchanged = unchanged.map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(to_server(command, &unchanged, false))
    }

    /// The arguments without a secret, if there are others.
    pub fn plain_args(
        &self,
        values: &BundleValues,
        keeps: &BTreeSet<String>,
    ) -> Result<Option<Vec<String>>, BundleError> {
        let command = self.command(values, keeps)?;
        let is_plain = |index: usize| command.secret_args.iter().all(|secret| secret.index != index);
        let plain = command.args.iter().enumerate().filter(|(index, _)| is_plain(*index));
        let plain: Vec<String> = plain.map(|(_, arg)| arg.clone()).collect();
        Ok((plain.len() < command.args.len()).then_some(plain))
    }

    fn command(&self, values: &BundleValues, keeps: &BTreeSet<String>) -> Result<LaunchCommand, BundleError> {
        let mut manifest = self.manifest.clone();
        let mut given = BTreeMap::new();
        for option in &mut manifest.user_config {
            if let Some(texts) = values.get(&option.key) {
                given.insert(option.key.clone(), to_config_value(option, texts));
            } else if keeps.contains(&option.key) {
                // Only makes the variable a part of the command. Its value isn't used.
                option.kind = ConfigKind::String;
                given.insert(option.key.clone(), ConfigValue::Text(placeholder(&option.key)));
            }
        }
        launch_command(&manifest, self.folder, &given, TargetSystem::THIS, self.folders)
    }

    /// The names of the variables with secrets.
    pub fn secret_variables(&self) -> BTreeSet<String> {
        let env = self.variables().into_iter();
        let has_secret = |text: &str| value_keys(text).into_iter().any(|key| self.is_secret(key));
        env.filter(|(_, text)| has_secret(text)).map(|(name, _)| name).collect()
    }

    fn is_secret(&self, key: &str) -> bool {
        self.manifest.user_config.iter().any(|option| option.key == key && option.sensitive)
    }

    fn variables(&self) -> Vec<(String, String)> {
        let launch = self.manifest.server.launch_config(TargetSystem::THIS);
        launch.map(|launch| launch.env).unwrap_or_default()
    }

    /// The variables that a value is in, as the manifest has them.
    fn variables_of(&self, key: &str) -> Vec<(String, String)> {
        let place = placeholder(key);
        self.variables().into_iter().filter(|(_, text)| text.contains(&place)).collect()
    }
}

/// How a manifest writes the place of a value.
fn placeholder(key: &str) -> String {
    format!("${{user_config.{key}}}")
}

fn to_config_value(option: &ConfigOption, texts: &[String]) -> ConfigValue {
    let text = texts.concat();
    match option.kind {
        ConfigKind::Number => match text.parse() {
            Ok(number) => ConfigValue::Number(number),
            // It is refused when the command is made.
            Err(_) => ConfigValue::Text(text),
        },
        ConfigKind::Boolean => match text.parse() {
            Ok(is_on) => ConfigValue::Boolean(is_on),
            Err(_) => ConfigValue::Text(text),
        },
        ConfigKind::String | ConfigKind::Directory | ConfigKind::File if option.multiple => {
            ConfigValue::List(texts.to_vec())
        }
        ConfigKind::String | ConfigKind::Directory | ConfigKind::File => ConfigValue::Text(text),
    }
}

/// A server without a name. The variables of `unchanged` keep their saved values. Secrets are encrypted, except the
/// placeholders of a preview.
fn to_server(command: LaunchCommand, unchanged: &KeptVariables, is_preview: bool) -> NewServer {
    let mut server = NewServer {
        command: Some(command.program),
        args: command.args,
        cwd: Some(command.cwd.display().to_string()),
        ..NewServer::new("", Transport::Stdio)
    };
    for variable in command.env {
        let value = match unchanged.get(&variable.name) {
            Some(kept) => kept.clone(),
            None => Some(variable.value),
        };
        match value {
            Some(value) if !variable.is_secret || is_preview => {
                server.env.insert(variable.name, value);
            }
            value => {
                let (place, name, entered) = (SecretPlace::Env, variable.name, value.is_none());
                server.secrets.push(ServerSecret {
                    place,
                    name,
                    value: value.map(SecretString::from),
                    entered,
                });
            }
        }
    }
    server
}
