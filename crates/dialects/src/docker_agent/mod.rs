//! docker-agent: agents in one YAML file, with hooks that are shell commands, built-ins or models.
//!
//! The contract is docker-agent's one-stop example `hooks.yaml` with its comments, and the behaviour of its newest
//! version; `compat: g1` gives the version that the example was written for. `DEVIATIONS.md` lists where Pintle differs
//! on purpose. Pintle adds optional keys to a hook: `shell`, `keep`, `sandbox` and `mode`.

mod codec;
mod compat;
mod decode;
mod encode;
mod load;
mod paste;
mod row;

pub use codec::codec;
pub use compat::Compat;
pub use load::{hooks, load, recognise, tools_of};
pub use paste::{example, pasted};
pub use row::{Context, Decisions, ROWS, Rewrites, Row};

use pintle_contract::Profile;

use crate::{Dialect, Others};

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "docker_agent",
    description: "docker-agent: agents in one YAML file, with command, builtin and model hooks",
    profile: Profile::ParallelStrictest,
    events: &row::EVENTS,
    aliases: &[],
    others: Others::Unsupported,
    codec,
    load,
};
