//! Checks the data folder that was configured. If other users could put files into it, Mooring would start
//! their programs.

use mooring_words::{Sentence, io_error_sentence, say};
use std::error::Error;
use std::fmt;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

/// Why a data folder is not used.
#[derive(Debug)]
pub enum HomeError {
    /// The path depends on the current folder, which may be untrusted, such as a download.
    Relative {
        /// The given path.
        path: PathBuf,
    },
    /// Another user owns the folder, or can write to it or to a folder above it.
    OfOthers {
        /// The path.
        path: PathBuf,
    },
    /// The folder could not be created.
    Io {
        /// The folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl HomeError {
    /// The error as a sentence for the person.
    pub fn sentence(&self) -> Sentence {
        match self {
            Self::Relative { path } => {
                say!("the data folder has to be an absolute path: {path}", path = path.to_string_lossy())
            }
            Self::OfOthers { path } => say!(
                "another user owns this or can write to it, so Mooring doesn’t use it: {path}",
                path = path.to_string_lossy()
            ),
            Self::Io { path, source } => say!(
                "the data folder couldn’t be made: {path}: {reason}",
                path = path.to_string_lossy(),
                reason = io_error_sentence(source)
            ),
        }
    }
}

impl fmt::Display for HomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sentence().fmt(f)
    }
}

impl Error for HomeError {}

/// Refuses a data folder with a relative path, or one that others could have filled. Checks the folder
/// itself, each folder above it, and the targets of symbolic links. The folder doesn't have to exist yet.
pub fn check_home(home: &Path) -> Result<(), HomeError> {
    if !home.is_absolute() {
        return Err(HomeError::Relative { path: home.to_owned() });
    }
    #[cfg(unix)]
    access::check_access(home)?;
    Ok(())
}

/// Checks the data folder, and creates it for its owner only.
pub fn prepare_home(home: &Path) -> Result<(), HomeError> {
    check_home(home)?;
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(home).map_err(|source| HomeError::Io { path: home.to_owned(), source })
}

/// The file in the data folder with the home folder of the user who created it.
#[cfg(unix)]
const LOGIN_HOME: &str = "login-home";

/// Removes other users' access to the data folder. Notes the user's home folder in a new data folder, because
/// it may differ from the account's home folder, for example in a container. Programs that are started in the
/// background for this data folder get the noted home folder, independent of an app's variables.
pub fn claim_home(home: &Path) {
    #[cfg(unix)]
    {
        access::hide_from_others(home);
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        let Some(login) = std::env::home_dir() else { return };
        let mut options = std::fs::File::options();
        options.write(true).create_new(true).mode(0o600);
        // If this fails, for instance on a full disk, the account's home folder is used.
        let _noted = options
            .open(home.join(LOGIN_HOME))
            .and_then(|mut file| io::Write::write_all(&mut file, login.as_os_str().as_bytes()));
    }
    #[cfg(not(unix))]
    let _ = home;
}

/// The home folder that was noted in a data folder.
#[cfg(unix)]
pub(crate) fn read_login_home(home: &Path) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt as _;
    let noted = std::fs::read(home.join(LOGIN_HOME)).ok()?;
    Some(std::ffi::OsString::from_vec(noted).into())
}

#[cfg(unix)]
mod access {
    use super::HomeError;
    use std::fs::{self, Metadata, Permissions};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    const OTHERS_WRITE: u32 = 0o002;
    const GROUP_WRITES: u32 = 0o020;
    /// The sticky bit. Everyone may write to the folder, but may remove only their own files, as in `/tmp`.
    const STICKY: u32 = 0o1000;
    /// The owner of files whose user has no number in this namespace, such as the folders above a container's
    /// folder.
    const OVERFLOW: u32 = 65_534;

    /// The user of this process.
    #[derive(Clone, Copy)]
    pub(super) struct User {
        pub(super) uid: u32,
        pub(super) gid: u32,
    }

    pub(super) fn check_access(home: &Path) -> Result<(), HomeError> {
        let us = User { uid: rustix::process::geteuid().as_raw(), gid: rustix::process::getegid().as_raw() };
        check_access_as(home, us)
    }

    pub(super) fn check_access_as(home: &Path, us: User) -> Result<(), HomeError> {
        // Check the path as given, because another user must not be able to redirect a link in it.
        check_ancestors(home, us)?;
        // A missing folder will be created in the nearest existing one.
        if let Some(real) = home.ancestors().find_map(|place| fs::canonicalize(place).ok()) {
            check_ancestors(&real, us)?;
        }
        let Ok(found) = fs::metadata(home) else { return Ok(()) };
        // The group of root may have other members. Write access of another user's own group is removed when
        // the folder is opened.
        let others = if us.uid == 0 { OTHERS_WRITE | GROUP_WRITES } else { write_bits(&found, us) };
        // If root owns the folder, another user can't write to it. This is reported when the folder is
        // opened.
        if (found.uid() == us.uid || found.uid() == 0) && found.mode() & others == 0 {
            return Ok(());
        }
        Err(HomeError::OfOthers { path: home.to_owned() })
    }

