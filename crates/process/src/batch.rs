//! What is special about programs on Windows, as rules over texts: which file names a command may mean, and what may be
//! passed to a batch file.
//!
//! `cmd.exe` reads a batch file's arguments a second time, as commands, and no quoting is safe against that
//! (CVE-2024-24576). The batch files that npm writes only start a script with `node`: that is done without them.
//! Any other gets no argument that `cmd.exe` would read something into.

use std::path::{Path, PathBuf};

/// What is run when the variable `PATHEXT` does not say.
const USUAL: &str = ".COM;.EXE;.BAT;.CMD";

/// The file names that a command may mean, in the order in which they are tried: the name itself where it ends in an
/// extension that is run, then the name with each of them.
pub(crate) fn spellings(path: &Path, pathext: Option<&str>) -> Vec<PathBuf> {
    let extensions = pathext.filter(|listed| !listed.trim().is_empty()).unwrap_or(USUAL);
    let own = is_program(path, pathext).then(|| path.to_owned());
    let added = extensions.split(';').map(str::trim).filter(|extension| extension.starts_with('.'));
    let added = added.map(|extension| {
        let mut name = path.as_os_str().to_owned();
        name.push(extension.to_ascii_lowercase());
        PathBuf::from(name)
    });
    own.into_iter().chain(added).collect()
}

/// Whether a file of this name is run: by us, which know what to do with these four only, and by the system.
pub(crate) fn is_program(path: &Path, pathext: Option<&str>) -> bool {
    let listed = pathext.filter(|listed| !listed.trim().is_empty()).unwrap_or(USUAL);
    let extension = |path: &Path| path.extension()?.to_str().map(str::to_ascii_lowercase);
    extension(path).is_some_and(|extension| {
        ["com", "exe", "bat", "cmd"].contains(&extension.as_str())
            && listed.split(';').any(|known| {
                known.trim().strip_prefix('.').is_some_and(|known| known.eq_ignore_ascii_case(&extension))
            })
    })
}

/// Whether `cmd.exe` runs this file.
pub(crate) fn is_batch(program: &Path) -> bool {
    let extension = program.extension().and_then(|extension| extension.to_str());
    extension
        .is_some_and(|extension| ["bat", "cmd"].iter().any(|batch| extension.eq_ignore_ascii_case(batch)))
}

/// The script that a batch file of npm's starts with `node`, relative to the directory of the batch file; nothing for
/// any other batch file.
pub(crate) fn script_of_npm(batch: &str) -> Option<PathBuf> {
    const PLACES: [&str; 2] = ["\"%dp0%\\", "\"%~dp0\\"];
    // The line that passes the arguments on; others only look for `node.exe`.
    let line = batch.lines().rfind(|line| line.trim_end().ends_with("%*"))?;
    let scripts = PLACES.iter().flat_map(|place| line.split(place).skip(1));
    let scripts = scripts.filter_map(|rest| rest.split_once('"').map(|(script, _)| script));
    let script = scripts.filter(|script| is_script(script)).last()?;
    let plain =
        script.split('\\').all(|part| !part.is_empty() && part != ".." && !part.contains(['%', ':', '/']));
    plain.then(|| script.split('\\').collect())
}

fn is_script(name: &str) -> bool {
    Path::new(name)
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["js", "mjs", "cjs"].contains(&extension))
}

/// What of an argument `cmd.exe` would take for more than text.
pub(crate) fn unsafe_character(argument: &str) -> Option<char> {
    argument.chars().find(|character| {
        "&|<>^%\"!()".contains(*character) || matches!(character, '\n' | '\r' | '\0' | '\u{1a}')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_looked_for_with_each_extension_that_is_run() {
        let check = |name: &str, pathext: Option<&str>, expect: &[&str]| {
            let expect: Vec<PathBuf> = expect.iter().map(PathBuf::from).collect();
            assert_eq!(spellings(Path::new(name), pathext), expect, "{name}");
        };
        check("npx", None, &["npx.com", "npx.exe", "npx.bat", "npx.cmd"]);
        check("npx", Some(".EXE;.CMD"), &["npx.exe", "npx.cmd"]);
        check("npx", Some(" "), &["npx.com", "npx.exe", "npx.bat", "npx.cmd"]);
        check("npx.CMD", Some(".EXE; .cmd ;;x"), &["npx.CMD", "npx.CMD.exe", "npx.CMD.cmd"]);
        check("python3.12", Some(".EXE"), &["python3.12.exe"]);
        assert!(is_program(Path::new("a.exe"), None) && !is_program(Path::new("a.exe"), Some(".CMD")));
        assert!(!is_program(Path::new("a.vbs"), Some(".VBS")), "only what we know how to start");
        assert!(is_batch(Path::new("a.Bat")) && is_batch(Path::new("a.cmd")) && !is_batch(Path::new("cmd")));
    }

    #[test]
    fn the_script_behind_a_batch_file_of_npm_is_found() {
        let npx = "@ECHO OFF\r\nSETLOCAL\r\nSET \"NODE_EXE=%~dp0\\node.exe\"\r\n\
                   IF NOT EXIST \"%NODE_EXE%\" (\r\n  SET \"NODE_EXE=node\"\r\n)\r\n\
                   \"%NODE_EXE%\" \"%~dp0\\node_modules\\npm\\bin\\npx-cli.js\" %*\r\n";
        let parts = |path: &[&str]| Some(path.iter().collect::<PathBuf>());
        assert_eq!(script_of_npm(npx), parts(&["node_modules", "npm", "bin", "npx-cli.js"]));
        let shim = "IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n)\r\n\
                    endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \
                    \"%dp0%\\node_modules\\@scope\\server\\dist\\index.mjs\" %*\r\n";
        assert_eq!(script_of_npm(shim), parts(&["node_modules", "@scope", "server", "dist", "index.mjs"]));
        for other in [
            "",
            "@echo off\r\npython server.py %*\r\n",
            "\"%~dp0\\node.exe\" %*",
            "node \"%~dp0\\..\\..\\evil.js\" %*",
            "node \"%~dp0\\%X%.js\" %*",
            "node \"%~dp0\\a.js",
        ] {
            assert_eq!(script_of_npm(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_batch_file_would_run_is_told_from_text() {
        for harmless in ["", "-y", "@scope/server@1.2", "C:\\Users\\Me and You\\x", "--name=é", "a,b;c"] {
            assert_eq!(unsafe_character(harmless), None, "{harmless}");
        }
        for (harmful, expect) in [
            ("a&calc", '&'),
            ("a|b", '|'),
            ("<x", '<'),
            ("%PATH%", '%'),
            ("\"", '"'),
            ("a^b", '^'),
            ("wow!", '!'),
            ("(x", '('),
            ("a\r\ncalc", '\r'),
            ("a\ncalc", '\n'),
        ] {
            assert_eq!(unsafe_character(harmful), Some(expect), "{harmful}");
        }
    }
}
