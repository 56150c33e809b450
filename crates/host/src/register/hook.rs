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

/// A surface: a group of events that hooks are registered on. The trait is sealed; Harn has three surfaces.
pub trait HookSurface: private::DeclareHook {}

impl HookSurface for ToolSurface {}
impl HookSurface for PersonaSurface {}
impl HookSurface for SessionSurface {}

pub(super) mod private {
    use super::{Diagnostic, HarnHookOptions, HookDeclaration};

    /// Converts a hook of a surface to declarations.
    pub trait DeclareHook {
        /// The name of the registration function, which unnamed hooks are named after.
        fn function(&self) -> &'static str;
        /// The kind of the surface, for clearing it.
        fn kind() -> super::SurfaceKind;
        /// Declares the hook.
        ///
        /// # Errors
        /// With every error in the hook.
        fn declare(self, options: HarnHookOptions) -> Result<Vec<HookDeclaration>, Vec<Diagnostic>>;
    }
}

/// The surface that a hook belongs to, for clearing it.
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

    /// Sets the name of the hook on the tape and in reasons. Default: the registration function and a number, such as
    /// `register_tool_hook#3`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// Sets the time limit of a call, in milliseconds. Default: unlimited.
    ///
    /// A closure cannot be stopped from outside. If it exceeds the limit, its output is discarded and the hook has
    /// failed ([`FailureKind::Timeout`](pintle_contract::FailureKind::Timeout)); its failure policy applies.
    /// [`HookEvent::time_left`] returns the remaining time.
    #[must_use]
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.options.timeout_ms = Some(timeout_ms);
        self
    }

    /// Sets the failure policy. Default: a failure denies if hooks can veto the event; otherwise it is reported and the
    /// session continues.
    #[must_use]
    pub fn on_error(mut self, policy: FailurePolicy) -> Self {
        self.options.on_error = Some(policy);
        self
    }

    /// Sets shadow mode: the hook is called and its verdict recorded, but not enforced.
    #[must_use]
    pub fn shadow(mut self) -> Self {
        self.options.mode = EnforcementMode::Shadow;
        self
    }
}

impl<S: HookSurface> HookBuilder<S> {
    /// Declares the hook; `number` makes the name of an unnamed hook unique.
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
    /// Creates a hook on the tools that match a pattern: a glob, or an expression such as `tool.name =~ "^exec_"`.
    pub fn for_tools(pattern: impl Into<String>) -> Self {
        Self::new(ToolSurface { pattern: pattern.into(), deny: None, max_output: None, pre: None, post: None })
    }

    /// Denies the calls.
    #[must_use]
    pub fn deny(mut self, reason: impl Into<String>) -> Self {
        self.surface.deny = Some(reason.into());
        self
    }

    /// Shortens results longer than this many bytes to their head, their tail and the lines that look like failures.
    #[must_use]
    pub fn max_output(mut self, bytes: u64) -> Self {
        self.surface.max_output = Some(bytes);
        self
    }

    /// Sets the closure to call before the tool runs. It can deny the call, change the arguments, or remind the model.
    #[must_use]
    pub fn pre<R: Into<HookReturn>>(mut self, answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static) -> Self {
        self.surface.pre = Some(Box::new(move |event| answer(event).into()));
        self
    }

    /// Sets the closure to call after the tool ran or failed, but not if it was denied. It can change the result or
    /// remind the model.
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
    /// Creates a hook on an event of the personas that match a glob. The event is a
    /// [`PersonaEvent`](super::PersonaEvent) or its name.
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

    /// Limits the hook to the step with this name.
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
    /// Creates a hook on a session event. The event is a [`SessionEvent`](super::SessionEvent) or either of its names.
    pub fn for_event<R: Into<HookReturn>>(
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Self {
        let answer: ClosureFn = Box::new(move |event| answer(event).into());
        Self::new(SessionSurface { event: event.to_string(), pattern: None, closure: answer })
    }

    /// Limits the hook to events that match an expression, such as `path =~ "\.rs$"`.
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

/// The handler that calls the closure.
fn closure_handler(answer: ClosureFn, options: &HarnHookOptions) -> HandlerSpec {
    let name = options.name.clone().unwrap_or_default();
    HandlerSpec::Native(Arc::new(ClosureHandler::new(name, answer, options.timeout_ms)))
}

/// A closure cannot be printed, so only its presence is.
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
