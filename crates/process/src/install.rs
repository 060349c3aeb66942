//! Installs missing programs, with a fixed table of commands by program, system and installer.
//!
//! No text from a server or its settings becomes part of a command. The missing program's name only selects a
//! row. No row runs a shell, downloads a script or becomes another user.

use crate::resolve::resolve;
use crate::search_path::SearchPath;
use serde::Serialize;
use std::path::{Path, PathBuf};
use ts_rs::TS;

/// The operating systems that installers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Linux,
    Macos,
    Windows,
}

impl System {
    const THIS: Self = if cfg!(windows) {
        Self::Windows
    } else if cfg!(target_os = "macos") {
        Self::Macos
    } else {
        Self::Linux
    };
}

/// What is missing, and how to install it here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InstallOffer {
    /// The package with the missing program, such as `Node.js`.
    pub package: &'static str,
    /// The official page about installing it (https).
    pub page: &'static str,
    /// The command that installs the package. `None` if no installer on this machine provides the missing
    /// program.
    pub command: Option<InstallCommand>,
    /// If there is no `command`, a command for a terminal, where it can ask for a password.
    pub terminal: Option<&'static str>,
}

/// A command that installs something, with an installer that is on the search path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InstallCommand {
    /// The installer's absolute path.
    #[serde(skip)]
    #[ts(skip)]
    pub program: PathBuf,
    /// The installer's absolute path and its arguments, as text.
    pub line: Vec<String>,
    /// Where the installer downloads from.
    pub source: &'static str,
    /// The system may ask for an administrator's permission during the installation.
    pub elevates: bool,
}

impl InstallCommand {
    /// The arguments, without the installer itself.
    pub fn args(&self) -> &[String] {
        self.line.get(1..).unwrap_or_default()
    }
}

/// A package that can be installed, and the commands that it provides.
struct Package {
    name: &'static str,
    page: &'static str,
    programs: &'static [&'static str],
}

const PACKAGES: [Package; 7] = [
    Package { name: "Node.js", page: "https://nodejs.org/en/download", programs: &["npx", "npm", "node"] },
    Package {
        name: "uv",
        page: "https://docs.astral.sh/uv/getting-started/installation/",
        programs: &["uvx", "uv"],
    },
    Package {
        name: "Python",
        page: "https://www.python.org/downloads/",
        programs: &["python3", "python", "pip3", "pip"],
    },
    Package { name: "pipx", page: "https://pipx.pypa.io/latest/how-to/install-pipx/", programs: &["pipx"] },
    Package { name: "Bun", page: "https://bun.com/docs/installation", programs: &["bunx", "bun"] },
    Package {
        name: "Deno",
        page: "https://docs.deno.com/runtime/getting_started/installation/",
        programs: &["deno"],
    },
    Package {
        name: "Docker",
        page: "https://docs.docker.com/get-started/get-docker/",
        programs: &["docker"],
    },
];

/// A command that installs a package.
struct Recipe {
    systems: &'static [System],
    installer: &'static str,
    args: &'static [&'static str],
    /// The missing programs that this recipe provides.
    provides: &'static [&'static str],
    source: &'static str,
    elevates: bool,
}

const ALL: &[System] = &[System::Linux, System::Macos, System::Windows];
const UNIX: &[System] = &[System::Linux, System::Macos];
const WINDOWS: &[System] = &[System::Windows];

/// Builds the table of recipes. The first matching row counts.
macro_rules! recipes {
    ($($systems:ident $installer:literal $args:expr => $provides:expr, from $source:literal $(, $elevates:ident)?;)+) => {
        &[$(Recipe {
            systems: $systems,
            installer: $installer,
            args: &$args,
            provides: &$provides,
            source: $source,
            elevates: recipes!(@ $($elevates)?),
        },)+]
    };
    (@) => { false };
    (@ elevates) => { true };
}

/// Arguments that stop winget from asking questions, because no one could answer them.
macro_rules! winget {
    ($id:literal) => {
        [
            "install",
            "--exact",
            "--id",
            $id,
            "--source",
            "winget",
            "--accept-source-agreements",
            "--accept-package-agreements",
            "--disable-interactivity",
        ]
    };
}

