//! Every command as a person sees it: standard output, standard error and exit status of the real program.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod fixture;

mod batch;
mod captured_payloads;
mod client_hooks;
mod colour;
mod conversation;
mod daemon;
mod doctor;
mod doctor_settings;
mod endings;
mod events;
mod evidence;
mod explain;
mod fire;
mod found_hooks;
mod hook_files;
mod hook_tools;
mod hooks;
mod init;
mod install;
mod life;
mod log;
mod meta_policy;
mod models;
mod one_policy;
mod packs;
mod packs_guide;
mod pause;
mod persona;
mod pipes;
mod plugins;
mod policy_files;
mod replay;
mod report;
mod rules;
mod run;
mod secrets;
mod serve;
mod sessions;
mod sessions_of_hosts;
mod snapshot;
mod strangers;
mod tape;
mod team;
mod trust;
mod try_call;
mod unguarded;
mod usage;
mod user_only;
mod validate;
mod walk;
mod withheld;
mod worktree;
