//! Paths of Windows, on any system.

use std::borrow::Cow;

use super::{holds_home, home_temporaries, strip_directory};
use crate::PathPlace;
use crate::site::CallSite;

/// A path with slashes; one of a drive's `Users` lies beside the home directory.
pub(super) fn to_local<'t>(call_site: &CallSite<'_>, text: &'t str) -> Cow<'t, str> {
    let is_on_drive = is_drive_path(&call_site.project.to_string_lossy());
    if !text.contains('\\') && !is_drive_path(text) && !is_on_drive {
        return Cow::Borrowed(text);
    }
    let mut slashed = text.replace('\\', "/");
    if is_on_drive {
        slashed.truncate(without_stream(&slashed).len());
        if let Some((drive, rest)) = split_mounted_drive(&slashed) {
            slashed = format!("{drive}:/{rest}");
        }
        // `D:x` is in a directory of that drive that is not known.
        if names_drive(&slashed) && !is_drive_path(&slashed) {
            slashed.insert(2, '/');
        }
    }
    let slashed = &*without_device_prefix(&slashed);
    let users = slashed.get(1..).filter(|_| is_drive_path(slashed)).and_then(|rest| {
        let (head, rest) = rest.split_at_checked(":/users".len())?;
        (head.eq_ignore_ascii_case(":/users") && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
    });
    let beside = call_site.home.and_then(|home| Some((home.parent()?.to_str()?, home.file_name()?.to_str()?)));
    let is_posix = call_site.home.is_some_and(|home| home.to_string_lossy().starts_with('/'));
    match (users, beside) {
        (Some(rest), Some((parent, user))) if is_posix => {
            let (name, below) =
                rest.get(1..).unwrap_or_default().split_once('/').unwrap_or((rest.get(1..).unwrap_or_default(), ""));
            // Names on Windows have no case.
            let name = if name.eq_ignore_ascii_case(user) { user } else { name };
            Cow::Owned(format!("{parent}/{name}/{below}"))
        }
        _ => Cow::Owned(slashed.to_owned()),
    }
}

/// The drive of a path as the shells of MSYS, Cygwin and WSL have it, and what is below: `/c/x`, `/cygdrive/c/x`,
/// `/mnt/c/x`.
fn split_mounted_drive(slashed: &str) -> Option<(char, &str)> {
    let below = ["/cygdrive/", "/mnt/", "/"].iter().find_map(|start| slashed.strip_prefix(start))?;
    let (drive, rest) = below.split_once('/').unwrap_or((below, ""));
    let letter = drive.chars().next().filter(|letter| letter.is_ascii_alphabetic() && drive.len() == 1)?;
    Some((letter, rest))
}

/// `\\?\C:\x` is `C:\x`, and `\\?\UNC\server\share` is `\\server\share`. Any other device stays outside of everything.
fn without_device_prefix(slashed: &str) -> Cow<'_, str> {
    let Some(rest) = slashed.strip_prefix("//?/").or_else(|| slashed.strip_prefix("//./")) else {
        return Cow::Borrowed(slashed);
    };
    match rest.split_at_checked("unc/".len()) {
        _ if is_drive_path(rest) => Cow::Borrowed(rest),
        Some((unc, share)) if unc.eq_ignore_ascii_case("unc/") => Cow::Owned(format!("//{share}")),
        _ => Cow::Borrowed(slashed),
    }
}

/// `.env::$DATA` and `.env ` are names of `.env`.
fn without_stream(slashed: &str) -> &str {
    let name = slashed.rfind('/').map_or(0, |slash| slash + 1);
    let stream = slashed.get(name..).and_then(|name| name.find(':'));
    let end = stream.filter(|at| *at > 1).map_or(slashed.len(), |at| name + at);
    let shortened = slashed.get(..end).unwrap_or(slashed);
    let trimmed = shortened.trim_end_matches([' ', '.']);
    // `.` and `..` are directories.
    if trimmed.len() > name { trimmed } else { shortened }
}

/// A path with slashes and without the case of its letters, which names on Windows do not have.
fn to_key(text: &str) -> String {
    text.replace('\\', "/").trim_end_matches('/').to_lowercase()
}

/// Where a path of a drive is, by those that the call site has on drives.
fn place_by_project(path: &str, project: &str, home: Option<&str>) -> Option<PathPlace> {
    let home = home.filter(|home| is_drive_path(home));
    if path.len() == "c:".len() {
        return None;
    }
    if home.is_some_and(|home| strip_directory(home, path).is_some()) {
        return Some(PathPlace::Home);
    }
    // A whole drive is not a project, nor is a directory that holds the home directory.
    let is_project = is_drive_path(project) && project.len() > "c:".len() && !holds_home(project, home);
    if is_project && strip_directory(project, path).is_some() {
        return Some(PathPlace::ProjectRoot);
    }
    if is_project && strip_directory(path, project).is_some() {
        return Some(PathPlace::Project);
    }
    let below_home = home.and_then(|home| strip_directory(path, home))?;
    let is_temporary = |directory: &str| strip_directory(below_home, &directory.to_ascii_lowercase()).is_some();
    Some(if home_temporaries().any(is_temporary) { PathPlace::Temporary } else { PathPlace::InHome })
}

