//! What hosts need of the dialect whose hooks are closures, under a name that is not that dialect's: how they are
//! registered, what they are given, and what they may return.

pub use crate::harn::{
    DIALECT, Dependency, EventPattern, HookOptions, PackageFiles, PatternFault, ROWS, Rewrites, Row, Surface,
    ToolHookSpec, UNSUPPORTED, codec, decode, manifest_hook, package_files, persona_hook, session_hook, step_hook,
    tool_hook,
};
