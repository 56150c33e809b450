//! The words of an output.

/// One word of an output.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// The key.
    pub name: &'static str,
    /// Whether it stands inside the object of the event's own, `hookSpecificOutput`.
    pub inside: bool,
    /// What its value means.
    pub means: Means,
}

/// What a value means.
#[derive(Debug, Clone, Copy)]
pub enum Means {
    /// It is the object of the event's own words.
    Specific,
    /// The event's name again.
    EventName,
    /// Whether the agent may go on.
    Continue,
    /// Why it may not.
    StopReason,
    /// A block, by the words for it.
    Decision(&'static [(&'static str, Choice)]),
    /// Why, of a block.
    Reason,
    /// The same; the person is told where nothing is blocked.
    ReasonOrNotice,
    /// A decision in the person's place, by the words for it.
    Permission(&'static [(&'static str, Choice)]),
    /// Why, of that.
    PermissionReason,
    /// An object with a decision in the person's place: `behavior`, `message`, `updatedInput`.
    Behavior,
    /// Text for the model.
    Context,
    /// Text for the person.
    Notice,
    /// The tool's input.
    Input,
    /// The tool's result; of an object the text is in this field.
    Output(Option<&'static str>),
    /// Whether it must not happen.
    Cancel,
    /// Whether a person should look.
    Review,
    /// A message with which the agent goes on instead of stopping.
    Followup,
    /// Known and not carried over, and why; empty where nobody misses it.
    Lost(&'static str),
}

/// What a word chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// It may happen without a question.
    Allow,
    /// It may happen without a question where another input comes with it; alone it is no opinion.
    AllowInput,
    /// Nothing.
    Pass,
    /// A person should look.
    Ask,
    /// It must not happen.
    Deny,
}

impl Word {
    /// A word that stands at the top.
    #[must_use]
    pub const fn top(name: &'static str, means: Means) -> Self {
        Self { name, inside: false, means }
    }

    /// A word that stands inside the event's own object.
    #[must_use]
    pub const fn inside(name: &'static str, means: Means) -> Self {
        Self { name, inside: true, means }
    }

    /// Whether it can hold something back.
    pub(super) fn decides(&self) -> bool {
        matches!(
            self.means,
            Means::Specific
                | Means::Continue
                | Means::Decision(_)
                | Means::Permission(_)
                | Means::Behavior
                | Means::Cancel
                | Means::Review
        )
    }
}
