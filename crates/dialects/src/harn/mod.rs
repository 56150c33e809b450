//! Harn: hooks of tools, personas, steps and sessions that are functions, and packages that declare hooks.
//!
//! Pintle follows Harn's documentation, and its behaviour where the documentation is silent; `DEVIATIONS.md` lists each
//! difference. Hooks are registered in Starlark plugins (`*.star`), in the manifest of a package (`harn.toml`), or by a
//! program, always through the same four functions.

mod codec;
mod declare;
mod decode;
mod encode;
mod event_def;
mod fault;
mod load;
mod name;
mod native;
mod pattern;
mod personas;

pub use codec::codec;
pub use declare::{
    HarnHookOptions, ToolHookSpec, declare_manifest_hook, declare_persona_hook, declare_session_hook,
    declare_step_hook, declare_tool_hooks,
};
pub use decode::decode;
pub use event_def::{HarnEventDef, HarnRewrite, HarnSurface, ROWS};
pub use load::{PackageDependency, PackageFiles, load, package_files};
pub use name::UNSUPPORTED;
pub use personas::KEY_SECTIONS;

use std::sync::LazyLock;

use pintle_contract::Profile;

use crate::{Dialect, EventNames};

/// The Harn dialect.
pub static DIALECT: Dialect = Dialect {
    name: "harn",
    description: "Harn: plugins and packages whose hooks are functions, for tools, personas and sessions",
    profile: Profile::SequentialFirstDeny,
    events: LazyLock::new(|| EventNames::of_rows(ROWS)),
    codec,
    load,
};
