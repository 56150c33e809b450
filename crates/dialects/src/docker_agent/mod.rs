//! docker-agent: agents in one YAML file, with hooks that are shell commands, built-ins or models.
//!
//! Pintle follows the newest version of docker-agent and its example `hooks.yaml`; `compat: g1` selects the version
//! that the example was written for. `DEVIATIONS.md` lists where Pintle differs on purpose. Pintle adds optional keys
//! to a hook: `shell`, `keep`, `sandbox` and `mode`.

mod codec;
mod compat;
mod decode;
mod encode;
mod event_def;
mod from_hook_input;
mod load;
mod loop_rules;

pub use codec::codec;
pub use compat::DockerAgentVersion;
pub use event_def::{ContextReader, DockerEventDef, DockerRewrite, PermissionWords, ROWS};
pub use from_hook_input::{example_payload, payload_from_hook_input};
pub use load::{KEY_SECTIONS, hooks, load, recognise, tools_of};
pub use loop_rules::LOOP_RULES;

use pintle_contract::Profile;

use crate::Dialect;

/// The docker-agent dialect.
pub static DIALECT: Dialect = Dialect {
    name: codec::NAME,
    description: "docker-agent: agents in one YAML file, with command, builtin and model hooks",
    profile: Profile::ParallelStrictest,
    events: event_def::NAMES,
    codec,
    load,
};
