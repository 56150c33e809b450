//! Hooks of the host program, before they are registered.

use std::fmt::{self, Display};
use std::sync::Arc;

use pintle_contract::{Diagnostic, EnforcementMode, FailurePolicy, HandlerSpec, HookDeclaration, Location};
use pintle_dialects::lifecycle_hooks::{self, HarnHookOptions};

use super::closure::{ClosureFn, ClosureHandler};
use super::{HookEvent, HookReturn};

/// A hook of the host program on one of Harn's surfaces: [`ToolHook`], [`PersonaHook`] or [`SessionHook`].
#[derive(Debug)]
pub struct HookBuilder<S> {
    surface: S,
    options: HarnHookOptions,
}

/// A hook on tool calls.
pub type ToolHook = HookBuilder<ToolSurface>;
/// A hook on a persona or on one of its steps.
pub type PersonaHook = HookBuilder<PersonaSurface>;
/// A hook on a whole session.
pub type SessionHook = HookBuilder<SessionSurface>;

/// A place where hooks are registered. Closed: these are Harn's three.
pub trait HookSurface: private::DeclareHook {}

impl HookSurface for ToolSurface {}
impl HookSurface for PersonaSurface {}
impl HookSurface for SessionSurface {}

pub(super) mod private {
    use super::{Diagnostic, HarnHookOptions, HookDeclaration};

    /// What a surface makes of a hook.
    pub trait DeclareHook {
        /// The function that a hook is registered with, which unnamed hooks are named after.
        fn function(&self) -> &'static str;
        /// What clears the surface.
        fn kind() -> super::SurfaceKind;
        /// Declares the hook.
        ///
        /// # Errors
        /// With everything that is wrong with it.
        fn declare(self, options: HarnHookOptions) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>>;
    }
}

/// Which surface a hook belongs to, for clearing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurfaceKind {
    /// Tool calls.
    Tool,
    /// Personas and steps.
    Persona,
    /// Sessions.
    Session,
}

impl<S> HookBuilder<S> {
    fn new(surface: S) -> Self {
        Self { surface, options: HarnHookOptions::default() }
    }

    /// What it is called on the tape and in reasons. Default: the function it was registered with and a number, such as
    /// `register_tool_hook#3`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// How long a call may take. Default: as long as it likes.
    ///
    /// Nobody can stop a closure from outside. One that took longer has its answer thrown away: it has failed
    /// ([`FailureKind::Timeout`](pintle_contract::FailureKind::Timeout)), and its failure policy says what follows. [`HookEvent::time_left`] tells a closure how much
    /// time there is.
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.options.timeout_ms = Some(timeout_ms);
        self
    }

    /// What a failure means. Default: it denies where the event has a veto, and is shown and goes on elsewhere.
    #[must_use]
    pub fn on_error(mut self, policy: FailurePolicy) -> Self {
        self.options.on_error = Some(policy);
        self
    }

    /// Asks the hook and records what it says; nothing follows from it.
    #[must_use]
    pub fn shadow(mut self) -> Self {
        self.options.mode = EnforcementMode::Shadow;
        self
    }
}

impl<S: HookSurface> HookBuilder<S> {
    /// Declares the hook; `number` makes the name of an unnamed one unique.
    pub(crate) fn declare(mut self, number: u64) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>> {
        let function = self.surface.function();
        self.options.name.get_or_insert_with(|| format!("{function}#{number}"));
        self.surface.declare(self.options)
    }
}

/// The surface of tool calls (`register_tool_hook`).
pub struct ToolSurface {
    pattern: String,
    deny: Option<String>,
    max_output: Option<u64>,
    pre: Option<ClosureFn>,
    post: Option<ClosureFn>,
}

impl ToolHook {
    /// A hook on the tools whose names match a pattern, a glob or an expression such as `tool.name =~ "^exec_"`.
    pub fn for_tools(pattern: impl Into<String>) -> Self {
        Self::new(ToolSurface { pattern: pattern.into(), deny: None, max_output: None, pre: None, post: None })
    }

    /// Refuses the calls.
    #[must_use]
    pub fn deny(mut self, reason: impl Into<String>) -> Self {
        self.surface.deny = Some(reason.into());
        self
    }

    /// Shortens results that are longer than this, in bytes, to their head and tail and the lines that look like failures.
    #[must_use]
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.surface.max_output = Some(bytes);
        self
    }

    /// Answers before the tool runs: refuse, change the arguments, remind.
    #[must_use]
    pub fn pre<R: Into<HookReturn>>(mut self, answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static) -> Self {
        self.surface.pre = Some(Box::new(move |event| answer(event).into()));
        self
    }

    /// Answers after the tool ran, also when it failed, and not when it was refused: change the result, remind.
    #[must_use]
    pub fn post<R: Into<HookReturn>>(mut self, answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static) -> Self {
        self.surface.post = Some(Box::new(move |event| answer(event).into()));
        self
    }
}

