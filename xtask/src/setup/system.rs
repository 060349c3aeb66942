//! System packages: finds the missing ones, says why they are needed, and installs them.
//!
//! A requirement is checked by what it provides, not by a package's name, so other distributions and Nix work
//! too. CI tests the commands for apt. Those for dnf, pacman and zypper are untested.

use std::collections::BTreeSet;
use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::command::Command;
use crate::setup::{InstallMode, MissingPrerequisite, program};

/// How to check whether a requirement is met.
#[derive(Clone, Copy, Debug)]
enum Probe {
    /// All of these programs are on the PATH.
    Program(&'static [&'static str]),
    /// `pkg-config` knows this library.
    Library(&'static str),
    /// fontconfig has this family.
    Font(&'static str),
    /// The browser that ships with the web view.
    Browser,
}

/// Something that a task needs from the system.
#[derive(Debug)]
pub(crate) struct Prerequisite {
    why: &'static str,
    probe: Probe,
    apt: &'static str,
    dnf: &'static str,
    pacman: &'static str,
    zypper: &'static str,
}

/// Requirements to compile the window.
pub(crate) const BUILD: &[Prerequisite] = &[
    Prerequisite {
        why: "a C compiler and linker",
        probe: Probe::Program(&["cc"]),
        apt: "build-essential",
        dnf: "gcc gcc-c++ make",
        pacman: "base-devel",
        zypper: "gcc gcc-c++ make",
    },
    Prerequisite {
        why: "finds libraries to link with",
        probe: Probe::Program(&["pkg-config"]),
        apt: "pkg-config",
        dnf: "pkgconf-pkg-config",
        pacman: "pkgconf",
        zypper: "pkg-config",
    },
    Prerequisite {
        why: "the window's web view, to link with",
        probe: Probe::Library("webkit2gtk-4.1"),
        apt: "libwebkit2gtk-4.1-dev",
        dnf: "webkit2gtk4.1-devel",
        pacman: "webkit2gtk-4.1",
        zypper: "webkit2gtk3-devel",
    },
];

/// Requirements to open and drive the real window without a display, with Chinese and emoji fonts for its
/// pictures.
pub(crate) const HEADLESS: &[Prerequisite] = &[
    Prerequisite {
        why: "a display without a screen",
        probe: Probe::Program(&["Xvfb"]),
        apt: "xvfb",
        dnf: "xorg-x11-server-Xvfb",
        pacman: "xorg-server-xvfb",
        zypper: "xorg-x11-server-Xvfb",
    },
    Prerequisite {
        why: "drives the window",
        probe: Probe::Program(&["WebKitWebDriver"]),
        apt: "webkit2gtk-driver",
        dnf: "webkitgtk6.0",
        pacman: "webkitgtk-6.0",
        zypper: "webkit2gtk4-minibrowser",
    },
    Prerequisite {
        why: "a session bus of its own",
        probe: Probe::Program(&["dbus-daemon"]),
        apt: "dbus",
        dnf: "dbus-daemon",
        pacman: "dbus",
        zypper: "dbus-1",
    },
    Prerequisite {
        why: "finds fonts",
        probe: Probe::Program(&["fc-list"]),
        apt: "fontconfig",
        dnf: "fontconfig",
        pacman: "fontconfig",
        zypper: "fontconfig",
    },
    Prerequisite {
        why: "Latin text outside the bundled fonts",
        probe: Probe::Font("DejaVu Sans"),
        apt: "fonts-dejavu-core",
        dnf: "dejavu-sans-fonts",
        pacman: "ttf-dejavu",
        zypper: "dejavu-fonts",
    },
    Prerequisite {
        why: "Chinese text on pictures",
        probe: Probe::Font("Noto Sans CJK SC"),
        apt: "fonts-noto-cjk",
        dnf: "google-noto-sans-cjk-fonts",
        pacman: "noto-fonts-cjk",
        zypper: "google-noto-sans-cjk-fonts",
    },
    Prerequisite {
        why: "emoji on pictures",
        probe: Probe::Font("Noto Color Emoji"),
        apt: "fonts-noto-color-emoji",
        dnf: "google-noto-color-emoji-fonts",
        pacman: "noto-fonts-emoji",
        zypper: "google-noto-coloremoji-fonts",
    },
];

/// Requirements to show the pages in the web view without the window.
pub(crate) const BROWSER: &[Prerequisite] = &[Prerequisite {
    why: "the small browser of the window's web view",
    probe: Probe::Browser,
    apt: "libwebkit2gtk-4.1-0",
    dnf: "webkit2gtk4.1",
    pacman: "webkit2gtk-4.1",
    zypper: "webkit2gtk4-minibrowser",
}];

/// Requirements to save a key in a desktop's keyring, on a separate session bus.
pub(crate) const KEYRING: &[Prerequisite] = &[
    Prerequisite {
        why: "a session bus of its own",
        probe: Probe::Program(&["dbus-daemon"]),
        apt: "dbus",
        dnf: "dbus-daemon",
        pacman: "dbus",
        zypper: "dbus-1",
    },
    Prerequisite {
        why: "keeps passwords, for the tests of the vault",
        probe: Probe::Program(&["gnome-keyring-daemon"]),
        apt: "gnome-keyring",
        dnf: "gnome-keyring",
        pacman: "gnome-keyring",
        zypper: "gnome-keyring",
    },
];

/// Requirements to give the git server a repository.
pub(crate) const GIT: &[Prerequisite] = &[Prerequisite {
    why: "the repository that a real server reads",
    probe: Probe::Program(&["git"]),
    apt: "git",
    dnf: "git-core",
    pacman: "git",
    zypper: "git-core",
}];

/// Requirements to try packages in a clean root.
pub(crate) const PACKAGES: &[Prerequisite] = &[
    Prerequisite {
        why: "makes the clean root",
        probe: Probe::Program(&["mmdebstrap"]),
        apt: "mmdebstrap",
        dnf: "mmdebstrap",
        pacman: "mmdebstrap",
        zypper: "mmdebstrap",
    },
    Prerequisite {
        why: "installs the .rpm there",
        probe: Probe::Program(&["rpm"]),
        apt: "rpm",
        dnf: "rpm",
        pacman: "rpm-tools",
        zypper: "rpm",
    },
];

/// Requirements to make an `AppImage`.
pub(crate) const IMAGE: &[Prerequisite] = &[
    Prerequisite {
        why: "lets programs find libraries beside them",
        probe: Probe::Program(&["patchelf"]),
        apt: "patchelf",
        dnf: "patchelf",
        pacman: "patchelf",
        zypper: "patchelf",
    },
    Prerequisite {
        why: "packs the image",
        probe: Probe::Program(&["mksquashfs"]),
        apt: "squashfs-tools",
        dnf: "squashfs-tools",
        pacman: "squashfs-tools",
        zypper: "squashfs",
    },
    Prerequisite {
        why: "compiles the web view's settings",
        probe: Probe::Program(&["glib-compile-schemas"]),
        apt: "libglib2.0-bin",
        dnf: "glib2-devel",
        pacman: "glib2",
        zypper: "glib2-devel",
    },
];

/// Python's virtual environments, which Debian has in a separate package.
pub(crate) const VENV: Prerequisite = Prerequisite {
    why: "virtual environments for Python servers and tools",
    probe: Probe::Program(&[]),
    apt: "python3-venv",
    dnf: "python3",
    pacman: "python",
    zypper: "python3",
};

/// A package manager, its command to refresh the package lists, and its install command.
struct Manager {
    program: &'static str,
    refresh: Option<&'static [&'static str]>,
    install: &'static [&'static str],
    packages: fn(&Prerequisite) -> &'static str,
}

