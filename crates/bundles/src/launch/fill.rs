//! Replaces the variables in texts of a manifest.

use std::collections::BTreeMap;
use std::path::Path;

use mooring_words::say;

use crate::config::{ConfigOption, ConfigValue};
use crate::error::BundleError;
use crate::manifest::BundleManifest;
use crate::system::{TargetSystem, UserFolders};

/// How the names of the person's values begin.
const USER_CONFIG: &str = "user_config.";

/// What variables are replaced by.
pub(super) struct Variables<'a> {
    system: Vec<(&'static str, String)>,
    /// The values by key, with the options that they belong to. Without the missing ones.
    values: BTreeMap<&'a str, (&'a ConfigOption, Vec<String>)>,
}

/// A text with its variables replaced.
pub(super) enum Filled {
    /// The text, and the key of a secret in it.
    Text { text: String, secret: Option<String> },
    /// The value with this key is missing.
    Missing(String),
}

/// An argument of a manifest with its variables replaced.
pub(super) enum FilledArgument {
    /// The arguments that it becomes, and the key of a secret in them.
    Texts { texts: Vec<String>, secret: Option<String> },
    /// The value with this key is missing.
    Missing(String),
}

impl<'a> Variables<'a> {
    /// The variables that don't depend on the person.
    pub(super) fn new(
        folder: &Path,
        system: TargetSystem,
        folders: &UserFolders,
    ) -> Result<Self, BundleError> {
        let separator = system.separator();
        let system = vec![
            ("__dirname", path_text(folder)?),
            ("HOME", path_text(&folders.home)?),
            ("DESKTOP", path_text(&folders.desktop)?),
            ("DOCUMENTS", path_text(&folders.documents)?),
            ("DOWNLOADS", path_text(&folders.downloads)?),
            ("/", separator.to_owned()),
            ("pathSeparator", separator.to_owned()),
        ];
        Ok(Self { system, values: BTreeMap::new() })
    }

    /// Adds the person's values, or the defaults, in which variables are replaced.
    pub(super) fn with_values(
        mut self,
        manifest: &'a BundleManifest,
        values: &BTreeMap<String, ConfigValue>,
    ) -> Result<Self, BundleError> {
        for option in &manifest.user_config {
            let given = values.get(&option.key).filter(|value| !value.is_empty());
            let texts = match (given, &option.default) {
                (Some(value), _) => value.texts(),
                (None, Some(default)) if !default.is_empty() => self.fill_default(default)?,
                _ => continue,
            };
            self.values.insert(&option.key, (option, texts));
        }
        Ok(self)
    }

    /// Defaults see no other values, so that the order doesn't matter.
    pub(super) fn fill_default(&self, default: &ConfigValue) -> Result<Vec<String>, BundleError> {
        let bare = Self { system: self.system.clone(), values: BTreeMap::new() };
        let fill = |text: String| {
            Ok(match bare.fill(&text)? {
                Filled::Text { text, .. } => text,
                Filled::Missing(_) => text,
            })
        };
        default.texts().into_iter().map(fill).collect()
    }

    /// Replaces the variables of an argument. If it is nothing but a value, each of several texts becomes an argument.
    pub(super) fn fill_argument(&self, template: &str) -> Result<FilledArgument, BundleError> {
        let key = template.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let key = key.and_then(|name| name.strip_prefix(USER_CONFIG)).filter(|key| !key.contains('}'));
        if let Some((option, texts)) = key.and_then(|key| self.values.get(key)) {
            let secret = option.sensitive.then(|| option.key.clone());
            return Ok(FilledArgument::Texts { texts: texts.clone(), secret });
        }
        Ok(match self.fill(template)? {
            Filled::Text { text, secret } => FilledArgument::Texts { texts: vec![text], secret },
            Filled::Missing(key) => FilledArgument::Missing(key),
        })
    }

    /// Replaces the variables of a text once, from left to right. Unknown ones are left as they are.
    pub(super) fn fill(&self, template: &str) -> Result<Filled, BundleError> {
        let (mut text, mut secret, mut rest) = (String::new(), None, template);
        while let Some((before, behind)) = rest.split_once("${") {
            text.push_str(before);
            let Some((name, after)) = behind.split_once('}') else {
                text.push_str("${");
                rest = behind;
                continue;
            };
            rest = after;
            if let Some((_, value)) = self.system.iter().find(|(known, _)| *known == name) {
                text.push_str(value);
            } else if let Some(key) = name.strip_prefix(USER_CONFIG) {
                match self.values.get(key) {
                    None => return Ok(Filled::Missing(key.to_owned())),
                    Some((option, texts)) => {
                        let [value] = texts.as_slice() else { return Err(several_values(option)) };
                        text.push_str(value);
                        if option.sensitive {
                            secret = Some(key.to_owned());
                        }
                    }
                }
            } else {
                text.push_str("${");
                text.push_str(name);
                text.push('}');
            }
        }
        text.push_str(rest);
        Ok(Filled::Text { text, secret })
    }
}

fn several_values(option: &ConfigOption) -> BundleError {
    let title = &*option.title;
    BundleError::invalid_value(say!(
        "“{title}” can have one value only, because the bundle puts it into a single text",
        title
    ))
}

fn path_text(path: &Path) -> Result<String, BundleError> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        let path = path.to_string_lossy();
        BundleError::invalid_value(say!("the path {path} has characters that aren’t Unicode", path))
    })
}
