//! A desktop session of one test's own: a home, a bus, and a keyring daemon that starts and stops as the test
//! says.
//!
//! The bus's address is in the environment, which a process cannot change for itself, so a test in a session
//! runs in a process of its own: the same program, asked for the same test.

use std::env;
use std::fs::{self, DirBuilder};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use mooring_store::Store;

use crate::host::AMPLE;

const HOME: &str = "MOORING_TEST_SESSION";
const NAME: &str = "MOORING_TEST_NAME";
/// Without directories of services: nothing is started because somebody asks for it.
const BUS: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=PATH</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// The session of the process that this is.
pub(crate) struct Session {
    home: PathBuf,
}

/// A process that ends with the test.
pub(crate) struct ChildGuard(Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// The input of the keyring daemon when it starts.
#[derive(Clone, Copy)]
pub(crate) enum KeyringStart {
    /// This password.
    Unlock(&'static str),
    /// Nothing: what is locked stays so.
    Locked,
}

/// Runs the test in a session of its own.
pub(crate) fn in_session<F: Future<Output = ()>>(test: impl FnOnce(Session) -> F) {
    if let Some(home) = env::var_os(HOME) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.unwrap().block_on(test(Session { home: home.into() }));
        return;
    }
    let home = tempfile::tempdir().unwrap();
    for folder in ["run", "data"] {
        DirBuilder::new().mode(0o700).create(home.path().join(folder)).unwrap();
    }
    let ended = this_test()
        .env(HOME, home.path())
        .env("HOME", home.path())
        .env("XDG_RUNTIME_DIR", home.path().join("run"))
        .env("XDG_DATA_HOME", home.path().join("data"))
        .env("XDG_CONFIG_HOME", home.path().join("config"))
        .env("XDG_CACHE_HOME", home.path().join("cache"))
        .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", home.path().join("bus").display()))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("GNOME_KEYRING_CONTROL")
        .output()
        .unwrap();
    let told = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(ended.status.success(), "in its session: {}{}", told(&ended.stdout), told(&ended.stderr));
}

/// This program, asked for the test that is running.
pub(crate) fn this_test() -> Command {
    let name = env::var(NAME).unwrap_or_else(|_| thread::current().name().unwrap().to_owned());
    let mut command = program(env::current_exe().unwrap());
    command.args(["--exact", &name, "--nocapture"]).env(NAME, name);
    command
}

#[expect(clippy::disallowed_methods, reason = "the test's own processes, none of them a server")]
fn program(path: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(path)
}

impl Session {
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// The database of a profile of this name.
    pub(crate) async fn profile(&self, name: &str) -> Store {
        Store::open(&self.home.join(name)).await.unwrap()
    }

    /// Starts the bus.
    pub(crate) fn bus(&self) -> ChildGuard {
        let (socket, config) = (self.home.join("bus"), self.home.join("bus.conf"));
        let _before = fs::remove_file(&socket);
        fs::write(&config, BUS.replace("PATH", &socket.to_string_lossy())).unwrap();
        let mut bus = program("dbus-daemon");
        bus.arg("--nofork").arg(format!("--config-file={}", config.display())).stderr(Stdio::null());
        let bus = ChildGuard(bus.spawn().unwrap());
        // Bound is not yet listening.
        wait_for(|| UnixStream::connect(&socket).is_ok());
        bus
    }

    /// Starts the keyring daemon.
    pub(crate) fn daemon(&self, start: KeyringStart) -> ChildGuard {
        wait_for(|| !has_owner("org.freedesktop.secrets"));
        let mut daemon = program("gnome-keyring-daemon");
        let control = self.home.join("control");
        daemon.arg("--foreground").arg(format!("--control-directory={}", control.display()));
        daemon.arg("--components=secrets").stdout(Stdio::null()).stderr(Stdio::null());
        if let KeyringStart::Unlock(_) = start {
            daemon.arg("--unlock");
        }
        let mut daemon = daemon.stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = daemon.stdin.take().unwrap();
        if let KeyringStart::Unlock(password) = start {
            stdin.write_all(password.as_bytes()).unwrap();
        }
        drop(stdin);
        let daemon = ChildGuard(daemon);
        wait_for(|| has_owner("org.freedesktop.secrets"));
        daemon
    }
}

/// Takes the name of the program that asks for passwords, and never answers.
pub(crate) fn silent_prompter() -> zbus::blocking::Connection {
    thread::spawn(|| {
        let name = "org.gnome.keyring.SystemPrompter";
        zbus::blocking::connection::Builder::session().unwrap().name(name).unwrap().build().unwrap()
    })
    .join()
    .unwrap()
}

/// Whether somebody on the bus has this name.
fn has_owner(name: &'static str) -> bool {
    // The library's blocking calls want a thread without a runtime.
    thread::spawn(move || {
        let bus = zbus::blocking::Connection::session().unwrap();
        let bus = zbus::blocking::fdo::DBusProxy::new(&bus).unwrap();
        bus.name_has_owner(name.try_into().unwrap()).unwrap()
    })
    .join()
    .unwrap()
}

pub(crate) fn wait_for(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + AMPLE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain");
        thread::sleep(Duration::from_millis(10));
    }
}
