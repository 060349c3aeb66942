//! Installing missing packages: who may, the messages, and the commands.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;

/// A system that only has these scripts. Each logs its calls.
struct FakeSystem {
    directory: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// One system at a time: a script can't run while another test's new process still has it open for writing.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl FakeSystem {
    /// `user` is the id that the system's `id` prints.
    fn new(user: u32, programs: &[&str]) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let system = Self { directory: tempfile::tempdir().unwrap(), _turn: turn };
        system.script("id", &format!("echo {user}"));
        for program in programs {
            system.script(program, &format!("echo \"{program} $*\" >> \"{}\"", system.log().display()));
        }
        system
    }

    /// The path of a file of the system.
    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn log(&self) -> PathBuf {
        self.path("log")
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.path(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        #[expect(clippy::disallowed_methods, reason = "a task is started, no server")]
        let mut command = Command::new(env!("CARGO_BIN_EXE_mooring-xtask"));
        command
            .args(arguments)
            .env("PATH", self.directory.path())
            .env("CARGO", env!("CARGO"))
            .env_remove("DISPLAY")
            .env_remove("WAYLAND_DISPLAY")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .stdin(Stdio::null())
            .output()
            .unwrap()
    }

    /// The calls in order.
    fn called(&self) -> Vec<String> {
        fs::read_to_string(self.log()).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

const PACKAGES: &str = "build-essential pkg-config libwebkit2gtk-4.1-dev";

/// The standard output and standard error of a run that ended with code 3.
fn stopped(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!(output.status.code(), Some(3), "{}{}", text(&output.stdout), text(&output.stderr));
    (text(&output.stdout), text(&output.stderr))
}

#[cfg(target_os = "linux")]
#[test]
fn root_installs_with_apt_after_saying_what_is_missing() {
    let system = FakeSystem::new(0, &["apt-get"]);
    let (said, end) = stopped(&system.run(&["bindings"]));
    for why in ["a C compiler and linker", "finds libraries to link with", "the window's web view"] {
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(
        system.called(),
        ["apt-get update".to_owned(), format!("apt-get install --yes --no-install-recommends {PACKAGES}")]
    );
    // These scripts install nothing, and the check notices it.
    assert!(end.contains("installed, but still not found"), "{end}");
}

#[cfg(target_os = "linux")]
#[test]
fn sudo_without_a_terminal_never_waits_for_a_password() {
    let system = FakeSystem::new(1000, &["apt-get", "sudo"]);
    stopped(&system.run(&["bindings"]));
    let sudo = "sudo --non-interactive --preserve-env=DEBIAN_FRONTEND apt-get";
    assert_eq!(
        system.called(),
        [format!("{sudo} update"), format!("{sudo} install --yes --no-install-recommends {PACKAGES}")]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_user_without_sudo_is_given_the_line_for_an_administrator() {
    let system = FakeSystem::new(1000, &["apt-get"]);
    let (_, end) = stopped(&system.run(&["bindings"]));
    let line =
        format!("sudo apt-get update && sudo apt-get install --yes --no-install-recommends {PACKAGES}");
    assert!(end.contains("needs root") && end.contains(&line), "{end}");
    assert_eq!(system.called(), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn with_no_install_the_exact_line_is_printed_and_nothing_is_run() {
    for (user, prefix) in [(0, ""), (1000, "sudo ")] {
        let system = FakeSystem::new(user, &["apt-get", "sudo"]);
        let (_, end) = stopped(&system.run(&["bindings", "--no-install"]));
        let line = format!(
            "{prefix}apt-get update && {prefix}apt-get install --yes --no-install-recommends {PACKAGES}"
        );
        assert!(end.lines().any(|printed| printed.trim() == line), "{end}");
        assert_eq!(system.called(), [""; 0]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn pictures_need_no_compiler_and_their_install_command_is_shown() {
    let system = FakeSystem::new(0, &["apt-get"]);
    let (_, end) = stopped(&system.run(&["pictures", "--look", "dark", "--no-install", "inbox"]));
    assert!(end.contains(" xvfb webkit2gtk-driver dbus "), "{end}");
    assert!(!end.contains("build-essential"), "{end}");
    assert_eq!(system.called(), [""; 0]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_installation_says_so_with_the_line_to_run_by_hand() {
    let system = FakeSystem::new(0, &[]);
    system.script("apt-get", "exit 100");
    let (_, end) = stopped(&system.run(&["bindings"]));
    assert!(end.contains("The installation failed (exit code 100") && end.contains(PACKAGES), "{end}");
}

#[cfg(target_os = "linux")]
#[test]
fn each_package_manager_gets_its_own_command_or_none_is_said() {
    let check = |manager: &str, expected: &str| {
        let system = FakeSystem::new(0, &[manager]);
        let (_, end) = stopped(&system.run(&["bindings", "--no-install"]));
        assert!(end.lines().any(|line| line.trim() == expected), "{manager}: {end}");
    };
    check("dnf", "dnf install --assumeyes gcc gcc-c++ make pkgconf-pkg-config webkit2gtk4.1-devel");
    check("pacman", "pacman -S --needed --noconfirm base-devel pkgconf webkit2gtk-4.1");
    check("zypper", "zypper --non-interactive install gcc gcc-c++ make pkg-config webkit2gtk3-devel");
    let (_, end) = stopped(&FakeSystem::new(0, &[]).run(&["bindings"]));
    assert!(end.contains("No package manager") && end.contains("libwebkit2gtk-4.1-dev"), "{end}");
}

/// The output of `cargo xtask test --only STEP --no-install`.
#[cfg(target_os = "linux")]
fn step_output(system: &FakeSystem, step: &str) -> String {
    let output = system.run(&["test", "--only", step, "--no-install"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("setup: failed"), "{said}");
    said
}

#[cfg(target_os = "linux")]
#[test]
fn every_step_that_needs_a_keyring_or_a_repository_asks_for_it() {
    for (step, keyring, git) in [
        ("docs", false, false),
        ("rust-tests", true, false),
        ("journeys", true, true),
        ("window", true, true),
    ] {
        let said = step_output(&FakeSystem::new(0, &["apt-get"]), step);
        assert_eq!(said.contains(" gnome-keyring"), keyring, "{step}: {said}");
        assert_eq!(said.contains(" git"), git, "{step}: {said}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_tests_in_rust_look_for_python_before_anything_is_built() {
    let system = FakeSystem::new(0, &["cc", "pkg-config", "dbus-daemon", "gnome-keyring-daemon", "npm"]);
    system.script("node", "echo v24.0.0");
    let said = step_output(&system, "rust-tests");
    assert!(said.contains("Python 3.11 or newer is needed and was not found"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn measuring_steps_check_for_python_before_building() {
    let programs = ["cc", "pkg-config", "npm", "Xvfb", "WebKitWebDriver", "dbus-daemon", "mmdebstrap", "rpm"];
    let system = FakeSystem::new(0, &programs);
    system.script("node", "echo v24.0.0");
    system.script("fc-list", "echo DejaVu Sans, Noto Sans CJK SC, Noto Color Emoji");
    system.script("apt-get", "exit 1");
    for task in [&["bench", "reliability"][..], &["package", "--bundles", "deb", "--check"]] {
        let (_, end) = stopped(&system.run(&[task, &["--no-install"]].concat()));
        assert!(end.contains("Python 3.11 or newer is needed and was not found"), "{task:?}: {end}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn disk_filling_steps_check_beforehand_that_they_may_mount() {
    for (user, tried) in [(0, "unshare --mount true"), (1000, "unshare --mount --map-root-user true")] {
        let programs = ["cc", "pkg-config", "dbus-daemon", "gnome-keyring-daemon", "npm", "python3"];
        let system = FakeSystem::new(user, &programs);
        system.script("node", "echo v24.0.0");
        system.script("unshare", &format!("echo \"unshare $*\" >> \"{}\"; exit 1", system.log().display()));
        let said = step_output(&system, "rust-tests");
        assert!(said.contains(&format!("`{tried}` fails here")) && said.contains("CAP_SYS_ADMIN"), "{said}");
        assert!(system.called().iter().any(|line| line == tried), "{:?}", system.called());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn virtual_display_rejects_nonsense_arguments() {
    let system = FakeSystem::new(0, &[]);
    for task in [&["run", "--headless", "--", "--hidden"][..], &["run", "--", "--hidden"]] {
        let output = system.run(task);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("takes no arguments: --hidden"), "{said}");
    }
}
