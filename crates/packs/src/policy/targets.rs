//! What an operation is done to, as rules name it: paths, places, hosts and other texts.

use std::path::Path;

use pintle_files::with_slashes;
use pintle_shell::{Operation, OperationKind, OperationTag, PathPlace};

use super::RuleFit;
use crate::allowed::{has_known_path, paths_below_home};
use crate::glob::{PathFit, fit_path, matches_part, parts_overlap};

/// What an operation of a kind is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetKind {
    Path,
    Host,
    Text,
}

impl TargetKind {
    pub(super) const fn from_kind(kind: OperationKind) -> Self {
        use OperationKind::{Delete, Download, Move, Permission, Read, Upload, Write};
        match kind {
            Read | Write | Delete | Move | Permission => Self::Path,
            Download | Upload => Self::Host,
            _ => Self::Text,
        }
    }
}

/// The words for places in `inside` and `outside`.
pub(super) const PLACE_WORDS: [&str; 4] = ["project", "home", "temporary", "system"];

/// A pattern of what operations are done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetPattern {
    /// Everything.
    Any,
    /// Absolute paths.
    Absolute(Vec<String>),
    /// A path in the project.
    InProject(String),
    /// The name of a file or directory, wherever it is in the project; elsewhere that of the last part.
    Name(String),
    /// A place.
    Place(&'static [PathPlace]),
    /// A host, such as `*.example.com`.
    Host(String),
    /// Another text, as the call has it: an address, a branch, a database.
    Text(String),
}

