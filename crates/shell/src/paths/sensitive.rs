//! Paths that need care: secrets, the settings of agents, what starts by itself.

use std::path::Path;

use super::{UNKNOWN, matches_glob};
use crate::OperationTag::{self, AgentSettings, GitDirectory, Pintle, Pipeline, Registry, Secret, Startup};
use crate::site::CallSite;

/// Where a path of the table is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TailRoot {
    /// Below any directory.
    Anywhere,
    /// Below a home directory.
    Home,
    /// Below the root directory.
    Root,
}
use TailRoot::{Anywhere, Home, Root};

/// The end of a path, with what it means. A `*` in a name is a pattern; the last part `**` is everything below.
static TAILS: &[(TailRoot, &str, OperationTag)] = &[
    (Anywhere, ".env", Secret),
    (Anywhere, ".env.*", Secret),
    (Anywhere, "*.env", Secret),
    (Anywhere, ".envrc", Secret),
    (Anywhere, ".ssh/id_*", Secret),
    (Anywhere, ".ssh/*_rsa", Secret),
    (Anywhere, ".ssh/*_ed25519", Secret),
    (Anywhere, ".ssh/identity", Secret),
    (Anywhere, ".gnupg/**", Secret),
    (Anywhere, ".aws/credentials", Secret),
    (Anywhere, ".aws/sso/**", Secret),
    (Anywhere, ".aws/cli/cache/**", Secret),
    (Anywhere, ".azure/**", Secret),
    (Anywhere, ".config/gcloud/**", Secret),
    (Anywhere, ".kube/config", Secret),
    (Anywhere, "kubeconfig", Secret),
    (Anywhere, ".docker/config.json", Secret),
    (Anywhere, ".netrc", Secret),
    (Anywhere, "_netrc", Secret),
    (Anywhere, ".npmrc", Secret),
    (Anywhere, ".yarnrc.yml", Secret),
    (Anywhere, ".pypirc", Secret),
    (Anywhere, ".pgpass", Secret),
    (Anywhere, ".my.cnf", Secret),
    (Anywhere, ".git-credentials", Secret),
    (Anywhere, ".config/git/credentials", Secret),
    (Anywhere, ".config/gh/hosts.yml", Secret),
    (Anywhere, ".config/hub", Secret),
    (Anywhere, ".config/op/**", Secret),
    (Anywhere, ".cargo/credentials*", Secret),
    (Anywhere, ".gem/credentials", Secret),
    (Anywhere, ".m2/settings.xml", Secret),
    (Anywhere, ".gradle/gradle.properties", Secret),
    (Anywhere, ".composer/auth.json", Secret),
    (Anywhere, ".terraform.d/credentials*", Secret),
    (Anywhere, ".terraformrc", Secret),
    (Anywhere, ".vault-token", Secret),
    (Anywhere, ".boto", Secret),
    (Anywhere, ".s3cfg", Secret),
    (Anywhere, ".htpasswd", Secret),
    (Anywhere, ".password-store/**", Secret),
    (Anywhere, ".local/share/keyrings/**", Secret),
    (Anywhere, ".mozilla/firefox/**", Secret),
    (Anywhere, ".config/google-chrome/**", Secret),
    (Anywhere, ".config/chromium/**", Secret),
    (Anywhere, ".config/BraveSoftware/**", Secret),
    (Anywhere, "Library/Keychains/**", Secret),
    (Anywhere, "Library/Application Support/Google/Chrome/**", Secret),
    (Anywhere, "Library/Application Support/Firefox/**", Secret),
    (Anywhere, ".bash_history", Secret),
    (Anywhere, ".zsh_history", Secret),
    (Anywhere, ".history", Secret),
    (Anywhere, ".python_history", Secret),
    (Anywhere, ".psql_history", Secret),
    (Anywhere, ".mysql_history", Secret),
    (Anywhere, ".node_repl_history", Secret),
    (Anywhere, "fish_history", Secret),
    (Anywhere, "ConsoleHost_history.txt", Secret),
    (Anywhere, "AppData/Roaming/gcloud/**", Secret),
    (Anywhere, "AppData/Roaming/Mozilla/**", Secret),
    (Anywhere, "AppData/Roaming/Microsoft/Credentials/**", Secret),
    (Anywhere, "AppData/Roaming/Microsoft/Protect/**", Secret),
    (Anywhere, "AppData/Local/Google/Chrome/User Data/**", Secret),
    (Anywhere, "AppData/Local/Microsoft/Edge/User Data/**", Secret),
    (Anywhere, "*.pem", Secret),
    (Anywhere, "*.key", Secret),
    (Anywhere, "*.p12", Secret),
    (Anywhere, "*.pfx", Secret),
    (Anywhere, "*.jks", Secret),
    (Anywhere, "*.keystore", Secret),
    (Anywhere, "*.kdbx", Secret),
    (Anywhere, "*.ppk", Secret),
    (Anywhere, "*.asc.key", Secret),
    (Anywhere, "id_rsa", Secret),
    (Anywhere, "id_ed25519", Secret),
    (Anywhere, "id_ecdsa", Secret),
    (Anywhere, "id_dsa", Secret),
    (Anywhere, "credentials.json", Secret),
    (Anywhere, "service-account*.json", Secret),
    (Anywhere, "service_account*.json", Secret),
    (Anywhere, "client_secret*.json", Secret),
    (Anywhere, "secrets.yml", Secret),
    (Anywhere, "secrets.yaml", Secret),
    (Anywhere, "secrets.json", Secret),
    (Anywhere, "secrets.toml", Secret),
    (Anywhere, "config/master.key", Secret),
    (Anywhere, "terraform.tfvars", Secret),
    (Anywhere, "*.tfstate", Secret),
    (Anywhere, "wp-config.php", Secret),
    (Root, "etc/shadow*", Secret),
    (Root, "etc/gshadow*", Secret),
    (Root, "etc/sudoers*", Secret),
    (Root, "etc/ssl/private/**", Secret),
    (Root, "etc/ssh/ssh_host_*_key", Secret),
    (Root, "etc/kubernetes/**", Secret),
    (Root, "proc/*/environ", Secret),
    (Root, "proc/*/mem", Secret),
    (Root, "run/secrets/**", Secret),
    (Root, "var/run/secrets/**", Secret),
    (Root, "var/lib/docker/**", Secret),
    (Home, ".bashrc", Startup),
    (Home, ".bash_profile", Startup),
    (Home, ".bash_login", Startup),
    (Home, ".bash_logout", Startup),
    (Home, ".bash_aliases", Startup),
    (Home, ".profile", Startup),
    (Home, ".zshrc", Startup),
    (Home, ".zshenv", Startup),
    (Home, ".zprofile", Startup),
    (Home, ".zlogin", Startup),
    (Home, ".config/fish/**", Startup),
    (Home, ".config/autostart/**", Startup),
    (Home, ".config/systemd/**", Startup),
    (Home, ".xinitrc", Startup),
    (Home, ".xprofile", Startup),
    (Home, ".xsession", Startup),
    (Home, ".pam_environment", Startup),
    (Home, ".config/environment.d/**", Startup),
    (Home, ".ssh/authorized_keys*", Startup),
    (Home, ".ssh/config", Startup),
    (Home, ".ssh/rc", Startup),
    (Home, ".gitconfig", Startup),
    (Home, ".config/git/config", Startup),
    (Home, ".inputrc", Startup),
    (Home, ".vimrc", Startup),
    (Home, ".config/nvim/**", Startup),
    (Home, ".emacs.d/**", Startup),
    (Home, ".tmux.conf", Startup),
    (Home, ".local/share/systemd/**", Startup),
    (Home, "Library/LaunchAgents/**", Startup),
    (Home, "Documents/PowerShell/**", Startup),
    (Home, "Documents/WindowsPowerShell/**", Startup),
    (Anywhere, "Start Menu/Programs/Startup/**", Startup),
    (Home, ".config/powershell/**", Startup),
    (Root, "Library/LaunchDaemons/**", Startup),
    (Root, "Library/LaunchAgents/**", Startup),
    (Root, "var/spool/cron/**", Startup),
    (Root, "etc/cron*/**", Startup),
    (Root, "etc/systemd/**", Startup),
    (Anywhere, ".git/**", GitDirectory),
    (Anywhere, ".claude/settings.json", AgentSettings),
    (Anywhere, ".claude/settings.local.json", AgentSettings),
    (Anywhere, ".claude/hooks/**", AgentSettings),
    (Anywhere, ".claude/plugins/**", AgentSettings),
    (Home, ".claude.json", AgentSettings),
    (Anywhere, ".mcp.json", AgentSettings),
    (Root, "etc/claude-code/**", AgentSettings),
    (Root, "Library/Application Support/ClaudeCode/**", AgentSettings),
    (Anywhere, ".codex/config.toml", AgentSettings),
    (Anywhere, ".codex/hooks.json", AgentSettings),
    (Anywhere, ".codex/hooks/**", AgentSettings),
    (Anywhere, ".codex/requirements.toml", AgentSettings),
    (Anywhere, ".codex/rules/**", AgentSettings),
    (Root, "etc/codex/**", AgentSettings),
    (Anywhere, ".gemini/settings.json", AgentSettings),
    (Anywhere, ".gemini/hooks/**", AgentSettings),
    (Anywhere, ".gemini/extensions/**", AgentSettings),
    (Anywhere, ".gemini/trustedFolders.json", AgentSettings),
    (Root, "etc/gemini-cli/**", AgentSettings),
    (Anywhere, ".qwen/settings.json", AgentSettings),
    (Anywhere, ".qwen/hooks/**", AgentSettings),
    (Root, "etc/qwen-code/**", AgentSettings),
    (Anywhere, ".github/hooks/**", AgentSettings),
    (Anywhere, ".github/copilot/settings*.json", AgentSettings),
    (Anywhere, ".copilot/**", AgentSettings),
    (Anywhere, ".cursor/hooks.json", AgentSettings),
    (Anywhere, ".cursor/hooks/**", AgentSettings),
    (Anywhere, ".clinerules/hooks/**", AgentSettings),
    (Anywhere, "Documents/Cline/**", AgentSettings),
    (Anywhere, ".cline/**", AgentSettings),
    (Anywhere, ".config/opencode/**", AgentSettings),
    (Anywhere, ".opencode/**", AgentSettings),
    (Anywhere, "opencode.json", AgentSettings),
    (Anywhere, "opencode.jsonc", AgentSettings),
    (Anywhere, ".config/goose/**", AgentSettings),
    (Anywhere, ".harness/**", Pintle),
    (Anywhere, "harness.md", Pintle),
    (Anywhere, "harn.toml", Pintle),
    (Anywhere, ".config/pintle/**", Pintle),
    (Anywhere, ".local/state/pintle/**", Pintle),
    (Anywhere, ".pintle/**", Pintle),
    (Root, "etc/pintle/**", Pintle),
    (Anywhere, ".github", Pipeline),
    (Anywhere, ".github/workflows/**", Pipeline),
    (Anywhere, ".github/actions/**", Pipeline),
    (Anywhere, ".github/CODEOWNERS", Pipeline),
    (Anywhere, "CODEOWNERS", Pipeline),
    (Anywhere, ".github/dependabot.yml", Pipeline),
    (Anywhere, ".github/rulesets/**", Pipeline),
    (Anywhere, ".gitlab-ci.yml", Pipeline),
    (Anywhere, "*.gitlab-ci.yml", Pipeline),
    (Anywhere, ".gitlab/ci/**", Pipeline),
    (Anywhere, ".circleci/**", Pipeline),
    (Anywhere, "Jenkinsfile", Pipeline),
    (Anywhere, "Jenkinsfile.*", Pipeline),
    (Anywhere, "*.jenkinsfile", Pipeline),
    (Anywhere, "azure-pipelines.yml", Pipeline),
    (Anywhere, "azure-pipelines.yaml", Pipeline),
    (Anywhere, ".azure-pipelines/**", Pipeline),
    (Anywhere, "bitbucket-pipelines.yml", Pipeline),
    (Anywhere, ".travis.yml", Pipeline),
    (Anywhere, ".drone.yml", Pipeline),
    (Anywhere, ".woodpecker.yml", Pipeline),
    (Anywhere, ".woodpecker/**", Pipeline),
    (Anywhere, ".buildkite/**", Pipeline),
    (Anywhere, "cloudbuild.yaml", Pipeline),
    (Anywhere, "cloudbuild.yml", Pipeline),
    (Anywhere, "buildspec.yml", Pipeline),
    (Anywhere, "appveyor.yml", Pipeline),
    (Anywhere, ".appveyor.yml", Pipeline),
    (Anywhere, ".teamcity/**", Pipeline),
    (Anywhere, ".semaphore/**", Pipeline),
    (Anywhere, ".cirrus.yml", Pipeline),
    (Anywhere, ".forgejo/workflows/**", Pipeline),
    (Anywhere, ".gitea/workflows/**", Pipeline),
    (Anywhere, ".tekton/**", Pipeline),
    (Anywhere, "codemagic.yaml", Pipeline),
    (Anywhere, "wercker.yml", Pipeline),
    (Anywhere, ".gitlab/CODEOWNERS", Pipeline),
    (Anywhere, ".buildkite.yml", Pipeline),
    (Anywhere, ".jenkins/**", Pipeline),
    (Anywhere, ".gitlab-ci.yaml", Pipeline),
    (Anywhere, ".npmrc", Registry),
    (Anywhere, ".yarnrc", Registry),
    (Anywhere, ".yarnrc.yml", Registry),
    (Anywhere, ".pypirc", Registry),
    (Anywhere, "pip.conf", Registry),
    (Anywhere, "pip.ini", Registry),
    (Anywhere, ".config/pip/**", Registry),
    (Anywhere, ".cargo/config.toml", Registry),
    (Anywhere, ".cargo/config", Registry),
    (Anywhere, "bunfig.toml", Registry),
    (Anywhere, ".bunfig.toml", Registry),
    (Anywhere, ".condarc", Registry),
    (Anywhere, ".gemrc", Registry),
    (Anywhere, "nuget.config", Registry),
    (Anywhere, "NuGet.Config", Registry),
    (Anywhere, "NuGet.config", Registry),
    (Anywhere, ".m2/settings.xml", Registry),
    (Anywhere, ".config/composer/**", Registry),
    (Anywhere, "uv.toml", Registry),
    (Anywhere, ".config/uv/**", Registry),
    (Anywhere, ".hex/**", Registry),
    (Root, "etc/apt/**", Registry),
    (Root, "etc/yum.repos.d/**", Registry),
    (Root, "etc/pip.conf", Registry),
    (Root, "etc/npmrc", Registry),
    (Anywhere, "bin/pintle", Pintle),
    (Anywhere, "bin/pintle-hook", Pintle),
];

