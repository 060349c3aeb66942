//! Removes a server's secrets from what the server says about itself and about its errors. The secrets are only
//! known while the server runs, so this happens before front ends can keep the texts.

use mooring_calls::CallError;
use mooring_errors::Failure;
use mooring_mcp::{Diagnostic, Handshake, HandshakeStep};
use mooring_recorder::Recorder;
use serde_json::value::RawValue;

use mooring_server_state::{NegotiationStep, Peer};

/// Redacts the server's secrets in a failure.
pub(super) fn redact_failure(failure: Failure, recorder: &Recorder) -> Failure {
    Failure {
        message: recorder.redact_sentence(&failure.message),
        next: failure.next.map(|next| recorder.redact_sentence(&next)),
        evidence: failure.evidence.map(|evidence| recorder.redact_evidence(&evidence)),
        ..failure
    }
}

/// Redacts the server's secrets in the error of a request.
pub(super) fn redact_call_error(error: CallError, recorder: &Recorder) -> CallError {
    let data = error.data.map(|data| recorder.redact_text(data.get()));
    CallError {
        message: recorder.redact_text(&error.message),
        said: error.said.map(|said| recorder.redact_sentence(&said)),
        next: error.next.map(|next| recorder.redact_sentence(&next)),
        evidence: error.evidence.map(|evidence| recorder.redact_evidence(&evidence)),
        // Data that is no JSON any more is left out.
        data: data.and_then(|data| RawValue::from_string(data).ok()),
        ..error
    }
}

/// What the server sent in the handshake. Its instructions and capabilities are as sent, because they are
/// approved and passed on to apps.
pub(super) fn to_peer(handshake: &Handshake, recorder: &Recorder) -> Peer {
    let text = |text: &Option<String>| text.as_deref().map(|text| recorder.redact_text(text));
    let step = |step: &HandshakeStep| NegotiationStep {
        request: step.request.to_owned(),
        outcome: recorder.redact_sentence(&step.outcome),
        elapsed: step.elapsed,
    };
    let diagnostic = |found: &Diagnostic| Diagnostic {
        code: found.code,
        path: recorder.redact_text(&found.path),
        message: recorder.redact_sentence(&found.message),
    };
    Peer {
        name: text(&handshake.server_name),
        title: text(&handshake.server_title),
        version: text(&handshake.server_version),
        instructions: handshake.instructions.clone(),
        revision: handshake.revision.as_str().to_owned(),
        era: handshake.era.as_str().to_owned(),
        reason: recorder.redact_sentence(&handshake.reason),
        steps: handshake.negotiation.iter().map(step).collect(),
        capabilities: handshake.capabilities.clone(),
        diagnostics: handshake.diagnostics.iter().map(diagnostic).collect(),
    }
}
