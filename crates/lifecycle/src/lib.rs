//! The protocol of an agent's life: which events a host fires, in which order, what a deny means, and what goes back.
//!
//! Every host follows it: Pintle's own agent loop, the bridge to other agents, and programs that embed Pintle. The
//! protocol does no I/O: a host implements [`ToolCallHost`] and [`ToolResultHost`], and the functions here call it.
//!
//! A tool call takes this way ([`decide`]):
//!
//! 1. `tool.transform` may change the call.
//! 2. `tool.guard` decides, and a deny ends the checks; then the host's own permission rules decide.
//! 3. `tool.pre` always fires: no rule skips a hook that decides. What a rule denies stays denied.
//! 4. `delegation.pre` follows, if the tool starts another agent.
//! 5. If step 3 or 4 changed the call, the checks of step 2 are repeated with the final call. A host that can repeat
//!    hooks without repeating their effects repeats all steps, until nothing changes.
//! 6. The host resolves open asks: hooks of `permission.ask`, then the user. If a hook changes the call there, all
//!    checks from step 2 on are repeated.
//!
//! After the tool, [`conclude`] fires `tool.result` and `tool.post`.

mod call_paths;
mod conclude;
mod decide;
mod request;

pub use call_paths::PathResolver;
pub use conclude::{ToolResultHost, conclude, result_after};
pub use decide::{AskResolution, CallStage, MAX_ROUNDS, ToolCallHost, decide, decide_permission};
pub use request::ToolCallRequest;
