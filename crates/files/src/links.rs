//! Paths without symbolic links.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use crate::watch;

/// A path without links, `.` and `..`. The part that does not exist stays as it is.
#[must_use]
pub fn resolve_links(path: &Path) -> PathBuf {
    watch::note(path);
    if has_no_links(path) {
        watch::note_real_path(path, Some(path));
        return path.to_owned();
    }
    // The system would answer for this process, which may be in another directory than the one that uses the path.
    let mut trace = trace_links(path);
    if trace.iter().any(|link| path_of_own_process(link).is_some()) {
        return trace.pop().unwrap_or_else(|| path.to_owned());
    }
    resolve_links_up_to(path, MOST_LINKS)
}

/// Whether the system says in one call that a path exists and is what it seems: absolute, plain, and without a link. Where
/// the system cannot say so, it may have links.
fn has_no_links(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let is_plain = path.is_absolute()
        && (bytes.len() == 1 || !bytes.ends_with(b"/"))
        && !bytes.windows(2).any(|pair| pair == b"//" || pair == b"/.");
    is_plain && opens_without_links(path)
}

#[cfg(target_os = "linux")]
fn opens_without_links(path: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn opens_without_links(_: &Path) -> bool {
    false
}

fn resolve_links_up_to(path: &Path, links: usize) -> PathBuf {
    let mut missing = PathBuf::new();
    let mut known = path.to_owned();
    loop {
        if let Ok(real) = crate::canonicalize(&known) {
            return with_slashes(if missing.as_os_str().is_empty() { real } else { real.join(missing) });
        }
        let Some(parent) = known.parent().map(Path::to_owned) else { return path.to_owned() };
        // Creating the target of a dangling link follows the link.
        if let Some(target) = read_link(&known).filter(|_| links > 0) {
            return resolve_links_up_to(&parent.join(target).join(missing), links - 1);
        }
        let Some(name) = known.file_name() else {
            // It ends in `..` after a component that does not exist.
            let plain = normalize_path(path);
            return if plain == path { plain } else { resolve_links_up_to(&plain, links) };
        };
        missing = if missing.as_os_str().is_empty() { PathBuf::from(name) } else { Path::new(name).join(missing) };
        known = parent;
    }
}

/// Where a link leads. The directory of a process in `/proc` is that of the process which will use the path, not of this
/// one: its working directory is taken to be this thread's, and its open files are not known.
fn read_link(path: &Path) -> Option<PathBuf> {
    let Some(below) = path_of_own_process(path) else {
        watch::note(path);
        return fs::read_link(path).ok();
    };
    match below.to_str() {
        Some("cwd") => env::current_dir().ok(),
        Some("root") => Some(PathBuf::from("/")),
        _ => None,
    }
}

/// The rest of a path behind the names by which a process finds itself.
fn path_of_own_process(path: &Path) -> Option<&Path> {
    ["/proc/self", "/proc/thread-self"].into_iter().find_map(|own| path.strip_prefix(own).ok())
}

/// A path as texts of paths are compared: with slashes, which Windows takes as well as its own separators.
#[must_use]
pub fn with_slashes(path: PathBuf) -> PathBuf {
    if cfg!(windows) { PathBuf::from(path.to_string_lossy().replace('\\', "/")) } else { path }
}

/// The most dangling links that are followed.
const MOST_LINKS: usize = 16;

/// The links that a path goes through, each without links in its own parent directory, and last what the path means. A
/// part that does not exist stays as it is.
#[must_use]
pub fn trace_links(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending: Vec<OsString> = to_parts(path);
    let mut known = PathBuf::new();
    while let Some(part) = pending.pop() {
        if part == ".." {
            known.pop();
            continue;
        }
        known.push(part);
        if let Some(target) = read_link(&known).filter(|_| found.len() < MOST_LINKS) {
            found.push(known.clone());
            known.pop();
            pending.extend(to_parts(&target));
        }
    }
    found.push(known);
    found
}

/// The parts of a path, the last one first. An absolute path begins with `/`, which replaces what it is pushed to.
fn to_parts(path: &Path) -> Vec<OsString> {
    path.components().rev().filter(|part| *part != Component::CurDir).map(|part| part.as_os_str().to_owned()).collect()
}

/// A path without `.` and `..`, resolved lexically.
#[must_use]
pub fn normalize_path(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}
