//! The public parts of the dialect whose hooks are functions, under a neutral name: how they are registered, the
//! payloads they receive, and the values they may return.

pub use crate::harn::{
    DIALECT, HarnEventDef, HarnHookOptions, HarnRewrite, HarnSurface, KEY_SECTIONS, PackageDependency, PackageFiles,
    ROWS, ToolHookSpec, UNSUPPORTED, codec, declare_manifest_hook, declare_persona_hook, declare_session_hook,
    declare_step_hook, declare_tool_hooks, decode, package_files,
};