impl private::DeclareHook for ToolSurface {
    fn function(&self) -> &'static str {
        "register_tool_hook"
    }

    fn kind() -> SurfaceKind {
        SurfaceKind::Tool
    }

    fn declare(self, options: HarnHookOptions) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>> {
        let Self { pattern, deny, max_output, pre, post } = self;
        let (pre, post) =
            (pre.map(|pre| closure_handler(pre, &options)), post.map(|post| closure_handler(post, &options)));
        let location = Location::default();
        lifecycle_hooks::declare_tool_hooks(lifecycle_hooks::ToolHookSpec {
            pattern,
            deny,
            max_output,
            pre,
            post,
            options,
            location,
        })
    }
}

/// The surface of personas and their steps (`register_persona_hook`, `register_step_hook`).
pub struct PersonaSurface {
    persona_pattern: String,
    step: Option<String>,
    event: String,
    closure: ClosureFn,
}

impl PersonaHook {
    /// A hook on an event of the personas whose names match a glob. Take the event from
    /// [`PersonaEvent`](super::PersonaEvent) or write it as text.
    pub fn for_event<R: Into<HookReturn>>(
        persona_pattern: impl Into<String>,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::new(PersonaSurface {
            persona_pattern: persona_pattern.into(),
            step: None,
            event: event.to_string(),
            closure: Box::new(move |event| answer(event).into()),
        })
    }

    /// Only of the step of this name.
    #[must_use]
    pub fn step(mut self, step: impl Into<String>) -> Self {
        self.surface.step = Some(step.into());
        self
    }
}

impl private::DeclareHook for PersonaSurface {
    fn function(&self) -> &'static str {
        if self.step.is_some() { "register_step_hook" } else { "register_persona_hook" }
    }

    fn kind() -> SurfaceKind {
        SurfaceKind::Persona
    }

    fn declare(self, options: HarnHookOptions) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>> {
        let Self { persona_pattern, step, event, closure: answer } = self;
        let handler = closure_handler(answer, &options);
        let location = Location::default();
        match step {
            Some(step) => {
                lifecycle_hooks::declare_step_hook(&persona_pattern, &step, &event, handler, options, location)
            }
            None => lifecycle_hooks::declare_persona_hook(&persona_pattern, &event, handler, options, location),
        }
        .map(|hook| vec![hook])
    }
}

/// The surface of sessions (`register_session_hook`).
pub struct SessionSurface {
    event: String,
    pattern: Option<String>,
    closure: ClosureFn,
}

impl SessionHook {
    /// A hook on an event of a session. Take the event from [`SessionEvent`](super::SessionEvent) or write it as text, in
    /// either spelling.
    pub fn for_event<R: Into<HookReturn>>(
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let answer: ClosureFn = Box::new(move |event| answer(event).into());
        Self::new(SessionSurface { event: event.to_string(), pattern: None, closure: answer })
    }

    /// Only where an expression over the event holds, such as `path =~ "\.rs$"`.
    #[must_use]
    pub fn pattern(mut self, pattern: impl Into<String>) -> Self {
        self.surface.pattern = Some(pattern.into());
        self
    }
}

impl private::DeclareHook for SessionSurface {
    fn function(&self) -> &'static str {
        "register_session_hook"
    }

    fn kind() -> SurfaceKind {
        SurfaceKind::Session
    }

    fn declare(self, options: HarnHookOptions) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>> {
        let Self { event, pattern, closure: answer } = self;
        let handler = closure_handler(answer, &options);
        lifecycle_hooks::declare_session_hook(&event, pattern.as_deref(), handler, options, Location::default())
            .map(|hook| vec![hook])
    }
}

/// What runs when the hook is asked.
fn closure_handler(answer: ClosureFn, options: &HarnHookOptions) -> HandlerSpec {
    let name = options.name.clone().unwrap_or_default();
    HandlerSpec::Native(Arc::new(ClosureHandler::new(name, answer, options.timeout_ms)))
}

/// A closure cannot be shown, only that there is one.
impl fmt::Debug for ToolSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, deny, max_output, pre, post } = self;
        let mut shown = f.debug_struct("OnTool");
        shown.field("pattern", pattern).field("deny", deny).field("max_output", max_output);
        shown.field("pre", &pre.is_some()).field("post", &post.is_some()).finish()
    }
}

impl fmt::Debug for PersonaSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { persona_pattern, step, event, .. } = self;
        let mut shown = f.debug_struct("OnPersona");
        shown.field("persona_pattern", persona_pattern).field("step", step).field("event", event);
        shown.finish_non_exhaustive()
    }
}

impl fmt::Debug for SessionSurface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, pattern, .. } = self;
        f.debug_struct("OnSession").field("event", event).field("pattern", pattern).finish_non_exhaustive()
    }
}
