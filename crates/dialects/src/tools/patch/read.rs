//! The text of a patch as sections, one a file.

/// What a section does with its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Adds it.
    Add,
    /// Changes it.
    Update,
    /// Takes it away.
    Delete,
}

/// One file of a patch.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) action: Action,
    pub(super) path: &'a str,
    pub(super) moved_to: Option<&'a str>,
    /// The lines of the section after its head, without their ends.
    pub(super) lines: Vec<&'a str>,
    /// The line of the text, from 0, that is its head.
    pub(super) head: usize,
}

const ACTIONS: [Action; 3] = [Action::Add, Action::Update, Action::Delete];
const MOVE: &str = "*** Move to: ";

/// The sections of a text.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.split('\n').enumerate() {
        let in_change = is_open && found.last().is_some_and(|section| section.action == Action::Update);
        // Lines of a change begin with a blank where they are context: only there is an indented head none.
        let bare = if in_change { line.trim_end() } else { line.trim() };
        if let Some((action, path)) = head(bare) {
            found.push(Section { action, path, moved_to: None, lines: Vec::new(), head: at });
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

fn head(line: &str) -> Option<(Action, &str)> {
    ACTIONS.into_iter().find_map(|action| Some((action, line.strip_prefix(action.mark())?.trim())))
}

impl Action {
    /// What the head of its section begins with.
    pub(super) fn mark(self) -> &'static str {
        match self {
            Self::Add => "*** Add File: ",
            Self::Update => "*** Update File: ",
            Self::Delete => "*** Delete File: ",
        }
    }
}

impl Section<'_> {
    /// The text that it takes away or only looks for.
    pub(super) fn old_text(&self) -> String {
        self.text(['-', ' '])
    }

    /// The text that it puts there.
    pub(super) fn new_text(&self) -> String {
        if self.action == Action::Add { self.text(['+', '+']) } else { self.text(['+', ' ']) }
    }

    /// Whether it changes lines.
    pub(super) fn has_changes(&self) -> bool {
        self.lines.iter().any(|line| line.starts_with(['+', '-']))
    }

    fn text(&self, marks: [char; 2]) -> String {
        let mut text = String::new();
        for line in self.lines.iter().filter_map(|line| line.strip_prefix(marks)) {
            text.push_str(line);
            text.push('\n');
        }
        text
    }
}
