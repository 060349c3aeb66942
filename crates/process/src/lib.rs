//! Starting, owning and ending server processes.
