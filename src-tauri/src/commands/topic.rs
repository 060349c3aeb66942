//! What the window shows, in as many parts as it reads again by themselves.

use serde::Serialize;
use ts_rs::TS;

/// A part of what the window shows. Commands say in the table which they read and which they change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Topic {
    /// The application: its version, its data and its limits.
    App,
    /// What the person has set.
    Settings,
    /// Saved servers and how they stand.
    Servers,
    /// What a server's icons are, as far as they were loaded.
    Icons,
    /// A server's tools.
    Tools,
    /// A server's resources and templates.
    Resources,
    /// A server's prompts.
    Prompts,
    /// The resources of a server whose changes are announced.
    Subscriptions,
    /// What a server works on in the background.
    Tasks,
    /// Logins.
    Accounts,
    /// The last sign-in to a server.
    SignIn,
    /// The secrets of servers.
    Secrets,
    /// Other apps that use the servers.
    Apps,
    /// The connections of apps, and their calls that run.
    AppActivity,
    /// Where the vault stands.
    Vault,
    /// What waits for the person.
    Inbox,
    /// What the person decided.
    Decisions,
    /// The rules of consent.
    Rules,
    /// What is approved of a server.
    Trust,
    /// Folders that servers may know of.
    Roots,
    /// Providers, routes and budgets.
    Models,
    /// Saved calls and favourites.
    SavedCalls,
    /// What the log can be filtered by.
    Log,
}
