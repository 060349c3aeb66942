//! The client's capabilities, limited to those that exist in a server's revision.

use crate::revision::Revision;

/// The client's capabilities: what servers may ask of the host. Exactly these are declared, if they exist in
/// the server's revision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// Forms (`elicitation`, mode `form`).
    pub forms: bool,
    /// URLs to open (`elicitation`, mode `url`).
    pub urls: bool,
    /// Sampling by a model (`sampling`).
    pub sampling: bool,
    /// Tools for sampling (`sampling.tools`).
    pub sampling_tools: bool,
    /// Roots (`roots`).
    pub roots: bool,
    /// Questions as tasks, so that the server fetches the answer later (2025-11-25, `tasks`).
    pub tasks: bool,
}

impl ClientCapabilities {
    /// The union of both.
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

    /// The capabilities that exist in `revision` (LIFE-08).
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