    /// Removes other users' access to a folder of this user, because Mooring's data in the folder is private.
    /// A person's home folder, a folder above it, and a folder such as `/tmp` are not changed.
    pub(super) fn hide_from_others(home: &Path) {
        let is_above = std::env::home_dir().is_some_and(|own| own.starts_with(home));
        let Ok(found) = fs::metadata(home) else { return };
        let is_ours = found.uid() == rustix::process::geteuid().as_raw() && found.mode() & STICKY == 0;
        if is_ours && found.mode() & 0o077 != 0 && !is_above {
            // If this fails, for instance on a read-only disk, others keep their access.
            let _stays = fs::set_permissions(home, Permissions::from_mode(0o700));
        }
    }

    /// Checks every folder on the path, and every link. Folders that can't be read are skipped, because using
    /// the path will fail.
    fn check_ancestors(path: &Path, us: User) -> Result<(), HomeError> {
        for place in path.ancestors().skip(1) {
            let refused = || HomeError::OfOthers { path: place.to_owned() };
            let is_foreign = |found: &Metadata| ![us.uid, 0, OVERFLOW].contains(&found.uid());
            let (Ok(link), Ok(folder)) = (fs::symlink_metadata(place), fs::metadata(place)) else { continue };
            if is_foreign(&link) || is_foreign(&folder) || can_others_write(&folder, us) {
                return Err(refused());
            }
        }
        match fs::symlink_metadata(path) {
            Ok(link) if link.is_symlink() && ![us.uid, 0].contains(&link.uid()) => {
                Err(HomeError::OfOthers { path: path.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Whether others can replace files in a folder.
    fn can_others_write(folder: &Metadata, us: User) -> bool {
        folder.mode() & write_bits(folder, us) != 0 && folder.mode() & STICKY == 0
    }

    /// The permission bits by which others can write. Many systems give each user a group with the same
    /// number and let that group write, so that group doesn't count.
    fn write_bits(folder: &Metadata, us: User) -> u32 {
        let is_own_group = folder.gid() == us.gid && us.gid == us.uid;
        if is_own_group { OTHERS_WRITE } else { OTHERS_WRITE | GROUP_WRITES }
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::access::{User, check_access_as};
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn refused(home: &Path) -> String {
        check_home(home).unwrap_err().to_string()
    }

    #[test]
    fn a_data_folder_that_depends_on_the_place_is_refused() {
        for home in [".", "data", "./data", "../data", "~/data"] {
            assert_eq!(
                refused(Path::new(home)),
                format!("the data folder has to be an absolute path: {home}")
            );
        }
    }

    #[test]
    fn a_data_folder_that_others_can_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let (parent, home) = (place.path().join("parent"), place.path().join("parent/home"));
        prepare_home(&home).unwrap();
        for made in [&parent, &home] {
            assert_eq!(made.metadata().unwrap().permissions().mode() & 0o7777, 0o700);
        }
        set(&home, 0o755);
        check_home(&home).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        for mode in [0o777, 0o770, 0o702, 0o1777] {
            set(&home, mode);
            if mode == 0o770 && !is_root {
                continue;
            }
            assert!(refused(&home).ends_with(home.to_str().unwrap()), "{mode:o}");
        }
        set(&home, 0o700);
        for (mode, is_refused) in [(0o777, true), (0o703, true), (0o1777, false), (0o755, false)] {
            set(&parent, mode);
            let missing = parent.join("not/there/yet");
            for home in [&home, &missing] {
                assert_eq!(check_home(home).is_err(), is_refused, "{mode:o} {}", home.display());
            }
        }
    }

    #[test]
    fn claimed_folder_is_closed_and_notes_a_home_once() {
        let place = tempfile::tempdir().unwrap();
        set(place.path(), 0o755);
        assert_eq!(read_login_home(place.path()), None);
        claim_home(place.path());
        assert_eq!(place.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(read_login_home(place.path()), std::env::home_dir());
        fs::write(place.path().join(LOGIN_HOME), "/elsewhere").unwrap();
        claim_home(place.path());
        assert_eq!(read_login_home(place.path()), Some("/elsewhere".into()));
    }

    #[test]
    fn a_link_is_judged_by_where_it_leads() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        for name in ["open", "open/inside", "closed"] {
            fs::create_dir(path(name)).unwrap();
        }
        set(&path("open"), 0o777);
        set(&path("open/inside"), 0o700);
        for (link, target) in [("good", "closed"), ("bad", "open"), ("worse", "open/inside")] {
            symlink(path(target), path(link)).unwrap();
        }
        check_home(&path("good")).unwrap();
        for bad in ["bad", "worse", "bad/data", "open/inside"] {
            assert!(check_home(&path(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_data_folder_of_another_user_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().join("home");
        prepare_home(&home).unwrap();
        let us = rustix::process::geteuid().as_raw();
        // For another user, all of these folders belong to someone else. Only folders of root are acceptable.
        let other = check_access_as(&home, User { uid: us + 1, gid: us + 1 });
        assert_eq!(other.is_err(), us != 0);
        if std::os::unix::fs::chown(&home, Some(us + 1), None).is_ok() {
            assert!(check_home(&home).is_err());
            std::os::unix::fs::chown(&home, Some(us), None).unwrap();
            std::os::unix::fs::chown(place.path(), Some(us + 1), None).unwrap();
            assert!(check_home(&home).is_err());
        }
    }
}