const MANAGERS: [Manager; 4] = [
    Manager {
        program: "apt-get",
        refresh: Some(&["update"]),
        install: &["install", "--yes", "--no-install-recommends"],
        packages: |need| need.apt,
    },
    Manager {
        program: "dnf",
        refresh: None,
        install: &["install", "--assumeyes"],
        packages: |need| need.dnf,
    },
    Manager {
        program: "pacman",
        refresh: None,
        install: &["-S", "--needed", "--noconfirm"],
        packages: |need| need.pacman,
    },
    Manager {
        program: "zypper",
        refresh: None,
        install: &["--non-interactive", "install"],
        packages: |need| need.zypper,
    },
];

/// Checks that all requirements are met. Only Linux installs packages this way.
pub(crate) fn ensure(needs: &[&'static [Prerequisite]], installing: InstallMode) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let fonts = fonts();
    let mut missing: Vec<&Prerequisite> =
        needs.iter().flat_map(|group| group.iter()).filter(|need| !need.is_met(&fonts)).collect();
    // Two groups may have the same requirement.
    let mut named = BTreeSet::new();
    missing.retain(|need| named.insert(need.apt));
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing, installing)?;
    let fonts = self::fonts();
    let still: Vec<&str> = missing.iter().filter(|need| !need.is_met(&fonts)).map(|need| need.why).collect();
    if still.is_empty() {
        return Ok(());
    }
    Err(MissingPrerequisite(format!("installed, but still not found: {}", still.join("; "))).into())
}

