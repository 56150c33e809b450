//! docker-agent: agents in one YAML file, with hooks that are shell commands, built-ins or models.
//!
//! Pintle follows the newest version of docker-agent and its example `hooks.yaml`; `compat: g1` selects the version
//! that the example was written for. `DEVIATIONS.md` lists where Pintle differs on purpose. Pintle adds optional keys
//! to a hook: `shell`, `keep`, `sandbox` and `mode`.

mod codec;
mod decode;
mod encode;
mod event_def;
mod from_hook_input;
pub(crate) mod load;

use std::sync::LazyLock;

use pintle_contract::Profile;

use crate::{Dialect, EventNames};

pub use codec::{LOOP_RULES, codec};
pub use event_def::{ContextReader, DockerAgentVersion, DockerEventDef, DockerRewrite, PermissionWords, ROWS};
pub use from_hook_input::{example_payload, payload_from_hook_input};
pub use load::{KEY_SECTIONS, hooks, load, recognise, tools_of};

/// The docker-agent dialect.
pub static DIALECT: Dialect = Dialect {
    name: codec::NAME,
    description: "docker-agent: agents in one YAML file, with command, builtin and model hooks",
    profile: Profile::ParallelStrictest,
    events: LazyLock::new(|| EventNames::of_rows(ROWS)),
    codec,
    load,
};
