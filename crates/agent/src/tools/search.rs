//! Searches of the workspace's text files for a model: it chooses the pattern and often the text too, so a search looks on
//! its way whether its result is still wanted.

use std::ops::{ControlFlow, Range};
use std::path::Path;

use pintle::CancelToken;
use pintle::script::search::{SearchBudget, SearchPattern};

use crate::workspace::Workspace;

/// The largest compiled pattern.
const PATTERN_BYTES: usize = 1 << 20;

/// A line that matches.
pub(crate) struct LineHit<'a> {
    pub(crate) path: &'a str,
    /// The line's number, from 1.
    pub(crate) number: usize,
    pub(crate) line: &'a str,
    /// Where the first match is in the line, in bytes.
    pub(crate) span: Range<usize>,
}

/// Compiles a regular expression. `shown` is what the model wrote.
pub(crate) fn compile_pattern(expression: &str, shown: &str) -> Result<SearchPattern, String> {
    SearchPattern::with_size_limit(expression, PATTERN_BYTES).map_err(|fault| {
        // The parser's last line says what is wrong; those before draw the pattern.
        let why = fault.to_string();
        let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
        format!("`{shown}` is not a regular expression: {why}")
    })
}

/// The file of a path, or the wanted files beneath a folder.
pub(crate) fn find_files(
    workspace: &Workspace,
    path: &str,
    wanted: impl Fn(&Path) -> bool,
    cancel: &CancelToken,
) -> Result<Vec<String>, String> {
    match workspace.stat(path)?.is_dir {
        true => Ok(workspace.walk(path, wanted, cancel)?.paths),
        false => Ok(vec![path.to_owned()]),
    }
}

/// Calls `each` with the lines that match, file by file, until it breaks off.
///
/// # Errors
/// When the flag is raised.
pub(crate) fn search_lines(
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
        // What is not text, or too large, has no lines to show.
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

    use super::*;
    use crate::workspace::tests::open_workspace;

    /// A flag that is raised when it is looked at for the nth time, and how often it was.
    fn cancel_at_look(look: usize) -> (CancelToken, Arc<AtomicUsize>) {
        let looks = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&looks);
        (
            CancelToken::default().child_with_time_limit(move || counted.fetch_add(1, Ordering::Relaxed) + 1 >= look),
            looks,
        )
    }

    #[test]
    fn a_search_of_one_long_line_ends_when_nobody_wants_its_result() {
        let (folder, workspace) = open_workspace();
        // One line of the largest file that is read, and one of a file that is not.
        workspace.write("line", &"x".repeat(16 << 20)).unwrap();
        std::fs::File::create(folder.path().join("larger")).unwrap().set_len(50 << 20).unwrap();
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