/// Lists the missing packages and the reasons, and installs them or stops with the install command.
pub(crate) fn install(missing: &[&Prerequisite], installing: InstallMode) -> Result<()> {
    let count = missing.len();
    let things = if count == 1 { "1 thing" } else { &format!("{count} things") };
    println!("Mooring needs {things} that this system does not have yet:");
    let Some(manager) = MANAGERS.iter().find(|manager| program(manager.program).is_some()) else {
        let list: Vec<String> =
            missing.iter().map(|need| format!("  {:<26}{}", need.apt, need.why)).collect();
        return Err(MissingPrerequisite(format!(
            "{}\nNo package manager that this task knows was found. \
             Install them by hand (the names above are Debian's), then run this again.",
            list.join("\n")
        ))
        .into());
    };
    for need in missing {
        println!("  {:<26}{}", (manager.packages)(need), need.why);
    }
    let packages: Vec<&str> =
        missing.iter().flat_map(|need| (manager.packages)(need).split_whitespace()).collect();
    let right = Privilege::find()?;
    let line = manager.line(&right, &packages);
    if installing == InstallMode::Print {
        return Err(
            MissingPrerequisite(format!("Nothing was installed. To install them, run:\n  {line}")).into()
        );
    }
    if right == Privilege::None {
        return Err(MissingPrerequisite(format!(
            "Installing them needs root, and there is no sudo here. Have an administrator run:\n  {line}"
        ))
        .into());
    }
    println!("Installing them:");
    let mut commands = Vec::new();
    commands.extend(manager.refresh.map(|arguments| right.command(manager.program).args(arguments)));
    commands.push(right.command(manager.program).args(manager.install).args(&packages));
    for command in commands {
        command.env("DEBIAN_FRONTEND", "noninteractive").run().map_err(|error| {
            MissingPrerequisite(format!(
                "The installation failed ({error:#}). To install by hand, run:\n  {line}"
            ))
        })?;
    }
    Ok(())
}

impl Manager {
    fn line(&self, right: &Privilege, packages: &[&str]) -> String {
        let prefix = right.prefix();
        let refresh =
            self.refresh.map(|arguments| format!("{prefix}{} {} && ", self.program, arguments.join(" ")));
        let install = self.install.join(" ");
        let packages = packages.join(" ");
        format!("{}{prefix}{} {install} {packages}", refresh.unwrap_or_default(), self.program)
    }
}

/// How this process can install packages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Privilege {
    Root,
    Sudo,
    None,
}

impl Privilege {
    /// Finds out who runs this process and whether they can use sudo.
    pub(crate) fn find() -> Result<Self> {
        let id = Command::new("id").arg("-u").capture().context("could not find out who runs this")?;
        if id.trim() == "0" {
            return Ok(Self::Root);
        }
        Ok(if program("sudo").is_some() { Self::Sudo } else { Self::None })
    }

    /// The prefix of a command that needs this privilege.
    pub(crate) fn prefix(&self) -> &'static str {
        if *self == Self::Root { "" } else { "sudo " }
    }

    /// A command that runs `program` with this privilege.
    pub(crate) fn command(&self, program: &str) -> Command {
        if *self == Self::Root {
            return Command::new(program);
        }
        // Without a terminal, a password can't be entered: fail at once instead of waiting.
        let sudo = Command::new("sudo");
        let sudo = if io::stdin().is_terminal() { sudo } else { sudo.arg("--non-interactive") };
        sudo.arg("--preserve-env=DEBIAN_FRONTEND").arg(program)
    }
}

impl Prerequisite {
    fn is_met(&self, fonts: &str) -> bool {
        match self.probe {
            Probe::Program(names) => names.iter().all(|name| program(name).is_some()),
            Probe::Library(name) => Command::new("pkg-config").args(["--exists", name]).succeeds(),
            Probe::Font(family) => fonts.contains(family),
            Probe::Browser => browser().is_some(),
        }
    }
}

/// The browser that ships with the window's web view. Distributions install it next to the view's processes.
pub(crate) fn browser() -> Option<PathBuf> {
    let triplet = format!("{}-linux-gnu", env::consts::ARCH);
    let libraries =
        [format!("/usr/lib/{triplet}"), "/usr/libexec".into(), "/usr/lib64".into(), "/usr/lib".into()];
    let folders = ["webkit2gtk-4.1", "libwebkit2gtk-4_1-0"];
    libraries
        .iter()
        .flat_map(|library| folders.map(|folder| PathBuf::from(library).join(folder).join("MiniBrowser")))
        .find(|candidate| candidate.is_file())
}

/// Checks that private mounts work, because tests of a full disk need them. No package provides this.
pub(crate) fn private_mounts() -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let mut tried = vec!["--mount"];
    if Privilege::find()? != Privilege::Root {
        tried.push("--map-root-user");
    }
    tried.push("true");
    if Command::new("unshare").args(&tried).succeeds() {
        return Ok(());
    }
    Err(MissingPrerequisite(format!(
        "Private mounts are needed, for the tests of a full disk, and `unshare {}` fails here. Run it to see why. \
         A container may need CAP_SYS_ADMIN, and Ubuntu \
         `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`; then run this again.",
        tried.join(" ")
    ))
    .into())
}

fn fonts() -> String {
    Command::new("fc-list").args([":", "family"]).capture().unwrap_or_default()
}

/// Whether a window can be opened on a real display.
pub(crate) fn has_display() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}
