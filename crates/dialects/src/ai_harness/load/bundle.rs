//! Reading a bundle: tools and hooks in the lists of one file's frontmatter ("Shape A").

use super::hook::first_line;
use super::merge::Source;
use super::{Gathered, hook, report, tool};
use crate::document::{Fields, split};
use crate::{Artifact, Folder};

/// What a bundle says of itself; nothing follows from it here.
const ABOUT: [&str; 8] = ["name", "type", "version", "description", "author", "tags", "depends_on", "priority"];

/// Reads the file into the gathered declarations.
pub(super) fn read(artifact: &Artifact, folder: Folder, gathered: &mut Gathered) {
    let report = report(artifact, "artifact ");
    if let Some(document) = split(&report) {
        let place = first_line(&artifact.file.text, document.matter_span);
        let mut fields = Fields::new(&report, format!("bundle `{}`", artifact.name), document.matter.as_ref(), place);
        for key in ABOUT {
            fields.node(key);
        }
        fields.not_supported("condition", "its hooks always run; give each hook its own `when`");
        let tools = tool::read_list(&mut fields, Source::Bundle(folder));
        let hooks = hook::read_list(&mut fields, Source::Bundle(folder));
        if fields.node("tools").is_none() && fields.node("hooks").is_none() {
            let looks_like_hook = document.matter.as_ref().is_some_and(|matter| matter.get("event").is_some());
            let help = if looks_like_hook {
                "move the file to `hooks/`"
            } else {
                "list them under `hooks:` and `tools:` in the frontmatter; fenced blocks in the body are not read"
            };
            let message = format!("bundle `{}` declares no hooks and no tools", artifact.name);
            report.warning("empty_bundle", message, place, Some(help.to_owned()));
        }
        fields.finish();
        gathered.tools.extend(tools);
        gathered.hooks.extend(hooks);
    }
    gathered.findings.extend(report.into_findings());
}
