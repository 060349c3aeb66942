//! Answers that a command gives beforehand to what a server may ask.

use mooring_answers::{FormAnswers, PresetAnswers, SamplingAnswers, ScriptedAnswers};
use serde::{Deserialize, Serialize};

/// How forms are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenForms {
    /// With the defaults.
    Defaults,
    /// Declined.
    Decline,
    /// Cancelled.
    Cancel,
    /// With what somebody wrote down, as JSON.
    Written(String),
}

/// How requests to a model are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenSampling {
    /// By the practice model.
    Practice,
    /// Declined.
    Decline,
}

/// The answers that can be given through the running Mooring. What else a command may be given (URLs, folders, a model)
/// takes a connection of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswers {
    /// For forms.
    pub forms: Option<GivenForms>,
    /// For requests to a model.
    pub sampling: Option<GivenSampling>,
}

impl GivenForms {
    /// The form for the host. Fails if the written answers can't be parsed.
    pub fn answers(&self) -> Result<FormAnswers, serde_json::Error> {
        Ok(match self {
            Self::Defaults => FormAnswers::Defaults,
            Self::Decline => FormAnswers::Decline,
            Self::Cancel => FormAnswers::Cancel,
            Self::Written(text) => FormAnswers::Scripted(ScriptedAnswers::read(text)?),
        })
    }
}

impl GivenAnswers {
    /// The form for the host. Fails if the written answers can't be parsed.
    pub(crate) fn preset(&self) -> Result<PresetAnswers, serde_json::Error> {
        let sampling = self.sampling.map(|given| match given {
            GivenSampling::Practice => SamplingAnswers::Practice,
            GivenSampling::Decline => SamplingAnswers::Decline,
        });
        let forms = self.forms.as_ref().map(GivenForms::answers).transpose()?;
        Ok(PresetAnswers { forms, sampling, ..PresetAnswers::default() })
    }
}
