//! Reads what policy files extend: other files, and files of a git revision or of an OCI artifact, which `pintle fetch`
//! puts beside them.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{ByteSpan, Diagnostic, SourceFile};

use super::merge::new_report;
use crate::document::{DocNode, FieldReader, FileReport, KeyTable, UnknownKeys, key, parse, skip_byte_order_mark};
use crate::{Artifact, ArtifactKind};

/// The directory beside a policy file with what it extends from elsewhere.
pub const FETCHED_DIR: &str = "fetched";
/// The file of a repository or an artifact if `path` does not name one.
const DEFAULT_PATH: &str = "policy.yaml";
/// The beginnings of an address that git can be given. Others run programs or are options.
const GIT_ADDRESSES: [&str; 5] = ["https://", "ssh://", "git@", "file:///", "/"];
/// What an OCI reference is pinned by.
const OCI_PIN: &str = "@sha256:";

/// What a policy file extends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyBase {
    /// A file, relative to the directory of the policy file.
    File {
        /// The path as written.
        path: String,
    },
    /// A file of a git revision.
    Git {
        /// The address of the repository.
        url: String,
        /// The whole hash of the commit.
        revision: String,
        /// The path in the repository.
        path: String,
    },
    /// A file of an OCI artifact.
    Oci {
        /// The name of the artifact, pinned by its digest: `registry/name@sha256:…`.
        reference: String,
        /// The title of the layer.
        path: String,
    },
}

/// An item of `extends` as written.
#[derive(Debug, Default)]
pub(super) struct BaseDraft {
    git: Option<String>,
    revision: Option<String>,
    oci: Option<String>,
    path: Option<String>,
}

pub(super) static BASE: KeyTable<BaseDraft> = KeyTable {
    title: "Item of `extends`",
    about: "A text is the path of another policy file, relative to this one. A mapping names a file that `pintle fetch` puts into `fetched/` beside `policy.yaml`; nothing is fetched at another time.",
    start: BaseDraft::default,
    unknown: UnknownKeys::Refused,
    keys: &[
        key!(git?: text, "none", "The address of a git repository: `https://…`, `ssh://…`, `git@host:…` or a path."),
        key!(revision?: text, "required with `git`", "The whole hash of the commit. A branch or a tag may change."),
        key!(oci?: text, "none", "An OCI artifact with its digest: `registry/name@sha256:…`."),
        key!(path?: text, "`policy.yaml`", "The file in the repository or in the artifact."),
    ],
};

impl PolicyBase {
    /// The file that is extended by the policy file at a path.
    #[must_use]
    pub fn file(&self, extending_path: &Path) -> PathBuf {
        let dir = extending_path.parent().unwrap_or(Path::new(""));
        // Policy files in `rules/` share the directory with `policy.yaml`.
        let above = dir.parent().filter(|_| dir.ends_with("rules")).unwrap_or(dir);
        let fetched = above.join(FETCHED_DIR);
        match self {
            Self::File { path } => without_steps_up(&dir.join(path)),
            Self::Git { url, revision, path } => fetched.join(place_of(url, &format!("@{revision}"))).join(path),
            Self::Oci { reference, path } => fetched.join(place_of(reference, "")).join(path),
        }
    }

    /// Whether it has to be fetched.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        !matches!(self, Self::File { .. })
    }
}

