//! Reads regular files and nothing else.
//!
//! A file that a user, a project or another agent names may be a pipe or a device: opening a pipe waits for its other
//! end, and reading a device may never end. Code that reads a file by a name from outside opens it here, and what only the
//! user may use is created here.

mod hook_dirs;
mod links;
mod notices;
mod private;
mod unsaved;
mod watch;

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use hook_dirs::{
    BELOW_CONFIG, BUNDLE_LINK, MANAGED_DIR, SHADOW_BUNDLE_LINK, config_dir_from_env, default_config_dir, find_bundle,
    is_absent,
};
pub use links::{normalize_path, resolve_links, trace_links, with_slashes};
pub use private::{
    MACHINE_KEY_FILE, account_number, create_shared_dirs, file_mode, file_owner, is_executable, path_beside,
    private_dir_builder, private_options, replace_file, replace_private_file, set_file_mode, sync_dir_of,
};
pub use unsaved::{UnsavedTexts, is_unsaved};
pub use watch::{
    FileState, SeenFiles, WatchHandle, exists, file_state, is_dir, is_file, metadata, read_dir, symlink_metadata, watch,
};

/// The files of this name in the directories of a search path, such as that of the variable `PATH`.
pub fn find_in_path(search_path: &OsStr, name: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
    env::split_paths(search_path).map(move |dir| dir.join(&name)).filter(|path| is_file(path))
}

/// The paths by which this program may have been started: the one that was typed, or those of its name in the directories
/// of the variable `PATH`.
#[must_use]
pub fn started_paths() -> Vec<PathBuf> {
    match env::args_os().next().map(PathBuf::from) {
        Some(typed) if typed.components().count() > 1 => vec![typed],
        Some(typed) => find_in_path(&env::var_os("PATH").unwrap_or_default(), typed).collect(),
        None => Vec::new(),
    }
}

/// The largest text that is read.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// Opens a regular file for reading.
///
/// # Errors
/// When it cannot be opened, or is not a regular file: then immediately, as
/// [`InvalidInput`](io::ErrorKind::InvalidInput).
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    open_sized(path).map(|(file, _)| file)
}

/// Opens a regular file for reading, and returns its size in bytes.
///
/// # Errors
/// As [`open`].
pub fn open_sized(path: impl AsRef<Path>) -> io::Result<(File, u64)> {
    watch::note(path.as_ref());
    let file = open_at_once(path.as_ref())?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(not_regular()) }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Opens a file without waiting for the other end of a pipe.
#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let opened = File::options().read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed()).open(path);
    opened.map_err(|error| match error.raw_os_error() {
        Some(code) if code == rustix::io::Errno::NXIO.raw_os_error() => not_regular(),
        _ => error,
    })
}

/// Opens a file. A path of the file system leads to no pipe here.
#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Reads a regular file of any size.
///
/// # Errors
/// As [`open`], and when it cannot be read.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_head(path, u64::MAX)
}

/// Reads the first bytes of a regular file.
///
/// # Errors
/// As [`read`].
pub fn read_head(path: impl AsRef<Path>, most_bytes: u64) -> io::Result<Vec<u8>> {
    read_head_sized(path, most_bytes).map(|(bytes, _)| bytes)
}

/// Reads the first bytes of a regular file, and returns the size of all of it in bytes.
///
/// # Errors
/// As [`read`].
pub fn read_head_sized(path: impl AsRef<Path>, most_bytes: u64) -> io::Result<(Vec<u8>, u64)> {
    if let Some(text) = unsaved::find_text(path.as_ref()) {
        watch::note(path.as_ref());
        let end = usize::try_from(most_bytes).unwrap_or(usize::MAX).min(text.len());
        return Ok((text.as_bytes().get(..end).unwrap_or_default().to_vec(), text.len() as u64));
    }
    let (file, size) = open_sized(path)?;
    let mut bytes =
        Vec::with_capacity(usize::try_from(size.min(most_bytes).min(MAX_TEXT_BYTES)).unwrap_or_default() + 1);
    file.take(most_bytes).read_to_end(&mut bytes)?;
    Ok((bytes, size))
}