/// Version managers come first, because people who have one prefer it. Installers that need no administrator
/// come next.
#[rustfmt::skip]
const RECIPES: &[Recipe] = recipes! {
    ALL "volta" ["install", "node"] => ["npx", "npm", "node"], from "nodejs.org";
    ALL "mise" ["use", "--global", "node@lts"] => ["npx", "npm", "node"], from "nodejs.org";
    ALL "fnm" ["install", "--lts"] => ["npx", "npm", "node"], from "nodejs.org";
    UNIX "brew" ["install", "node"] => ["npx", "npm", "node"], from "Homebrew";
    WINDOWS "scoop" ["install", "nodejs-lts"] => ["npx", "npm", "node"], from "Scoop";
    WINDOWS "winget" winget!("OpenJS.NodeJS.LTS") => ["npx", "npm", "node"], from "winget", elevates;

    ALL "pipx" ["install", "uv"] => ["uvx", "uv"], from "PyPI";
    UNIX "brew" ["install", "uv"] => ["uvx", "uv"], from "Homebrew";
    WINDOWS "scoop" ["install", "uv"] => ["uvx", "uv"], from "Scoop";
    WINDOWS "winget" winget!("astral-sh.uv") => ["uvx", "uv"], from "winget";
    UNIX "pip3" ["install", "--user", "uv"] => ["uvx", "uv"], from "PyPI";

    UNIX "brew" ["install", "python"] => ["python3", "pip3"], from "Homebrew";
    WINDOWS "scoop" ["install", "python"] => ["python3", "python", "pip3", "pip"], from "Scoop";
    WINDOWS "winget" winget!("Python.Python.3.13") => ["python", "pip3", "pip"], from "winget";

    UNIX "brew" ["install", "pipx"] => ["pipx"], from "Homebrew";
    WINDOWS "scoop" ["install", "pipx"] => ["pipx"], from "Scoop";
    UNIX "pip3" ["install", "--user", "pipx"] => ["pipx"], from "PyPI";

    UNIX "brew" ["install", "oven-sh/bun/bun"] => ["bunx", "bun"], from "Homebrew";
    WINDOWS "scoop" ["install", "bun"] => ["bunx", "bun"], from "Scoop";
    ALL "npm" ["install", "--global", "bun"] => ["bunx", "bun"], from "npm";
    WINDOWS "winget" winget!("Oven-sh.Bun") => ["bunx", "bun"], from "winget";

    UNIX "brew" ["install", "deno"] => ["deno"], from "Homebrew";
    WINDOWS "scoop" ["install", "deno"] => ["deno"], from "Scoop";
    WINDOWS "winget" winget!("DenoLand.Deno") => ["deno"], from "winget";
    ALL "npm" ["install", "--global", "deno"] => ["deno"], from "npm";
};

/// Commands for a terminal on Debian, Ubuntu and similar systems, by missing program.
const APT: [(&[&str], &str); 5] = [
    (&["npx", "npm", "node"], "sudo apt install nodejs npm"),
    (&["python3"], "sudo apt install python3"),
    (&["python"], "sudo apt install python-is-python3"),
    (&["pip3", "pip"], "sudo apt install python3-pip"),
    (&["pipx"], "sudo apt install pipx"),
];

/// The package for the command `program`, such as `Node.js` for `npx`.
pub fn package_of(program: &str) -> Option<&'static str> {
    find_package(program).map(|package| package.name)
}

fn find_package(program: &str) -> Option<&'static Package> {
    PACKAGES.iter().find(|package| package.programs.contains(&program))
}

/// How to install the package for the command `program` on this system, with the installers on `search`.
pub fn install_offer(program: &str, search: &SearchPath) -> Option<InstallOffer> {
    choose_offer(program, System::THIS, |installer| {
        let path = resolve(installer, search, Path::new("")).ok()?;
        let is_usable = installer != "pip3" || !is_externally_managed(&path);
        is_usable.then_some(path)
    })
}

fn choose_offer(
    program: &str,
    system: System,
    find: impl Fn(&str) -> Option<PathBuf>,
) -> Option<InstallOffer> {
    let package = find_package(program)?;
    let recipes = RECIPES.iter().filter(|recipe| recipe.systems.contains(&system));
    let command = recipes.filter(|recipe| recipe.provides.contains(&program)).find_map(|recipe| {
        let installer = find(recipe.installer)?;
        let args = recipe.args.iter().map(ToString::to_string);
        let line = [installer.to_string_lossy().into_owned()].into_iter().chain(args).collect();
        Some(InstallCommand { program: installer, line, source: recipe.source, elevates: recipe.elevates })
    });
    let has_apt = command.is_none() && system == System::Linux && find("apt-get").is_some();
    let terminal = APT.iter().find(|(programs, _)| has_apt && programs.contains(&program));
    Some(InstallOffer {
        package: package.name,
        page: package.page,
        command,
        terminal: terminal.map(|(_, line)| *line),
    })
}

