//! Limits the length of files.

use crate::workspace::SourceWorkspace;

/// The maximum number of lines of a source file.
const LINES: usize = 800;

/// The maximum number of lines of an excepted file.
const EXCUSED_LINES: usize = 450;

/// Files that may be longer, each with the reason why it is one idea.
const EXCUSED: &[(&str, &str)] = &[];

pub(super) fn find_violations(workspace: &SourceWorkspace) -> Vec<String> {
    let excused = |name: &str| EXCUSED.iter().any(|(file, _)| *file == name);
    let limit = |name: &str| if excused(name) { EXCUSED_LINES } else { LINES };
    let long = workspace.sources().filter_map(|(name, text)| {
        let lines = text.lines().count();
        (lines > limit(name)).then(|| format!("`{name}` has {lines} lines; split it by idea, the maximum is {LINES}"))
    });
    let idle = EXCUSED.iter().filter(|(file, _)| workspace.text(file).is_ok_and(|text| text.lines().count() <= LINES));
    long.chain(idle.map(|(file, _)| format!("`{file}` is short; it needs no exception"))).collect()
}
