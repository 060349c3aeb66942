//! The names of apps' calls: by them one gets from what an app sent to what it caused at a server.

use std::sync::Arc;

/// What stands before an app's name where callers are named.
pub const APP_PREFIX: &str = "app:";

/// A call that an app makes, however many requests it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCall {
    /// The app's name.
    pub app: Arc<str>,
    /// No other call has it, of whatever app or run.
    pub number: i64,
}

impl AppCall {
    /// The call's name: `cursor#17`.
    pub fn name(&self) -> Arc<str> {
        format!("{}#{}", self.app, self.number).into()
    }

    /// The call of this name of a caller; none: the caller is no app, or gives its calls no such names.
    pub fn from_name(caller: &str, name: &str) -> Option<Self> {
        let app = caller.strip_prefix(APP_PREFIX)?;
        let (of, number) = name.rsplit_once('#')?;
        (of == app).then_some(())?;
        Some(Self { app: app.into(), number: number.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_known_by_its_name_and_caller() {
        let call = AppCall { app: "my#app".into(), number: 17 };
        assert_eq!(AppCall::from_name("app:my#app", &call.name()), Some(call.clone()));
        for (caller, name) in
            [("workbench", "my#app#17"), ("app:other", "my#app#17"), ("app:my#app", "my#app")]
        {
            assert_eq!(AppCall::from_name(caller, name), None, "{caller} {name}");
        }
    }
}
