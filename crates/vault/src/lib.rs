//! One key in the system's keychain, and what is sealed under it.
