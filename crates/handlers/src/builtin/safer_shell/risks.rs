//! Lists operations that destroy data or disrupt a system.

use pintle_packs::OperationTest;
use pintle_shell::OperationKind::{
    Cloud, Container, Database, Delete, Git, Guard, Kill, Kubernetes, Move, Package, Permission, Privilege, RunCode,
    System, Terraform, Unknown, Upload, Write,
};
use pintle_shell::OperationTag::{
    AgentSettings, Decoded, File, GitDirectory, Network, Output, Pintle, Recursive, Secret, Startup,
};
use pintle_shell::{Operation, PathPlace};

/// The extent of the damage that a command can do, from the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BlastRadius {
    Low,
    Medium,
    High,
}

impl BlastRadius {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// A risk of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CommandRisk {
    pub(super) radius: BlastRadius,
    pub(super) category: &'static str,
    pub(super) reason: &'static str,
}

type RiskDef = (OperationTest, CommandRisk);

const fn risk(operation: OperationTest, radius: BlastRadius, category: &'static str, reason: &'static str) -> RiskDef {
    (operation, CommandRisk { radius, category, reason })
}

use BlastRadius::{High, Low, Medium};

const ANY_DELETE: OperationTest = OperationTest::new(Delete);
const ANY_WRITE: OperationTest = OperationTest::new(Write);
const GIT: OperationTest = OperationTest::new(Git);
const CONTAINER: OperationTest = OperationTest::new(Container);
const SYSTEM: OperationTest = OperationTest::new(System);
const CODE: OperationTest = OperationTest::new(RunCode);

/// Places that hold more than the command is likely to be about.
const WHOLE: &[PathPlace] =
    &[PathPlace::Root, PathPlace::Home, PathPlace::ProjectRoot, PathPlace::System, PathPlace::Device];

const RUNS_TEXT: &str = "runs text that is not in the command";
const TRUSTED: &str = "writes to a file that other programs trust";
const REMOTE: &str = "overwrites or deletes commits on the server";
const UNCOMMITTED: &str = "discards changes";
const HISTORY: &str = "loses commits or rewrites the history";
const VOLUMES: &str = "deletes data of containers";
const MACHINE: &str = "changes services, users or settings of the machine";

