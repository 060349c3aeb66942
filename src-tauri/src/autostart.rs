//! Starts Mooring at login, hidden. Reads the setting from the system each time, because it can change
//! there too.

#[cfg(not(target_os = "linux"))]
pub(crate) use self::system::{is_enabled, set_enabled};
#[cfg(target_os = "linux")]
pub(crate) use self::xdg::{is_enabled, set_enabled};

/// An entry in the person's autostart folder, per the XDG Autostart specification. The crate behind Tauri's
/// plugin ignores `XDG_CONFIG_HOME`, always writes to `~/.config`, and doesn't quote the program's path.
#[cfg(target_os = "linux")]
mod xdg {
    use std::env;
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use crate::closing::HIDDEN;

    const FILE: &str = "mooring.desktop";

    /// Whether Mooring starts at login.
    pub(crate) fn is_enabled() -> io::Result<bool> {
        match fs::read_to_string(entry()?) {
            Ok(text) => Ok(is_active(&text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Turns starting at login on or off.
    pub(crate) fn set_enabled(on: bool) -> io::Result<()> {
        let entry = entry()?;
        if on {
            if let Some(folder) = entry.parent() {
                fs::create_dir_all(folder)?;
            }
            let home = mooring_host::chosen_home().map_err(io::Error::other)?;
            return fs::write(entry, content(&program()?, home.as_deref())?);
        }
        match fs::remove_file(entry) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn entry() -> io::Result<PathBuf> {
        let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let folder = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
        let folder = folder.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "HOME is not set"))?;
        Ok(folder.join("autostart").join(FILE))
    }

    /// The program to start: the `AppImage` that contains this program, or this program itself.
    fn program() -> io::Result<PathBuf> {
        let program = env::current_exe()?;
        Ok(mooring_process::image_file_of(&program).unwrap_or(program))
    }

    /// `home` is the data folder if it isn't the default one: the variable that names it isn't set at
    /// login.
    fn content(program: &Path, home: Option<&Path>) -> io::Result<String> {
        let text = |path: &Path| {
            let text = path.to_str().filter(|path| !path.contains(char::is_control)).map(str::to_owned);
            text.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))
        };
        let mut words = Vec::new();
        if let Some(home) = home {
            words.extend(["env".to_owned(), quoted(&format!("MOORING_HOME={}", text(home)?))]);
        }
        words.extend([quoted(&text(program)?), HIDDEN.to_owned()]);
        Ok(format!(
            "[Desktop Entry]\nType=Application\nName=Mooring\nExec={}\nIcon=mooring-desktop\nTerminal=false\nStartupNotify=false\n",
            words.join(" ")
        ))
    }

    /// Quotes an argument of `Exec`. It is escaped twice: for the quotes and for the value of the key.
    fn quoted(argument: &str) -> String {
        let mut quoted = String::from("\"");
        for character in argument.chars() {
            match character {
                '\\' => quoted.push_str("\\\\\\\\"),
                '"' | '`' | '$' => quoted.extend(["\\\\", character.encode_utf8(&mut [0; 4])]),
                '%' => quoted.push_str("%%"),
                _ => quoted.push(character),
            }
        }
        quoted.push('"');
        quoted
    }

    /// Whether the desktop runs the entry: desktops disable an entry by adding a line to it.
    fn is_active(text: &str) -> bool {
        let is_off = |line: &str| {
            let line: String = line.chars().filter(|character| !character.is_whitespace()).collect();
            ["Hidden=true", "X-GNOME-Autostart-enabled=false"].contains(&line.as_str())
        };
        !text.lines().any(is_off)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn an_entry_starts_the_program_hidden_whatever_its_path() {
            let exec_in = |path: &str, home: Option<&Path>| {
                let text = content(Path::new(path), home).unwrap();
                assert!(is_active(&text), "{text}");
                text.lines().find_map(|line| line.strip_prefix("Exec=").map(str::to_owned)).unwrap()
            };
            let exec = |path: &str| exec_in(path, None);
            assert_eq!(exec("/usr/bin/mooring-desktop"), r#""/usr/bin/mooring-desktop" --hidden"#);
            assert_eq!(exec("/opt/my apps/100%/m"), r#""/opt/my apps/100%%/m" --hidden"#);
            assert_eq!(exec(r#"/a"b$c`d\e"#), r#""/a\\"b\\$c\\`d\\\\e" --hidden"#);
            let elsewhere = exec_in("/m", Some(Path::new("/my data")));
            assert_eq!(elsewhere, r#"env "MOORING_HOME=/my data" "/m" --hidden"#);
            assert!(content(Path::new("/a\nExec=b"), None).is_err());
        }

        #[test]
        fn an_entry_that_the_desktop_switched_off_is_off() {
            assert!(is_active("[Desktop Entry]\nHidden=false\n"));
            for off in ["Hidden=true", "Hidden = true", "X-GNOME-Autostart-enabled=false"] {
                assert!(!is_active(&format!("[Desktop Entry]\n{off}\n")), "{off}");
            }
        }
    }
}

/// A launch agent on macOS, a value of the registry's `Run` key on Windows.
#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;

    use auto_launch::{AutoLaunch, AutoLaunchBuilder};

    use crate::closing::HIDDEN;

    /// Whether Mooring starts at login.
    pub(crate) fn is_enabled() -> io::Result<bool> {
        launch()?.is_enabled().map_err(io::Error::other)
    }

    /// Turns starting at login on or off.
    pub(crate) fn set_enabled(on: bool) -> io::Result<()> {
        let launch = launch()?;
        if on {
            return launch.enable().map_err(io::Error::other);
        }
        if launch.is_enabled().map_err(io::Error::other)? {
            launch.disable().map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn launch() -> io::Result<AutoLaunch> {
        let program = std::env::current_exe()?.display().to_string();
        // The value of the Run key is a command line.
        let program = if cfg!(windows) { format!("\"{program}\"") } else { program };
        let mut builder = AutoLaunchBuilder::new();
        builder.set_app_name("Mooring").set_app_path(&program).set_args(&[HIDDEN]);
        builder.build().map_err(io::Error::other)
    }
}
