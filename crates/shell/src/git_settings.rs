//! Settings of git that run programs.

/// Settings of git that run programs.
pub(crate) fn runs_programs(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let always = [
        "core.hookspath",
        "core.sshcommand",
        "core.fsmonitor",
        "core.askpass",
        "core.gitproxy",
        "core.editor",
        "sequence.editor",
        "credential.helper",
        "uploadpack.packobjectshook",
        "init.templatedir",
        "include.path",
        "gpg.program",
        "gpg.ssh.program",
        "diff.external",
        "protocol.ext.allow",
        "core.attributesfile",
        "clean.requireforce",
    ];
    always.contains(&key.as_str())
        || key == "core.pager"
        || key.starts_with("pager.")
        || key.starts_with("alias.") && value.trim_start().starts_with('!')
        || key.starts_with("filter.")
        || key.starts_with("includeif.")
        || key.ends_with(".helper")
        || key.ends_with(".cmd")
        || key.ends_with(".driver")
        || key.ends_with(".textconv")
        || key.ends_with(".insteadof")
        || key.ends_with(".pushinsteadof")
        || key.starts_with("remote.")
            && (key.ends_with("url")
                || key.ends_with(".uploadpack")
                || key.ends_with(".receivepack")
                || key.ends_with(".proxy"))
        || key == "http.proxy"
        || key == "http.sslverify"
}

/// Settings that only keep a program from being run.
pub(crate) fn is_harmless_setting(key: &str, value: &str) -> bool {
    matches!(value, "" | "cat" | "less" | "true" | "false" | "delta" | "vim" | "nano" | "vi" | ":" | "code --wait")
        && !key.eq_ignore_ascii_case("credential.helper")
        || key.eq_ignore_ascii_case("core.hooksPath") && value == ".husky"
}
