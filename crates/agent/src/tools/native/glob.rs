//! `glob`: finds files by name.

use serde_json::json;

use super::list::path_list;
use crate::tools::{ToolAccess, ToolDef, dir_argument, text_argument};

pub(super) const GLOB: ToolDef = ToolDef {
    name: "glob",
    description: "Finds files of the workspace by a glob such as `src/**/*.rs`. A pattern without `/` matches in every directory.",
    required: &["pattern"],
    properties: || {
        json!({
            "pattern": {"type": "string", "description": "The glob."},
            "path": {"type": "string", "description": "The directory to search. Default: the workspace."},
        })
    },
    access: ToolAccess::Reported,
    call: |_, arguments, at| {
        let (pattern, dir) = (text_argument(arguments, "pattern"), dir_argument(arguments, "path"));
        let walk = at.workspace().glob(pattern, dir, at.cancel()).map_err(|error| error.to_string())?;
        Ok(path_list(walk.paths.into_iter(), walk.is_truncated))
    },
};
