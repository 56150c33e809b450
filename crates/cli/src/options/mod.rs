//! Options and arguments that several commands share.

mod agent;
mod approval;
mod captured_payload;
mod event;
mod flags;
mod folders;
mod global;
mod hook_paths;
mod hooks;
mod host;
mod log_filter;
mod log_tapes;
mod packs;
pub(crate) mod payload;
mod permissions;
mod policy_files;
mod preview;
pub(crate) mod redaction;
mod retention;
mod session;
mod tape;
pub(crate) mod trust;
mod user;

pub(crate) use agent::{AgentOption, compile_own_chains};
pub(crate) use approval::{AskOptions, defer_approval};
pub(crate) use captured_payload::{CapturedPayload, FiredEventArgs, FiredInput};
pub(crate) use event::{EventArgument, RowArgument};
pub(crate) use flags::HookFlags;
pub(crate) use folders::FolderOptions;
pub(crate) use global::{ColorMode, GlobalOptions};
pub(crate) use hook_paths::{HookPaths, current_dir};
pub(crate) use hooks::{
    HookOptions, load_hooks, model_opener, print_diagnostics, print_load_errors, read_model_script, start_builder,
    start_host_builder,
};
pub(crate) use host::{HostArgument, HostsArgument, ProjectOption, ScopeOption};
pub(crate) use log_filter::LogFilterOptions;
pub(crate) use log_tapes::{FollowedLog, LogTapeOptions, project_of_tape};
pub(crate) use packs::{ActivePack, active_packs, is_same_place, pack_of, parse_pack, policy_rules_of};
pub(crate) use payload::PayloadInput;
pub(crate) use permissions::{PermissionOptions, mode_name, parse_mode};
pub(crate) use policy_files::{POLICY_FILE, PolicyPlace, PolicySource, find_user_dir};
pub(crate) use preview::preview_host_call;
pub(crate) use redaction::RedactionOptions;
#[cfg(target_os = "linux")]
pub(crate) use retention::remove_expired_of_account;
pub(crate) use retention::{
    RecordedSessions, configured_retention, remove_expired, remove_expired_after_command, retention_text,
};
pub(crate) use session::{
    LAST, MOST_AT_ONCE, SessionTape, find_tape, list_tapes, locate_tape, pick_by_id, session_names, tapes_folder,
};
pub(crate) use tape::{ProvisionalTape, machine_signer};
pub(crate) use user::UserOptions;
