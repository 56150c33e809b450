//! The words of an output.

/// One word of an output.
#[derive(Debug, Clone, Copy)]
pub struct OutputField {
    /// The key.
    pub name: &'static str,
    /// Whether it stands inside the object of the event's own, `hookSpecificOutput`.
    pub is_nested: bool,
    /// What its value means.
    pub meaning: FieldMeaning,
}

/// What a value means.
#[derive(Debug, Clone, Copy)]
pub enum FieldMeaning {
    /// It is the object of the event's own words.
    Specific,
    /// The event's name again.
    EventName,
    /// Whether the agent may go on.
    Continue,
    /// Why it may not.
    StopReason,
    /// A block, by the words for it.
    Decision(&'static [(&'static str, FieldChoice)]),
    /// Why, of a block.
    Reason,
    /// The same; the person is told where nothing is blocked.
    ReasonOrNotice,
    /// A decision in the person's place, by the words for it.
    Permission(&'static [(&'static str, FieldChoice)]),
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
    NotCarriedOver(&'static str),
}

/// What a word chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice {
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

impl OutputField {
    /// A word that stands at the top.
    #[must_use]
    pub const fn top_level(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: false, meaning: means }
    }

    /// A word that stands inside the event's own object.
    #[must_use]
    pub const fn nested(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: true, meaning: means }
    }

    /// Whether it can hold something back.
    pub(super) fn can_restrict(&self) -> bool {
        matches!(
            self.meaning,
            FieldMeaning::Specific
                | FieldMeaning::Continue
                | FieldMeaning::Decision(_)
                | FieldMeaning::Permission(_)
                | FieldMeaning::Behavior
                | FieldMeaning::Cancel
                | FieldMeaning::Review
        )
    }
}
