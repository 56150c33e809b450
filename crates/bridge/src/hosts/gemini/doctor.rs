//! What keeps Gemini CLI from running hooks.

use crate::Host;
use crate::doctor::{Document, Finding};
use crate::install::{Scope, Site};

/// What the settings say of hooks and of trusting this folder.
pub(super) fn trust(host: &'static Host, site: &Site) -> Vec<Finding> {
    let mut findings = Vec::new();
    for scope in Scope::ALL {
        let path = site.path(scope, host.install.place(scope));
        let document = Document::read(&path);
        let shown = site.shown(&path);
        if document.is("/hooksConfig/enabled", false) {
            findings.push(Finding::bad(format!("`hooksConfig.enabled` in `{shown}` switches all hooks off")));
        }
        let disabled = document.value.pointer("/hooksConfig/disabled").and_then(|names| names.as_array());
        if disabled.into_iter().flatten().any(|name| name == "pintle") {
            findings.push(Finding::bad(format!("`hooksConfig.disabled` in `{shown}` names `pintle`")));
        }
    }
    findings.extend(folder(host, site));
    if findings.is_empty() {
        findings.push(Finding::good("its settings leave hooks switched on, and this folder is trusted"));
    }
    findings
}

/// Whether this folder is trusted: by the environment, or by an answer to the question of before.
fn folder(host: &Host, site: &Site) -> Option<Finding> {
    if site.variable("GEMINI_CLI_TRUST_WORKSPACE") == Some("true") {
        return None;
    }
    let folder = site.folder(Scope::User, host.install.place(Scope::User));
    let answers = Document::read(&folder.join("trustedFolders.json"));
    let fields = answers.value.as_object().into_iter().flatten();
    // The nearest folder above is what counts.
    let above = fields.filter_map(|(path, answer)| {
        let answer = answer.as_str()?;
        let path = match answer {
            "TRUST_PARENT" => std::path::Path::new(path).parent()?,
            _ => std::path::Path::new(path),
        };
        site.project.starts_with(path).then(|| (path.components().count(), answer.to_owned()))
    });
    let trusted = matches!(above.max(), Some((_, answer)) if answer != "DO_NOT_TRUST");
    let what = format!(
        "`{}` is not a trusted folder, and there Gemini CLI runs no hooks, not even yours",
        site.shown(&site.project)
    );
    let help = "start `gemini` there and trust it; in CI set `GEMINI_CLI_TRUST_WORKSPACE=true`";
    (!trusted).then(|| Finding::bad(what).help(help))
}
