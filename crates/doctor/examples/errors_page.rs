//! Prints `docs/errors.md`.
#![expect(clippy::print_stdout, reason = "this is its output")]

fn main() {
    print!("{}", mooring_doctor::errors_page());
}
