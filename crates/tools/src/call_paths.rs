//! The paths that a tool call names.

use std::path::{Path, PathBuf};

use pintle_contract::event::CallPath;
use pintle_contract::{EventCallReads, ToolKind};
use serde_json::Value;

use super::vocabulary::CanonicalCall;

/// How the paths and operations of a call are worked out, and for which events. The protocol touches no files, so the
/// host brings the function that does.
#[derive(Debug, Clone)]
pub struct PathResolver {
    /// The project, which the paths are inside of or not.
    pub project: PathBuf,
    /// Returns an absolute path without symbolic links, `.` and `..`.
    pub resolve: fn(&Path) -> PathBuf,
    /// What the hooks of each event read.
    pub reads: EventCallReads,
}

impl PathResolver {
    /// The paths of a call, in the order of its parts. Relative ones refer to `cwd`.
    #[must_use]
    pub fn paths_of(&self, parts: &[CanonicalCall], cwd: &Path) -> Vec<CallPath> {
        // Everything is below the root, which is the directory of a service that is not told where it works. It is not a
        // project, so nothing is inside.
        let project = Some((self.resolve)(&self.project)).filter(|project| project.parent().is_some());
        let named = parts.iter().flat_map(|part| path_arguments(part).map(move |written| (part.kind, written)));
        named
            .map(|(access, written)| {
                let absolute = (self.resolve)(&cwd.join(written));
                let below = project.as_ref().and_then(|project| absolute.strip_prefix(project).ok());
                let relative = below.map(|path| path.display().to_string());
                CallPath {
                    written: written.to_owned(),
                    absolute: absolute.display().to_string(),
                    inside: relative.is_some(),
                    relative,
                    access,
                }
            })
            .collect()
    }
}

/// The arguments of a call that are paths.
fn path_arguments(call: &CanonicalCall) -> impl Iterator<Item = &str> {
    let names: &[&str] = match call.kind {
        ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::List | ToolKind::Search => {
            &["path"]
        }
        ToolKind::Move => &["path", "source", "from", "destination", "to"],
        _ => &[],
    };
    names.iter().filter_map(|name| call.args.get(name).and_then(Value::as_str))
}
