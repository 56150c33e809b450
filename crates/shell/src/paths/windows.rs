//! Paths of Windows, on any system.

use std::borrow::Cow;

use crate::PathPlace;
use crate::site::CallSite;

/// A path with slashes; one of a drive's `Users` lies beside the home directory.
pub(super) fn to_local<'t>(call_site: &CallSite<'_>, text: &'t str) -> Cow<'t, str> {
    if !text.contains('\\') && !is_drive_path(text) {
        return Cow::Borrowed(text);
    }
    let slashed = text.replace('\\', "/");
    // `\\?\C:\x` is `C:\x`.
    let slashed = slashed.strip_prefix("//?/").or_else(|| slashed.strip_prefix("//./")).unwrap_or(&slashed);
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

/// Whether a path begins with a drive, such as `C:`.
pub(super) fn is_drive_path(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters.next().is_none_or(|letter| matches!(letter, '/' | '\\'))
}

/// Where a path of a drive is; `None` for any other path.
pub(super) fn place_of_drive(text: &str) -> Option<PathPlace> {
    if !is_drive_path(text) {
        return None;
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
