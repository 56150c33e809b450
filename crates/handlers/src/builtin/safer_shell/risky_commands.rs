//! Lists commands that destroy data or disrupt a system.

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

/// The definition of a risky command; all fields must match.
struct RiskyCommandDef {
    /// The program.
    program: &'static str,
    /// Words that are not options, in this order, possibly with others in between.
    words: &'static [&'static str],
    /// Options, one of which is required; empty requires none.
    options: &'static [&'static str],
    danger: CommandRisk,
}

const fn risky_command(
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
    radius: BlastRadius,
    category: &'static str,
    reason: &'static str,
) -> RiskyCommandDef {
    RiskyCommandDef { program, words, options, danger: CommandRisk { radius, category, reason } }
}

use BlastRadius::{High, Low, Medium};

static ROWS: &[RiskyCommandDef] = &[
    risky_command("rm", &[], &["-r", "-R", "--recursive"], High, "filesystem", "deletes whole directories"),
    risky_command("rm", &[], &[], Medium, "filesystem", "deletes files"),
    risky_command("rmdir", &[], &[], Low, "filesystem", "deletes empty directories"),
    risky_command("unlink", &[], &[], Medium, "filesystem", "deletes a file"),
    risky_command("shred", &[], &[], High, "filesystem", "overwrites files permanently"),
    risky_command("truncate", &[], &[], Medium, "filesystem", "truncates files"),
    risky_command("find", &[], &["-delete"], High, "filesystem", "deletes everything it finds"),
    risky_command(
        "chmod",
        &[],
        &["-R", "--recursive"],
        Low,
        "filesystem",
        "changes the permissions of whole directories",
    ),
    risky_command("chown", &[], &["-R", "--recursive"], Low, "filesystem", "changes the owner of whole directories"),
    risky_command("rsync", &[], &["--delete"], High, "filesystem", "deletes files at the target"),
    risky_command("dd", &[], &[], High, "disk", "writes raw data"),
    risky_command("mkfs", &[], &[], High, "disk", "formats a disk"),
    risky_command("mkswap", &[], &[], High, "disk", "formats a disk"),
    risky_command("wipefs", &[], &[], High, "disk", "removes the signatures of a disk"),
    risky_command("fdisk", &[], &[], High, "disk", "changes partitions"),
    risky_command("parted", &[], &[], High, "disk", "changes partitions"),
    risky_command("umount", &[], &[], Low, "disk", "unmounts a file system"),
    risky_command(
        "git",
        &["push"],
        &["-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete"],
        High,
        "git",
        "overwrites or deletes commits on the server",
    ),
    risky_command("git", &["reset"], &["--hard"], Medium, "git", "discards changes"),
    risky_command("git", &["clean"], &["-f", "--force"], Medium, "git", "deletes untracked files"),
    risky_command("git", &["checkout"], &["-f", "--force", "--"], Medium, "git", "discards changes"),
    risky_command("git", &["checkout", "."], &[], Medium, "git", "discards changes"),
    risky_command("git", &["restore"], &[], Medium, "git", "discards changes"),
    risky_command("git", &["branch"], &["-D"], Low, "git", "deletes a branch"),
    risky_command("git", &["stash", "drop"], &[], Medium, "git", "deletes stashed changes"),
    risky_command("git", &["stash", "clear"], &[], Medium, "git", "deletes stashed changes"),
    risky_command("git", &["filter-branch"], &[], High, "git", "rewrites the history"),
    risky_command("git", &["reflog", "expire"], &[], High, "git", "deletes the history needed to restore commits"),
    risky_command("docker", &["volume", "rm"], &[], High, "containers", "deletes data volumes"),
    risky_command("docker", &["volume", "prune"], &[], High, "containers", "deletes data volumes"),
    risky_command("docker", &["system", "prune"], &[], High, "containers", "deletes everything that is not in use"),
    risky_command("docker", &["compose", "down"], &["-v", "--volumes"], High, "containers", "deletes data volumes"),
    risky_command("docker", &["prune"], &[], Medium, "containers", "deletes objects that are not in use"),
    risky_command("docker", &["rm"], &[], Low, "containers", "deletes containers"),
    risky_command("docker", &["rmi"], &[], Low, "containers", "deletes images"),
    risky_command("kubectl", &["delete"], &[], High, "cluster", "deletes from a cluster"),
    risky_command("kubectl", &["drain"], &[], High, "cluster", "evicts all workloads from a cluster node"),
    risky_command("helm", &["uninstall"], &[], High, "cluster", "deletes from a cluster"),
    risky_command("helm", &["delete"], &[], High, "cluster", "deletes from a cluster"),
    risky_command("terraform", &["destroy"], &[], High, "cloud", "deletes the resources that it manages"),
    risky_command(
        "terraform",
        &["apply"],
        &["-auto-approve", "--auto-approve"],
        High,
        "cloud",
        "changes cloud resources without confirmation",
    ),
    risky_command("aws", &["s3", "rb"], &[], High, "cloud", "deletes a bucket"),
    risky_command("aws", &["s3", "rm"], &[], High, "cloud", "deletes from a bucket"),
    risky_command("gcloud", &["delete"], &[], High, "cloud", "deletes from the cloud"),
    risky_command("az", &["delete"], &[], High, "cloud", "deletes from the cloud"),
    risky_command("dropdb", &[], &[], High, "database", "deletes a database"),
    risky_command("npm", &["publish"], &[], Medium, "release", "publishes a package"),
    risky_command("cargo", &["publish"], &[], Medium, "release", "publishes a package"),
    risky_command("kill", &[], &[], Low, "processes", "kills processes"),
    risky_command("killall", &[], &[], Low, "processes", "kills processes"),
    risky_command("pkill", &[], &[], Low, "processes", "kills processes"),
    risky_command("shutdown", &[], &[], High, "system", "shuts the machine down"),
    risky_command("reboot", &[], &[], High, "system", "restarts the machine"),
    risky_command("halt", &[], &[], High, "system", "shuts the machine down"),
    risky_command("poweroff", &[], &[], High, "system", "shuts the machine down"),
    risky_command("systemctl", &["stop"], &[], Medium, "system", "stops a service"),
    risky_command("systemctl", &["disable"], &[], Medium, "system", "disables a service"),
    risky_command("systemctl", &["mask"], &[], Medium, "system", "disables a service"),
    risky_command("crontab", &[], &["-r"], Medium, "system", "deletes all scheduled commands"),
    risky_command("userdel", &[], &[], High, "system", "deletes a user"),
    risky_command("iptables", &[], &["-F", "--flush"], High, "system", "removes the firewall's rules"),
    risky_command("sudo", &[], &[], Medium, "privilege", "runs with another user's permissions"),
    risky_command("doas", &[], &[], Medium, "privilege", "runs with another user's permissions"),
    risky_command("su", &[], &[], Medium, "privilege", "runs with another user's permissions"),
    risky_command("pkexec", &[], &[], Medium, "privilege", "runs with another user's permissions"),
];

