//! Describes which hook decisions a host supports.

/// One action that a hook can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookAction {
    /// Block the action.
    Deny,
    /// Ask the user first.
    Ask,
    /// Allow without asking the user.
    Approve,
    /// Allow with changed input: the arguments of a tool, the text of a prompt.
    Rewrite,
    /// Change or withhold the result.
    Output,
    /// Add context for the model.
    Context,
    /// End the run.
    Stop,
    /// Show the user a notice.
    Notice,
}

impl HookAction {
    /// All actions, in the order of reports.
    pub const ALL: [Self; 8] =
        [Self::Deny, Self::Ask, Self::Approve, Self::Rewrite, Self::Output, Self::Context, Self::Stop, Self::Notice];

    /// The word in reports.
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

/// The reason why ending the run has no effect.
const OVER: &str = "there is nothing left to stop";

/// The host's support for one action on one event. The texts are reasons for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionSupport {
    /// The host supports it.
    Supported,
    /// The host does something similar, as described.
    Approximated(&'static str),
    /// The host supports it only together with an approval; without one, the event is denied.
    WithApprovalOnly(&'static str),
    /// The host cannot do it now; the model gets the text at the next event that accepts context.
    Deferred(&'static str),
    /// The host cannot do it; the event is denied instead.
    DeniedInstead(&'static str),
    /// The host cannot do it; the run ends instead, and every tool call is denied until the next prompt.
    RunEndedInstead(&'static str),
    /// The host cannot do it; the user gets a notice instead.
    NotifiesUser(&'static str),
    /// The action has no effect.
    Dropped(&'static str),
    /// The action is not applicable to this event.
    NotApplicable,
}

impl ActionSupport {
    /// A subagent whose end is denied.
    pub const SUBAGENT_CONTINUES: Self =
        Self::Approximated("the subagent continues, with the reason as its next message");
    /// Context waits for an event that accepts it.
    pub const LATER: Self = Self::Deferred("the model gets it at the next event that accepts context");
    /// The same for an event whose hooks return only reminders.
    pub const REMINDERS: Self = Self::Deferred(
        "a reminder reaches the model at the next event that accepts context; other context is not supported here",
    );
    /// A hook denies the start of a session.
    pub const REFUSED: Self = Self::Approximated("the session starts, but all its prompts and tool calls are denied");
    /// An event whose hooks return only reminders.
    pub const REMINDERS_NOW: Self = Self::Approximated("the model gets reminders; other context is not supported here");
    /// A hook ends the run and the host cannot.
    pub const ENDED: Self = Self::Approximated("every tool call is denied until the next prompt");
    /// A hook ends the run before a call, and the host can only deny the call.
    pub const DENIED_AND_ENDED: Self = Self::Approximated("the call is denied, and so is everything after it");
    /// A hook asks about what the user is asked about anyway.
    pub const ASKED_ANYWAY: Self = Self::Approximated("the user is asked, as without the hook");
    /// A hook denies a result.
    pub const REPLACED: Self = Self::Approximated("the reason replaces the result");
    /// A hook ends the run after a tool, and the host replaces the result with the reason.
    pub const REPLACED_AND_ENDED: Self =
        Self::Approximated("the reason replaces the result, and every tool call is denied until the next prompt");
    /// A hook ends a run that is already over, and the user can be notified.
    pub const OVER_TOLD: Self = Self::NotifiesUser(OVER);
    /// The same if the user cannot be notified.
    pub const OVER: Self = Self::Dropped(OVER);
}

/// The host's support for every action on one event.
#[derive(Debug, Clone, Copy)]
pub struct HostSupport {
    /// Blocking the action.
    pub deny: ActionSupport,
    /// Asking the user first.
    pub ask: ActionSupport,
    /// Allowing without asking the user.
    pub approve: ActionSupport,
    /// Allowing with changed input.
    pub rewrite: ActionSupport,
    /// Changing or withholding the result.
    pub output: ActionSupport,
    /// Adding context for the model.
    pub context: ActionSupport,
    /// Ending the run.
    pub stop: ActionSupport,
    /// Showing the user a notice.
    pub notice: ActionSupport,
}

impl HostSupport {
    /// An event at which nothing can be decided, and whose response is ignored.
    pub const OBSERVE_ONLY: Self = Self {
        deny: ActionSupport::NotApplicable,
        ask: ActionSupport::NotApplicable,
        approve: ActionSupport::NotApplicable,
        rewrite: ActionSupport::NotApplicable,
        output: ActionSupport::NotApplicable,
        context: ActionSupport::REMINDERS,
        stop: ActionSupport::ENDED,
        notice: ActionSupport::Supported,
    };

    /// The start of a session, which no host can refuse.
    pub const SESSION_START: Self = Self {
        deny: ActionSupport::REFUSED,
        ask: ActionSupport::REFUSED,
        context: ActionSupport::Supported,
        stop: ActionSupport::REFUSED,
        ..Self::OBSERVE_ONLY
    };

    /// A prompt that can be denied, with the reasons why it can neither be asked about nor changed.
    #[must_use]
    pub const fn prompt(ask: &'static str, rewrite: &'static str) -> Self {
        Self {
            deny: ActionSupport::Supported,
            ask: ActionSupport::DeniedInstead(ask),
            rewrite: ActionSupport::DeniedInstead(rewrite),
            context: ActionSupport::Supported,
            stop: ActionSupport::Supported,
            ..Self::OBSERVE_ONLY
        }
    }

    /// The request for a permission, which a hook can settle, with what becomes of a changed call.
    #[must_use]
    pub const fn permission(rewrite: ActionSupport) -> Self {
        Self {
            deny: ActionSupport::Supported,
            ask: ActionSupport::ASKED_ANYWAY,
            approve: ActionSupport::Supported,
            rewrite,
            stop: ActionSupport::Supported,
            ..Self::OBSERVE_ONLY
        }
    }

    /// A failed tool, with the reason why its result, which is in its error, cannot be changed.
    #[must_use]
    pub const fn failed_tool(error: &'static str) -> Self {
        Self {
            deny: ActionSupport::RunEndedInstead(error),
            output: ActionSupport::RunEndedInstead(error),
            context: ActionSupport::Supported,
            stop: ActionSupport::Supported,
            ..Self::OBSERVE_ONLY
        }
    }

    /// The end of a turn that can be continued, with the reasons why it can neither be asked about nor its answer
    /// changed.
    #[must_use]
    pub const fn stop(ask: &'static str, output: &'static str) -> Self {
        Self {
            deny: ActionSupport::Supported,
            ask: ActionSupport::DeniedInstead(ask),
            output: ActionSupport::NotifiesUser(output),
            context: ActionSupport::LATER,
            stop: ActionSupport::Supported,
            ..Self::OBSERVE_ONLY
        }
    }

    /// The same for the end of a subagent's task.
    #[must_use]
    pub const fn of_subagent(self) -> Self {
        Self { deny: ActionSupport::SUBAGENT_CONTINUES, ..self }
    }

    /// The host's support for one action.
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
