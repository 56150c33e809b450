//! Settings of git that do more than to say how something looks.

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

/// Settings that run programs, or say where git finds them.
const PROGRAM_KEYS: &str = "core.hookspath core.sshcommand core.fsmonitor core.askpass core.gitproxy core.editor \
    core.pager core.attributesfile sequence.editor credential.helper uploadpack.packobjectshook init.templatedir \
    include.path gpg.program gpg.ssh.program gpg.ssh.defaultkeycommand diff.external protocol.ext.allow \
    clean.requireforce http.proxy http.sslverify sendemail.sendmailcmd core.alternaterefscommand interactive.difffilter";
const PROGRAM_SECTIONS: [&str; 5] = ["pager.", "filter.", "includeif.", "trailer.", "browser."];
const PROGRAM_ENDS: [&str; 9] =
    [".helper", ".cmd", ".driver", ".textconv", ".insteadof", ".pushinsteadof", ".command", ".program", ".path"];
const REMOTE_ENDS: [&str; 4] = ["url", ".uploadpack", ".receivepack", ".proxy"];
/// Those whose value is a command line for a purpose that has its usual programs.
const COMMAND_KEYS: &str = "core.editor core.pager core.sshcommand core.askpass sequence.editor diff.external \
    interactive.difffilter";
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
    let ends_with = |ends: &[&str]| ends.iter().any(|end| key.ends_with(end));
    if key.starts_with("alias.") && !value.trim_start().starts_with('!') {
        return SettingEffect::Alias;
    }
    let runs = PROGRAM_KEYS.split_whitespace().any(|known| known == key)
        || key.starts_with("alias.")
        || PROGRAM_SECTIONS.iter().any(|section| key.starts_with(section))
        || ends_with(&PROGRAM_ENDS) && !key.starts_with("submodule.")
        || is_remote && ends_with(&REMOTE_ENDS);
    let is_harmless = match key.as_str() {
        "clean.requireforce" | "http.sslverify" => !is_off,
        "core.hookspath" => matches!(value, "" | ".husky"),
        "credential.helper" => false,
        _ => value.is_empty() || matches!(value, "true" | "false"),
    };
    let is_command = key.starts_with("pager.") || COMMAND_KEYS.split_whitespace().any(|known| known == key);
    match runs {
        true if is_command && is_ordinary_program(value) => SettingEffect::Ordinary,
        true if !is_harmless => SettingEffect::Program,
        _ => SettingEffect::Nothing,
    }
}

/// The command line that git runs for a setting; `None` if its value is not one.
pub(crate) fn setting_line<'v>(key: &str, value: &'v str) -> Option<&'v str> {
    const KEYS: &str = "core.fsmonitor core.gitproxy sendemail.sendmailcmd uploadpack.packobjectshook";
    const ENDS: &str = ".cmd .driver .textconv .command .program .clean .smudge .process .uploadpack .receivepack";
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") || key.ends_with(".helper") {
        return value.trim_start().strip_prefix('!');
    }
    let is_line = key.starts_with("pager.")
        || KEYS.split(' ').chain(COMMAND_KEYS.split_whitespace()).any(|known| known == key)
        || ENDS.split(' ').any(|end| key.ends_with(end));
    is_line.then_some(value)
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
