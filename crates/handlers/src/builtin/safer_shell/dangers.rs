//! Commands that destroy, a row each.

/// How much a command may destroy, from the least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Radius {
    Low,
    Medium,
    High,
}

impl Radius {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Something dangerous.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Danger {
    pub(super) radius: Radius,
    pub(super) category: &'static str,
    pub(super) reason: &'static str,
}

/// A command that is dangerous when all of this holds.
struct Row {
    /// Its program.
    program: &'static str,
    /// Words that are no options, in this order, others between them.
    words: &'static [&'static str],
    /// Options of which one is there; empty asks for none.
    options: &'static [&'static str],
    danger: Danger,
}

const fn row(
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
    radius: Radius,
    category: &'static str,
    reason: &'static str,
) -> Row {
    Row { program, words, options, danger: Danger { radius, category, reason } }
}

use Radius::{High, Low, Medium};

static ROWS: &[Row] = &[
    row("rm", &[], &["-r", "-R", "--recursive"], High, "filesystem", "deletes whole directories"),
    row("rm", &[], &[], Medium, "filesystem", "deletes files"),
    row("rmdir", &[], &[], Low, "filesystem", "deletes empty directories"),
    row("unlink", &[], &[], Medium, "filesystem", "deletes a file"),
    row("shred", &[], &[], High, "filesystem", "overwrites files for good"),
    row("truncate", &[], &[], Medium, "filesystem", "cuts files"),
    row("find", &[], &["-delete"], High, "filesystem", "deletes all that it finds"),
    row("chmod", &[], &["-R", "--recursive"], Low, "filesystem", "changes the rights of whole directories"),
    row("chown", &[], &["-R", "--recursive"], Low, "filesystem", "changes the owner of whole directories"),
    row("rsync", &[], &["--delete"], High, "filesystem", "deletes files at the target"),
    row("dd", &[], &[], High, "disk", "writes raw data"),
    row("mkfs", &[], &[], High, "disk", "formats a disk"),
    row("mkswap", &[], &[], High, "disk", "formats a disk"),
    row("wipefs", &[], &[], High, "disk", "removes the signatures of a disk"),
    row("fdisk", &[], &[], High, "disk", "changes partitions"),
    row("parted", &[], &[], High, "disk", "changes partitions"),
    row("umount", &[], &[], Low, "disk", "takes a file system away"),
    row(
        "git",
        &["push"],
        &["-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete"],
        High,
        "git",
        "overwrites or deletes what is on the server",
    ),
    row("git", &["reset"], &["--hard"], Medium, "git", "throws changes away"),
    row("git", &["clean"], &["-f", "--force"], Medium, "git", "deletes files that git does not know"),
    row("git", &["checkout"], &["-f", "--force", "--"], Medium, "git", "throws changes away"),
    row("git", &["checkout", "."], &[], Medium, "git", "throws changes away"),
    row("git", &["restore"], &[], Medium, "git", "throws changes away"),
    row("git", &["branch"], &["-D"], Low, "git", "deletes a branch"),
    row("git", &["stash", "drop"], &[], Medium, "git", "deletes stashed changes"),
    row("git", &["stash", "clear"], &[], Medium, "git", "deletes stashed changes"),
    row("git", &["filter-branch"], &[], High, "git", "rewrites the history"),
    row("git", &["reflog", "expire"], &[], High, "git", "deletes what could be restored"),
    row("docker", &["volume", "rm"], &[], High, "containers", "deletes data volumes"),
    row("docker", &["volume", "prune"], &[], High, "containers", "deletes data volumes"),
    row("docker", &["system", "prune"], &[], High, "containers", "deletes all that is not in use"),
    row("docker", &["compose", "down"], &["-v", "--volumes"], High, "containers", "deletes data volumes"),
    row("docker", &["prune"], &[], Medium, "containers", "deletes what is not in use"),
    row("docker", &["rm"], &[], Low, "containers", "deletes containers"),
    row("docker", &["rmi"], &[], Low, "containers", "deletes images"),
    row("kubectl", &["delete"], &[], High, "cluster", "deletes from a cluster"),
    row("kubectl", &["drain"], &[], High, "cluster", "empties a machine of a cluster"),
    row("helm", &["uninstall"], &[], High, "cluster", "deletes from a cluster"),
    row("helm", &["delete"], &[], High, "cluster", "deletes from a cluster"),
    row("terraform", &["destroy"], &[], High, "cloud", "deletes what it manages"),
    row("terraform", &["apply"], &["-auto-approve", "--auto-approve"], High, "cloud", "changes the cloud unasked"),
    row("aws", &["s3", "rb"], &[], High, "cloud", "deletes a bucket"),
    row("aws", &["s3", "rm"], &[], High, "cloud", "deletes from a bucket"),
    row("gcloud", &["delete"], &[], High, "cloud", "deletes from the cloud"),
    row("az", &["delete"], &[], High, "cloud", "deletes from the cloud"),
    row("dropdb", &[], &[], High, "database", "deletes a database"),
    row("npm", &["publish"], &[], Medium, "release", "publishes a package"),
    row("cargo", &["publish"], &[], Medium, "release", "publishes a package"),
    row("kill", &[], &[], Low, "processes", "ends processes"),
    row("killall", &[], &[], Low, "processes", "ends processes"),
    row("pkill", &[], &[], Low, "processes", "ends processes"),
    row("shutdown", &[], &[], High, "system", "switches the machine off"),
    row("reboot", &[], &[], High, "system", "restarts the machine"),
    row("halt", &[], &[], High, "system", "switches the machine off"),
    row("poweroff", &[], &[], High, "system", "switches the machine off"),
    row("systemctl", &["stop"], &[], Medium, "system", "stops a service"),
    row("systemctl", &["disable"], &[], Medium, "system", "switches a service off"),
    row("systemctl", &["mask"], &[], Medium, "system", "switches a service off"),
    row("crontab", &[], &["-r"], Medium, "system", "deletes all timed commands"),
    row("userdel", &[], &[], High, "system", "deletes a user"),
    row("iptables", &[], &["-F", "--flush"], High, "system", "removes the firewall's rules"),
    row("sudo", &[], &[], Medium, "privilege", "runs with the rights of another user"),
    row("doas", &[], &[], Medium, "privilege", "runs with the rights of another user"),
    row("su", &[], &[], Medium, "privilege", "runs with the rights of another user"),
    row("pkexec", &[], &[], Medium, "privilege", "runs with the rights of another user"),
];