/// Whether a `pip` belongs to the system, and therefore installs nothing outside of environments (PEP 668).
fn is_externally_managed(pip: &Path) -> bool {
    let is_marked = |prefix: &Path| -> Option<bool> {
        let mut libraries = prefix.join("lib").read_dir().ok()?.flatten();
        Some(libraries.any(|library| library.path().join("EXTERNALLY-MANAGED").exists()))
    };
    let pip = pip.canonicalize().unwrap_or_else(|_| pip.to_owned());
    pip.ancestors().nth(2).and_then(is_marked).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The command line that is offered if these installers are in `/bin`.
    fn line(program: &str, system: System, installers: &[&str]) -> Option<String> {
        let find = |name: &str| installers.contains(&name).then(|| PathBuf::from("/bin/").join(name));
        Some(choose_offer(program, system, find)?.command?.line.join(" "))
    }

    #[test]
    fn an_offer_is_chosen_by_program_system_and_installer() {
        use System::{Linux, Macos, Windows};
        let check = |program, system, installers: &[&str], expect: Option<&str>| {
            assert_eq!(line(program, system, installers).as_deref(), expect, "{program} {system:?}");
        };
        check("uvx", Linux, &["pipx", "brew", "pip3"], Some("/bin/pipx install uv"));
        check("uv", Macos, &["brew", "pip3"], Some("/bin/brew install uv"));
        check("uvx", Linux, &["pip3"], Some("/bin/pip3 install --user uv"));
        check("uvx", Windows, &["pip3"], None);
        check("npx", Macos, &["brew"], Some("/bin/brew install node"));
        check("npm", Linux, &["fnm", "brew"], Some("/bin/fnm install --lts"));
        check("node", Windows, &["brew", "scoop", "winget"], Some("/bin/scoop install nodejs-lts"));
        check("npx", Linux, &["winget", "scoop"], None);
        check("bunx", Linux, &["brew", "npm"], Some("/bin/brew install oven-sh/bun/bun"));
        check("bun", Linux, &["npm"], Some("/bin/npm install --global bun"));
        check("deno", Linux, &["npm"], Some("/bin/npm install --global deno"));
        // Homebrew's Python has no command `python`.
        check("python3", Macos, &["brew"], Some("/bin/brew install python"));
        check("python", Macos, &["brew"], None);
        check("docker", Macos, &["brew", "npm", "pipx"], None);
        let winget = line("uvx", Windows, &["winget"]).unwrap();
        assert!(winget.starts_with("/bin/winget install --exact --id astral-sh.uv "), "{winget}");
    }

    #[test]
    fn only_known_program_names_have_an_offer() {
        for name in ["", "npx ", "NPX", "/usr/bin/npx", "npx; rm -rf /", "uv --index-url=x", "--help", "bash"]
        {
            assert_eq!(choose_offer(name, System::Linux, |_| Some("/bin/x".into())), None, "{name}");
        }
    }

    #[test]
    fn every_installer_is_run_without_shell_script_or_sudo() {
        for recipe in RECIPES {
            let words = [recipe.installer].into_iter().chain(recipe.args.iter().copied());
            for word in words {
                assert!(
                    !["sh", "bash", "powershell", "pwsh", "cmd", "curl", "sudo", "-c"].contains(&word),
                    "{word}"
                );
                assert!(word.chars().all(|c| c.is_ascii_alphanumeric() || "-./@".contains(c)), "{word}");
            }
            for program in recipe.provides {
                assert!(find_package(program).is_some(), "{program}");
            }
        }
        let pages: BTreeSet<&str> = PACKAGES.iter().map(|package| package.page).collect();
        assert!(pages.len() == PACKAGES.len() && pages.iter().all(|page| page.starts_with("https://")));
    }

    #[test]
    fn without_installer_there_is_a_page_and_an_apt_command() {
        let offer = |program, system, installer| {
            choose_offer(program, system, |name| (name == installer).then(|| "/bin/x".into())).unwrap()
        };
        let node = offer("npx", System::Linux, "apt-get");
        assert_eq!((node.command, node.terminal), (None, Some("sudo apt install nodejs npm")));
        assert_eq!(offer("npx", System::Macos, "apt-get").terminal, None);
        assert_eq!(offer("npx", System::Linux, "fnm").terminal, None);
        let docker = offer("docker", System::Linux, "apt-get");
        assert_eq!((docker.package, docker.terminal), ("Docker", None));
        assert_eq!(docker.page, "https://docs.docker.com/get-started/get-docker/");
    }

    #[cfg(unix)]
    #[test]
    fn pip_of_the_system_that_must_not_install_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let prefix = tempfile::tempdir().unwrap();
        for folder in ["bin", "lib/python3.13"] {
            std::fs::create_dir_all(prefix.path().join(folder)).unwrap();
        }
        let pip = prefix.path().join("bin/pip3");
        std::fs::write(&pip, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&pip, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut search = SearchPath::default();
        search.extend([prefix.path().join("bin")]);
        let offered = |search| install_offer("uvx", search).unwrap().command.map(|command| command.program);
        if System::THIS != System::Windows {
            assert_eq!(offered(&search), Some(pip));
        }
        std::fs::write(prefix.path().join("lib/python3.13/EXTERNALLY-MANAGED"), "").unwrap();
        assert_eq!(offered(&search), None);
    }
}
