//! The licences of the application's dependencies. Installers put the file among the programs'
//! documentation. A build from source has none.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

const FILE: &str = "mooring/THIRD-PARTY-NOTICES";

/// Reads the licences that were installed with the program at this path.
pub(crate) fn read(program: &Path) -> Result<Option<String>, Error> {
    let Some(installed) = program.parent().and_then(Path::parent) else { return Ok(None) };
    for folder in ["share/doc", "share/licenses"] {
        match fs::read_to_string(installed.join(folder).join(FILE)) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            text => return text.map(Some),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_found_where_installers_put_them() {
        for folder in ["share/doc", "share/licenses"] {
            let prefix = tempfile::tempdir().unwrap();
            let program = prefix.path().join("bin/mooring-desktop");
            assert_eq!(read(&program).unwrap(), None);
            let file = prefix.path().join(folder).join(FILE);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "adler2 2.0.1").unwrap();
            assert_eq!(read(&program).unwrap().as_deref(), Some("adler2 2.0.1"));
            fs::write(&file, b"\xff").unwrap();
            read(&program).unwrap_err();
        }
    }
}