/// The ends of names that are templates or public.
const HARMLESS_ENDS: [&str; 12] = [
    ".example",
    ".sample",
    ".template",
    ".dist",
    ".pub",
    ".tpl",
    ".defaults",
    ".schema",
    "-example",
    ".md",
    ".example.json",
    ".d.ts",
];

/// What is known of an absolute path. `is_pattern`: its parts may be patterns.
pub(crate) fn tags_of_path(site: &CallSite<'_>, path: &Path, is_pattern: bool) -> Vec<OperationTag> {
    let text = path.to_string_lossy();
    let parts: Vec<&str> = text.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let Some(name) = parts.last() else { return Vec::new() };
    let home_parts = site
        .home
        .map_or(0, |home| if path.starts_with(home) { home.components().count().saturating_sub(1) } else { 0 });
    let mut tags: Vec<OperationTag> = Vec::new();
    let is_harmless = HARMLESS_ENDS.iter().any(|end| name.ends_with(end)) || name.contains("example");
    for (root, tail, tag) in TAILS {
        if tags.contains(tag) || *tag == Secret && is_harmless {
            continue;
        }
        if matches_tail(&parts, home_parts, *root, tail, is_pattern) {
            tags.push(*tag);
        }
    }
    tags
}

/// Whether a path ends with the tail, or with the first directories of it.
fn matches_tail(parts: &[&str], home_parts: usize, root: TailRoot, tail: &str, is_pattern: bool) -> bool {
    let tail_count = tail.split('/').count();
    let starts: std::ops::RangeInclusive<usize> = match root {
        Root => 0..=0,
        Home if home_parts > 0 => home_parts..=home_parts,
        Home | Anywhere => 0..=parts.len().saturating_sub(1),
    };
    if root == Anywhere && tail_count == 1 {
        return parts.last().is_some_and(|part| matches_part(part, tail, is_pattern));
    }
    starts.into_iter().any(|start| {
        let Some(rest) = parts.get(start..) else { return false };
        // A directory on the way is a match only if it says something: `.config` alone does not.
        let is_telling =
            rest.iter().any(|name| name.starts_with('.')) && !rest.last().is_some_and(|name| is_plain_directory(name));
        let on_the_way = rest.len() < tail_count - usize::from(tail.ends_with("/**")) && !is_telling;
        if rest.is_empty() || on_the_way {
            return false;
        }
        let mut wanted = tail.split('/');
        let mut above = "";
        for part in rest {
            // Everything in a directory that says something, such as `.ssh/*`.
            let is_everything = is_pattern && *part == "*" && above.starts_with('.') && !is_plain_directory(above);
            match wanted.next() {
                Some("**") => return true,
                Some(want) if is_everything || matches_part(part, want, is_pattern) => {}
                _ => return false,
            }
            above = part;
        }
        // All of the path was matched; the rest of the tail is below it.
        true
    })
}

