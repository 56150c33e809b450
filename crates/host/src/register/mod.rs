//! Harn's three surfaces for the host program: hooks on tool calls, on personas and their steps, and on sessions.
//!
//! A hook is a closure that takes a [`HookEvent`] and returns a value that converts to a [`HookReturn`]. It is checked
//! when it is registered: an unknown event or a bad pattern is an error, and nothing is registered.
//!
//! ```
//! use pintle_host::{Decision, HookReturn, Reminder, Runtime, SessionEvent, ToolHook};
//!
//! let runtime = Runtime::builder().build().unwrap();
//! runtime.register_tool_hook(ToolHook::for_tools("exec_*").deny("exec is gated")).unwrap();
//! let remind = ToolHook::for_tools("fetch_*").pre(|_| Reminder::for_one_turn("Network fetch is about to run"));
//! runtime.register_tool_hook(remind).unwrap();
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
//! # Rules for closures
//!
//! - A closure is called on the thread that fires the event, in parallel if several threads fire. No lock is held
//!   meanwhile: a closure may fire events, run an agent, and register or remove hooks. A running dispatch keeps the hooks
//!   that it started with.
//! - A closure fires an event with the scope of its call ([`HookEvent::scope`]). Such events may be nested 8 levels deep.
//!   A closure that would be called at a deeper level fails instead
//!   ([`FailureKind::Limit`](pintle_contract::FailureKind::Limit)). An event that is fired without that scope counts as
//!   the host's own: no limit ends a closure that fires its own event this way.
//! - A panic is a failure of the hook ([`FailureKind::Crash`](pintle_contract::FailureKind::Crash)). A failure denies if
//!   hooks can veto the event; otherwise it is reported and the session continues. [`HookBuilder::on_error`] overrides
//!   this.
//! - Time limits are checked when the closure returns; see [`HookBuilder::timeout_ms`].
//! - A hook that can deny is called again if a later hook changes what it was called with.

mod closure;
mod event;
mod event_names;
mod hook;
mod hook_return;
mod registry;

use std::fmt::Display;
use std::sync::{Arc, Weak};

use pintle_contract::{Chain, HookId, Layer};

use crate::LoadReport;
pub use event::HookEvent;
pub use event_names::{PersonaEvent, SessionEvent};
pub use hook::{
    HookBuilder, HookSurface, PersonaHook, PersonaSurface, SessionHook, SessionSurface, SurfaceKind, ToolHook,
    ToolSurface,
};
pub use hook_return::HookReturn;
pub(crate) use registry::HookRegistry;

use crate::Runtime;

/// The source name of the hooks that the host program registers.
pub(crate) const SOURCE: &str = "registered";

/// A registration, which can be removed again. Dropping it leaves the hooks active.
#[derive(Debug, Clone)]
pub struct HookRegistration {
    number: u64,
    hooks: Vec<HookId>,
    registry: Weak<HookRegistry>,
}

impl HookRegistration {
    /// The names of the hooks, as on the tape and in reasons. A tool hook with several parts is several hooks.
    #[must_use]
    pub fn hooks(&self) -> &[HookId] {
        &self.hooks
    }

    /// Whether the hooks are still active.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.registry.upgrade().is_some_and(|registry| registry.contains(self.number))
    }

    /// Removes the hooks, and returns whether they were still active. A running dispatch still calls them.
    #[must_use = "returns whether the hooks were still active"]
    pub fn remove(&self) -> bool {
        self.registry.upgrade().is_some_and(|registry| registry.remove(self.number))
    }
}

impl Runtime {
    /// Registers a hook on tool calls, like Harn's `register_tool_hook`.
    ///
    /// # Errors
    /// With every error in the hook; nothing is registered then.
    pub fn register_tool_hook(&self, hook: ToolHook) -> Result<HookRegistration, LoadReport> {
        self.register_hook(hook)
    }

    /// Registers a hook on an event of the personas that match a glob, like Harn's `register_persona_hook`. The event
    /// is a [`PersonaEvent`] or its name.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_persona_hook<R: Into<HookReturn>>(
        &self,
        persona_pattern: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, LoadReport> {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer))
    }

    /// Registers a hook on an event of one step of the personas that match a glob, like Harn's `register_step_hook`.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_step_hook<R: Into<HookReturn>>(
        &self,
        persona_pattern: &str,
        step: &str,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, LoadReport> {
        self.register_hook(PersonaHook::for_event(persona_pattern, event, answer).step(step))
    }

    /// Registers a hook on a session event, like Harn's `register_session_hook`. The event is a [`SessionEvent`] or
    /// either of its names.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_session_hook<R: Into<HookReturn>>(
        &self,
        event: impl Display,
        answer: impl Fn(&HookEvent<'_>) -> R + Send + Sync + 'static,
    ) -> Result<HookRegistration, LoadReport> {
        self.register_hook(SessionHook::for_event(event, answer))
    }

    /// Registers a hook of any surface, with its options. It runs after all other hooks and can only restrict further.
    ///
    /// # Errors
    /// As [`Runtime::register_tool_hook`].
    pub fn register_hook<S: HookSurface>(&self, hook: HookBuilder<S>) -> Result<HookRegistration, LoadReport> {
        let number = self.registry.next_number();
        let declarations = hook.declare(number)?;
        let chains = self.compile_or_reject(SOURCE, Layer::Runtime, &declarations)?;
        Ok(self.register_chains(number, Some(S::kind()), chains))
    }

    /// Activates chains as one registration.
    pub(crate) fn register_chains(
        &self,
        number: u64,
        kind: Option<SurfaceKind>,
        chains: Vec<Chain>,
    ) -> HookRegistration {
        let hooks = registry::hook_names(&chains);
        self.add_chains(number, kind, chains);
        HookRegistration { number, hooks, registry: Arc::downgrade(&self.registry) }
    }

    /// Removes every tool hook that was registered while running, and returns the number of removed registrations.
    /// Hooks of files and of the builder stay.
    pub fn clear_tool_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Tool)
    }

    /// Removes every persona and step hook that was registered while running, like [`Runtime::clear_tool_hooks`].
    pub fn clear_persona_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Persona)
    }

    /// Removes every session hook that was registered while running, like [`Runtime::clear_tool_hooks`].
    pub fn clear_session_hooks(&self) -> usize {
        self.registry.clear(SurfaceKind::Session)
    }
}
