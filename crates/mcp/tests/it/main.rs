//! Integration tests of the engine with real child processes and real HTTP on loopback.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper that fails fails the test that calls it")]

mod access;
mod again;
mod alive;
mod era;
mod exchanges;
mod headers;
mod http;
mod idle;
mod limits;
mod listen;
mod lost;
mod modern;
mod questions;
mod required;
mod reuse;
mod rules;
mod sse;
mod stdio;
mod support;
mod tasks;
mod tasks_extension;
mod verbs;