/// Programs that run their standard input if no script is named.
const INTERPRETERS: [&str; 10] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "node"];
/// Database programs, whose arguments may be statements.
const DATABASES: [&str; 5] = ["psql", "mysql", "mariadb", "sqlite3", "mongosh"];
const STATEMENTS: [&str; 6] =
    ["drop table", "drop database", "drop schema", "truncate table", "delete from", ".dropdatabase"];
/// Paths whose files other programs run or trust.
const TRUSTED: [&str; 7] =
    ["/.ssh/", "/.bashrc", "/.profile", "/.bash_profile", "/.zshrc", "/.git/hooks/", "/.gitconfig"];

/// The highest risk of one command itself.
pub(super) fn command_risk(words: &[String], is_piped: bool) -> Option<CommandRisk> {
    let (program, arguments) = words.split_first()?;
    let program = program_name(program);
    let rows = ROWS.iter().filter(|def| def.matches(program, arguments)).map(|def| def.danger);
    let remote = is_piped && INTERPRETERS.contains(&program) && arguments.iter().all(|word| word.starts_with('-'));
    let statement = DATABASES.contains(&program)
        && arguments.iter().any(|word| {
            let word = word.to_lowercase();
            STATEMENTS.iter().any(|statement| word.contains(statement))
        });
    let special = [
        (remote, CommandRisk { radius: High, category: "execution", reason: "runs the output of another command" }),
        (statement, CommandRisk { radius: High, category: "database", reason: "deletes from a database" }),
    ];
    rows.chain(special.into_iter().filter(|(holds, _)| *holds).map(|(_, danger)| danger))
        .max_by_key(|danger| danger.radius)
}

/// The risk of writing to a file.
pub(super) fn file_write_risk(path: &str) -> Option<CommandRisk> {
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&path);
    let home = path.strip_prefix("~/").or_else(|| path.strip_prefix("$HOME/")).map(|rest| format!("/{rest}"));
    let path = home.as_deref().unwrap_or(path);
    if harmless {
        None
    } else if path.starts_with("/dev/") {
        Some(CommandRisk { radius: High, category: "disk", reason: "writes to a device" })
    } else if path.starts_with("/etc/") || TRUSTED.iter().any(|part| path.contains(part)) {
        Some(CommandRisk { radius: High, category: "system", reason: "writes to a file that other programs trust" })
    } else {
        None
    }
}

/// The name of a program without its directories; all variants of `mkfs` are one.
pub(super) fn program_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if name.starts_with("mkfs.") { "mkfs" } else { name }
}

impl RiskyCommandDef {
    fn matches(&self, program: &str, arguments: &[String]) -> bool {
        if !self.program.eq_ignore_ascii_case(program) {
            return false;
        }
        let mut wanted = self.words.iter().peekable();
        for word in arguments.iter().filter(|word| !word.starts_with('-')) {
            wanted.next_if(|wanted| word == *wanted);
        }
        let has_option = || self.options.iter().any(|option| arguments.iter().any(|word| is_option(word, option)));
        wanted.peek().is_none() && (self.options.is_empty() || has_option())
    }
}

/// Whether a word is the option: exactly, with a value, abbreviated, or as one of several letters.
fn is_option(word: &str, option: &str) -> bool {
    let bare = word.split('=').next().unwrap_or(word);
    if bare == option {
        return true;
    }
    if option.starts_with("--") {
        return bare.len() > 3 && bare.starts_with("--") && option.starts_with(bare);
    }
    let mut letters = option.strip_prefix('-').into_iter().flat_map(str::chars);
    match (letters.next(), letters.next()) {
        (Some(letter), None) => word.starts_with('-') && !word.starts_with("--") && word.contains(letter),
        _ => false,
    }
}
