//! Where a path is, and what is known of it.

mod glob;
mod sensitive;
mod tails;
mod windows;

use std::path::{Path, PathBuf};

use pintle_files::with_slashes;

pub use glob::matches_glob;
pub(crate) use sensitive::tags_of_path;

use crate::site::{CallSite, normalize};
use crate::{OperationTag, PathPlace};

/// Stands for a part of a text that cannot be known.
pub(crate) const UNKNOWN: char = '\u{fffc}';

/// Directories of the operating system.
const SYSTEM: &str = "/etc /usr /bin /sbin /lib /lib32 /lib64 /boot /var /opt /root /proc /sys /run /srv /snap /System \
                      /Library /Applications /private/etc /private/var /nix";
/// Directories of temporary files; those that begin with `~` are below the home directory.
const TEMPORARY: &str = "~/AppData/Local/Temp /tmp /var/tmp /private/tmp /private/var/tmp /dev/shm /var/folders \
                         /private/var/folders ~/.cache ~/Library/Caches ~/.npm/_cacache ~/tmp";
/// Devices that hold nothing.
const HARMLESS_DEVICES: &str = "/dev/null /dev/zero /dev/random /dev/urandom /dev/stdin /dev/stdout /dev/stderr \
                                /dev/tty /dev/full /dev/fd";

/// A path as an operation has it.
#[derive(Debug, Clone)]
pub(crate) struct PlacedPath {
    pub(crate) path: Option<PathBuf>,
    pub(crate) place: PathPlace,
    pub(crate) tags: Vec<OperationTag>,
}

/// Places a path that may have unknown parts and patterns. `cwd` is the directory that it is relative to, if known.
pub(crate) fn place_path(call_site: &CallSite<'_>, cwd: Option<&Path>, text: &str, is_pattern: bool) -> PlacedPath {
    let text = text.strip_prefix("file://").unwrap_or(text);
    let text = &*windows::to_local(call_site, text);
    if let Some(unknown) = text.find(UNKNOWN) {
        return place_unknown(call_site, cwd, text, unknown);
    }
    let Some(absolute) = to_absolute(cwd, text) else {
        return PlacedPath {
            path: None,
            place: PathPlace::Unknown,
            tags: tags_of_path(call_site, &Path::new("…").join(text), is_pattern),
        };
    };
    let written = without_process_root(normalize(&absolute).into_owned(), cwd);
    let resolved = match call_site.resolve {
        Some(resolve) if !is_pattern => resolve(&absolute),
        // The directory of a pattern may be a link.
        Some(resolve) => resolve_directory(resolve, &written),
        None => written.clone(),
    };
    let mut tags = tags_of_path(call_site, &resolved, is_pattern);
    if resolved != written {
        tags.extend(tags_of_path(call_site, &written, is_pattern));
    }
    if is_pattern {
        tags.push(OperationTag::Pattern);
    }
    tags.sort_unstable();
    tags.dedup();
    let place = place_of(call_site, &resolved, is_pattern);
    PlacedPath { path: Some(resolved), place, tags }
}

/// Places a path of which nothing else is asked.
pub(crate) fn place_plain(cwd: Option<&Path>, text: &str) -> PlacedPath {
    let absolute = if text.contains(UNKNOWN) { None } else { to_absolute(cwd, text) };
    let path = absolute.map(|path| normalize(&path).into_owned());
    PlacedPath { path, place: PathPlace::Unknown, tags: Vec::new() }
}

/// The path of which a part is unknown: what is known of its directory counts, unless the rest may be empty.
fn place_unknown(call_site: &CallSite<'_>, cwd: Option<&Path>, text: &str, unknown: usize) -> PlacedPath {
    let known = text.get(..unknown).unwrap_or_default();
    let mut tags = tags_of_path(call_site, Path::new(&text.replace(UNKNOWN, "*")), true);
    tags.retain(|tag| *tag != OperationTag::Pattern);
    let nowhere = PlacedPath { path: None, place: PathPlace::Unknown, tags: tags.clone() };
    let Some((directory, name)) = known.rsplit_once('/') else { return nowhere };
    // It may leave the directory again.
    if text.get(unknown..).unwrap_or_default().split('/').any(|part| part == "..") {
        return nowhere;
    }
    let directory = if directory.is_empty() { "/" } else { directory };
    let Some(absolute) = to_absolute(cwd, directory) else { return nowhere };
    let place = place_of(call_site, &normalize(&absolute), false);
    match place {
        PathPlace::Project | PathPlace::Temporary | PathPlace::System | PathPlace::InHome | PathPlace::Device => {
            PlacedPath { path: Some(with_slashes(absolute.join("*"))), place, tags }
        }
        // `/tmp/$X` is below `/tmp`, but `./$X` may be `.`.
        PathPlace::ProjectRoot if !name.is_empty() => {
            PlacedPath { path: Some(with_slashes(absolute.join("*"))), place: PathPlace::Project, tags }
        }
        _ => nowhere,
    }
}

