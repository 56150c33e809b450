//! Searches the workspace's text files for a model. The model chooses the pattern and often the text too, so a search
//! regularly checks whether it was cancelled.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use pintle_host::CancelToken;
use pintle_host::jail::TreeWalk;
use pintle_host::script::search::{SearchBudget, SearchPattern};

use crate::turn_context::ToolContext;
use crate::workspace::Workspace;

/// The maximum size of a compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;

/// A matching line.
pub(super) struct LineHit<'a> {
    pub(super) path: &'a str,
    /// The line's number, from 1.
    pub(super) number: usize,
    pub(super) line: &'a str,
    /// The byte range of the first match in the line.
    pub(super) span: Range<usize>,
}

/// Compiles a regular expression. `shown` is what the model wrote.
pub(super) fn compile_pattern(expression: &str, shown: &str) -> Result<SearchPattern, String> {
    SearchPattern::with_size_limit(expression, PATTERN_BYTES).map_err(|error| {
        // The parser's last line contains the error; the lines before it show the pattern.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        format!("`{shown}` is not a regular expression: {reason}")
    })
}

/// Calls `each` with the matching lines of the file at a path, or of the wanted files in a directory, until it breaks.
/// Returns why not every file was searched, if so.
///
/// # Errors
/// When there is nothing at the path, or the search is cancelled.
pub(super) fn search_tree(
    context: &ToolContext<'_>,
    path: &str,
    wanted: impl Fn(&Path) -> bool,
    pattern: &SearchPattern,
    each: impl FnMut(LineHit<'_>) -> ControlFlow<()>,
) -> Result<Option<String>, String> {
    let mut found = match context.workspace().stat(path).map_err(|error| error.to_string())?.is_dir {
        true => context.workspace().walk(path, wanted, context.cancel()).map_err(|error| error.to_string())?,
        false => TreeWalk { paths: vec![path.to_owned()], ..TreeWalk::default() },
    };
    let paths = std::mem::take(&mut found.paths);
    search_lines(context.workspace(), &paths, pattern, context.cancel(), each)?;
    Ok(found.all_paths().err().map(|error| error.to_string()))
}

/// Calls `each` with the matching lines, file by file, until it breaks.
///
/// # Errors
/// When the search is cancelled.
fn search_lines(
    workspace: &Workspace,
    paths: &[String],
    pattern: &SearchPattern,
    cancel: &CancelToken,
    mut each: impl FnMut(LineHit<'_>) -> ControlFlow<()>,
) -> Result<(), String> {
    let cancelled = || String::from("cancelled");
    let mut watch = SearchBudget::from_cancel(cancel);
    for path in paths {
        if cancel.is_cancelled() {
            return Err(cancelled());
        }
        // Files that are too large or not text have no lines to show.
        let Ok(content) = workspace.read(path) else { continue };
        for (index, line) in content.lines().enumerate() {
            let Some(at) = pattern.find(line, 0, &mut watch).map_err(|_| cancelled())? else { continue };
            if each(LineHit { path, number: index + 1, line, span: at }).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::workspace::tests::open_workspace;

    /// A token that is cancelled when it is checked for the nth time, and the number of checks.
    fn cancel_at_look(look: usize) -> (CancelToken, Arc<AtomicUsize>) {
        let looks = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&looks);
        let time_left = move || Duration::from_secs(u64::from(counted.fetch_add(1, Ordering::Relaxed) + 1 < look));
        (CancelToken::default().child_with_time_limit(time_left), looks)
    }

    #[test]
    fn a_search_of_one_long_line_ends_when_nobody_wants_its_result() {
        let (dir, workspace) = open_workspace();
        // A single line of the maximum file size, and a file that is too large.
        workspace.write("line", &"x".repeat(16 << 20)).unwrap();
        std::fs::File::create(dir.path().join("larger")).unwrap().set_len(50 << 20).unwrap();
        let paths = [String::from("larger"), String::from("line")];
        for (expression, looks) in [("x{0,1000}y", 4), ("(x+x+)+y", 9), ("(?i)Y", 3), ("x{0,900}$y", 50)] {
            let (cancel, looked) = cancel_at_look(looks);
            let pattern = compile_pattern(expression, expression).unwrap();
            let ended = search_lines(&workspace, &paths, &pattern, &cancel, |_| ControlFlow::Continue(()));
            assert_eq!(ended, Err(String::from("cancelled")), "{expression}");
            assert_eq!(looked.load(Ordering::Relaxed), looks, "{expression} went on after it was cancelled");
        }
    }

    #[test]
    fn short_lines_are_looked_through_one_by_one_and_counted_together() {
        let (_folder, workspace) = open_workspace();
        workspace.write("lines", &"xxxxxxxx\n".repeat(200_000)).unwrap();
        let (cancel, looked) = cancel_at_look(20);
        let ended =
            search_lines(&workspace, &[String::from("lines")], &compile_pattern("y", "y").unwrap(), &cancel, |_| {
                ControlFlow::Continue(())
            });
        assert_eq!((ended, looked.load(Ordering::Relaxed)), (Err(String::from("cancelled")), 20));
    }

    #[test]
    fn what_is_no_pattern_is_told_in_one_line() {
        let told = |written| compile_pattern(written, written).unwrap_err();
        assert_eq!(told("("), "`(` is not a regular expression: unclosed group");
        assert!(told("x{99999999}").starts_with("`x{99999999}` is not a regular expression: "));
    }
}
