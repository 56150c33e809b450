//! Turns a path into chains of compiled hooks: discover, read, compile, lint.
//!
//! Loading never stops at an error and never prints: it returns what it understood, and a diagnostic for everything
//! else, in the order of files and lines. The dialects decide what a file means; this crate decides which files are
//! read and what happens to their declarations.
//!
//! Only this crate and the tape access files. It looks at them through `pintle_files`, so that what was loaded can be used
//! as long as none of them changes.

#![cfg_attr(test, allow(clippy::disallowed_methods, reason = "tests make the files"))]

mod allowance;
mod case_files;
mod client_files;
mod compile;
mod discover;
mod documents;
mod edited_file;
mod expand;
mod file_facts;
mod known_files;
mod known_hooks;
mod known_scripts;
mod layers;
mod lint;
mod load;
mod matching;
mod narrowed_matcher;
mod package;
mod parse;
mod pause;
mod policy;
mod private_file;
mod programs;
mod read;
mod team;
mod trust;
mod unread;

pub use allowance::{ALLOWANCE_MS, CallAllowance};
pub use case_files::{find_test_files, is_case_file, is_scenario_file, load_case_file, load_scenario_file};
pub use compile::{check_hooks, compile_chains, declare_hook, parse_hook_text};
pub use edited_file::{EditedFileKind, recognise_edited_file};
pub use expand::expand_env;
pub use known_files::KnownFiles;
pub use known_hooks::KnownHooks;
pub use known_scripts::KnownScripts;
pub use layers::{
    LayerDirs, MANAGED_DIR, MissingDir, UserDirs, find_config_dir, find_managed_dir, find_projects,
    find_tape_retention, find_tape_witness, find_telemetry, load_layer, load_shadowed_layer, resolve_named_dir,
    state_dir, telemetry_of,
};
pub use load::{
    LEFT_OUT, LoadOptions, LoadedPath, load, load_discovered, load_for_hooks, load_project_agent, load_with,
};
pub use pause::{MAX_PAUSE_MS, PauseFileError, PauseWindow};
pub use policy::{CommandJudgement, PolicyFiles, PolicyPaths, has_policy_name, judge_command};
pub use team::{find_team_file, has_more_than, has_usual_name};
pub use trust::{
    BegunSessions, ProjectTrust, TrustDifference, TrustGrant, TrustGrants, TrustItem, TrustItemKind, TrustManifest,
    TrustOptions, TrustState, TrustStore, TrustStoreError, UNTRUSTED_HANDLER, UntrustedHook,
};
