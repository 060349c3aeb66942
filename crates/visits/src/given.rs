//! Answers to a server's questions that a command gives in advance.

use mooring_answers::{FormAnswers, PresetAnswers, SamplingAnswers, ScriptedAnswers};
use serde::{Deserialize, Serialize};

/// How forms are answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenForms {
    /// Accept with the default values.
    Defaults,
    /// Declined.
    Decline,
    /// Cancelled.
    Cancel,
    /// Use these prepared answers, as JSON.
    Written(String),
}

/// How sampling requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenSampling {
    /// Answer with the practice model.
    Practice,
    /// Declined.
    Decline,
}

/// The answers that can be sent to the running Mooring. Other options of a command (URLs, folders, a model)
/// require a separate connection.
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
