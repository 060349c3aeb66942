//! Names in a bundle: which of them are safe on every system, and the names of our folders.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use mooring_base::digest::sha256;
use mooring_words::{Sentence, say};
use unicode_normalization::UnicodeNormalization as _;

/// How the names of folders begin that are written or removed. No bundle's folder begins with a dot.
pub(crate) const UNFINISHED: &str = ".unfinished-";
/// Maximum length of one name, in bytes. File systems allow 255.
const MAX_NAME_BYTES: usize = 255;
/// Maximum length of a path in a bundle, in bytes.
const MAX_PATH_BYTES: usize = 1000;
/// Maximum length of a folder's name that we choose, in bytes, without what makes it unique.
const MAX_FOLDER_BYTES: usize = 64;
/// Names that Windows keeps for devices, with any ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks the path of an entry, without the slash at the end of a folder's. Paths have to be usable on every system.
pub(crate) fn check_path(path: &[u8]) -> Result<&str, Sentence> {
    let path = std::str::from_utf8(path).map_err(|_| say!("its name isn’t valid UTF-8"))?;
    if path.len() > MAX_PATH_BYTES {
        return Err(say!("its name is too long"));
    }
    if path.starts_with('/') {
        return Err(say!("its path leads out of the bundle’s folder"));
    }
    for name in path.split('/') {
        check_name(name)?;
    }
    Ok(path)
}

fn check_name(name: &str) -> Result<(), Sentence> {
    let is_forbidden = |letter: char| letter.is_control() || "\\:*?\"<>|".contains(letter);
    if name == ".." {
        return Err(say!("its path leads out of the bundle’s folder"));
    }
    if name.is_empty() || name == "." {
        return Err(say!("its path has an empty part"));
    }
    if name.contains(is_forbidden) {
        return Err(say!("its name has a character that file names can’t have on every system"));
    }
    if name.ends_with(['.', ' ']) {
        return Err(say!("its name ends with a dot or a space"));
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(say!("its name is too long"));
    }
    if is_device(name) {
        return Err(say!("Windows keeps its name for a device"));
    }
    Ok(())
}

/// Whether Windows opens a device for a file of this name.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_port = port.is_some_and(|number| {
        let mut letters = number.chars();
        letters.next().is_some_and(|letter| "123456789¹²³".contains(letter)) && letters.next().is_none()
    });
    is_port || DEVICES.contains(&stem.as_str())
}

/// The names that a bundle has so far, as a file system would compare them that knows neither case nor Unicode forms.
#[derive(Debug, Default)]
pub(crate) struct NameSet(BTreeMap<String, KnownName>);

#[derive(Debug)]
struct KnownName {
    path: String,
    is_folder: bool,
    /// Whether it has an entry of its own. A folder also exists because something is in it.
    is_entry: bool,
}

impl NameSet {
    /// Adds an entry and the folders above it.
    pub(crate) fn add(&mut self, path: &str, is_folder: bool) -> Result<(), Sentence> {
        for (at, _) in path.match_indices('/') {
            let folder = path.get(..at).unwrap_or_default();
            self.add_one(KnownName { path: folder.to_owned(), is_folder: true, is_entry: false })?;
        }
        self.add_one(KnownName { path: path.to_owned(), is_folder, is_entry: true })
    }

    fn add_one(&mut self, name: KnownName) -> Result<(), Sentence> {
        match self.0.entry(fold_name(&name.path)) {
            Entry::Vacant(free) => {
                free.insert(name);
            }
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                if known.path != name.path {
                    return Err(say!(
                        "on some systems, its name equals that of “{other}”",
                        other = &*known.path
                    ));
                }
                if known.is_folder != name.is_folder {
                    return Err(say!("it is a file and a folder at once"));
                }
                if known.is_entry && name.is_entry {
                    return Err(say!("it is there twice"));
                }
                known.is_entry |= name.is_entry;
            }
        }
        Ok(())
    }
}

/// A path without differences of case and Unicode form.
fn fold_name(path: &str) -> String {
    let upper = path.nfc().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfc().collect()
}

/// A name for the folder of a bundle or of a version. What had to be changed makes a hash necessary.
pub(crate) fn folder_name(name: &str) -> String {
    let safe = |letter: char| {
        let letter = letter.to_ascii_lowercase();
        if letter.is_ascii_alphanumeric() || "-_.+".contains(letter) { letter } else { '_' }
    };
    let folder: String = name.chars().map(safe).take(MAX_FOLDER_BYTES).collect();
    let folder = folder.trim_matches('.');
    let is_kept = folder == name && !folder.is_empty() && !is_device(folder);
    if is_kept { folder.to_owned() } else { format!("_{folder}-{:.8}", sha256(name)) }
}
