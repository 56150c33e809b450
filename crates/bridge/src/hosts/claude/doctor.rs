//! What keeps Claude Code from running hooks.

use std::path::{Path, PathBuf};

use crate::Host;
use crate::doctor::{Document, Finding};
use crate::install::{Scope, Site};

/// Where an organisation's settings are.
const MANAGED: &str = "/etc/claude-code/managed-settings.json";

/// What the settings say of hooks, in all layers.
pub(super) fn trust(host: &'static Host, site: &Site) -> Vec<Finding> {
    let folder = |scope| site.folder(scope, host.install.place(scope));
    let layers: [PathBuf; 4] = [
        folder(Scope::User).join("settings.json"),
        folder(Scope::Project).join("settings.json"),
        folder(Scope::Project).join("settings.local.json"),
        Path::new(MANAGED).to_owned(),
    ];
    let mut findings = Vec::new();
    for layer in layers {
        let document = Document::read(&layer);
        let shown = site.shown(&layer);
        if document.broken {
            let what = format!("Claude Code ignores `{shown}` without a word: it is no JSON");
            findings.push(Finding::bad(what));
        }
        if document.is("/disableAllHooks", true) {
            findings.push(Finding::bad(format!("`disableAllHooks` in `{shown}` switches all hooks off")));
        }
        if layer == Path::new(MANAGED) && document.is("/allowManagedHooksOnly", true) {
            let what = format!("`allowManagedHooksOnly` in `{shown}` leaves only an organisation's hooks on");
            findings.push(Finding::bad(what).help("have the entries put into the managed settings"));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::good("its settings leave hooks switched on"));
    }
    findings
}
