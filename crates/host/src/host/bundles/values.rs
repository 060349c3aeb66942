//! The values that a bundle asks for, as inputs of the same form that asks for the values of an import.

use std::collections::BTreeMap;
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

/// What is entered for a bundle's server, and where it will be.
pub(super) struct BundleSetup<'a> {
    manifest: BundleManifest,
    folder: &'a Path,
    folders: &'a UserFolders,
}

/// Variables of a server with their values; `None` for an encrypted one.
pub(super) type KeptVariables = BTreeMap<String, Option<String>>;

/// Values by the names of the inputs.
pub(super) type BundleValues = BTreeMap<String, Vec<String>>;

impl<'a> BundleSetup<'a> {
    /// Prepares the server of a manifest that is or will be unpacked to `folder`.
    pub(super) fn new(manifest: &BundleManifest, folder: &'a Path, folders: &'a UserFolders) -> Self {
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
    pub(super) fn inputs(&self, earlier: &BundleValues) -> Result<Vec<ImportInput>, BundleError> {
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
    pub(super) fn read_values(
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
    pub(super) fn shown_values(&self, values: &BundleValues) -> BundleValues {
        let is_secret =
            |key: &String| self.manifest.user_config.iter().any(|it| it.key == *key && it.sensitive);
        let shown = values.iter().filter(|(key, _)| !is_secret(key));
        shown.map(|(key, texts)| (key.clone(), texts.clone())).collect()
    }

    /// The server, with a placeholder for each value that it needs and that is missing or wrong. It is only shown, so
    /// secrets aren't in it. Adds to the inputs what is wrong.
    pub(super) fn preview(
        &self,
        inputs: &mut [ImportInput],
        values: &[ImportValue],
    ) -> Result<NewServer, BundleError> {
        let mut manifest = self.manifest.clone();
        let mut shown = BTreeMap::new();
        for (option, input) in manifest.user_config.iter_mut().zip(inputs) {
            let texts = if input.secret { Ok(Vec::new()) } else { self.read_value(input, values) };
            input.problem = texts.as_ref().err().cloned();
            match texts {
                Ok(texts) if !texts.is_empty() => {
                    shown.insert(option.key.clone(), to_config_value(option, &texts));
                }
                _ if option.required && option.check(None).is_err() => {
                    (option.kind, option.multiple) = (ConfigKind::String, false);
                    shown.insert(option.key.clone(), ConfigValue::Text(placeholder(&option.key)));
                }
                _ => {}
            }
        }
        let command = launch_command(&manifest, self.folder, &shown, TargetSystem::THIS, self.folders)?;
        Ok(to_server(command, &KeptVariables::new(), true))
    }

    /// The server with the person's values. `kept` are the variables of another version, which keep their values where
    /// the person enters no secret.
    pub(super) fn server(
        &self,
        values: &BundleValues,
        kept: &KeptVariables,
    ) -> Result<NewServer, BundleError> {
        let mut values: BTreeMap<String, ConfigValue> = self
            .manifest
            .user_config
            .iter()
            .filter_map(|option| {
                Some((option.key.clone(), to_config_value(option, values.get(&option.key)?)))
            })
            .collect();
        let mut manifest = self.manifest.clone();
        let mut unchanged = KeptVariables::new();
        for option in &mut manifest.user_config {
            let variables = self.variables_of(&option.key);
            let has_kept = !variables.is_empty() && variables.iter().all(|name| kept.contains_key(name));
            if option.sensitive
                && has_kept
                && !values.contains_key(&option.key)
                && !self.is_in_argument(&option.key)
            {
                // Only makes the variable a part of the command. Its value isn't used.
                option.kind = ConfigKind::String;
                values.insert(option.key.clone(), ConfigValue::Text(placeholder(&option.key)));
                let values = kept.iter().filter(|(name, _)| variables.contains(name));
                unchanged.extend(values.map(|(name, value)| (name.clone(), value.clone())));
            }
        }
        let command = launch_command(&manifest, self.folder, &values, TargetSystem::THIS, self.folders)?;
        Ok(to_server(command, &unchanged, false))
    }

    /// The names of the variables that a value is in.
    fn variables_of(&self, key: &str) -> Vec<String> {
        let place = placeholder(key);
        let launch = self.manifest.server.launch_config(TargetSystem::THIS);
        let env = launch.map(|launch| launch.env).unwrap_or_default();
        env.into_iter().filter(|(_, text)| text.contains(&place)).map(|(name, _)| name).collect()
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
