//! `search_files_content`.

use std::ops::ControlFlow;
use std::path::Path;

use globset::GlobMatcher;
use pintle::jail::glob_matcher;
use pintle::script::search::SearchPattern;
use serde_json::{Value, json};

use super::text_list_argument;
use crate::tools::search::{self, LineHit};
use crate::tools::{ToolAccess, ToolDef, dir_argument, flag_argument, text_argument};
use crate::turn_context::ToolContext;

/// The maximum size of one result.
const MAX_BYTES: usize = 1 << 20;

/// Of a longer line only the part around the match is shown.
const LONG_LINE_BYTES: usize = 100;

/// The number of bytes shown before and after a match in a long line.
const AROUND_BYTES: usize = 20;

pub(super) const TOOL: ToolDef = ToolDef {
    name: "search_files_content",
    description: "Finds a text, or with `is_regex` a regular expression, in the text files of a directory. Each match is `path:line:column: text`.",
    required: &["path", "query"],
    properties: || {
        json!({
            "path": {"type": "string", "description": "The directory or file to search; `.` is the working directory."},
            "query": {"type": "string", "minLength": 1, "description": "The text to find."},
            "is_regex": {"type": "boolean", "description": "Whether `query` is a regular expression. Default false."},
            "excludePatterns": {
                "type": "array", "items": {"type": "string"},
                "description": "Globs of files and directories to exclude, such as `node_modules` or `*.min.js`.",
            },
        })
    },
    access: ToolAccess::ReadOnly,
    call: |_, arguments, at| {
        let query = text_argument(arguments, "query");
        let written = if flag_argument(arguments, "is_regex") { query.to_owned() } else { regex::escape(query) };
        let wanted = search::compile_pattern(&written, query)?;
        let excluded: Vec<GlobMatcher> = text_list_argument(arguments, "excludePatterns")
            .into_iter()
            .map(compile_exclusion)
            .collect::<Result<_, _>>()?;
        search_files(at, dir_argument(arguments, "path"), &wanted, &excluded).map(Value::String)
    },
};

/// Compiles a glob to exclude. As in docker-agent, `dir/*` excludes everything in `dir`.
fn compile_exclusion(pattern: &str) -> Result<GlobMatcher, String> {
    glob_matcher(pattern.strip_suffix("/*").filter(|dir| !dir.is_empty()).unwrap_or(pattern))
}

fn search_files(
    at: &ToolContext<'_>,
    path: &str,
    wanted: &SearchPattern,
    excluded: &[GlobMatcher],
) -> Result<String, String> {
    let kept = |file: &Path| !file.ancestors().any(|part| excluded.iter().any(|glob| glob.is_match(part)));
    let mut found = String::new();
    search::search_tree(at, path, kept, wanted, |LineHit { path, number, line, span: at }| {
        if !found.is_empty() {
            found.push('\n');
        }
        let column = at.start + 1;
        found.push_str(&format!("{path}:{number}:{column}: {}", clip_line(line, at.start, at.end)));
        if found.len() < MAX_BYTES {
            return ControlFlow::Continue(());
        }
        found.push_str(
            "\n\n[Output truncated: exceeded 1 MiB limit. Narrow the search with a more specific query, path, or exclude patterns.]",
        );
        ControlFlow::Break(())
    })?;
    Ok(if found.is_empty() { String::from("No results found") } else { found })
}

/// The line, or the part around the match if the line is long, cut between characters.
fn clip_line(line: &str, start: usize, end: usize) -> &str {
    if line.len() <= LONG_LINE_BYTES {
        return line;
    }
    let from = line.floor_char_boundary(start.saturating_sub(AROUND_BYTES));
    let to = line.ceil_char_boundary((end + AROUND_BYTES).min(line.len()).min(from + (16 << 10)));
    line.get(from..to).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "ä".repeat(60), "ö".repeat(60));
        let start = line.find("needle").unwrap();
        assert_eq!(clip_line(&line, start, start + 6), format!("{}needle{}", "ä".repeat(10), "ö".repeat(10)));
        assert_eq!(clip_line("short needle", 6, 12), "short needle");
    }

    #[test]
    fn a_pattern_leaves_out_a_folder_a_name_or_a_path() {
        let is_out = |pattern: &str, path: &str| {
            let glob = compile_exclusion(pattern).unwrap();
            Path::new(path).ancestors().any(|part| glob.is_match(part))
        };
        for (pattern, path, expected) in [
            ("node_modules", "a/node_modules/b/c.js", true),
            ("node_modules/*", "node_modules/b/c.js", true),
            ("*.min.js", "a/b.min.js", true),
            ("a/*.js", "a/b.js", true),
            ("a/*.js", "a/b/c.js", false),
            ("b", "a/bc.js", false),
        ] {
            assert_eq!(is_out(pattern, path), expected, "{pattern} {path}");
        }
    }
}
