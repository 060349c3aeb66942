//! The mooring command.

fn main() {}
