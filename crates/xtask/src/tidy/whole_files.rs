//! Finds files that are too long for one idea, and files in which a merge was not finished.

use xtask::SourceWorkspace;

/// The maximum number of lines of a source file.
const LINES: usize = 800;

/// What git leaves between two versions of a text, at the beginning of a line. The line of `=` between them is also a
/// heading of Markdown, so it is not looked for.
const MERGE_MARKS: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let long = workspace.sources().filter_map(|(name, text)| {
        let lines = text.lines().count();
        (lines > LINES).then(|| format!("`{name}` has {lines} lines; split it by idea, the maximum is {LINES}"))
    });
    let unfinished = workspace.files.iter().flat_map(|(name, text)| {
        let marks = text.lines().enumerate().filter(|(_, line)| is_merge_mark(line));
        marks.map(move |(index, _)| format!("{name}:{}: a merge was not finished here", index + 1))
    });
    long.chain(unfinished).collect()
}

fn is_merge_mark(line: &str) -> bool {
    MERGE_MARKS.iter().any(|mark| line.starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_merge_mark_stands_at_the_beginning_of_its_line() {
        for mark in ["<<<<<<< HEAD", ">>>>>>> 1dcaec0f (loader: a change)"] {
            assert!(is_merge_mark(mark), "{mark}");
            assert!(!is_merge_mark(&format!("    {mark}")), "{mark}");
        }
        assert!(!is_merge_mark("======="));
        assert!(!is_merge_mark("<<<"));
    }
}