/// Programs that run what they read, when nothing else is named.
const INTERPRETERS: [&str; 10] = ["sh", "bash", "dash", "zsh", "ksh", "fish", "python", "python3", "perl", "node"];
/// Programs of databases, whose arguments may be statements.
const DATABASES: [&str; 5] = ["psql", "mysql", "mariadb", "sqlite3", "mongosh"];
const STATEMENTS: [&str; 6] =
    ["drop table", "drop database", "drop schema", "truncate table", "delete from", ".dropdatabase"];
/// Places whose files are run or trusted by others.
const TRUSTED: [&str; 7] =
    ["/.ssh/", "/.bashrc", "/.profile", "/.bash_profile", "/.zshrc", "/.git/hooks/", "/.gitconfig"];

/// The worst that one command does, itself.
pub(super) fn of_command(words: &[String], is_piped: bool) -> Option<Danger> {
    let (program, arguments) = words.split_first()?;
    let program = name_of(program);
    let rows = ROWS.iter().filter(|row| row.matches(program, arguments)).map(|row| row.danger);
    let remote = is_piped && INTERPRETERS.contains(&program) && arguments.iter().all(|word| word.starts_with('-'));
    let statement = DATABASES.contains(&program)
        && arguments.iter().any(|word| {
            let word = word.to_lowercase();
            STATEMENTS.iter().any(|statement| word.contains(statement))
        });
    let special = [
        (remote, Danger { radius: High, category: "execution", reason: "runs what another command prints" }),
        (statement, Danger { radius: High, category: "database", reason: "deletes from a database" }),
    ];
    rows.chain(special.into_iter().filter(|(holds, _)| *holds).map(|(_, danger)| danger))
        .max_by_key(|danger| danger.radius)
}

/// What writing to a file does.
pub(super) fn of_file(path: &str) -> Option<Danger> {
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"].contains(&path);
    let home = path.strip_prefix("~/").or_else(|| path.strip_prefix("$HOME/")).map(|rest| format!("/{rest}"));
    let path = home.as_deref().unwrap_or(path);
    if harmless {
        None
    } else if path.starts_with("/dev/") {
        Some(Danger { radius: High, category: "disk", reason: "writes to a device" })
    } else if path.starts_with("/etc/") || TRUSTED.iter().any(|part| path.contains(part)) {
        Some(Danger { radius: High, category: "system", reason: "writes to a file that others trust" })
    } else {
        None
    }
}

/// The name of a program without its directories; all forms of `mkfs` are one.
pub(super) fn name_of(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    if name.starts_with("mkfs.") { "mkfs" } else { name }
}

impl Row {
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

/// Whether a word is an option: itself, with a value, cut short, or one letter of several.
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
