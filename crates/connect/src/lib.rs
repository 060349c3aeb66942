//! Connects a command to its server. The first words name the server, and the connection is a separate one,
//! through the running Mooring, or the one that a shell keeps open.

mod answers;
mod connection;
mod shell;
mod target;
mod visit;

use mooring_command_line as args;
use mooring_faults as fault;
use mooring_terminal::{CommandContext, output, secret_input};

pub use connection::{
    ConnectedServer, NamedItem, account_name, find_running_mooring, find_running_server, host_options,
    open_host, open_passphrase_vault, server_named,
};
pub use shell::{Shell, ShellServer, change_line};
pub use target::{
    Item, Verb, host_target, instance_rule, is_option, line_with, not_listed, resolve, split_command,
    take_item, take_named, take_needed_item, take_none, unknown_option,
};
pub use visit::{Session, Visit, with_connection};