/// Whether a path begins with a drive, such as `C:`.
pub(super) fn is_drive_path(text: &str) -> bool {
    names_drive(text) && text.as_bytes().get(2).is_none_or(|letter| matches!(letter, b'/' | b'\\'))
}

/// Whether a path begins with a letter and a colon.
fn names_drive(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_ascii_alphabetic()) && text.as_bytes().get(1) == Some(&b':')
}

/// Where a path of a drive is; `None` for any other path.
pub(super) fn place_of_drive(text: &str, project: &str, home: Option<&str>) -> Option<PathPlace> {
    if !is_drive_path(text) {
        return None;
    }
    if let Some(place) = place_by_project(&to_key(text), &to_key(project), home.map(to_key).as_deref()) {
        return Some(place);
    }
    let rest = text.get(2..).unwrap_or_default().trim_matches(['/', '*']).to_ascii_lowercase();
    let first = rest.split('/').next().unwrap_or_default();
    Some(match first {
        "" => PathPlace::Root,
        "temp" | "tmp" => PathPlace::Temporary,
        "windows" if rest.starts_with("windows/temp/") => PathPlace::Temporary,
        "windows"
        | "program files"
        | "program files (x86)"
        | "programdata"
        | "system volume information"
        | "boot"
        | "recovery"
        | "efi" => PathPlace::System,
        _ => PathPlace::Outside,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::paths::place_of;

    /// A site whose project and home are on a drive, as in a program for Windows.
    #[test]
    fn a_project_on_a_drive_has_an_inside() {
        let place = |project: &str, text: &str| {
            let site = CallSite {
                home: Some(Path::new(r"C:\Users\Ann")),
                ..CallSite::new(Path::new(project), Path::new(project))
            };
            place_of(&site, Path::new(&*to_local(&site, text)), false)
        };
        for (project, text, expected) in [
            (r"C:\src\p", r"c:\SRC\p\build", PathPlace::Project),
            ("C:/src/p", r"\\?\C:\src\p", PathPlace::ProjectRoot),
            (r"C:\src\p", "C:/src", PathPlace::ProjectRoot),
            (r"C:\src\p", "C:/src/p2", PathPlace::Outside),
            (r"C:\src\p", "D:/src/p/build", PathPlace::Outside),
            (r"C:\src\p", "D:build", PathPlace::Outside),
            (r"C:\src\p", "C:/", PathPlace::Root),
            (r"C:\src\p", "C:/Windows/x", PathPlace::System),
            (r"C:\src\p", "/etc/x", PathPlace::System),
            (r"C:\src\p", r"\\?\UNC\server\share", PathPlace::Outside),
            (r"C:\src\p", r"\\?\GLOBALROOT\x", PathPlace::Outside),
            ("/home/ann/p", r"\\?\unc\server\share", PathPlace::Outside),
            ("/home/ann/p", r"\\?\C:\src\x", PathPlace::Outside),
            (r"C:\src\p", r"C:\users\ann", PathPlace::Home),
            (r"C:\src\p", "/c/Users/Ann", PathPlace::Home),
            (r"C:\src\p", "/c/", PathPlace::Root),
            (r"C:\src\p", "/C", PathPlace::Root),
            (r"C:\src\p", "/cygdrive/c/src/p/x", PathPlace::Project),
            (r"C:\src\p", "/mnt/d/x", PathPlace::Outside),
            (r"C:\src\p", "/cc/x", PathPlace::Outside),
            ("/home/ann/p", "/c/Users/ann", PathPlace::Outside),
            (r"C:\src\p", r"C:\users", PathPlace::Home),
            (r"C:\src\p", r"C:\users\bob\x", PathPlace::Outside),
            (r"C:\src\p", "c:/users/ann/x", PathPlace::InHome),
            (r"C:\src\p", "c:/users/ann/AppData/Local/Temp/x", PathPlace::Temporary),
            (r"C:\src\p", "C:/Users/Ann/.cache/pip", PathPlace::Temporary),
            (r"C:\Users\Ann\p", "c:/users/ann/p/x", PathPlace::Project),
            (r"C:\", "C:/src/x", PathPlace::Outside),
            (r"C:\Users", "C:/Users/bob/x", PathPlace::Outside),
            ("/home/ann/p", "C:/src/x", PathPlace::Outside),
        ] {
            assert_eq!(place(project, text), expected, "{project} {text}");
        }
    }

    #[test]
    fn names_of_the_same_file_are_one() {
        let names = [".env", ".env ", ".env.", ".env::$DATA", "a/.env:x", ".", "..", "a/..", "C:/x/b. .", "C:"];
        let same = [".env", ".env", ".env", ".env", "a/.env", ".", "..", "a/..", "C:/x/b", "C:"];
        assert_eq!(names.map(without_stream), same);
    }
}
