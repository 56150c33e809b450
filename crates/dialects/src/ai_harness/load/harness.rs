//! Reads the agent's own file: `harness.md` or `harness.yaml`.

use pintle_contract::{AgentSpec, ByteSpan};

use super::gathered::{GatheredFiles, new_report};
use super::merge::DeclarationSource;
use super::{hook, model, settings, tool};
use crate::document::{FieldReader, parse, skip_byte_order_mark, split};
use crate::{Artifact, ArtifactKind};

/// The stem of a YAML file that can only be an agent's own file.
const OWN_NAME: &str = "harness";
/// The restricting keys.
const GUARDING: &[&str] =
    &["hooks", "tools", "tools_policy", "network", "meta", "delegation", "exit_policy", "redact_secrets"];

/// Reads the file into the gathered declarations.
pub(super) fn read(artifact: &Artifact, gathered: &mut GatheredFiles) {
    let report = new_report(artifact, "");
    if artifact.role == ArtifactKind::HarnessYaml {
        let whole = ByteSpan { start: skip_byte_order_mark(&report), end: artifact.file.text.len() };
        if let Ok(matter) = parse(&report, whole) {
            if matter.is_none() {
                let help = Some(String::from("write an agent, its hooks or a list of hooks into it, or delete it"));
                report.value_error("empty_file", "the file is empty and declares nothing", whole, help);
            }
            let mut fields = FieldReader::new(&report, "the agent", matter.as_ref(), report.first_line(whole));
            read_fields(&mut fields, "", gathered);
            match artifact.name.as_str() {
                OWN_NAME => fields.finish_guarding(GUARDING),
                // A file of any other name may have been meant for something else, and would then guard nothing.
                _ => fields.finish_strictly(),
            }
        }
    } else if let Some(document) = split(&report) {
        let place = report.first_line(document.matter_span);
        let mut fields = FieldReader::new(&report, "the agent", document.matter.as_ref(), place);
        read_fields(&mut fields, document.body, gathered);
        fields.finish_guarding(GUARDING);
    }
    gathered.findings.extend(report.into_diagnostics());
}

fn read_fields(fields: &mut FieldReader<'_>, body: &str, gathered: &mut GatheredFiles) {
    let models = model::read_list(fields);
    let model = model::read(fields).map(|model| model.resolve(None, &models));
    let (history, prompt) = settings::read_context(fields);
    // The body takes precedence over `context.system_prompt`.
    let instruction = if body.is_empty() { prompt.unwrap_or_default() } else { body.to_owned() };
    let spec = AgentSpec {
        name: fields.text("name").unwrap_or_else(|| String::from("root")),
        description: fields.text("description").unwrap_or_default(),
        model,
        models,
        instruction,
        policy: settings::read_policy(fields),
        history,
        compaction: settings::read_compaction(fields),
        permission_mode: settings::read_permission_mode(fields),
        delegation: settings::read_delegation(fields),
        meta: settings::read_meta(fields),
        network: settings::read_network(fields),
        exit: settings::read_exit(fields),
        location: fields.report().location(fields.report().first_line(fields.span())),
        ..AgentSpec::default()
    };
    // A key of Pintle's own. A project can turn redaction on but not off.
    gathered.redact_secrets = fields.boolean("redact_secrets") == Some(true);
    gathered.tools.extend(tool::read_list(fields, DeclarationSource::Inline));
    gathered.hooks.extend(hook::read_list(fields, DeclarationSource::Inline));
    fields.note_reserved("version");
    fields.warn_unsupported("serve", "start the agent with `pintle run`");
    fields.warn_unsupported("artifact_sources", "copy the artifacts into `.harness/`");
    fields.warn_unsupported("trusted_sources", "copy the artifacts into `.harness/`");
    gathered.harness = Some(spec);
}
