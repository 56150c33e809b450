//! From a path to chains of compiled hooks: discover, read, compile, lint.
//!
//! Loading never stops at a fault and never prints: it gives what it understood, and a diagnostic for each thing that
//! it did not, in the order of files and lines. What a file means is the dialect's; this crate decides which files
//! there are and what becomes of what was declared in them.
//!
//! This crate and the tape are the only ones that touch files.

mod client_files;
mod compile;
mod discover;
mod layers;
mod lint;
mod load;
mod matching;
mod narrowed_matcher;
mod package;
mod policy;
mod programs;
mod read;
mod team;
mod trust;
mod unread;

pub use compile::{check_hooks, compile_chains, declare_hook, parse_hook_text};
pub use layers::{
    LayerDirs, MissingDir, UserDirs, find_config_dir, find_managed_dir, find_projects, load_layer, state_dir,
};
pub use load::{LoadOptions, LoadedPath, load, load_discovered, load_for_hooks, load_with};
pub use policy::{CommandJudgement, PolicyFiles, PolicyPaths, has_policy_name, judge_command, quote_word};
pub use team::{find_team_file, has_more_than};
pub use trust::{
    BegunSessions, ProjectTrust, TrustDifference, TrustGrant, TrustGrants, TrustItem, TrustItemKind, TrustManifest,
    TrustOptions, TrustState, TrustStore, TrustStoreError, UntrustedHook,
};
