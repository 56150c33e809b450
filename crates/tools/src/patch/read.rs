//! Parses a patch into sections, one for each file.

/// The action of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatchAction {
    Add,
    Update,
    Delete,
}

/// The section of one file.
#[derive(Debug)]
pub(super) struct PatchSection<'a> {
    pub(super) action: PatchAction,
    pub(super) path: &'a str,
    pub(super) moved_to: Option<&'a str>,
    /// The lines of the section after its header, without line endings.
    pub(super) lines: Vec<&'a str>,
    /// The index of the header line in the text.
    pub(super) header_line: usize,
}

const ACTIONS: [PatchAction; 3] = [PatchAction::Add, PatchAction::Update, PatchAction::Delete];
const MOVE: &str = "*** Move to: ";

/// The sections of a text.
pub(super) fn sections(text: &str) -> Vec<PatchSection<'_>> {
    let mut found: Vec<PatchSection<'_>> = Vec::new();
    let mut is_open = false;
    for (index, line) in text.split('\n').enumerate() {
        let in_change = is_open && found.last().is_some_and(|section| section.action == PatchAction::Update);
        // Context lines of a change start with a space: only there an indented header is not a header.
        let bare = if in_change { line.trim_end() } else { line.trim() };
        if let Some((action, path)) = parse_header(bare) {
            found.push(PatchSection { action, path, moved_to: None, lines: Vec::new(), header_line: index });
            is_open = true;
        } else if bare.starts_with("*** ") && !bare.starts_with("*** End of File") {
            let to = bare.strip_prefix(MOVE).filter(|to| !to.is_empty());
            match (to, found.last_mut()) {
                (Some(to), Some(section)) => section.moved_to = Some(to.trim()),
                _ => is_open = false,
            }
        } else if let Some(section) = found.last_mut().filter(|_| is_open) {
            section.lines.push(line.strip_suffix('\r').unwrap_or(line));
        }
    }
    found
}

fn parse_header(line: &str) -> Option<(PatchAction, &str)> {
    ACTIONS.into_iter().find_map(|action| Some((action, line.strip_prefix(action.header_prefix())?.trim())))
}

impl PatchAction {
    /// The prefix of the section's header.
    pub(super) fn header_prefix(self) -> &'static str {
        match self {
            Self::Add => "*** Add File: ",
            Self::Update => "*** Update File: ",
            Self::Delete => "*** Delete File: ",
        }
    }
}

impl PatchSection<'_> {
    /// The text that it removes or uses as context.
    pub(super) fn old_text(&self) -> String {
        self.collect_text(['-', ' '])
    }

    /// The text that it inserts.
    pub(super) fn new_text(&self) -> String {
        if self.action == PatchAction::Add { self.collect_text(['+', '+']) } else { self.collect_text(['+', ' ']) }
    }

    /// Whether it changes lines.
    pub(super) fn has_changes(&self) -> bool {
        self.lines.iter().any(|line| line.starts_with(['+', '-']))
    }

    fn collect_text(&self, marks: [char; 2]) -> String {
        let mut text = String::new();
        for line in self.lines.iter().filter_map(|line| line.strip_prefix(marks)) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}
