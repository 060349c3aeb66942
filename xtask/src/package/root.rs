//! A minimal Debian in a folder. It has only what a package asks for, so a missing dependency shows.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::Command;
use crate::headless;
use crate::workspace::Workspace;

/// The release of Debian.
const SUITE: &str = "bookworm";
/// Gives the folder `$1` this system's processes, devices and temporary files, and runs the other arguments.
/// The mounts are private: they end with the command, so deleting the folder never reaches them.
const MOUNT: &str = "root=$1; shift; \
    for part in proc sys dev tmp; do mount --rbind /$part $root/$part || exit; done; exec \"$@\"";

/// How apt-get installs: without asking, only what is needed, and without waiting for the disk.
const APT: [&str; 3] = ["--yes", "--no-install-recommends", "--option=Dpkg::Options::=--force-unsafe-io"];

/// A folder with a system. Dropping this deletes it.
#[derive(Debug)]
pub(super) struct CleanRoot {
    folder: PathBuf,
}

impl CleanRoot {
    /// Downloads and installs the system in `folder`.
    pub(super) fn install(folder: PathBuf) -> Result<Self> {
        let root = Self { folder };
        root.delete()?;
        Command::new("mmdebstrap")
            .args(["--quiet", "--variant=minbase", SUITE])
            .arg(&root.folder)
            .run()
            .context("the clean root could not be made")?;
        root.apt(&["update"])?;
        Ok(root)
    }

    /// A copy in a folder next to this one.
    pub(super) fn copy(&self, name: &str) -> Result<Self> {
        let copy = Self { folder: self.folder.with_file_name(format!("root-{name}")) };
        copy.delete()?;
        Command::new("cp").args(["--archive", "--reflink=auto"]).arg(&self.folder).arg(&copy.folder).run()?;
        Ok(copy)
    }

    /// The path, from outside, of a file in this system.
    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.folder.join(inside.trim_start_matches('/'))
    }

    /// A command that runs in this system.
    pub(super) fn command(&self, program: &str) -> Command {
        self.mounted("chroot").arg(&self.folder).arg(program)
    }

    /// Runs apt-get in this system.
    pub(super) fn apt(&self, arguments: &[&str]) -> Result<()> {
        let command = self.command("apt-get").args(APT);
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").capture()?;
        Ok(())
    }

    /// Runs a script of `tests/e2e` outside of this system, with programs that start those inside. The folder
    /// of the real programs is `programs`. `line` is the command in this system for a program's name.
    pub(super) fn drive(
        &self,
        workspace: &Workspace,
        programs: &str,
        line: impl Fn(&str) -> String,
        arguments: &[&str],
    ) -> Result<()> {
        let starters = self.folder.with_file_name("starters");
        fs::create_dir_all(&starters)?;
        for name in [crate::binaries::DESKTOP].iter().chain(&crate::binaries::COMPANIONS) {
            let file = starters.join(name);
            let script =
                format!("#!/bin/sh\nexec chroot '{}' {} \"$@\"\n", self.folder.display(), line(name));
            fs::write(&file, script)?;
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
        }
        let node = self.mounted(headless::node(workspace));
        headless::prepare(node, workspace, &starters)
            .arg(workspace.root.join("tests/e2e/installed-run.mjs"))
            .args(arguments)
            .env("MOORING_INSTALLED", self.path(programs))
            .env("MOORING_ROOT", &self.folder)
            .env("SHELL", "/bin/sh")
            .run()
            .context("what was installed does not work")
    }

    /// Every path of this system that has Mooring's name, seen from inside.
    pub(super) fn traces(&self) -> Result<Vec<String>> {
        let found = Command::new("find")
            .arg(&self.folder)
            .args(["-xdev", "-iname", "*mooring*", "-printf", "/%P\n"])
            .capture()?;
        Ok(found.lines().map(str::to_owned).collect())
    }

    fn mounted(&self, program: impl Into<std::ffi::OsString>) -> Command {
        Command::new("unshare").args(["--mount", "/bin/sh", "-c", MOUNT, "sh"]).arg(&self.folder).arg(program)
    }

    fn delete(&self) -> Result<()> {
        Command::new("rm").args(["-rf", "--one-file-system"]).arg(&self.folder).capture()?;
        Ok(())
    }
}

impl Drop for CleanRoot {
    fn drop(&mut self) {
        if let Err(error) = self.delete() {
            println!("The folder of the clean root stays: {error:#}");
        }
    }
}

/// Copies a file into a folder of a root, for a program in it.
pub(super) fn bring(root: &CleanRoot, file: &Path) -> Result<String> {
    let name = file.file_name().and_then(|name| name.to_str()).context("a package has a name")?;
    let inside = format!("/opt/{name}");
    fs::copy(file, root.path(&inside)).with_context(|| format!("could not copy: {}", file.display()))?;
    Ok(inside)
}
