//! Mooring's desktop window.

fn main() {}
