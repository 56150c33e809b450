//! Subcommands of git and of the programs of its hosts.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::Git;
use crate::{OperationKind, OperationTag};

/// Subcommands whose meaning is in their words and options.
pub(super) static ROWS: &[SubcommandDef] = &[
    subcommand(&["git"], &["push|send-pack|http-push"], Git, "force_push")
        .with(&["-f|--force|--mirror"])
        .without(&["-n|--dry-run"]),
    subcommand(&["git"], &["push"], Git, "delete_remote").with(&["-d|--delete|--prune"]).without(&["-n|--dry-run"]),
    subcommand(&["gh"], &["repo", "create"], Git, "push_address").with(&["--public", "--source|--push"]),
    subcommand(&["git"], &["reset"], Git, "hard_reset").with(&["--hard|--merge|--keep"]),
    subcommand(&["git"], &["clean"], Git, "clean").with(&["-f|--force|-x|-X|-i"]).without(&["-n|--dry-run"]),
    subcommand(&["git"], &["branch"], Git, "delete_branch").with(&["-D|-M|-C|-f|--force"]),
    subcommand(&["git"], &["stash", "drop|clear"], Git, "drop_stash"),
    subcommand(&["git"], &["filter-branch|filter-repo"], Git, "rewrite_history")
        .without(&["--analyze|-n|--dry-run|--help|-h"]),
    subcommand(&["git"], &["reflog", "expire|delete"], Git, "expire_reflog").without(&["-n|--dry-run"]),
    subcommand(&["git"], &["prune"], Git, "prune_objects").without(&["-n|--dry-run"]),
    subcommand(&["git"], &["update-ref"], Git, "delete_ref").with(&["-d|--stdin|--delete"]),
    subcommand(&["git"], &["update-ref"], Git, "delete_ref").with(&["refs/*|HEAD"]),
    subcommand(&["git"], &["symbolic-ref"], Git, "delete_ref").with(&["-d|--delete"]),
    subcommand(&["git"], &["replace|fast-import"], Git, "rewrite_history"),
    subcommand(&["git"], &["checkout"], Git, "discard_changes").with(&["-f|--force"]),
    subcommand(&["git"], &["switch"], Git, "discard_changes").with(&["-f|--force|--discard-changes"]),
    subcommand(&["git"], &["checkout-index"], Git, "discard_changes").with(&["-f|--force"]),
    subcommand(&["git"], &["read-tree"], Git, "discard_changes").with(&["--reset|-u"]),
    subcommand(&["git"], &["worktree", "remove"], Git, "remove_worktree").with(&["-f|--force"]),
    subcommand(&["git"], &["submodule", "deinit"], Git, "discard_changes").with(&["-f|--force|--all"]),
    subcommand(&["git"], &["rm"], Git, "remove_files").with(&["-f|--force"]).without(&["--cached|-n|--dry-run"]),
    subcommand(&["git"], &["send-email|imap-send|request-pull"], Git, "send"),
    subcommand(&["git"], &["maintenance", "start"], Git, "serve"),
    subcommand(&["git"], &["daemon|instaweb|http-backend"], Git, "serve"),
    subcommand(&["git"], &["lfs", "prune"], Git, "prune_objects"),
    subcommand(&["git"], &["bfg"], Git, "rewrite_history"),
    subcommand(&["git-filter-repo", "bfg", "git-filter-branch"], &[], Git, "rewrite_history")
        .without(&["--analyze|--dry-run|--help|-h"]),
    subcommand(&["gh"], &["repo", "delete|archive|rename"], Git, "delete_remote"),
    subcommand(&["gh"], &["repo", "edit"], Git, "repository_settings").with(&[
        "--visibility|--allow-forking|--default-branch|--delete-branch-on-merge|--template|--enable-auto-merge|\
         --accept-visibility-change-consequences|--enable-advanced-security=|--enable-secret-scanning=|\
         --enable-secret-scanning-push-protection=",
    ]),
    subcommand(&["gh"], &["release", "delete|delete-asset"], Git, "delete_remote"),
    subcommand(&["gh"], &["gist", "create|edit"], OperationKind::Upload, "gist").tags(&[OperationTag::File]),
    subcommand(&["gh"], &["repo", "sync"], Git, "force_push").with(&["--force"]),
    subcommand(&["gh", "glab"], &["api"], Git, "force_push").with(&["force=true|force=1"]),
    subcommand(&["gh"], &["pr", "merge"], Git, "repository_settings").with(&["--admin"]),
    subcommand(&["gh", "glab"], &["api"], Git, "delete_remote").with(&["DELETE|-XDELETE|--method=DELETE|delete"]),
    subcommand(&["glab"], &["repo|project", "delete"], Git, "delete_remote"),
];
