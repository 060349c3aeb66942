//! How large a bundle may be.

/// Limits of a bundle. Tests use smaller ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Maximum size of the file, in bytes.
    pub(crate) file_bytes: u64,
    /// Maximum number of entries, with folders.
    pub(crate) entries: u64,
    /// Maximum size of all unpacked files, in bytes, counted while they are written.
    pub(crate) unpacked_bytes: u64,
    /// How many times as large as the file its content may be. It counts from [`Self::free_bytes`] on.
    pub(crate) ratio: u64,
    /// What may always be unpacked, in bytes.
    pub(crate) free_bytes: u64,
    /// Maximum size of the manifest, in bytes.
    pub(crate) manifest_bytes: u64,
}

impl Limits {
    /// The limits of shipped code. Repetitive text shrinks to a thousandth, programs to about a third.
    pub(crate) const DEFAULT: Self = Self {
        file_bytes: 512 << 20,
        entries: 20_000,
        unpacked_bytes: 1 << 30,
        ratio: 200,
        free_bytes: 64 << 20,
        manifest_bytes: 1 << 20,
    };

    /// Maximum number of bytes that a file of this size may unpack to.
    pub(crate) fn budget(&self, file_bytes: u64) -> u64 {
        self.unpacked_bytes.min(self.free_bytes.max(file_bytes.saturating_mul(self.ratio)))
    }
}