/// Of equals, the first one is told.
static ROWS: &[RiskDef] = &[
    risk(ANY_DELETE.tags(&[Recursive]), High, "filesystem", "deletes whole directories"),
    risk(ANY_DELETE.actions(&["shred"]), High, "filesystem", "overwrites files permanently"),
    risk(ANY_DELETE.actions(&["empty_directory"]), Low, "filesystem", "deletes empty directories"),
    risk(ANY_DELETE, Medium, "filesystem", "deletes files"),
    risk(OperationTest::new(Move).places(WHOLE), High, "filesystem", "moves whole directories"),
    risk(ANY_WRITE.actions(&["truncate"]), Medium, "filesystem", "truncates files"),
    risk(
        OperationTest::new(Permission).places(WHOLE),
        High,
        "filesystem",
        "changes the permissions of the system, the home directory or the project",
    ),
    risk(
        OperationTest::new(Permission).tags(&[Recursive]),
        Low,
        "filesystem",
        "changes the permissions of whole directories",
    ),
    risk(ANY_WRITE.places(&[PathPlace::Device]), High, "disk", "writes to a device"),
    risk(SYSTEM.actions(&["disk"]), High, "disk", "formats or repartitions a disk"),
    risk(SYSTEM.actions(&["mount"]), Low, "disk", "mounts or unmounts a file system"),
    risk(ANY_WRITE.places(&[PathPlace::Root, PathPlace::System]), High, "system", TRUSTED),
    risk(ANY_WRITE.tags(&[Startup]), High, "system", TRUSTED),
    risk(ANY_WRITE.tags(&[AgentSettings]), High, "system", TRUSTED),
    risk(ANY_WRITE.tags(&[Pintle]), High, "system", TRUSTED),
    risk(ANY_WRITE.tags(&[GitDirectory]), High, "system", TRUSTED),
    risk(GIT.actions(&["force_push", "delete_remote", "repository_settings"]), High, "git", REMOTE),
    risk(GIT.actions(&["rewrite_history", "expire_reflog", "prune_objects", "delete_ref"]), High, "git", HISTORY),
    risk(
        GIT.actions(&["hard_reset", "discard_changes", "drop_stash", "remove_worktree", "remove_files"]),
        Medium,
        "git",
        UNCOMMITTED,
    ),
    risk(GIT.actions(&["clean"]), Medium, "git", "deletes untracked files"),
    risk(GIT.actions(&["delete_branch"]), Low, "git", "deletes a branch"),
    risk(CONTAINER.actions(&["remove_volumes", "prune", "remove_all"]), High, "containers", VOLUMES),
    risk(CONTAINER.actions(&["prune_cache"]), Medium, "containers", "deletes objects that are not in use"),
    risk(CONTAINER, Medium, "containers", "gives containers rights, or changes several of them"),
    risk(
        OperationTest::new(Kubernetes).actions(&["choose_cluster", "local_cluster", "client_settings"]),
        Medium,
        "cluster",
        "changes which cluster is used",
    ),
    risk(OperationTest::new(Kubernetes), High, "cluster", "deletes from a cluster, or changes it"),
    risk(
        OperationTest::new(Cloud).actions(&["delete", "delete_object", "stop", "grant"]),
        High,
        "cloud",
        "deletes from the cloud, or gives rights in it",
    ),
    risk(OperationTest::new(Cloud), Medium, "cloud", "changes resources of a cloud"),
    risk(OperationTest::new(Terraform).actions(&["choose"]), Medium, "cloud", "changes which resources are used"),
    risk(OperationTest::new(Terraform), High, "cloud", "changes or deletes the resources that it manages"),
    risk(
        OperationTest::new(Database).actions(&["definitions", "grant", "read_file", "settings", "statement", "stop"]),
        Medium,
        "database",
        "changes a database",
    ),
    risk(OperationTest::new(Database), High, "database", "deletes from a database, or changes all of it"),
    risk(OperationTest::new(Package).actions(&["publish"]), Medium, "release", "publishes a package"),
    risk(OperationTest::new(Kill), Low, "processes", "kills processes"),
    risk(SYSTEM.actions(&["fork_bomb"]), High, "system", "starts processes endlessly"),
    risk(SYSTEM.actions(&["power"]), High, "system", "shuts the machine down or restarts it"),
    risk(SYSTEM.actions(&["remote_shell"]), High, "system", "opens a shell to another machine"),
    risk(SYSTEM.actions(&["users", "firewall", "boot", "backup", "kernel", "preload"]), High, "system", MACHINE),
    risk(SYSTEM, Medium, "system", MACHINE),
    risk(OperationTest::new(Guard), High, "system", "changes what guards the agent"),
    risk(OperationTest::new(Privilege), Medium, "privilege", "runs with another user's permissions"),
    risk(CODE.tags(&[Network]), High, "execution", "runs code from the network"),
    risk(CODE.tags(&[Decoded]), High, "execution", RUNS_TEXT),
    risk(CODE.tags(&[Output]), High, "execution", RUNS_TEXT),
    risk(CODE.tags(&[File]), High, "execution", RUNS_TEXT),
    risk(OperationTest::new(Unknown), High, "execution", "cannot be analyzed"),
    risk(OperationTest::new(Upload).tags(&[Secret]), High, "network", "sends a secret over the network"),
];

/// The highest risk of operations.
pub(super) fn worst_risk(operations: &[Operation]) -> Option<CommandRisk> {
    let mut worst: Option<CommandRisk> = None;
    for operation in operations {
        // A row says more than the rows after it.
        let risk = ROWS.iter().find(|(test, _)| test.matches(operation)).map(|(_, risk)| *risk);
        if risk.map(|risk| risk.radius) > worst.map(|worst| worst.radius) {
            worst = risk;
        }
    }
    worst
}
