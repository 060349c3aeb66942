//! What is kept on the disk: private folders and files, and the errors of reading and writing them.

mod error;
mod folder;

pub use error::StoreError;
pub use folder::{create_private_dir, open_private, restrict_access};
