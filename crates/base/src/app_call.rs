//! Names for the calls that apps make. They connect what an app sent with what it caused at a server.

use std::sync::Arc;

/// Prefix of an app's name in a caller's name.
pub const APP_PREFIX: &str = "app:";

/// A call that an app makes. It may take several requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCall {
    /// The app's name.
    pub app: Arc<str>,
    /// Unique across all apps and runs.
    pub number: i64,
}

impl AppCall {
    /// The call's name: `cursor#17`.
    pub fn name(&self) -> Arc<str> {
        format!("{}#{}", self.app, self.number).into()
    }

    /// Parses the name of an app's call. `None` if the caller is not an app or the name has another form.
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
