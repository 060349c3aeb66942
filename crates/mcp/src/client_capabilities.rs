//! The client's capabilities, limited to what a server's revision knows.

use crate::revision::Revision;

/// The client's capabilities: what a server may ask of the host. Exactly these are declared, as far as the server's
/// revision knows them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Forms (`elicitation`, mode `form`).
    pub forms: bool,
    /// URLs to be opened (`elicitation`, mode `url`).
    pub urls: bool,
    /// Answers of a model (`sampling`).
    pub sampling: bool,
    /// Tools offered to that model (`sampling.tools`).
    pub sampling_tools: bool,
    /// Folders (`roots`).
    pub roots: bool,
    /// Tasks for what is asked: the server fetches the answer later (2025-11-25, `tasks`).
    pub tasks: bool,
}

impl ClientCapabilities {
    /// What one of both has.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            forms: self.forms || other.forms,
            urls: self.urls || other.urls,
            sampling: self.sampling || other.sampling,
            sampling_tools: self.sampling_tools || other.sampling_tools,
            roots: self.roots || other.roots,
            tasks: self.tasks || other.tasks,
        }
    }

    /// Those of them that a server of `revision` knows (LIFE-08).
    pub(crate) fn supported_by(self, revision: Revision) -> Self {
        Self {
            forms: self.forms && revision >= Revision::R2025_06_18,
            urls: self.urls && revision >= Revision::R2025_11_25,
            sampling_tools: self.sampling_tools && revision >= Revision::R2025_11_25,
            tasks: self.tasks && revision == Revision::R2025_11_25,
            ..self
        }
    }
}
