//! Rules for programs on Windows: which files a command may mean, and which arguments a batch file may get.
//! All functions work on text, so they can be tested on every system.
//!
//! `cmd.exe` parses a batch file's arguments a second time, as commands, and no quoting prevents that
//! (CVE-2024-24576). The batch files of npm only start a script with `node`, so this script is started
//! directly. Other batch files get no argument that `cmd.exe` could interpret.

use std::path::{Path, PathBuf};

/// The extensions of programs if the variable `PATHEXT` is not set.
const DEFAULT_PATHEXT: &str = ".COM;.EXE;.BAT;.CMD";

/// The files that a command may mean, in the order in which they are tried. The name itself comes first if it
/// ends with the extension of a program. The name with each of these extensions follows.
pub(crate) fn candidate_paths(path: &Path, pathext: Option<&str>) -> Vec<PathBuf> {
    let extensions = pathext.filter(|listed| !listed.trim().is_empty()).unwrap_or(DEFAULT_PATHEXT);
    let own = is_program(path, pathext).then(|| path.to_owned());
    let added = extensions.split(';').map(str::trim).filter(|extension| extension.starts_with('.'));
    let added = added.map(|extension| {
        let mut name = path.as_os_str().to_owned();
        name.push(extension.to_ascii_lowercase());
        PathBuf::from(name)
    });
    own.into_iter().chain(added).collect()
}

/// Whether a file with this name can be run. Both Mooring, which knows only four extensions, and the system
/// must support the extension.
pub(crate) fn is_program(path: &Path, pathext: Option<&str>) -> bool {
    let listed = pathext.filter(|listed| !listed.trim().is_empty()).unwrap_or(DEFAULT_PATHEXT);
    let extension = |path: &Path| path.extension()?.to_str().map(str::to_ascii_lowercase);
    extension(path).is_some_and(|extension| {
        ["com", "exe", "bat", "cmd"].contains(&extension.as_str())
            && listed.split(';').any(|known| {
                known.trim().strip_prefix('.').is_some_and(|known| known.eq_ignore_ascii_case(&extension))
            })
    })
}

/// Whether `cmd.exe` runs this file.
pub(crate) fn is_batch_file(program: &Path) -> bool {
    let extension = program.extension().and_then(|extension| extension.to_str());
    extension
        .is_some_and(|extension| ["bat", "cmd"].iter().any(|batch| extension.eq_ignore_ascii_case(batch)))
}

/// The script that a batch file of npm starts with `node`, relative to the directory of the batch file.
/// `None` for any other batch file.
pub(crate) fn find_npm_script(batch: &str) -> Option<PathBuf> {
    // This line passes the arguments on. Other lines only search for `node.exe`.
    let line = batch.lines().rfind(|line| line.trim_end().ends_with("%*"))?;
    let script = quoted_parts(line)
        .filter_map(|word| find_script_beside(word).or_else(|| find_script_in_variable(batch, word)))
        .last()?;
    let plain =
        script.split('\\').all(|part| !part.is_empty() && part != ".." && !part.contains(['%', ':', '/']));
    plain.then(|| script.split('\\').collect())
}

/// The quoted parts of a line.
fn quoted_parts(line: &str) -> impl Iterator<Item = &str> {
    // After the last quote, there is no quoted part.
    let closed = line.rsplit_once('"').map_or("", |(closed, _)| closed);
    closed.split('"').skip(1).step_by(2)
}

/// The script in the batch file's directory that a word names.
fn find_script_beside(word: &str) -> Option<&str> {
    let script = word.strip_prefix("%dp0%\\").or_else(|| word.strip_prefix("%~dp0\\"))?;
    let extension = Path::new(script).extension()?.to_str()?;
    ["js", "mjs", "cjs"].contains(&extension).then_some(script)
}

/// The script in a variable, as in npm's own `npm.cmd` and `npx.cmd`. These files prefer an npm that the
/// person installed later. Finding that one would require running `node`, and the script next to the batch
/// file works as well.
fn find_script_in_variable<'a>(batch: &'a str, word: &str) -> Option<&'a str> {
    let name = word.strip_prefix('%')?.strip_suffix('%')?;
    let set = |line: &'a str| {
        let (known, value) = quoted_parts(line.trim().strip_prefix("SET ")?).next()?.split_once('=')?;
        find_script_beside(value).filter(|_| known == name)
    };
    let mut scripts = batch.lines().filter_map(set);
    // If there are two scripts, only the interpreter knows which one it runs.
    scripts.next().filter(|_| scripts.next().is_none())
}