/// Directories that hold all kinds of files.
fn is_plain_directory(name: &str) -> bool {
    matches!(name, ".config" | ".local" | "Library" | "etc" | ".github" | "." | "..")
}

fn matches_part(part: &str, wanted: &str, is_pattern: bool) -> bool {
    if wanted.contains('*') {
        let matches = |name: &str| matches_glob(wanted, name);
        if matches(part) && !(part.starts_with(['*', UNKNOWN]) && part.len() < wanted.len()) {
            return true;
        }
    } else if part == wanted || (cfg!(target_os = "macos") && part.eq_ignore_ascii_case(wanted)) {
        return true;
    }
    // A pattern that is nothing but a pattern matches what is harmless, too,
    // and `*.json` says nothing about a name either.
    let stem = part.rfind('.').filter(|dot| *dot > 0).and_then(|dot| {
        let end = part.get(dot + 1..)?;
        if end.contains(['*', '?', '[']) { None } else { part.get(..dot) }
    });
    let stem = stem.unwrap_or(part);
    let is_telling = is_pattern
        && part.contains(['*', '?', '['])
        && (part.starts_with('.') || stem.contains(|letter: char| letter.is_ascii_alphanumeric()));
    let wanted = wanted.replace('*', "rsa");
    // `find -name '*.env'` matches a leading dot, too.
    let hidden = if wanted.starts_with('.') { part.trim_start_matches('*') } else { part };
    is_telling && (matches_glob(part, &wanted) || matches_glob(hidden, &wanted))
}
