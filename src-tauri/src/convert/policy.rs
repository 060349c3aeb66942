//! Rules of consent, and what is approved of servers.

use mooring_host as host;

use crate::dto::{
    ArgumentCondition, ArgumentTest, DiffOp, DiffPiece, HiddenCharacter, IpcError, PinApproval, PinChange,
    PinKind, PinState, PinView, RuleEffect, RuleInput, RuleView, SimulatedCall, Simulation, TrustView,
};

impl From<host::Decision> for RuleEffect {
    fn from(decision: host::Decision) -> Self {
        match decision {
            host::Decision::Allow => Self::Allow,
            host::Decision::Ask => Self::Ask,
            host::Decision::Deny => Self::Deny,
        }
    }
}

impl From<RuleEffect> for host::Decision {
    fn from(effect: RuleEffect) -> Self {
        match effect {
            RuleEffect::Allow => Self::Allow,
            RuleEffect::Ask => Self::Ask,
            RuleEffect::Deny => Self::Deny,
        }
    }
}

impl From<host::ArgumentCondition> for ArgumentCondition {
    fn from(condition: host::ArgumentCondition) -> Self {
        let test = match condition.test {
            host::ArgumentTest::Equals => ArgumentTest::Equals,
            host::ArgumentTest::StartsWith => ArgumentTest::StartsWith,
            host::ArgumentTest::Contains => ArgumentTest::Contains,
            host::ArgumentTest::Present => ArgumentTest::Present,
        };
        Self { pointer: condition.pointer, test, value: condition.value }
    }
}

impl From<ArgumentCondition> for host::ArgumentCondition {
    fn from(condition: ArgumentCondition) -> Self {
        let test = match condition.test {
            ArgumentTest::Equals => host::ArgumentTest::Equals,
            ArgumentTest::StartsWith => host::ArgumentTest::StartsWith,
            ArgumentTest::Contains => host::ArgumentTest::Contains,
            ArgumentTest::Present => host::ArgumentTest::Present,
        };
        Self { pointer: condition.pointer, test, value: condition.value }
    }
}

impl TryFrom<RuleInput> for host::NewRule {
    type Error = IpcError;

    fn try_from(rule: RuleInput) -> Result<Self, IpcError> {
        let caller = rule.caller.map(|name| {
            host::Caller::from_name(&name).ok_or_else(|| host::HostError::InvalidRule {
                field: "caller",
                message: host::say!("not a caller: {name}", name),
            })
        });
        Ok(Self {
            effect: rule.effect.into(),
            server: rule.server.map(host::ServerId),
            tool: rule.tool,
            caller: caller.transpose()?,
            destructive_only: rule.destructive_only,
            arguments: rule.arguments.into_iter().map(Into::into).collect(),
            expires_ms: rule.expires_at,
        })
    }
}

impl From<host::NewRule> for RuleInput {
    fn from(rule: host::NewRule) -> Self {
        Self {
            effect: rule.effect.into(),
            server: rule.server.map(|server| server.0),
            tool: rule.tool,
            caller: rule.caller.map(|caller| caller.as_str().to_owned()),
            destructive_only: rule.destructive_only,
            arguments: rule.arguments.into_iter().map(Into::into).collect(),
            expires_at: rule.expires_ms,
        }
    }
}

impl From<host::RuleView> for RuleView {
    fn from(view: host::RuleView) -> Self {
        Self {
            id: view.rule.id,
            session: view.rule.id < 0,
            pinned: view.rule.pin.is_some(),
            created_at: view.rule.created_ms,
            from_answer: view.rule.from_answer,
            rule: view.rule.rule.into(),
            server_name: view.server_name,
            uses: view.uses,
            used_at: view.used_ms,
            changed: view.changed,
        }
    }
}

impl From<host::Simulation> for Simulation {
    fn from(simulation: host::Simulation) -> Self {
        let host::Simulation { calls, matched, changed, unknown, pinned } = simulation;
        Self { calls, matched, changed: changed.into_iter().map(Into::into).collect(), unknown, pinned }
    }
}

impl From<host::SimulatedCall> for SimulatedCall {
    fn from(call: host::SimulatedCall) -> Self {
        Self {
            row: call.row,
            at: call.at_ms,
            server_name: call.server_name,
            tool: call.tool,
            caller: call.caller.as_str().to_owned(),
            before: call.before.into(),
            after: call.after.into(),
        }
    }
}

impl From<host::TrustView> for TrustView {
    fn from(view: host::TrustView) -> Self {
        let items = view.items.into_iter().map(Into::into).collect();
        Self { server: view.server.0, definition: view.definition.into(), items }
    }
}

impl From<host::PinKind> for PinKind {
    fn from(kind: host::PinKind) -> Self {
        match kind {
            host::PinKind::Server => Self::Server,
            host::PinKind::Instructions => Self::Instructions,
            host::PinKind::Tool => Self::Tool,
            host::PinKind::Prompt => Self::Prompt,
            host::PinKind::Template => Self::Template,
        }
    }
}

impl From<PinKind> for host::PinKind {
    fn from(kind: PinKind) -> Self {
        match kind {
            PinKind::Server => Self::Server,
            PinKind::Instructions => Self::Instructions,
            PinKind::Tool => Self::Tool,
            PinKind::Prompt => Self::Prompt,
            PinKind::Template => Self::Template,
        }
    }
}

impl From<host::PinView> for PinView {
    fn from(pin: host::PinView) -> Self {
        Self {
            kind: pin.kind.into(),
            name: pin.name,
            state: match pin.state {
                host::PinState::New => PinState::New,
                host::PinState::Approved => PinState::Approved,
                host::PinState::Changed => PinState::Changed,
                host::PinState::Gone => PinState::Gone,
            },
            hash: pin.hash,
            approved_at: pin.approved_ms,
            changes: pin.changes.into_iter().map(Into::into).collect(),
            unshown: u32::try_from(pin.unshown).unwrap_or(u32::MAX),
            now: pin.now,
            whole: pin.whole,
            hidden: pin.hidden.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<host::PinChange> for PinChange {
    fn from(change: host::PinChange) -> Self {
        let pieces = change.pieces.into_iter().map(|piece| DiffPiece {
            op: match piece.op {
                host::DiffOp::Same => DiffOp::Same,
                host::DiffOp::Removed => DiffOp::Removed,
                host::DiffOp::Added => DiffOp::Added,
            },
            text: piece.text,
        });
        Self { pointer: change.pointer, pieces: pieces.collect() }
    }
}

impl From<host::HiddenCharacter> for HiddenCharacter {
    fn from(found: host::HiddenCharacter) -> Self {
        let host::HiddenCharacter { pointer, code_point, reason, count } = found;
        Self { pointer, code_point, reason: reason.into(), count }
    }
}

impl From<PinApproval> for host::PinApproval {
    fn from(approval: PinApproval) -> Self {
        Self { kind: approval.kind.into(), name: approval.name, hash: approval.hash }
    }
}
