//! Settings of git that do more than to say how something looks.

use crate::word_lists::is_listed;

/// What a setting of git does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingEffect {
    Nothing,
    /// Git runs a program, or gets its settings or files from elsewhere.
    Program,
    /// Git runs a program that is ordinary for the purpose.
    Ordinary,
    /// A name for a line of git.
    Alias,
    /// Each push overwrites the remote.
    Force,
    /// A push goes to an address.
    Address,
    /// What no branch has is gone at once.
    Prune,
}

/// Settings whose value is a command line, by their names: those for a purpose that has its usual programs, and others.
const COMMAND_KEYS: &str = "core.editor core.pager core.sshcommand core.askpass sequence.editor diff.external \
    interactive.difffilter";
const LINE_KEYS: &str = "core.fsmonitor core.gitproxy core.alternaterefscommand gpg.ssh.defaultkeycommand \
    sendemail.sendmailcmd uploadpack.packobjectshook";
/// The same by the begin or the end of their names, and by the end of those of a remote.
const LINE_SECTIONS: [&str; 2] = ["pager.", "filter."];
const LINE_ENDS: [&str; 5] = [".cmd", ".driver", ".textconv", ".command", ".program"];
const REMOTE_LINE_ENDS: [&str; 2] = [".uploadpack", ".receivepack"];
/// Settings that say where git finds programs, settings or files.
const PLACE_KEYS: &str = "core.hookspath core.attributesfile credential.helper init.templatedir include.path \
    protocol.ext.allow clean.requireforce http.proxy http.sslverify";
const PLACE_SECTIONS: [&str; 3] = ["includeif.", "trailer.", "browser."];
const PLACE_ENDS: [&str; 4] = [".helper", ".insteadof", ".pushinsteadof", ".path"];
const REMOTE_PLACE_ENDS: [&str; 2] = ["url", ".proxy"];

/// Programs that edit, show or connect, as git expects it.
const ORDINARY: &str = "cat less more most bat delta diff-so-fancy vim vi nvim nano emacs emacsclient code subl micro hx \
    kak true false : echo sed perl awk tee ssh";

pub(crate) fn setting_effect(key: &str, value: &str) -> SettingEffect {
    let key = key.to_ascii_lowercase();
    let is_off = matches!(value.to_ascii_lowercase().as_str(), "" | "false" | "no" | "off" | "0");
    let is_remote = key.starts_with("remote.");
    if is_remote && (key.ends_with(".mirror") && !is_off || key.ends_with(".push") && value.starts_with(['+', ':'])) {
        return SettingEffect::Force;
    }
    if (key == "remote.pushdefault" || key.starts_with("branch.") && key.ends_with("remote"))
        && value.contains(['/', ':'])
    {
        return SettingEffect::Address;
    }
    if matches!(key.as_str(), "gc.pruneexpire" | "gc.reflogexpire" | "gc.reflogexpireunreachable") && expires_now(value)
    {
        return SettingEffect::Prune;
    }
    if key.starts_with("alias.") && !value.trim_start().starts_with('!') {
        return SettingEffect::Alias;
    }
    let runs = is_line(&key)
        || key.starts_with("alias.")
        || is_listed(PLACE_KEYS, &key)
        || PLACE_SECTIONS.iter().any(|section| key.starts_with(section))
        || ends_with(&key, &PLACE_ENDS) && !key.starts_with("submodule.")
        || is_remote && ends_with(&key, &REMOTE_PLACE_ENDS);
    let is_harmless = match key.as_str() {
        "clean.requireforce" | "http.sslverify" => !is_off,
        "core.hookspath" => matches!(value, "" | ".husky"),
        "credential.helper" => false,
        _ => value.is_empty() || matches!(value, "true" | "false"),
    };
    let is_command = key.starts_with("pager.") || is_listed(COMMAND_KEYS, &key);
    match runs {
        true if is_command && is_ordinary_program(value) => SettingEffect::Ordinary,
        true if !is_harmless => SettingEffect::Program,
        _ => SettingEffect::Nothing,
    }
}

fn ends_with(key: &str, ends: &[&str]) -> bool {
    ends.iter().any(|end| key.ends_with(end))
}

/// Whether the value of a setting is a command line.
fn is_line(key: &str) -> bool {
    is_listed(COMMAND_KEYS, key)
        || is_listed(LINE_KEYS, key)
        || LINE_SECTIONS.iter().any(|section| key.starts_with(section))
        || ends_with(key, &LINE_ENDS) && !key.starts_with("submodule.")
        || key.starts_with("remote.") && ends_with(key, &REMOTE_LINE_ENDS)
}

/// The command line that git runs for a setting; `None` if its value is not one.
pub(crate) fn setting_line<'v>(key: &str, value: &'v str) -> Option<&'v str> {
    let key = key.to_ascii_lowercase();
    match key.starts_with("alias.") || key.ends_with(".helper") {
        true => value.trim_start().strip_prefix('!'),
        false => is_line(&key).then_some(value),
    }
}

/// Whether a command line is one of an editor, a pager or a connection, with options.
pub(crate) fn is_ordinary_program(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let (directory, name) = first.rsplit_once('/').unwrap_or(("", first));
    matches!(directory, "" | "/bin" | "/usr/bin" | "/usr/local/bin")
        && ORDINARY.split_whitespace().any(|known| known == name)
        && !line.contains(['\n', '`', '<', '>', '&', '|'])
        && !line.contains("$(")
        && (!line.contains(';') || matches!(name, "sed" | "perl" | "awk"))
}

/// Whether a date of git's is so near that what is lost goes at once.
pub(crate) fn expires_now(date: &str) -> bool {
    let lower = date.to_ascii_lowercase();
    !matches!(lower.as_str(), "" | "never" | "false")
        && !["days", "week", "month", "year"].iter().any(|unit| lower.contains(unit))
}
