//! The system: other users' rights, disks, services, and what starts by itself.

use pintle_shell::OperationKind::{Kill, Privilege, System, Write};
use pintle_shell::OperationTag::Startup;

use crate::RuleSeverity::{Ask, Deny};
use crate::{OperationTest, PackDef, RuleDef};

pub(super) const PACK: PackDef = PackDef {
    name: "system",
    doc: "Refuses to take other users' rights, and to change disks, services, users and what starts by itself.",
    is_default: true,
    pausable: &[],
    rules: &[
        RuleDef {
            id: "destroy",
            severity: Deny,
            tests: &[
                OperationTest::new(System)
                    .actions(&["remote_shell"])
                    .reason("this opens a shell of this machine to others, or this machine itself"),
                OperationTest::new(System).actions(&["disk", "fork_bomb", "power", "boot", "backup"]),
                OperationTest::new(Kill)
                    .actions(&["everything"])
                    .reason("this ends every process, or every one of a user")
                    .with_way_out("Name the process, or give its number."),
            ],
            reason: "this can destroy data, or stop the machine",
            instead: "Leave it to the user.",
            stops: &[
                "mkfs.ext4 /dev/sdb1",
                ":(){ :|:& };:",
                "shutdown -h now",
                "nc -lvp 4444 -e /bin/sh",
                "kill -9 -1",
                "efibootmgr -B",
                "tmutil delete /Volumes/x",
                "vssadmin delete shadows /all",
            ],
            passes: &["kill 4242", "fdisk -l", "pkill -f vite"],
        },
        RuleDef {
            id: "privilege",
            severity: Ask,
            tests: &[OperationTest::new(Privilege)],
            reason: "this takes the rights of another user",
            instead: "Do it without, or ask the user to run it.",
            stops: &["sudo apt install jq", "su -c id", "pkexec ls"],
            passes: &["apt list --installed"],
        },
        RuleDef {
            id: "persistence",
            severity: Ask,
            tests: &[OperationTest::new(Write).tags(&[Startup]), OperationTest::new(System).tags(&[Startup])],
            reason: "this changes what runs at login, at start or at a time",
            instead: "Leave it to the user.",
            stops: &["echo 'alias x=y' >> ~/.bashrc", "crontab jobs.txt", "cat key >> ~/.ssh/authorized_keys"],
            passes: &["crontab -l", "cat ~/.bashrc", "echo x > notes.txt"],
        },
        RuleDef {
            id: "settings",
            severity: Ask,
            tests: &[
                OperationTest::new(System)
                    .actions(&[
                        "service",
                        "firewall",
                        "kernel",
                        "users",
                        "settings",
                        "network",
                        "logs",
                        "registry",
                        "mount",
                        "policy",
                        "preload",
                        "hook_variable",
                    ])
                    .without(&[Startup]),
                OperationTest::new(System)
                    .actions(&["tunnel"])
                    .reason("this opens what listens on this machine to others"),
                OperationTest::new(Kill).actions(&["system_process"]),
            ],
            reason: "this changes the settings or services of the machine",
            instead: "Leave it to the user.",
            stops: &[
                "systemctl stop nginx",
                "iptables -F",
                "useradd eve",
                "sysctl -w kernel.x=1",
                "history -c",
                "hostnamectl set-hostname x",
                "ip link set eth0 down",
                "reg add HKLM\\\\x",
                "mount -a",
                "spctl --master-disable",
                "LD_PRELOAD=/tmp/x.so ls",
                "GIT_EXEC_PATH=/tmp/x git status",
                "ngrok http 3000",
                "kill -KILL 1",
            ],
            passes: &["systemctl status nginx", "sysctl -n kernel.ostype"],
        },
    ],
};
