//! The fields of a hook's output.

/// One field of a hook's output.
#[derive(Debug, Clone, Copy)]
pub struct OutputField {
    /// The key of the field.
    pub name: &'static str,
    /// Whether the field is inside the event-specific object, `hookSpecificOutput`.
    pub is_nested: bool,
    /// What the field's value means.
    pub meaning: FieldMeaning,
}

/// What a field's value means.
#[derive(Debug, Clone, Copy)]
pub enum FieldMeaning {
    /// The event-specific object.
    Specific,
    /// The event's name.
    EventName,
    /// Whether the agent may continue.
    Continue,
    /// Why the agent may not continue.
    StopReason,
    /// A block decision, by its values.
    Decision(&'static [(&'static str, FieldChoice)]),
    /// The reason of a block.
    Reason,
    /// The reason of a block; a notice for the user if nothing is blocked.
    ReasonOrNotice,
    /// A permission decision on the user's behalf, by its values.
    Permission(&'static [(&'static str, FieldChoice)]),
    /// The reason of a permission decision.
    PermissionReason,
    /// An object with a permission decision: `behavior`, `message`, `updatedInput`.
    Behavior,
    /// Context for the model.
    Context,
    /// A notice for the user.
    Notice,
    /// The tool input.
    Input,
    /// The tool result; if it is an object, the text is in this field.
    Output(Option<&'static str>),
    /// Whether the action must be cancelled.
    Cancel,
    /// Whether the user should be asked.
    Review,
    /// A message with which the agent continues instead of stopping.
    Followup,
    /// Known but not supported, and why; empty if no warning is needed.
    NotCarriedOver(&'static str),
}

/// The decision that a value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice {
    /// Allowed without asking.
    Allow,
    /// Allowed without asking if a new input comes with it; no opinion otherwise.
    AllowInput,
    /// No opinion.
    Pass,
    /// The user is asked.
    Ask,
    /// Denied.
    Deny,
}

impl OutputField {
    /// A field at the top level.
    #[must_use]
    pub const fn top_level(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: false, meaning: means }
    }

    /// A field inside the event-specific object.
    #[must_use]
    pub const fn nested(name: &'static str, means: FieldMeaning) -> Self {
        Self { name, is_nested: true, meaning: means }
    }

    /// Whether the field can deny or ask.
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
