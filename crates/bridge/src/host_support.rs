//! What a host can do with what hooks decide.

/// One thing that a hook can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookAction {
    /// It must not happen.
    Deny,
    /// A person should look first.
    Ask,
    /// It may happen without a person being asked.
    Approve,
    /// It happens, with other input: the arguments of a tool, the text of a prompt.
    Rewrite,
    /// What came of it is changed or withheld.
    Output,
    /// The model is told something.
    Context,
    /// The run ends.
    Stop,
    /// The person is told something.
    Notice,
}

impl HookAction {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 8] =
        [Self::Deny, Self::Ask, Self::Approve, Self::Rewrite, Self::Output, Self::Context, Self::Stop, Self::Notice];

    /// The word for reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Approve => "approve",
            Self::Rewrite => "rewrite",
            Self::Output => "change the result",
            Self::Context => "context",
            Self::Stop => "stop",
            Self::Notice => "notice",
        }
    }
}

/// Why nothing comes of the end of a run.
const OVER: &str = "there is nothing left to stop";

/// What becomes of one decision on one event of a host. The words say why, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionSupport {
    /// The host does it.
    Supported,
    /// The host does something like it, as the words say.
    Approximated(&'static str),
    /// The host does it beside an approval only; without one, what the event is about is denied.
    WithApprovalOnly(&'static str),
    /// The host cannot now; the model is told at the next event that it can be told something at.
    Deferred(&'static str),
    /// The host cannot; what the event is about is denied instead.
    DeniedInstead(&'static str),
    /// The host cannot; the run is ended instead, and every tool call is denied until the next prompt.
    RunEndedInstead(&'static str),
    /// The host cannot; the person is told instead.
    NotifiesUser(&'static str),
    /// Nothing comes of it.
    Dropped(&'static str),
    /// The decision makes no sense on this event.
    NotApplicable,
}

impl ActionSupport {
    /// Text for the model waits for an event that has a place for it.
    pub(crate) const LATER: Self = Self::Deferred("the model gets it at the next event that accepts context");
    /// The same of an event whose hooks have no other text for the model.
    pub(crate) const REMINDERS: Self = Self::Deferred(
        "a reminder reaches the model at the next event that accepts context; other context is not supported here",
    );
    /// What follows where a hook of a session's beginning is against it.
    pub(crate) const REFUSED: Self =
        Self::Approximated("the session starts, but all its prompts and tool calls are denied");
    /// A text for the model at an event whose hooks have none but reminders.
    pub(crate) const REMINDERS_NOW: Self =
        Self::Approximated("the model gets reminders; other context is not supported here");
    /// What follows where a hook ends the run and the host cannot.
    pub(crate) const ENDED: Self = Self::Approximated("every tool call is denied until the next prompt");
    /// What follows where a hook is against a result.
    pub(crate) const REPLACED: Self = Self::Approximated("the reason replaces the result");
    /// What follows where a hook ends the run after a tool, and the host puts the reason there instead.
    pub(crate) const REPLACED_AND_ENDED: Self =
        Self::Approximated("the reason replaces the result, and every tool call is denied until the next prompt");
    /// What follows where a hook ends what is over, and the person can be told.
    pub(crate) const OVER_TOLD: Self = Self::NotifiesUser(OVER);
    /// The same where the person cannot be told.
    pub(crate) const OVER: Self = Self::Dropped(OVER);
}

/// What becomes of every decision on one event of a host.
#[derive(Debug, Clone, Copy)]
pub struct HostSupport {
    /// It must not happen.
    pub deny: ActionSupport,
    /// A person should look first.
    pub ask: ActionSupport,
    /// It may happen without a person being asked.
    pub approve: ActionSupport,
    /// It happens, with other input.
    pub rewrite: ActionSupport,
    /// What came of it is changed or withheld.
    pub output: ActionSupport,
    /// The model is told something.
    pub context: ActionSupport,
    /// The run ends.
    pub stop: ActionSupport,
    /// The person is told something.
    pub notice: ActionSupport,
}

impl HostSupport {
    /// What becomes of one decision.
    #[must_use]
    pub fn support_for(&self, verb: HookAction) -> ActionSupport {
        match verb {
            HookAction::Deny => self.deny,
            HookAction::Ask => self.ask,
            HookAction::Approve => self.approve,
            HookAction::Rewrite => self.rewrite,
            HookAction::Output => self.output,
            HookAction::Context => self.context,
            HookAction::Stop => self.stop,
            HookAction::Notice => self.notice,
        }
    }
}
