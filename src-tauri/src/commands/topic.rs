//! The parts of the window's data that can be reloaded separately.

use serde::Serialize;
use ts_rs::TS;

/// A part of the window's data. The command table says which topics a command reads and which it changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// The application: its version, its data and its limits.
    App,
    /// The person's settings.
    Settings,
    /// Saved servers and their states.
    Servers,
    /// A server's icons that were loaded.
    Icons,
    /// A server's tools.
    Tools,
    /// A server's resources and templates.
    Resources,
    /// A server's prompts.
    Prompts,
    /// A server's resources whose changes are announced.
    Subscriptions,
    /// A server's background tasks.
    Tasks,
    /// Accounts.
    Accounts,
    /// The last sign-in to a server.
    SignIn,
    /// The secrets of servers.
    Secrets,
    /// Other apps that use the servers.
    Apps,
    /// The connections of apps and their running calls.
    AppActivity,
    /// The state of the vault.
    Vault,
    /// The questions that wait for the person.
    Inbox,
    /// The person's decisions.
    Decisions,
    /// Consent rules.
    Rules,
    /// What is approved of a server.
    Trust,
    /// Folders that servers may access.
    Roots,
    /// Profiles, and which one is in use.
    Profiles,
    /// Providers, routes and budgets.
    Models,
    /// Saved calls and favourites.
    SavedCalls,
    /// The copy of the registry, and the servers that came from it.
    Catalog,
    /// The values that the log can be filtered by.
    Log,
}