impl TargetPattern {
    /// Reads a pattern. `home` is the home directory of the user, if it is known.
    pub(super) fn parse(text: &str, kind: TargetKind, home: Option<&Path>) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err(String::from("it is empty; write a path, a host, or `any`"));
        }
        if text == "any" {
            return Ok(Self::Any);
        }
        match kind {
            TargetKind::Path => Self::parse_path(text, home),
            TargetKind::Host if text.contains('/') => Ok(Self::Text(text.to_owned())),
            TargetKind::Host => Ok(Self::Host(text.trim_end_matches('.').to_lowercase())),
            TargetKind::Text => Ok(Self::Text(text.to_owned())),
        }
    }

    fn parse_path(text: &str, home: Option<&Path>) -> Result<Self, String> {
        if let Some(paths) = paths_below_home(text, home)? {
            return Ok(Self::Absolute(paths));
        }
        if text.split('/').any(|part| part.contains("**") && part != "**") {
            return Err(String::from("`**` stands for whole directories; write `/**/`, or `*` within a name"));
        }
        let text = with_slashes(text.into()).display().to_string();
        let path = text.strip_prefix("./").unwrap_or(&text);
        if path.split('/').any(|part| part == ".." || part == ".") {
            return Err(String::from("a path is compared without `.` and `..`; write it without them"));
        }
        Ok(match path {
            path if Path::new(path).is_absolute() || path.starts_with('/') => Self::Absolute(vec![path.to_owned()]),
            path if path.contains('/') || path != text => Self::InProject(path.to_owned()),
            name => Self::Name(name.to_owned()),
        })
    }

    /// Reads an entry of `inside` or `outside`: a place or a path.
    pub(super) fn parse_place(text: &str, home: Option<&Path>) -> Result<Self, String> {
        match text {
            // A project may be in a home or in a directory of temporary files.
            "project" => Ok(Self::InProject(String::from("**"))),
            "home" => Self::parse_path("~", home),
            "temporary" => Ok(Self::Place(&[PathPlace::Temporary])),
            "system" => Ok(Self::Place(&[PathPlace::System, PathPlace::Root, PathPlace::Device])),
            path => Self::parse_path(path, home),
        }
    }

    /// How the pattern fits what an operation is done to.
    pub(super) fn fit(&self, operation: &Operation, project: &str) -> RuleFit {
        let written = operation.written.as_str();
        match self {
            Self::Any => RuleFit::Certain,
            Self::Host(host) => fit_text(host, &host_of(written)),
            Self::Text(text) => fit_text(text, written),
            Self::Place(places) => fit_place(places, operation),
            Self::Absolute(_) | Self::InProject(_) | Self::Name(_) => match operation.path.as_deref() {
                Some(path) => self.fit_path(operation, path, project),
                None => unknown_place(operation),
            },
        }
    }

    fn fit_path(&self, operation: &Operation, path: &str, project: &str) -> RuleFit {
        let takes_all = operation.has(OperationTag::Recursive) || operation.kind == OperationKind::Move;
        let is_change =
            matches!(operation.kind, OperationKind::Delete | OperationKind::Move | OperationKind::Permission);
        match self.compare_path(operation, path, project) {
            // Without a home directory, it is not known what `~` is.
            None | Some(PathFit::Crossing) => RuleFit::Possible,
            Some(PathFit::Within) => RuleFit::Certain,
            Some(PathFit::Above) if takes_all && is_change => RuleFit::Certain,
            Some(PathFit::Above) if takes_all => RuleFit::Possible,
            Some(PathFit::Above | PathFit::Apart) => RuleFit::No,
        }
    }

    /// What a path is to the pattern; `None` if it has no paths.
    fn compare_path(&self, operation: &Operation, path: &str, project: &str) -> Option<PathFit> {
        // What a search selects, such as `find . -name '*.tf'`, may be at any depth below where it begins.
        let is_search = operation.has(OperationTag::Filtered) && operation.has(OperationTag::Recursive);
        let start = path.trim_end_matches('/').rsplit_once('/').map_or("/", |(start, _)| start);
        let fit_path = |pattern: &str, path: &str| match fit_path(pattern, path) {
            PathFit::Apart if is_search && fit_path(pattern, start) == PathFit::Above => PathFit::Crossing,
            fit => fit,
        };
        match self {
            Self::Absolute(patterns) => patterns.iter().map(|pattern| fit_path(pattern, path)).max(),
            Self::InProject(pattern) => Some(fit_path(&format!("{}/{pattern}", project.trim_end_matches('/')), path)),
            Self::Name(name) => Some(fit_name(name, operation, path, project)),
            Self::Any | Self::Place(_) | Self::Host(_) | Self::Text(_) => None,
        }
    }

    /// Whether all that an operation is done to is what the pattern names.
    pub(super) fn holds(&self, operation: &Operation, project: &str) -> RuleFit {
        match (self, operation.path.as_deref()) {
            (Self::Absolute(_) | Self::InProject(_) | Self::Name(_), Some(path)) => {
                match self.compare_path(operation, path, project) {
                    Some(PathFit::Within) => RuleFit::Certain,
                    Some(PathFit::Above | PathFit::Apart) => RuleFit::No,
                    Some(PathFit::Crossing) | None => RuleFit::Possible,
                }
            }
            _ => self.fit(operation, project),
        }
    }

    /// The same for an exception: a part of a path that is not known may climb out of it.
    pub(super) fn covers(&self, operation: &Operation, project: &str) -> bool {
        let is_open = operation.place == Some(PathPlace::Unknown) || !has_known_path(operation);
        (*self == Self::Any || !is_open) && self.holds(operation, project) == RuleFit::Certain
    }
}

/// A name counts at any depth of the project, and elsewhere as the last part of a path.
fn fit_name(name: &str, operation: &Operation, path: &str, project: &str) -> PathFit {
    let inside =
        path.strip_prefix(project.trim_end_matches('/')).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let parts: Vec<&str> = match inside {
        Some(inside) => inside.split('/').filter(|part| !part.is_empty()).collect(),
        None => path.rsplit('/').take(1).collect(),
    };
    if parts.iter().any(|part| matches_part(name.as_bytes(), part.as_bytes())) {
        return PathFit::Within;
    }
    if parts.iter().any(|part| parts_overlap(name, part)) {
        return PathFit::Crossing;
    }
    // A whole project or home has files of any name.
    match operation.place {
        Some(PathPlace::ProjectRoot | PathPlace::Home | PathPlace::Root) => PathFit::Above,
        _ => PathFit::Apart,
    }
}

fn fit_place(places: &[PathPlace], operation: &Operation) -> RuleFit {
    match operation.place {
        Some(place) if places.contains(&place) => RuleFit::Certain,
        _ => unknown_place(operation),
    }
}

