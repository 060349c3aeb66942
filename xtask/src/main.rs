//! Project tasks: run, test, bench, package.

fn main() {}
