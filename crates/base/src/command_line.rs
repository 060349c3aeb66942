//! Detects whole command lines in a field that is meant for a program.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use mooring_words::{Sentence, say};

/// What a command field contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParsedCommand {
    /// Only a program.
    Program,
    /// A whole command line: its program and its arguments.
    Line(String, Vec<String>),
    /// The text has spaces, and they may or may not be part of the program's name.
    Unclear,
}

impl ParsedCommand {
    /// Classifies `command`, whose other arguments are in `args`. Relative paths are resolved in `folder`.
    pub fn read(command: &str, args: &[String], folder: Option<&Path>) -> Self {
        let command = command.trim();
        let is_file =
            |path: &str| folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path)).is_file();
        if !command.contains(char::is_whitespace) || is_file(&expand_home(command)) {
            return Self::Program;
        }
        let Some(mut words) = split_words(command) else { return Self::Unclear };
        let rest = words.split_off(1.min(words.len()));
        let Some(program) = words.pop().filter(|program| !program.is_empty()) else { return Self::Unclear };
        let is_bare = !program.contains(['/', '\\']);
        // A quoted program implies that its arguments follow.
        let is_quoted = command.starts_with(['"', '\'']);
        let is_option = rest.first().is_some_and(|word| word.starts_with('-'));
        if args.is_empty()
            && (rest.is_empty() || is_bare || is_quoted || is_option || is_file(&expand_home(&program)))
        {
            return Self::Line(program, rest);
        }
        Self::Unclear
    }
}

/// Warns about relative paths in a command, which won't be found because a saved server runs in a private folder.
/// `folder` is the caller's current directory, where paths are looked up; without it only paths that begin with a dot
/// count.
pub fn relative_path_warnings(
    command: &str,
    args: &[String],
    cwd: Option<&str>,
    folder: Option<&Path>,
) -> Vec<Sentence> {
    if cwd.is_some() {
        return Vec::new();
    }
    let leads = |text: &str| {
        let is_dotted = ["./", "../", ".\\", "..\\"].iter().any(|start| text.starts_with(start));
        let is_there =
            |folder: &Path| !text.is_empty() && !text.starts_with('-') && folder.join(text).exists();
        Path::new(text).is_relative() && (is_dotted || folder.is_some_and(is_there))
    };
    let program =
        command.contains(['/', '\\']) && !command.starts_with('~') && !is_absolute_anywhere(command);
    let words = std::iter::once(command).filter(|_| program);
    let words = words.chain(args.iter().map(String::as_str).filter(|argument| leads(argument)));
    words
        .map(|path| {
            say!("{path} is searched for in the server’s own folder: enter the full path, or choose a working folder", path)
        })
        .collect()
}

/// Whether a path is absolute, on this system or another one.
fn is_absolute_anywhere(path: &str) -> bool {
    path.starts_with(['/', '\\', '%', '$']) || path.split_once(':').is_some_and(|(drive, _)| drive.len() == 1)
}

/// Expands a leading `~` to the user's home folder.
pub(crate) fn expand_home(path: &str) -> String {
    expand_home_in(path, std::env::home_dir().as_deref())
}

/// Expands a leading `~` to the home folder `home`.
pub fn expand_home_in(path: &str, home: Option<&Path>) -> String {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.display().to_string(),
        (Some(rest), Some(home)) if rest.starts_with(['/', MAIN_SEPARATOR]) => {
            home.join(&rest[1..]).display().to_string()
        }
        _ => path.to_owned(),
    }
}

/// Splits a line into words like a shell: quotes keep spaces, and a backslash escapes a space or a quote.
/// `None` if a quote is not closed.
pub fn split_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', None | Some('"'))
                if characters.peek().is_some_and(|next| {
                    matches!(next, '"' | '\\' | '$' | '`')
                        || (quote.is_none() && (next.is_whitespace() || *next == '\''))
                }) =>
            {
                word.get_or_insert_default().extend(characters.next());
            }
            (_, Some(open)) if character == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(character),
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(command: &str, args: &[&str]) -> ParsedCommand {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        ParsedCommand::read(command, &args, None)
    }

    fn line(words: &[&str]) -> ParsedCommand {
        let mut words = words.iter().map(ToString::to_string);
        ParsedCommand::Line(words.next().unwrap(), words.collect())
    }

    #[test]
    fn a_command_line_in_one_text_is_taken_apart() {
        assert_eq!(read("npx -y @acme/weather", &[]), line(&["npx", "-y", "@acme/weather"]));
        assert_eq!(
            read(r#"python3 -c "import x; x.run()""#, &[]),
            line(&["python3", "-c", "import x; x.run()"])
        );
        assert_eq!(
            read(r"uvx --from 'git+https://x.example/a b' srv", &[]),
            line(&["uvx", "--from", "git+https://x.example/a b", "srv"])
        );
        assert_eq!(
            read(r#""C:\Program Files\node\node.exe" server.js"#, &[]),
            line(&[r"C:\Program Files\node\node.exe", "server.js"])
        );
        assert_eq!(
            read(r#""C:\Program Files\node\node.exe" --stdio"#, &[]),
            line(&[r"C:\Program Files\node\node.exe", "--stdio"])
        );
        assert_eq!(read("/no/such/server --stdio", &[]), line(&["/no/such/server", "--stdio"]));
        assert_eq!(read("node C:\\my\\server.js", &[]), line(&["node", "C:\\my\\server.js"]));
    }

    #[test]
    fn a_program_with_spaces_in_its_name_stays_whole() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("my server");
        std::fs::write(&program, "").unwrap();
        let path = program.display().to_string();
        assert_eq!(read(&path, &[]), ParsedCommand::Program);
        assert_eq!(ParsedCommand::read("my server", &[], Some(folder.path())), ParsedCommand::Program);
        assert_eq!(read("npx", &["-y"]), ParsedCommand::Program);
        assert_eq!(read("/no/such folder/server", &[]), ParsedCommand::Unclear);
        assert_eq!(read("npx -y", &["@acme/weather"]), ParsedCommand::Unclear);
        assert_eq!(read("npx 'unclosed", &[]), ParsedCommand::Unclear);
    }

    #[test]
    fn a_leading_tilde_is_the_home_folder() {
        let home = Some(Path::new("/home/ann"));
        assert_eq!(expand_home_in("~/bin/srv", home), "/home/ann/bin/srv");
        assert_eq!(expand_home_in("~", home), "/home/ann");
        assert_eq!(expand_home_in("~bob/srv", home), "~bob/srv");
        assert_eq!(expand_home_in("a~/b", home), "a~/b");
    }
}