/// Reads the last bytes of a regular file. Returns whether these are the whole file.
///
/// # Errors
/// As [`read`].
pub fn read_tail(path: impl AsRef<Path>, most_bytes: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut file = open(path)?;
    let length = file.metadata()?.len();
    let from = length.saturating_sub(most_bytes);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    // What is written meanwhile is not read.
    file.take(length - from).read_to_end(&mut bytes)?;
    Ok((bytes, from == 0))
}

/// Reads a text of at most [`MAX_TEXT_BYTES`].
///
/// # Errors
/// As [`read`], and when it is larger or is not UTF-8.
pub fn read_text(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = read_head(path, MAX_TEXT_BYTES + 1)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        let reason = format!("it is larger than {} MiB", MAX_TEXT_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// The most entries of directories that [`list_files`] looks at.
const MAX_LISTED: usize = 400;
/// The most directories in one that it looks into.
const MAX_DIRS: usize = 48;
/// Directories that programs fill.
const FILLED: [&str; 9] = [".git", "node_modules", "target", "dist", "build", "vendor", ".venv", "venv", "__pycache__"];

/// The files of a directory and of the directories in it, as far as a short look finds them. Links are not followed.
#[must_use]
pub fn list_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut dirs = Vec::new();
    let mut count = 0;
    let mut look = |dir: &Path, dirs: &mut Vec<PathBuf>| {
        for entry in read_dir(dir).into_iter().flatten().flatten() {
            count += 1;
            if count > MAX_LISTED {
                return;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                Ok(kind) if kind.is_dir() && !FILLED.iter().any(|name| entry.file_name() == *name) => {
                    dirs.push(entry.path());
                }
                _ => {}
            }
        }
    };
    look(dir, &mut dirs);
    for dir in dirs.into_iter().take(MAX_DIRS) {
        look(&dir, &mut Vec::new());
    }
    files
}

/// The user's home directory, by the variable `HOME`; without it, by the account, as shells find it.
#[must_use]
pub fn home_dir() -> Option<PathBuf> {
    env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// The variable that names the state directory.
const STATE: &str = "PINTLE_STATE_DIR";
/// The default place of state in a home directory.
pub const BELOW_STATE: &str = ".local/state";

/// The directory of what Pintle stores between runs: `PINTLE_STATE_DIR`, `$XDG_STATE_HOME/pintle`, otherwise
/// `~/.local/state/pintle`. It may not exist; `None` without a home directory.
#[must_use]
pub fn state_dir() -> Option<PathBuf> {
    dir_from_env(STATE).or_else(|| default_pintle_dir("XDG_STATE_HOME", BELOW_STATE))
}

/// Pintle's directory in one that a variable of the XDG Base Directory Specification names, otherwise in a directory of
/// the user's home directory.
#[must_use]
pub fn default_pintle_dir(base: &'static str, below_home: &str) -> Option<PathBuf> {
    // The specification says to ignore relative paths.
    let base = dir_from_env(base).filter(|base| base.is_absolute());
    let below = |home: PathBuf| below_home.split('/').fold(home, |dir, name| dir.join(name));
    Some(base.or_else(|| home_dir().map(below))?.join("pintle"))
}

/// The directory that a variable names, if it is set and not empty.
#[must_use]
pub fn dir_from_env(variable: &'static str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The absolute path of an existing file, without links. On Windows as programs write it: `C:\\dir`, not `\\\\?\\C:\\dir`.
///
/// # Errors
/// When it does not exist, or a directory in it cannot be read.
pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    watch::note(path.as_ref());
    let found = fs::canonicalize(path.as_ref());
    watch::note_real_path(path.as_ref(), found.as_deref().ok());
    let real = found?;
    #[cfg(windows)]
    if let Some(plain) = real.to_str().and_then(|text| text.strip_prefix(r"\\?\"))
        && plain.as_bytes().get(1) == Some(&b':')
    {
        return Ok(PathBuf::from(plain));
    }
    Ok(real)
}

/// The absolute path of a file, without links; the path itself if the file does not exist.
#[must_use]
pub fn real_path(path: &Path) -> PathBuf {
    canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The user's home directory by the variable that names it: `HOME`, on Windows otherwise `USERPROFILE`.
#[must_use]
pub fn home_variable() -> Option<PathBuf> {
    let names: &[&str] = if cfg!(windows) { &["HOME", "USERPROFILE"] } else { &["HOME"] };
    names.iter().find_map(|name| env::var_os(name).filter(|home| !home.is_empty()).map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn only_plain_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("plain"), "x").unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        assert!(open(at("plain")).is_ok());
        for path in [at("pipe"), at("socket"), dir.path().to_owned(), "/dev/zero".into()] {
            for error in [
                open(&path).map(drop),
                read(&path).map(drop),
                read_head(&path, 1).map(drop),
                read_text(&path).map(drop),
            ] {
                assert_eq!(error.unwrap_err().to_string(), "it is not a regular file", "{}", path.display());
            }
        }
    }

    #[test]
    fn files_are_listed_two_levels_deep() {
        let dir = tempfile::tempdir().unwrap();
        for path in [".env", "a/x", "a/b/deep", "node_modules/x"] {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink("/", dir.path().join("link")).unwrap();
        let mut files = list_files(dir.path());
        files.sort();
        assert_eq!(files, [dir.path().join(".env"), dir.path().join("a/x")]);
        assert!(list_files(Path::new("/dev/null/such")).is_empty());
    }

    #[test]
    fn a_text_is_whole_or_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        std::fs::write(&path, "ä").unwrap();
        assert_eq!(read_text(&path).unwrap(), "ä");
        assert_eq!(read_head(&path, 1).unwrap(), [0xc3]);
        std::fs::write(&path, [0xc3]).unwrap();
        assert_eq!(read_text(&path).unwrap_err().to_string(), "it is not UTF-8 text");
        File::create(&path).unwrap().set_len(MAX_TEXT_BYTES + 1).unwrap();
        assert_eq!(read_text(&path).unwrap_err().to_string(), "it is larger than 64 MiB");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_own_process_of_a_path_is_the_one_that_uses_it() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("/proc/self/cwd", &link).unwrap();
        let here = std::env::current_dir().unwrap().canonicalize().unwrap();
        for (path, resolved) in [
            (PathBuf::from("/proc/self/cwd/no/file"), here.join("no/file")),
            (PathBuf::from("/proc/thread-self/cwd"), here.clone()),
            (link.join("x"), here.join("x")),
            (PathBuf::from("/proc/self/root/etc"), PathBuf::from("/etc")),
            (PathBuf::from("/proc/self/fd/0"), PathBuf::from("/proc/self/fd/0")),
            (PathBuf::from("/dev/fd/7"), PathBuf::from("/proc/self/fd/7")),
        ] {
            assert_eq!(resolve_links(&path), resolved, "{}", path.display());
            assert_eq!(trace_links(&path).last(), Some(&resolved), "{}", path.display());
        }
    }

    #[test]
    fn links_of_a_path_are_traced_in_any_component() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let at = |path: &str| root.join(path);
        std::fs::create_dir_all(at("a/b")).unwrap();
        for (target, link) in [("a", "way"), ("b/file", "a/there"), ("../gone", "a/b/up"), ("loop", "loop")] {
            std::os::unix::fs::symlink(target, at(link)).unwrap();
        }
        let trace = |path: &str| {
            let below = |path: PathBuf| path.strip_prefix(&root).unwrap().display().to_string();
            trace_links(&at(path)).into_iter().map(below).collect::<Vec<_>>()
        };
        assert_eq!(trace("a/b/c"), ["a/b/c"]);
        assert_eq!(trace("./way/there"), ["way", "a/there", "a/b/file"]);
        assert_eq!(trace("way/b/../there"), ["way", "a/there", "a/b/file"]);
        assert_eq!(trace("way/b/up/x"), ["way", "a/b/up", "a/gone/x"]);
        assert!(trace("loop").len() < 20);
        assert_eq!(trace_links(Path::new("/no/../such")), [Path::new("/such")]);
    }
}
