//! What keeps Qwen Code from running hooks.

use crate::Host;
use crate::doctor::{Document, Finding};
use crate::install::{Scope, Site};

/// What the settings say of hooks.
pub(super) fn trust(host: &'static Host, site: &Site) -> Vec<Finding> {
    let mut findings = Vec::new();
    for scope in Scope::ALL {
        let path = site.path(scope, host.install.place(scope));
        if Document::read(&path).is("/disableAllHooks", true) {
            let what = format!("`disableAllHooks` in `{}` switches all hooks off", site.shown(&path));
            findings.push(Finding::bad(what));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::good("its settings leave hooks switched on"));
    }
    findings
}
