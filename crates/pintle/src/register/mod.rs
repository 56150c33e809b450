//! Harn's three surfaces for the host program: hooks on tool calls, on personas and their steps, and on sessions.
//!
//! A hook is a closure that looks at a [`HookEvent`] and returns what converts to a [`HookReturn`]. It is checked when it
//! is registered: an unknown event or a bad pattern is an error there, and then nothing was registered.
//!
//! ```
//! use pintle::{Decision, HookReturn, Reminder, Runtime, SessionEvent, ToolHook};
//!
//! let runtime = Runtime::builder().build().runtime;
//! runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated")).unwrap();
//! runtime.register_tool_hook(ToolHook::for_tools("fetch_*").pre(|_| Reminder::for_one_turn("Network fetch is about to run"))).unwrap();
//! runtime
//!     .register_session_hook(SessionEvent::UserPromptSubmit, |event| {
//!         event.prompt()?.contains("secret").then(|| HookReturn::block("policy violation: secret in prompt"))
//!     })
//!     .unwrap();
//! let registered = runtime
//!     .register_session_hook("permission_asked", |event| {
//!         (event.tool_name()? == "exec_root")
//!             .then(|| HookReturn::decision(Decision::Deny, "exec_root never runs unattended"))
//!     })
//!     .unwrap();
//! assert!(registered.remove());
//! ```
//!
//! # What holds for closures
//!
//! - They are called on the thread that fires the event, several at once where several threads fire. No lock is held
//!   meanwhile: a closure may fire events, run an agent, and register or remove hooks. A dispatch under way goes on with
//!   the hooks that it began with.
//! - Events that closures cause may be nested 8 deep. A closure that would be called deeper has failed
//!   ([`FailureKind::Limit`](pintle_contract::FailureKind::Limit)) instead.
//! - A panic is a failure of the hook ([`FailureKind::Crash`](pintle_contract::FailureKind::Crash)). Failures deny where
//!   the event has a veto, and are shown and go on elsewhere, unless [`HookBuilder::on_error`] says otherwise.
//! - Time limits are checked when the closure returns, see [`HookBuilder::timeout_ms`].
//! - A hook that can deny is asked again when a later hook changes what it judged.

mod closure;
mod event;
mod event_names;
mod hook;
mod hook_return;
mod registry;

use std::fmt::Display;
use std::sync::{Arc, Weak};

use pintle_contract::{Diagnostic, HookId, Layer};

pub use event::HookEvent;
pub use event_names::{PersonaEvent, SessionEvent};
pub use hook::{
    HookBuilder, HookSurface, PersonaHook, PersonaSurface, SessionHook, SessionSurface, SurfaceKind, ToolHook,
    ToolSurface,
};
pub use hook_return::HookReturn;
pub(crate) use registry::HookRegistry;

use crate::Runtime;

/// The name of the source of hooks that the host program registers.
pub(crate) const SOURCE: &str = "registered";

/// What was registered, for who wants to take it back. Dropping it leaves the hooks in force.
#[derive(Debug, Clone)]
pub struct HookRegistration {
    number: u64,
    hooks: Vec<HookId>,
    registry: Weak<HookRegistry>,
}

impl HookRegistration {
    /// The names of the hooks, as the tape and reasons have them. A tool hook with several parts is several hooks.
    #[must_use]
    pub fn hooks(&self) -> &[HookId] {
        &self.hooks
    }

    /// Whether the hooks are still in force.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.registry.upgrade().is_some_and(|registry| registry.contains(self.number))
    }

    /// Takes the hooks out. A dispatch under way still asks them. Tells whether they were still in force.
    #[must_use = "it tells whether there was something to remove"]
    pub fn remove(&self) -> bool {
        self.registry.upgrade().is_some_and(|registry| registry.remove(self.number))
    }
}

impl Runtime {
    /// Registers a hook on tool calls (Harn, `register_tool_hook`).
    ///
    /// # Errors
    /// With everything that is wrong with it; then nothing was registered.
    pub fn register_tool_hook(&self, hook: ToolHook) -> Result<HookRegistration, Vec<Diagnostic>> {
        self.register_hook(hook)
    }

    /// Registers a hook on an event of the personas whose names match a glob (Harn, `register_persona_hook`). The event is
    /// a [`PersonaEvent`] or its name.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_persona_hook<R: Into<HookReturn>>(
        &self,
        persona_pattern: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, Vec<Diagnostic>> {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer))
    }

    /// Registers a hook on an event of one step of the personas whose names match a glob (Harn, `register_step_hook`).
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_step_hook<R: Into<HookReturn>>(
        &self,
        persona_pattern: &str,
        step: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, Vec<Diagnostic>> {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer).step(step))
    }

    /// Registers a hook on an event of whole sessions (Harn, `register_session_hook`). The event is a [`SessionEvent`] or
    /// its name in either spelling.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_session_hook<R: Into<HookReturn>>(
        &self,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, Vec<Diagnostic>> {
        self.register_hook(SessionHook::for_event(event, answer))
    }

    /// Registers a hook of any surface with its options. It goes behind all others and can only narrow what they allow.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_hook<S: HookSurface>(&self, hook: HookBuilder<S>) -> Result<HookRegistration, Vec<Diagnostic>> {
        let number = self.registry.next_number();
        let declarations = hook.declare(number)?;
        let chains = self.compile_or_reject(SOURCE, Layer::Runtime, &declarations)?;
        let hooks = registry::hook_names(&chains);
        self.add_chains(number, Some(S::kind()), chains);
        Ok(HookRegistration { number, hooks, registry: Arc::downgrade(&self.registry) })
    }

    /// Takes out every hook on tool calls that was registered while running. Hooks of files, and those the runtime was
    /// built with, stay. Gives the number of registrations taken out.
    pub fn clear_tool_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Tool)
    }

    /// The same for the hooks on personas and their steps.
    pub fn clear_persona_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Persona)
    }

    /// The same for the hooks on sessions.
    pub fn clear_session_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Session)
    }
}