/// A character in an argument that `cmd.exe` would interpret.
pub(crate) fn find_unsafe_character(argument: &str) -> Option<char> {
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
            assert_eq!(candidate_paths(Path::new(name), pathext), expect, "{name}");
        };
        check("npx", None, &["npx.com", "npx.exe", "npx.bat", "npx.cmd"]);
        check("npx", Some(".EXE;.CMD"), &["npx.exe", "npx.cmd"]);
        check("npx", Some(" "), &["npx.com", "npx.exe", "npx.bat", "npx.cmd"]);
        check("npx.CMD", Some(".EXE; .cmd ;;x"), &["npx.CMD", "npx.CMD.exe", "npx.CMD.cmd"]);
        check("python3.12", Some(".EXE"), &["python3.12.exe"]);
        assert!(is_program(Path::new("a.exe"), None) && !is_program(Path::new("a.exe"), Some(".CMD")));
        assert!(!is_program(Path::new("a.vbs"), Some(".VBS")), "only what we know how to start");
        assert!(
            is_batch_file(Path::new("a.Bat"))
                && is_batch_file(Path::new("a.cmd"))
                && !is_batch_file(Path::new("cmd"))
        );
    }

    #[test]
    fn the_script_behind_a_batch_file_of_npm_is_found() {
        let npx = "@ECHO OFF\r\nSETLOCAL\r\nSET \"NODE_EXE=%~dp0\\node.exe\"\r\n\
                   IF NOT EXIST \"%NODE_EXE%\" (\r\n  SET \"NODE_EXE=node\"\r\n)\r\n\
                   \"%NODE_EXE%\" \"%~dp0\\node_modules\\npm\\bin\\npx-cli.js\" %*\r\n";
        let parts = |path: &[&str]| Some(path.iter().collect::<PathBuf>());
        assert_eq!(find_npm_script(npx), parts(&["node_modules", "npm", "bin", "npx-cli.js"]));
        let newer = "@ECHO OFF\r\nSETLOCAL\r\nSET \"NODE_EXE=%~dp0\\node.exe\"\r\n\
                     SET \"PREFIX_JS=%~dp0\\node_modules\\npm\\bin\\npm-prefix.js\"\r\n\
                     SET \"NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js\"\r\n\
                     FOR /F \"delims=\" %%F IN ('CALL \"%NODE_EXE%\" \"%PREFIX_JS%\"') DO (\r\n  \
                     SET \"PREFIX_NPX_CLI_JS=%%F\\node_modules\\npm\\bin\\npx-cli.js\"\r\n)\r\n\
                     IF EXIST \"%PREFIX_NPX_CLI_JS%\" (\r\n  \
                     SET \"NPX_CLI_JS=%PREFIX_NPX_CLI_JS%\"\r\n)\r\n\r\n\
                     \"%NODE_EXE%\" \"%NPX_CLI_JS%\" %*\r\n";
        assert_eq!(find_npm_script(newer), parts(&["node_modules", "npm", "bin", "npx-cli.js"]));
        let shim = "IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n)\r\n\
                    endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \
                    \"%dp0%\\node_modules\\@scope\\server\\dist\\index.mjs\" %*\r\n";
        assert_eq!(find_npm_script(shim), parts(&["node_modules", "@scope", "server", "dist", "index.mjs"]));
        for other in [
            "",
            "@echo off\r\npython server.py %*\r\n",
            "\"%~dp0\\node.exe\" %*",
            "node \"%~dp0\\..\\..\\evil.js\" %*",
            "node \"%~dp0\\%X%.js\" %*",
            "node \"%~dp0\\a.js",
            "SET \"A=%~dp0\\a.js\"\r\nSET \"A=%~dp0\\b.js\"\r\nnode \"%A%\" %*",
            "SET \"A=%~dp0\\..\\a.js\"\r\nnode \"%A%\" %*",
            "SET \"A=C:\\a.js\"\r\nnode \"%A%\" %*",
            "node \"%A%\" %*",
        ] {
            assert_eq!(find_npm_script(other), None, "{other}");
        }
    }

    #[test]
    fn what_a_batch_file_would_run_is_told_from_text() {
        for harmless in ["", "-y", "@scope/server@1.2", "C:\\Users\\Me and You\\x", "--name=é", "a,b;c"] {
            assert_eq!(find_unsafe_character(harmless), None, "{harmless}");
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
            assert_eq!(find_unsafe_character(harmful), Some(expect), "{harmful}");
        }
    }
}