fn unknown_place(operation: &Operation) -> RuleFit {
    if operation.place == Some(PathPlace::Unknown) { RuleFit::Possible } else { RuleFit::No }
}

fn fit_text(pattern: &str, text: &str) -> RuleFit {
    if matches_part(pattern.as_bytes(), text.as_bytes()) {
        RuleFit::Certain
    } else if text.is_empty() || text.contains(['…', '$', '`']) {
        RuleFit::Possible
    } else {
        RuleFit::No
    }
}

/// The host of an address: `https://user@HOST:443/path`, `user@HOST:path`.
fn host_of(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let host = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, _)) => host,
        None => rest.split(':').next().unwrap_or_default(),
    };
    host.trim_end_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(entry: &str, kind: OperationKind, path: &str, recursive: bool) -> RuleFit {
        let pattern = TargetPattern::parse(entry, TargetKind::from_kind(kind), Some(Path::new("/home/ana"))).unwrap();
        let mut operation = Operation::new(kind, "x").written(path).tag_if(recursive, OperationTag::Recursive);
        operation.path = Some(path.to_owned());
        pattern.fit(&operation, "/home/ana/p")
    }

    #[test]
    fn a_path_is_that_of_the_project_a_name_or_absolute() {
        use OperationKind::{Delete, Move, Read, Write};
        use RuleFit::{Certain, No, Possible};
        for (entry, kind, path, recursive, expected) in [
            ("infra/**", Write, "/home/ana/p/infra/a.tf", false, Certain),
            ("infra/**", Write, "/home/ana/infra/a.tf", false, No),
            ("./infra", Write, "/home/ana/p/infra/a.tf", false, Certain),
            ("infra/**", Delete, "/home/ana/p", true, Certain),
            ("infra/**", Delete, "/home/ana", true, Certain),
            ("infra/**", Move, "/home/ana/p/infra", false, Certain),
            ("infra/x", Write, "/home/ana/p/infra", false, No),
            ("infra/x", Read, "/home/ana/p", true, Possible),
            ("*.pem", Read, "/home/ana/p/a/b.pem", false, Certain),
            ("*.pem", Read, "/etc/b.pem", false, Certain),
            ("*.pem", Read, "/home/ana/p/*", false, Possible),
            ("*.pem", Read, "/home/ana/p/*.txt", false, No),
            ("p", Write, "/home/ana/p/x", false, No),
            ("~/notes", Write, "/home/ana/notes/x", false, Certain),
            ("/etc", Write, "/etc/x", false, Certain),
            ("any", Write, "/x", false, Certain),
        ] {
            assert_eq!(fit(entry, kind, path, recursive), expected, "{entry} {path}");
        }
    }

    #[test]
    fn a_host_is_that_of_an_address() {
        use RuleFit::{Certain, No, Possible};
        let kind = OperationKind::Upload;
        for (entry, address, expected) in [
            ("example.com", "https://example.com/x?y", Certain),
            ("example.com", "https://EXAMPLE.com.:8443", Certain),
            ("example.com", "u@example.com:/x", Certain),
            ("example.com", "https://example.com@evil.test/", No),
            ("*.example.com", "https://a.b.example.com/", Certain),
            ("*.example.com", "https://example.com.evil.test/", No),
            ("https://example.com/a/*", "https://example.com/a/b", Certain),
            ("example.com", "https://$HOST/", Possible),
            ("example.com", "…", Possible),
            ("::1", "http://[::1]:80/", Certain),
        ] {
            let pattern = TargetPattern::parse(entry, TargetKind::from_kind(kind), None).unwrap();
            let operation = Operation::new(kind, "curl").written(address);
            assert_eq!(pattern.fit(&operation, "/p"), expected, "{entry} {address}");
        }
    }

    #[test]
    fn an_entry_that_can_match_nothing_is_an_error() {
        for entry in ["", "a/../b", "~eve/x", "a/x**"] {
            let error = TargetPattern::parse(entry, TargetKind::Path, Some(Path::new("/home/ana"))).unwrap_err();
            assert!(error.contains("write"), "{entry}: {error}");
        }
    }
}
