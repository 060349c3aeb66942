//! Starts, owns and ends server processes.
//!
//! This is the only crate that starts processes or asks the desktop to open something. It finds the search
//! path of the person's shell, resolves a command to an absolute program, passes on a short list of
//! environment variables, and owns the whole process tree of a program until nothing of the tree is left.
//! Only one process at a time does so for a data folder. It also detects whether the process at the other end
//! of a connection is in such a tree. It doesn't know about MCP.

#[cfg(unix)]
mod account;
mod background;
#[cfg(any(test, windows))]
mod batch;
mod child;
mod command;
mod control;
mod disk;
mod environment;
mod exit;
mod files;
mod folder_lock;
#[cfg(target_os = "linux")]
mod guardian;
mod home;
mod install;
mod launch;
#[cfg(unix)]
mod login_environment;
mod login_search;
mod login_shell;
mod memory;
mod peer;
mod plan;
mod resolve;
mod reveal;
mod run;
mod search_path;
mod spawn;
mod start_queue;
mod sys;
mod terminal_text;
mod tree;
mod unread;

#[cfg(unix)]
pub use background::become_program;
pub use background::start_in_background;
pub use control::{ProcessControl, ServerProcess, ShutdownGrace};
pub use disk::free_space;
pub use environment::{image_file_of, is_in_image, is_inherited};
pub use exit::ProcessExit;
pub use files::raise_file_limit;
pub use folder_lock::FolderLock;
#[cfg(target_os = "linux")]
pub use guardian::use_program as use_guardian;
pub use home::{HomeError, check_home, claim_home, prepare_home};
pub use install::{InstallCommand, InstallOffer, install_offer, package_of};
pub use login_search::{LoginShell, ProgramSearch, join_search_path, path_name, with_declared_path};
pub use login_shell::{LoginShellPath, PathSource, login_shell_path};
pub use memory::{MemoryTrimmer, keep_memory_private};
#[cfg(unix)]
pub use peer::origin_at_socket;
pub use peer::{
    ParentProgram, PeerOrigin, PeerProgram, PeerSession, origin_at_port, peer_program, peer_session,
};
pub use resolve::{ResolveError, resolve};
pub use reveal::{OpenError, open_address, reveal_folder};
pub use run::{RunEnd, run_program};
pub use search_path::{SearchPath, usual_search_path};
pub use spawn::{SpawnError, SpawnOptions, spawn};
pub use start_queue::StartQueue;
pub use terminal_text::plain_text;
pub use unread::UnreadInput;

/// Does nothing, because there is no guardian on this system yet.
#[cfg(not(target_os = "linux"))]
pub fn use_guardian(_program: std::path::PathBuf) {}
