//! Finds lines by content: `grep` and `search_files_content`.

use std::ops::ControlFlow;
use std::path::Path;

use globset::GlobMatcher;
use pintle_host::jail::{JailError, glob_matcher};
use serde_json::{Value, json};

use super::parts::docker_agent_call;
use super::search::{LineHit, compile_pattern, search_tree};
use crate::tools::{ToolAccess, ToolDef, dir_argument, flag_argument, text_argument, text_list_argument};
use crate::turn_context::ToolContext;

pub(super) const GREP: ToolDef = ToolDef {
    name: "grep",
    description: "Finds the lines of the workspace's text files that match a regular expression.",
    required: &["pattern"],
    properties: || {
        json!({
            "pattern": {"type": "string", "description": "The regular expression."},
            "path": {"type": "string", "description": "The file or directory to search. Default: the workspace."},
            "glob": {"type": "string", "description": "Search only files whose name matches this glob, such as `*.rs`."},
            "ignore_case": {"type": "boolean", "description": "Whether to ignore case. Default false."},
        })
    },
    access: ToolAccess::Reported,
    call: |_, arguments, at| search(arguments, at, true, &GREP_FORM),
};

pub(crate) const SEARCH_FILES_CONTENT: ToolDef = ToolDef {
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
        search(&docker_agent_call(arguments, at), at, flag_argument(arguments, "is_regex"), &DOCKER_AGENT_FORM)
    },
};

/// The maximum size of one result.
const MAX_BYTES: usize = 1 << 20;

/// The form of the lines that were found.
struct SearchForm {
    show_line: fn(&LineHit<'_>) -> String,
    max_lines: usize,
    /// The result without a line.
    nothing: &'static str,
    /// The end of a result that has too many lines.
    cut: &'static str,
}

const GREP_FORM: SearchForm = SearchForm {
    show_line: |hit| format!("{}:{}:{}", hit.path, hit.number, clip_line(hit, 400, 150)),
    max_lines: 500,
    nothing: "no line matches",
    cut: "\nmore than 500 lines match; narrow the search",
};

const DOCKER_AGENT_FORM: SearchForm = SearchForm {
    show_line: |hit| format!("{}:{}:{}: {}", hit.path, hit.number, hit.span.start + 1, clip_line(hit, 100, 20)),
    max_lines: usize::MAX,
    nothing: "No results found",
    cut: "\n\n[Output truncated: exceeded 1 MiB limit. Narrow the search with a more specific query, path, or exclude patterns.]",
};

fn search(call: &Value, context: &ToolContext<'_>, is_regex: bool, form: &SearchForm) -> Result<Value, String> {
    let written = text_argument(call, "pattern");
    if written.is_empty() {
        return Err(String::from("the pattern is empty; pass what to find"));
    }
    let case = if flag_argument(call, "ignore_case") { "(?i)" } else { "" };
    let expression = if is_regex { written.to_owned() } else { regex::escape(written) };
    let pattern = compile_pattern(&format!("{case}{expression}"), written)?;
    let included = Some(text_argument(call, "glob")).filter(|glob| !glob.is_empty()).map(glob_matcher);
    let included = included.transpose().map_err(|error| error.to_string())?;
    let excluded = text_list_argument(call, "excludePatterns").into_iter().map(compile_exclusion);
    let excluded: Vec<GlobMatcher> = excluded.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let is_wanted = |file: &Path| {
        included.as_ref().is_none_or(|glob| glob.is_match(file)) && !excluded.iter().any(|glob| is_within(glob, file))
    };
    let (mut found, mut lines) = (String::new(), 0);
    let missing = search_tree(context, dir_argument(call, "path"), is_wanted, &pattern, |hit| {
        if lines == form.max_lines || found.len() >= MAX_BYTES {
            found.push_str(form.cut);
            return ControlFlow::Break(());
        }
        if lines > 0 {
            found.push('\n');
        }
        found.push_str(&(form.show_line)(&hit));
        lines += 1;
        ControlFlow::Continue(())
    })?;
    if lines == 0 {
        found.push_str(form.nothing);
    }
    if let Some(reason) = missing {
        found.push_str(&format!("\n\n[Not every file was searched: {reason}]"));
    }
    Ok(Value::String(found))
}

/// Compiles a glob to exclude. As in docker-agent, `dir/*` excludes everything in `dir`.
fn compile_exclusion(pattern: &str) -> Result<GlobMatcher, JailError> {
    glob_matcher(pattern.strip_suffix("/*").filter(|dir| !dir.is_empty()).unwrap_or(pattern))
}

/// Whether a glob matches a file or a directory that it is in.
fn is_within(glob: &GlobMatcher, file: &Path) -> bool {
    file.ancestors().any(|part| glob.is_match(part))
}

/// The line; if it is longer than `long` bytes, only the match and `match_start` bytes before and after it, cut between
/// characters.
fn clip_line<'a>(hit: &LineHit<'a>, long: usize, match_start: usize) -> &'a str {
    let line = hit.line;
    if line.len() <= long {
        return line;
    }
    let from = line.floor_char_boundary(hit.span.start.saturating_sub(match_start));
    let to = line.ceil_char_boundary((hit.span.end + match_start).min(line.len()).min(from + (16 << 10)));
    line.get(from..to).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let clip = |line: &str, around| {
            let start = line.find("needle").unwrap();
            let hit = LineHit { path: "", number: 1, line, span: start..start + 6 };
            clip_line(&hit, 100, around).to_owned()
        };
        let line = format!("{}needle{}", "ä".repeat(60), "ö".repeat(60));
        assert_eq!(clip(&line, 20), format!("{}needle{}", "ä".repeat(10), "ö".repeat(10)));
        assert_eq!(clip(&line, 999), line);
        assert_eq!(clip("short needle", 0), "short needle");
    }

    #[test]
    fn a_pattern_leaves_out_a_folder_a_name_or_a_path() {
        for (pattern, path, expected) in [
            ("node_modules", "a/node_modules/b/c.js", true),
            ("node_modules/*", "node_modules/b/c.js", true),
            ("*.min.js", "a/b.min.js", true),
            ("a/*.js", "a/b.js", true),
            ("a/*.js", "a/b/c.js", false),
            ("b", "a/bc.js", false),
        ] {
            assert_eq!(is_within(&compile_exclusion(pattern).unwrap(), Path::new(path)), expected, "{pattern} {path}");
        }
    }
}
