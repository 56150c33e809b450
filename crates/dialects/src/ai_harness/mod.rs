//! AI Harness: Markdown files with Starlark hooks, and Pintle's own format.
//!
//! Where the reference and its implementation differ, Pintle follows the reference; `DEVIATIONS.md` lists each
//! difference. Pintle adds optional keys to a hook: `timeout_ms`, `on_error`, `mode`, `files` and `examples`, and hooks
//! can subscribe to every event of the catalogue.

mod codec;
mod decode;
pub(crate) mod load;

use std::sync::LazyLock;

use crate::Dialect;

pub use codec::codec;
pub use load::{
    InlineHook, KEY_SECTIONS, PolicyCase, PolicyCases, declare_hook, declare_pack, load, read_case_file, read_hook,
    read_policy,
};

/// The AI Harness dialect.
pub static DIALECT: Dialect = Dialect {
    name: codec::NAME,
    description: "AI Harness: Markdown files with Starlark hooks, tools and agents under `.harness/`",
    profile: codec::PROFILE,
    events: LazyLock::new(|| codec::NAMES),
    codec,
    load,
};