/// The path without `..`, as far as a part before it can be left out.
fn without_steps_up(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        let can_leave_out = matches!(plain.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::CurDir => {}
            Component::ParentDir if can_leave_out => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// The directory of a repository or an artifact. Different ones have different directories.
fn place_of(address: &str, pin: &str) -> PathBuf {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let parts = address.split(['/', '\\']).filter(|part| !part.is_empty());
    // A colon separates a port, or the path of an address such as `git@host:path`, and names of files cannot have it
    // everywhere.
    let mut place: PathBuf =
        parts.map(|part| if part == ".." { String::from("+") } else { part.replace(':', "+") }).collect();
    place.as_mut_os_string().push(pin);
    place
}

/// Reads the items of `extends`, each with its place. What is wrong with one is reported.
pub(super) fn read_bases(fields: &mut FieldReader<'_>) -> Vec<(PolicyBase, ByteSpan)> {
    let report = fields.report();
    let items: &[DocNode] = match fields.node("extends") {
        // One item needs no list.
        Some(node) => node.items().unwrap_or(std::slice::from_ref(node)),
        None => &[],
    };
    let read = |(index, item): (usize, &DocNode)| Some((read_base(report, index, item)?, item.span));
    items.iter().enumerate().filter_map(read).collect()
}

fn read_base(report: &FileReport, index: usize, item: &DocNode) -> Option<PolicyBase> {
    let fault = |message: String, help: &str| {
        report.value_error("bad_base", message, item.span, String::from(help));
        None
    };
    if let Some(path) = item.as_text() {
        return match path.ends_with(".yaml") && !path.contains("://") && !path.starts_with('~') {
            true => Some(PolicyBase::File { path: path.to_owned() }),
            false => fault(
                format!("`{path}` is not the path of a policy file"),
                "write a path that ends in `.yaml`, or a mapping with `git` or `oci`",
            ),
        };
    }
    let owner = format!("extends[{index}]");
    let mut fields = FieldReader::new(report, owner.as_str(), Some(item), item.span);
    item.entries()?;
    let draft = BASE.read(&mut fields);
    BASE.finish(fields);
    let path = draft.path.unwrap_or_else(|| DEFAULT_PATH.to_owned());
    let is_inside = Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
    if !is_inside || !path.ends_with(".yaml") {
        return fault(
            format!("{owner}: `{path}` is not the path of a policy file"),
            "write a relative path that ends in `.yaml`",
        );
    }
    match (draft.git, draft.oci, draft.revision) {
        (Some(url), None, Some(revision)) => {
            let is_hash = matches!(revision.len(), 40 | 64) && revision.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !GIT_ADDRESSES.iter().any(|start| url.starts_with(start)) || url.contains(char::is_control) {
                let help = "write an address that begins with `https://`, `ssh://` or `git@`, or an absolute path";
                return fault(format!("{owner}: `{url}` is not the address of a repository"), help);
            }
            match is_hash {
                true => Some(PolicyBase::Git { url, revision: revision.to_ascii_lowercase(), path }),
                false => fault(
                    format!("{owner}: `{revision}` is not the whole hash of a commit"),
                    "a branch or a tag may change; write the 40 digits that `git rev-parse NAME` prints",
                ),
            }
        }
        (Some(_), None, None) => fault(format!("{owner} has no `revision`"), "add the whole hash of a commit"),
        (None, Some(reference), None) => {
            let digest = reference.split_once(OCI_PIN).map(|(_, digest)| digest);
            let is_pinned =
                digest.is_some_and(|digest| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let is_name = reference.contains('/')
                && !reference.contains(|letter: char| letter.is_whitespace() || letter.is_control());
            match is_pinned && is_name {
                true => Some(PolicyBase::Oci { reference, path }),
                false => fault(
                    format!("{owner}: `{reference}` is not an artifact with its digest"),
                    "a tag may change; write `registry/name@sha256:…`, as the registry's tools print it",
                ),
            }
        }
        _ => fault(format!("{owner} needs `git` with `revision`, or `oci`"), "remove what does not belong to it"),
    }
}

/// What a policy file extends, as far as it can be read: the file's own reader reports the rest.
#[must_use]
pub fn policy_bases(file: &Arc<SourceFile>) -> Vec<PolicyBase> {
    if !file.text.contains("extends") {
        return Vec::new();
    }
    let bases = read_policy_fields(file, |_, mut fields| read_bases(&mut fields)).0.unwrap_or_default();
    bases.into_iter().map(|(base, _)| base).collect()
}

/// Reads the fields of a policy file. Returns what `read` makes of them, unless they cannot be parsed, and what was
/// reported.
pub(super) fn read_policy_fields<T>(
    file: &Arc<SourceFile>,
    read: impl FnOnce(&FileReport, FieldReader<'_>) -> T,
) -> (Option<T>, Vec<Diagnostic>) {
    let artifact = Artifact { role: ArtifactKind::Policy, name: String::new(), file: Arc::clone(file) };
    let report = new_report(&artifact, "");
    let whole = ByteSpan { start: skip_byte_order_mark(&report), end: file.text.len() };
    let made = parse(&report, whole).ok().map(|matter| {
        read(&report, FieldReader::new(&report, "the policy", matter.as_ref(), report.first_line(whole)))
    });
    (made, report.into_diagnostics())
}
