//! Commands that change the machine: disks, services, users, the firewall, the kernel.

use super::{SubcommandDef, subcommand};
use crate::OperationKind::{Privilege, System};
use crate::OperationTag::Startup;

const HELP: &[&str] = &["--help|-h|help"];

pub(super) static ROWS: &[SubcommandDef] = &[
    // What a project says runs from then on.
    subcommand(&["direnv"], &["allow|grant|permit"], System, "autorun"),
    subcommand(&["mise", "rtx"], &["trust"], System, "autorun"),
    subcommand(&["mkfs"], &[], System, "disk").without(&["--help|--version|-n*"]).of_devices(),
    // The `-n` of another file system than the usual one is the name of the disk.
    subcommand(&["mkfs"], &[], System, "disk").with(&["-t*|--type*"]).without(&["--help|--version"]).of_devices(),
    subcommand(&["mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "mke2fs", "mkfs.ntfs"], &[], System, "disk")
        .without(&["--help|--version|-n*|--no-action"])
        .of_devices(),
    subcommand(&["mkfs.xfs"], &[], System, "disk").without(&["--help|--version|-N*"]).of_devices(),
    subcommand(&["mkfs.btrfs", "mkfs.vfat", "mkfs.fat", "mkfs.f2fs", "mkfs.exfat", "mkswap"], &[], System, "disk")
        .without(&["--help|--version"])
        .of_devices(),
    subcommand(&["newfs", "newfs_apfs", "format"], &[], System, "disk").without(&["--help|--version"]),
    subcommand(&["fdisk", "cfdisk", "parted", "gdisk"], &[], System, "disk")
        .without(&["-l|--list|print|--help"])
        .of_devices(),
    subcommand(&["sfdisk"], &[], System, "disk")
        .without(&["-l|--list|--help|-n*|--no-act|--dump|-d*|--json|-J*"])
        .of_devices(),
    subcommand(&["sgdisk"], &[], System, "disk").without(&["--list|--help|--pretend|-P*"]).of_devices(),
    subcommand(&["wipefs"], &[], System, "disk")
        .with(&["-a|--all|-o|--offset|-f|--force|-t|--types"])
        .without(&["-n|--no-act"])
        .of_devices(),
    subcommand(&["partprobe"], &[], System, "disk").without(&["--help|-d|--dry-run"]),
    subcommand(&["blkdiscard", "badblocks", "tune2fs", "resize2fs", "debugfs", "e2label"], &[], System, "disk")
        .without(&["--help|-l|--no-act"])
        .of_devices(),
    subcommand(
        &[
            "hdparm",
            "nvme",
            "sg_format",
            "cryptsetup",
            "mdadm",
            "pvremove",
            "vgremove",
            "lvremove",
            "pvcreate",
            "swapoff",
            "swapon",
            "zpool",
            "zfs",
            "btrfs",
        ],
        &[],
        System,
        "disk",
    )
    .without(&["--help|list|status|-I|--detail|show|isLuks|luksDump|--show|--test"]),
    subcommand(&["diskutil"], &["erase*|partition*|zeroDisk|secureErase|reformat|apfs|unmount*|eject"], System, "disk"),
    subcommand(&["diskpart"], &[], System, "disk"),
    subcommand(&["shutdown", "reboot", "poweroff", "halt", "init", "telinit", "kexec"], &[], System, "power")
        .without(&["--help"]),
    subcommand(
        &["systemctl"],
        &[
            "stop|disable|mask|kill|restart|start|enable|edit|set-property|isolate|revert|daemon-reload|link|unmask|set-default|import-environment|set-environment",
        ],
        System,
        "service",
    ),
    subcommand(&["systemctl"], &["poweroff|reboot|halt|suspend|hibernate|emergency|rescue|kexec"], System, "power"),
    subcommand(&["loginctl"], &["terminate-*|kill-*|enable-linger|poweroff|reboot"], System, "service"),
    subcommand(&["service", "rc-service", "sv", "initctl", "supervisorctl"], &[], System, "service")
        .with(&["stop|restart|start|reload|down|remove"]),
    subcommand(&["chkconfig", "update-rc.d", "rc-update", "insserv"], &[], System, "service").without(&["--list|show"]),
    subcommand(
        &["launchctl"],
        &["load|unload|bootstrap|bootout|remove|disable|enable|kickstart|submit|setenv|stop|kill"],
        System,
        "service",
    )
    .tags(&[Startup]),
    subcommand(&["sc"], &["stop|delete|config|create"], System, "service"),
    subcommand(&["net"], &["stop|user|localgroup|start|share"], System, "service"),
    subcommand(&["schtasks"], &[], System, "schedule")
        .with(&["/create|/delete|/change|/Create|/Delete|/Change"])
        .tags(&[Startup]),
    subcommand(&["iptables", "ip6tables", "ebtables"], &[], System, "firewall")
        .with(&["-F|-P|-X|-D|-A|-I|-R|-Z|-N|--flush|--policy|--delete|--append|--insert"])
        .without(&["-L|-S|--list"]),
    subcommand(&["nft"], &["flush|delete|add|insert|replace"], System, "firewall"),
    subcommand(&["nft", "pfctl"], &[], System, "firewall").with(&["-f|--file"]).without(&["-c|--check|-n"]),
    subcommand(&["iptables-restore", "ip6tables-restore", "ebtables-restore"], &[], System, "firewall")
        .without(&["-t|--test"]),
    subcommand(&["ipfw"], &["flush|delete|add|-f|-q"], System, "firewall"),
    subcommand(&["ipset"], &["flush|destroy|restore|del|-F|-X"], System, "firewall"),
    subcommand(
        &["ufw"],
        &["disable|reset|delete|allow|deny|enable|default|reject|limit|insert|prepend|route|logging|--force"],
        System,
        "firewall",
    ),
    subcommand(&["firewall-cmd", "pfctl"], &[], System, "firewall").without(&["--list-all|--state|-s"]),
    subcommand(&["netsh"], &["advfirewall|firewall"], System, "firewall"),
    subcommand(
        &[
            "setenforce",
            "aa-disable",
            "aa-teardown",
            "aa-complain",
            "auditctl",
            "spctl",
            "csrutil",
            "setsebool",
            "bcdedit",
            "tccutil",
        ],
        &[],
        System,
        "policy",
    )
    .without(&["status|-l|-s|--status"]),
    subcommand(&["insmod", "modprobe", "rmmod", "depmod", "kldload", "kextload", "dkms"], &[], System, "kernel")
        .without(&["-n|--dry-run|status|--show-depends"]),
    subcommand(
        &[
            "useradd",
            "adduser",
            "userdel",
            "deluser",
            "usermod",
            "groupadd",
            "groupdel",
            "groupmod",
            "gpasswd",
            "newusers",
            "chpasswd",
            "chsh",
            "chfn",
            "vipw",
            "visudo",
            "sysadminctl",
            "pwconv",
        ],
        &[],
        System,
        "users",
    )
    .without(&["--help|--list-shells"]),
    subcommand(&["passwd", "chage"], &[], System, "users").without(&["--help|--status|-S*|--list|-l*"]),
    // To lock an account is to change it.
    subcommand(&["passwd"], &[], System, "users").with(&["-l|--lock"]),
    subcommand(&["dscl"], &[], System, "users")
        .with(&["-create|-delete|-append|-merge|-change|-changei|-passwd|create|delete|append"]),
    subcommand(&["dseditgroup"], &[], System, "users").with(&["edit|create|delete"]),
    subcommand(&["hostnamectl", "timedatectl", "localectl"], &["set-*"], System, "settings"),
    subcommand(
        &[
            "nvram",
            "efibootmgr",
            "grub-install",
            "update-grub",
            "grub-mkconfig",
            "bootctl",
            "update-initramfs",
            "dracut",
            "bless",
        ],
        &[],
        System,
        "boot",
    )
    .without(&["-p|-v|status|list"]),
    subcommand(&["ip"], &["link|l"], System, "network").with(&["down|delete|del"]),
    subcommand(&["ip"], &["route|r|addr|address|a"], System, "network").with(&["del|delete|flush|add|replace"]),
    subcommand(&["ifconfig"], &[], System, "network").with(&["down"]),
    subcommand(&["nmcli"], &["networking|connection|device|radio"], System, "network")
        .with(&["off|down|delete|disconnect|modify"]),
    subcommand(&["networksetup", "scutil"], &[], System, "network")
        .with(&["--set|-setdnsservers|-setwebproxy|-setnetworkserviceenabled"]),
    subcommand(&["journalctl"], &[], System, "logs").with(&["--vacuum-time|--vacuum-size|--vacuum-files|--rotate"]),
    subcommand(&["dmesg"], &[], System, "logs").with(&["-C|-c|--clear|--read-clear"]),
    subcommand(&["wevtutil"], &["cl|clear-log"], System, "logs"),
    subcommand(&["vssadmin"], &["delete"], System, "backup"),
    subcommand(&["wbadmin"], &["delete"], System, "backup"),
    subcommand(&["tmutil"], &["delete*|disable"], System, "backup"),
    subcommand(&["reg"], &["add|delete|import|unload"], System, "registry"),
    subcommand(&["defaults"], &["write|delete"], System, "settings"),
    subcommand(&["pmset", "systemsetup"], &[], System, "settings").without(&["-g"]),
    subcommand(
        &["apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk", "dpkg", "rpm"],
        &[],
        Privilege,
        "system_packages",
    )
    .with(&["remove|purge|autoremove|erase|del|-r|-P|-e"])
    .without(&["-s|--simulate|--dry-run|--just-print|--no-act|--assumeno|-qa|-qi|-l"]),
    subcommand(&["alternatives", "update-alternatives"], &[], System, "settings")
        .with(&["--set|--install|--remove|--remove-all"]),
    subcommand(&["systemd-run"], &[], System, "schedule")
        .with(&["--on-calendar|--on-active|--on-boot|--on-startup|--on-unit-active|--timer-property"])
        .tags(&[Startup]),
    subcommand(&["at", "batch"], &[], System, "schedule").without(&["-l|-c"]).tags(&[Startup]),
    subcommand(&["runas", "gsudo", "machinectl", "sudoedit", "visudo"], &[], Privilege, "other_user"),
    subcommand(&["setcap"], &[], Privilege, "capabilities"),
    subcommand(&["newgrp", "sg", "dzdo", "pfexec", "gksu", "kdesu"], &[], Privilege, "other_user"),
    subcommand(&["systemd-run"], &[], Privilege, "other_user").with(&["--uid|--uid=*|--gid=*|--machine=*|-M"]),
    // The services of the machine by their bus.
    subcommand(&["dbus-send", "gdbus", "busctl", "qdbus"], &[], System, "power")
        .with(&["*.reboot|*.poweroff|*.halt|*.suspend|*.hibernate|reboot|poweroff|halt|suspend|hibernate"]),
    subcommand(&["dbus-send"], &[], System, "service").with(&["--system"]).without(&["*.introspect|*.get|*.getall"]),
    subcommand(&["gdbus"], &["call"], System, "service")
        .with(&["--system|-y"])
        .without(&["*.get|*.getall|*.introspect"]),
    subcommand(&["qdbus"], &[], System, "service").with(&["--system", "*.set*|*.stop*|*.start*|*.kill*"]),
    subcommand(&["busctl"], &["call|set-property|emit"], System, "service").without(&["--user|get|getall|introspect"]),
    // What opens the machine to others.
    subcommand(
        &["telnetd", "in.telnetd", "sshd", "dropbear", "shellinaboxd", "ttyd", "gotty", "wetty", "tmate", "upterm"],
        &[],
        System,
        "remote_shell",
    )
    .without(&["--help|--version|-t|-T"]),
    subcommand(&["chisel"], &["client"], System, "remote_shell").with(&["R:*"]),
    // Tunnels: what listens here can be reached from anywhere.
    subcommand(&["ngrok"], &["http|tls|start|tunnel"], System, "tunnel").without(HELP),
    subcommand(&["cloudflared"], &["tunnel"], System, "tunnel").without(&["--help|-h|list|info|login|--version"]),
    subcommand(&["bore"], &["local"], System, "tunnel").without(HELP),
    subcommand(&["code", "code-insiders", "cursor", "codium"], &["tunnel"], System, "tunnel")
        .without(&["--help|-h|status|kill|unregister"]),
    subcommand(&["tailscale"], &["funnel|serve"], System, "tunnel").without(&["--help|-h|status|off|reset"]),
    subcommand(
        &["localtunnel", "lt", "localxpose", "loclx", "expose", "sish", "frpc", "rathole", "inlets"],
        &[],
        System,
        "tunnel",
    )
    .without(&["--help|-h|--version"]),
    subcommand(&["devtunnel"], &["host|create"], System, "tunnel").without(HELP),
    subcommand(&["zrok"], &["share|reserve"], System, "tunnel").without(HELP),
    subcommand(&["pinggy", "serveo", "localhost.run", "playit", "packetriot"], &[], System, "tunnel").without(HELP),
    subcommand(&["gh"], &["codespace|cs", "ports", "visibility"], System, "tunnel"),
    subcommand(&["ngrok", "bore", "frpc", "cloudflared"], &["tcp|local|**"], System, "remote_shell")
        .with(&["22|*:22|ssh://*|-c"]),
    subcommand(&["ssh-copy-id"], &[], System, "schedule")
        .with(&["localhost|*@localhost|127.*|*@127.*|::1|*@::1"])
        .tags(&[Startup]),
];
