//! The values that a bundle asks the person for (MANIFEST.md, “User Configuration”).

use std::fmt;

use mooring_words::say;

use crate::error::BundleError;

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConfigKind {
    /// A text.
    String,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// The path of a folder.
    Directory,
    /// The path of a file.
    File,
}

/// A value that a bundle asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ConfigOption {
    /// The name in `${user_config.KEY}`.
    pub key: String,
    /// The kind of value.
    pub kind: ConfigKind,
    /// The label. The key if the manifest has none.
    pub title: String,
    /// The explanation. May be empty.
    pub description: String,
    /// Whether a value is needed. A default counts as one.
    pub required: bool,
    /// The value to begin with. It may have variables, such as `${HOME}`.
    pub default: Option<ConfigValue>,
    /// Whether there may be several texts or paths.
    pub multiple: bool,
    /// Whether the value is a secret.
    pub sensitive: bool,
    /// The smallest number that is allowed.
    pub min: Option<f64>,
    /// The largest number that is allowed.
    pub max: Option<f64>,
}

/// A value. Its content may be a secret, so `Debug` doesn't show it.
#[derive(Clone, PartialEq)]
pub enum ConfigValue {
    /// A text or a path.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// Several texts or paths.
    List(Vec<String>),
}

impl fmt::Debug for ConfigValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text(_) => "Text(…)",
            Self::Number(_) => "Number(…)",
            Self::Boolean(_) => "Boolean(…)",
            Self::List(_) => "List(…)",
        })
    }
}

impl ConfigValue {
    /// Whether the value counts as missing: an empty text, no path, or a list with an empty one.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(texts) => texts.is_empty() || texts.iter().any(String::is_empty),
            Self::Number(_) | Self::Boolean(_) => false,
        }
    }

    /// The texts that a command gets.
    pub(crate) fn texts(&self) -> Vec<String> {
        match self {
            Self::Text(text) => vec![text.clone()],
            Self::Number(number) => vec![number.to_string()],
            Self::Boolean(is_on) => vec![is_on.to_string()],
            Self::List(texts) => texts.clone(),
        }
    }
}

impl ConfigOption {
    /// Checks the value that a person entered. Without one, or with an empty one, the
    /// default counts. The error's code is
    /// [`BundleErrorCode::InvalidValue`](crate::BundleErrorCode::InvalidValue).
    pub fn check(&self, value: Option<&ConfigValue>) -> Result<(), BundleError> {
        let title = &*self.title;
        let given = value.filter(|value| !value.is_empty());
        let Some(value) = given.or_else(|| self.default.as_ref().filter(|value| !value.is_empty())) else {
            if self.required {
                return Err(BundleError::invalid_value(say!("“{title}” is required", title)));
            }
            return Ok(());
        };
        match (self.kind, value) {
            (ConfigKind::Boolean, ConfigValue::Boolean(_)) => {}
            (ConfigKind::Number, ConfigValue::Number(number)) => self.check_number(*number)?,
            (ConfigKind::String | ConfigKind::Directory | ConfigKind::File, ConfigValue::Text(_)) => {}
            (ConfigKind::String | ConfigKind::Directory | ConfigKind::File, ConfigValue::List(_)) => {
                if !self.multiple {
                    return Err(BundleError::invalid_value(say!("“{title}” can have one value only", title)));
                }
            }
            (ConfigKind::Boolean, _) => {
                return Err(BundleError::invalid_value(say!("“{title}” has to be on or off", title)));
            }
            (ConfigKind::Number, _) => {
                return Err(BundleError::invalid_value(say!("“{title}” has to be a number", title)));
            }
            (ConfigKind::String | ConfigKind::Directory | ConfigKind::File, _) => {
                return Err(BundleError::invalid_value(say!("“{title}” has to be a text", title)));
            }
        }
        if value.texts().iter().any(|text| text.contains('\0')) {
            let sentence = say!("“{title}” has a character that no program can receive", title);
            return Err(BundleError::invalid_value(sentence));
        }
        Ok(())
    }

    fn check_number(&self, number: f64) -> Result<(), BundleError> {
        let title = &*self.title;
        if !number.is_finite() {
            return Err(BundleError::invalid_value(say!("“{title}” has to be a number", title)));
        }
        if let Some(min) = self.min.filter(|min| number < *min) {
            let min = min.to_string();
            return Err(BundleError::invalid_value(say!("“{title}” has to be at least {min}", title, min)));
        }
        if let Some(max) = self.max.filter(|max| number > *max) {
            let max = max.to_string();
            return Err(BundleError::invalid_value(say!("“{title}” can be at most {max}", title, max)));
        }
        Ok(())
    }
}