/// `/proc/self/root` is the root directory, and `/proc/self/cwd` the working directory.
fn without_process_root(path: PathBuf, cwd: Option<&Path>) -> PathBuf {
    let Ok(rest) = path.strip_prefix("/proc") else { return path };
    let mut parts = rest.components();
    let _process = parts.next();
    match (parts.next().and_then(|part| part.as_os_str().to_str()), cwd) {
        (Some("root"), _) => Path::new("/").join(parts.as_path()),
        (Some("cwd"), Some(cwd)) => cwd.join(parts.as_path()),
        _ => path,
    }
}

fn to_absolute(cwd: Option<&Path>, text: &str) -> Option<PathBuf> {
    let path = Path::new(text);
    if path.is_absolute() || text.starts_with('/') || windows::is_drive_path(text) {
        Some(path.to_owned())
    } else {
        Some(cwd?.join(path))
    }
}

/// Resolves the directories of a path up to its first pattern.
fn resolve_directory(resolve: &dyn Fn(&Path) -> PathBuf, path: &Path) -> PathBuf {
    let is_plain = |part: &std::path::Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let known: PathBuf = path.components().take_while(is_plain).collect();
    let rest = path.strip_prefix(&known).unwrap_or(path);
    with_slashes(resolve(&known).join(rest))
}

/// Whether a name matches everything in its directory, as `*` does.
fn is_everything(name: &str) -> bool {
    matches!(name, "*" | ".*" | "**" | "?*" | "*?" | ".[!.]*" | ".[^.]*" | ".??*" | "*.*" | ".[!.]?*")
}

/// Where an absolute path without `..` is.
pub(crate) fn place_of(call_site: &CallSite<'_>, path: &Path, is_pattern: bool) -> PathPlace {
    let text = &*path.to_string_lossy();
    let name = text.bytes().rposition(|byte| byte == b'/').and_then(|end| text.get(end + 1..)).unwrap_or(text);
    // Everything in a directory is the directory.
    if is_pattern && is_everything(name) {
        let parent = path.parent().unwrap_or(path);
        // `DIRECTORY/**/*`.
        let place =
            place_of(call_site, parent, parent.file_name().is_some_and(|name| is_everything(&name.to_string_lossy())));
        return if place == PathPlace::Project && parent == call_site.project { PathPlace::ProjectRoot } else { place };
    }
    // `!(a|b)` is everything in a directory but a few names.
    if name.starts_with("!(") {
        return place_of(call_site, path.parent().unwrap_or(path), false);
    }
    let project = &*call_site.project.to_string_lossy();
    let home = call_site.home.map(Path::to_string_lossy);
    if let Some(place) = windows::place_of_drive(text, project, home.as_deref()) {
        return place;
    }
    let below_home = home.as_deref().and_then(|home| strip_directory(text, home));
    let is_below = |directory: &str| strip_directory(text, directory).is_some();
    // A service works in `/` if it is not told where, and a container often does. What is there, or beside the home
    // directory, is not a project's.
    let holds_more_than_a_project = project == "/" || holds_home(project, home.as_deref());
    let is_temporary_there =
        |rest: &str| home_temporaries().any(|directory| strip_directory(rest, directory).is_some());
    match () {
        // Relative to a working directory that is not known, which may be any.
        () if !text.starts_with('/') => PathPlace::Outside,
        () if text == "/" => PathPlace::Root,
        () if is_below("/dev") && !is_below("/dev/shm") && !HARMLESS_DEVICES.split(' ').any(is_below) => {
            PathPlace::Device
        }
        () if text == project => PathPlace::ProjectRoot,
        () if home.as_deref().is_some_and(|home| strip_directory(home, text).is_some()) => PathPlace::Home,
        () if strip_directory(project, text).is_some() => PathPlace::ProjectRoot,
        () if is_below(project) && !holds_more_than_a_project => PathPlace::Project,
        () if below_home.is_some_and(is_temporary_there) => PathPlace::Temporary,
        () if below_home.is_some() => PathPlace::InHome,
        () if TEMPORARY.split(' ').any(is_below) || is_below("/dev") => PathPlace::Temporary,
        () if SYSTEM.split(' ').any(is_below) => PathPlace::System,
        () => PathPlace::Outside,
    }
}

/// The directories of temporary files in a home directory, each with a slash in front.
fn home_temporaries() -> impl Iterator<Item = &'static str> {
    TEMPORARY.split(' ').filter_map(|directory| directory.strip_prefix('~'))
}

/// Whether the home directory is somewhere below a directory.
pub(crate) fn holds_home(directory: &str, home: Option<&str>) -> bool {
    home.is_some_and(|home| home != directory && strip_directory(home, directory).is_some())
}

/// What is behind a directory in the path of something in it; empty for the directory itself. Both are absolute and have
/// no `..`, so that their texts say it all.
pub(crate) fn strip_directory<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
