//! What Pintle's own programs are made of. No stable interface: it changes with any version.

pub use pintle_engine::{is_matcher_failure_warning, is_untrusted_claim};
#[cfg(feature = "http")]
pub use pintle_handlers::async_runtime;
pub use pintle_handlers::http::HttpGateway;
#[cfg(feature = "http")]
pub use pintle_handlers::http::{HttpError, HttpErrorCause, build_client};
#[cfg(feature = "mcp")]
pub use pintle_handlers::mcp;
pub use pintle_handlers::{
    BuiltinDef, CommandSafety, builtins, classify_command, process, secrets, snapshot, worker_main,
};
#[cfg(feature = "script")]
pub use pintle_handlers::{ScriptTool, jail};
#[cfg(feature = "script")]
pub use pintle_script as script;
pub use {
    pintle_dialects as dialects, pintle_files as files, pintle_loader as loader, pintle_packs as packs,
    pintle_shell as shell,
};
