//! Translatable sentences for common I/O errors.

use std::io::{Error, ErrorKind};

use crate::say;
use crate::sentence::Sentence;

/// A sentence for an I/O error: our own for common kinds, otherwise the system's text.
pub fn io_error_sentence(error: &Error) -> Sentence {
    match error.kind() {
        ErrorKind::ConnectionRefused => say!("the connection was refused"),
        ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => say!("the connection was cut"),
        ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
            say!("the network is unreachable")
        }
        ErrorKind::TimedOut => say!("it took too long"),
        ErrorKind::UnexpectedEof => say!("it ended in the middle"),
        ErrorKind::BrokenPipe => say!("the other side closed the connection"),
        ErrorKind::NotFound => say!("it doesn’t exist"),
        ErrorKind::NotADirectory => say!("it isn’t a folder"),
        ErrorKind::PermissionDenied => say!("permission was denied"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => say!("the disk is full"),
        ErrorKind::ReadOnlyFilesystem => say!("it is read-only"),
        _ => Sentence::quoted(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_errors_have_words_of_ours_and_others_keep_their_own() {
        assert_eq!(&*io_error_sentence(&ErrorKind::ConnectionRefused.into()), "the connection was refused");
        let rare = Error::other("the harbour is closed");
        assert_eq!(&*io_error_sentence(&rare), "the harbour is closed");
    }
}
