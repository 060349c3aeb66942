//! Validates the form for a provider. Errors name the field.

use mooring_models::{Model, NewProvider, Provider, ProviderKind, base_url};
use mooring_store::ProviderRow;
use mooring_words::{Sentence, say};
use secrecy::ExposeSecret;
use url::Url;

use crate::error::SamplingError;

/// Maximum models of one provider, and maximum bytes of a provider's name, of a model's id or a hint, and of
/// a key.
const MOST_MODELS: usize = 200;
const LONGEST_NAME: usize = 128;
pub(crate) const LONGEST_ID: usize = 256;
const LONGEST_KEY: usize = 4 << 10;

pub(crate) fn invalid_field<T>(field: &'static str, message: Sentence) -> Result<T, SamplingError> {
    Err(SamplingError::Invalid { field, message })
}

pub(crate) fn is_same_origin(before: &ProviderRow, kind: ProviderKind, url: &Url) -> bool {
    let origin = Url::parse(&before.base_url).map(|url| url.origin());
    before.kind == kind.as_str() && origin.is_ok_and(|origin| origin == url.origin())
}

/// Whether a provider's URL has not changed since it was read.
pub(crate) fn is_unmoved(row: &ProviderRow, read: &Provider) -> bool {
    Url::parse(&read.base_url).is_ok_and(|url| is_same_origin(row, read.kind, &url))
}

/// Validates a provider. Returns it in the form to save, and its URL.
pub(crate) fn check_provider(new: NewProvider) -> Result<(NewProvider, Url), SamplingError> {
    let name = new.name.trim().to_owned();
    if name.is_empty() || name.len() > LONGEST_NAME {
        return invalid_field("name", say!("a name of 1 to {limit} bytes is required", limit = LONGEST_NAME));
    }
    if ["decline", "practice"].contains(&name.as_str()) {
        return invalid_field(
            "name",
            say!("this name means something else on the command line: {name}", name),
        );
    }
    let url =
        base_url(&new.base_url).map_err(|message| SamplingError::Invalid { field: "baseUrl", message })?;
    let key = new.key.filter(|key| !key.expose_secret().trim().is_empty());
    if let Some(key) = &key {
        let text = key.expose_secret();
        if text.len() > LONGEST_KEY || http::HeaderValue::from_str(text).is_err() {
            return invalid_field("key", say!("the key can’t be sent in a header"));
        }
    }
    if new.models.len() > MOST_MODELS {
        return invalid_field(
            "models",
            say!("no more than {limit} models can be saved", limit = MOST_MODELS),
        );
    }
    let mut models: Vec<Model> = Vec::with_capacity(new.models.len());
    for mut model in new.models {
        let id = model.id.trim().to_owned();
        model.id = id;
        if model.id.is_empty() || model.id.len() > LONGEST_ID {
            return invalid_field(
                "models",
                say!("a model needs a name of 1 to {limit} bytes", limit = LONGEST_ID),
            );
        }
        if models.iter().any(|known| known.id == model.id) {
            return invalid_field("models", say!("{name} appears twice", name = model.id));
        }
        for percent in [&mut model.cheap, &mut model.fast, &mut model.capable] {
            *percent = (*percent).min(100);
        }
        models.push(model);
    }
    Ok((NewProvider { name, key, models, ..new }, url))
}
