//! How far requests about one server's sign-in may go.

/// Which addresses may be connected to. Link-local addresses, those of clouds' metadata services, multicast and
/// whatever else no server has are out of reach always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Public addresses only.
    Public,
    /// Also private networks, because the server is on one.
    Private,
    /// Also this machine, because the server runs on it.
    Loopback,
}
