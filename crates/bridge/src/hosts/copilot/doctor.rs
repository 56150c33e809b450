//! What keeps Copilot CLI from running hooks.

use crate::Host;
use crate::doctor::{Document, Finding};
use crate::install::{Scope, Site, installed};

/// What the settings say of hooks and of trusting this folder, which a project's hooks need.
pub(super) fn trust(host: &'static Host, site: &Site) -> Vec<Finding> {
    let folder = site.folder(Scope::User, host.install.place(Scope::User));
    let mut findings = Vec::new();
    let mut trusted = false;
    for name in ["config.json", "settings.json"] {
        let document = Document::read(&folder.join(name));
        if document.is("/disableAllHooks", true) {
            let what = format!("`disableAllHooks` in `{}` switches all hooks off", site.shown(&document.path));
            findings.push(Finding::bad(what));
        }
        let folders = ["/trusted_folders", "/trustedFolders"]
            .iter()
            .filter_map(|field| document.value.pointer(field)?.as_array());
        trusted |= folders.flatten().filter_map(|path| path.as_str()).any(|path| site.project.starts_with(path));
    }
    let of_project = installed(host, site, Scope::Project).is_ok_and(|entries| !entries.is_empty());
    if of_project && !trusted {
        let what =
            format!("Copilot CLI does not trust `{}`, and runs no project's hooks there", site.shown(&site.project));
        findings.push(Finding::bad(what).help("start `copilot` there once and trust the folder for good"));
    }
    if findings.is_empty() {
        findings.push(Finding::good("its settings leave hooks switched on"));
    }
    findings
}
