//! Messages between the host and the guardian.
//!
//! A request is a byte on the socket with file descriptors. The last descriptor is a memory file with the
//! request's text, which can have any size. What happens to a server is reported on a separate pipe.

use crate::plan::LaunchPlan;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// A tree whose guardian has died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrphanedTree {
    pub(super) leader: u32,
    pub(super) since: u64,
    pub(super) marker: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Starts a program. Its standard input, output and error and the pipe for reports are sent along.
    Start(LaunchPlan),
    /// Adopts a tree. A pipe is sent along that only shows when this guardian ends.
    Adopt(OrphanedTree),
}

/// The largest request, in bytes. The system starts no program with more than a few mebibytes of arguments
/// and variables.
pub(super) const MAX_REQUEST: usize = 16 * 1024 * 1024;

impl Request {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut text = Vec::new();
        match self {
            Self::Start(plan) => {
                write_field(&mut text, b"start");
                write_field(&mut text, plan.program.as_os_str().as_bytes());
                write_field(&mut text, plan.cwd.as_os_str().as_bytes());
                write_field(
                    &mut text,
                    plan.files.map(|files| files.to_string()).unwrap_or_default().as_bytes(),
                );
                write_field(&mut text, plan.args.len().to_string().as_bytes());
                for argument in &plan.args {
                    write_field(&mut text, argument.as_bytes());
                }
                for (name, value) in &plan.env {
                    write_field(&mut text, name.as_bytes());
                    write_field(&mut text, value.as_bytes());
                }
            }
            Self::Adopt(orphans) => {
                write_field(&mut text, b"adopt");
                write_field(&mut text, orphans.leader.to_string().as_bytes());
                write_field(&mut text, orphans.since.to_string().as_bytes());
                write_field(&mut text, orphans.marker.as_bytes());
            }
        }
        text
    }

    /// Decodes a request. `None` if the text is invalid.
    pub(super) fn decode(text: &[u8]) -> Option<Self> {
        let mut fields = FieldReader(text);
        match fields.next_field()? {
            b"start" => {
                let program = Path::new(OsStr::from_bytes(fields.next_field()?)).to_owned();
                let cwd = Path::new(OsStr::from_bytes(fields.next_field()?)).to_owned();
                let files = match fields.next_text()? {
                    "" => None,
                    number => Some(number.parse().ok()?),
                };
                let count: usize = fields.next_text()?.parse().ok()?;
                let mut args = Vec::new();
                for _ in 0..count {
                    args.push(fields.next_text()?.to_owned());
                }
                let mut env = Vec::new();
                while let Some(name) = fields.next_field() {
                    let own = |bytes: &[u8]| OsString::from_vec(bytes.to_owned());
                    env.push((own(name), own(fields.next_field()?)));
                }
                fields.0.is_empty().then_some(Self::Start(LaunchPlan { program, args, env, cwd, files }))
            }
            b"adopt" => Some(Self::Adopt(OrphanedTree {
                leader: fields.next_text()?.parse().ok()?,
                since: fields.next_text()?.parse().ok()?,
                marker: fields.next_text()?.to_owned(),
            })),
            _ => None,
        }
    }
}

/// Writes a field: its length in four bytes, then its bytes.
fn write_field(text: &mut Vec<u8>, field: &[u8]) {
    // A longer field exceeds the limit of a request, and is refused for that reason.
    let length = u32::try_from(field.len()).unwrap_or(u32::MAX);
    text.extend_from_slice(&length.to_le_bytes());
    text.extend_from_slice(field);
}

struct FieldReader<'a>(&'a [u8]);

impl<'a> FieldReader<'a> {
    fn next_field(&mut self) -> Option<&'a [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (field, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(field)
    }

    fn next_text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.next_field()?).ok()
    }
}

/// A report of the guardian about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    /// The program runs. `since` is when it started, in ticks of the system's clock.
    Started { pid: u32, since: u64 },
    /// The system couldn't start the program. This is the system's error number.
    Failed(i32),
    /// The program exited with this code.
    Exited(i32),
    /// This signal ended the program.
    Signalled(i32),
}

impl Report {
    pub(super) const SIZE: usize = 16;

    pub(super) fn encode(self) -> [u8; Self::SIZE] {
        let (kind, number, since) = match self {
            Self::Started { pid, since } => (0, pid, since),
            Self::Failed(error) => (1, error.cast_unsigned(), 0),
            Self::Exited(code) => (2, code.cast_unsigned(), 0),
            Self::Signalled(signal) => (3, signal.cast_unsigned(), 0),
        };
        let bytes = u128::from(since) << 64 | u128::from(number) << 32 | kind;
        bytes.to_le_bytes()
    }

    pub(super) fn decode(bytes: [u8; Self::SIZE]) -> Option<Self> {
        let bytes = u128::from_le_bytes(bytes);
        let number = u32::try_from(bytes >> 32 & u128::from(u32::MAX)).ok()?;
        let since = u64::try_from(bytes >> 64).ok()?;
        Some(match bytes & u128::from(u32::MAX) {
            0 => Self::Started { pid: number, since },
            1 => Self::Failed(number.cast_signed()),
            2 => Self::Exited(number.cast_signed()),
            3 => Self::Signalled(number.cast_signed()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let odd = OsString::from_vec(vec![0xff, b'=', b'\n']);
        for request in [
            Request::Start(LaunchPlan::default()),
            Request::Start(LaunchPlan {
                program: "/bin/sh".into(),
                args: vec!["-c".into(), String::new(), "é\n\"".into()],
                env: vec![("A".into(), odd.clone()), ("B".into(), OsString::new())],
                cwd: PathBuf::from(odd),
                files: Some(256),
            }),
            Request::Adopt(OrphanedTree { leader: 7, since: u64::MAX, marker: "a-b".into() }),
        ] {
            let text = request.encode();
            assert_eq!(Request::decode(&text), Some(request));
            for end in 0..text.len() {
                assert!(Request::decode(&text[..end]).is_none_or(|cut| cut.encode() == text[..end]));
            }
        }
        assert_eq!(Request::decode(b"\x05\0\0\0hello"), None);
        assert_eq!(Request::decode(&[0xff; 64]), None);
    }

    #[test]
    fn a_report_arrives_as_it_was_sent() {
        for report in [
            Report::Started { pid: u32::MAX, since: u64::MAX },
            Report::Failed(7),
            Report::Exited(-1),
            Report::Signalled(9),
        ] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode([9; 16]), None);
    }
}
