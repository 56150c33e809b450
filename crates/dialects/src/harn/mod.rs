//! Harn: hooks of tools, personas, steps and sessions that are closures, and packages that declare hooks.
//!
//! The contract is Harn's page on hooks, and its behaviour where that page is silent; where the two differ the page
//! wins, and `DEVIATIONS.md` lists each difference. Hooks are registered in Starlark plugins (`*.star`), in the
//! manifest of a package (`harn.toml`), or by a program, and all go through the same four functions.

mod codec;
mod declare;
mod decode;
mod encode;
mod load;
mod name;
mod native;
mod pattern;
mod personas;
mod row;

pub use codec::codec;
pub use declare::{HookOptions, ToolHookSpec, manifest_hook, persona_hook, session_hook, step_hook, tool_hook};
pub use decode::decode;
pub use load::{Dependency, PackageFiles, load, package_files};
pub use name::UNSUPPORTED;
pub use pattern::{EventPattern, PatternFault};
pub use row::{ROWS, Rewrites, Row, Surface};

use pintle_contract::Profile;

use crate::{Dialect, Others};

/// The dialect.
pub static DIALECT: Dialect = Dialect {
    name: "harn",
    description: "Harn: plugins and packages whose hooks are functions, for tools, personas and sessions",
    profile: Profile::SequentialFirstDeny,
    events: &row::EVENTS,
    aliases: &[],
    others: Others::Unsupported,
    codec,
    load,
};
