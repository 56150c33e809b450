//! What hosts need of the dialect whose hooks are closures, under a name that is not that dialect's: how they are
//! registered, what they are given, and what they may return.

pub use crate::harn::{
    DIALECT, EventPattern, HarnEventDef, HarnHookOptions, HarnRewrite, HarnSurface, PackageDependency, PackageFiles,
    PatternError, ROWS, ToolHookSpec, UNSUPPORTED, codec, declare_manifest_hook, declare_persona_hook,
    declare_session_hook, declare_step_hook, declare_tool_hooks, decode, package_files,
};
