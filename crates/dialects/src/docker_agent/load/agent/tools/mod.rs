//! Reads toolsets, and the definitions that agents share.

mod mcp;
mod script;
mod toolset_types;

use pintle_contract::{ByteSpan, ToolsetSpec, did_you_mean};

use self::toolset_types::{NOT_YET_TYPES, ROWS};
use super::model::read_names;
use super::{entries_of, report_unknown};
use crate::document::{DocNode, FieldReader, FileReport, KeyDef, MapEntry, key, read_keys};

/// Keys of every toolset that docker-agent has and Pintle does not implement.
const NOT_YET: &[KeyDef<()>] = &[
    key!("readonly": refused("list the read-only tools under `tools`")),
    key!("toon": unsupported("results are not converted")),
    key!("model": unsupported("the agent's own model reads the results")),
    key!("defer": unsupported("the model always sees all tools")),
    key!("lifecycle": unsupported("a server that exits is restarted once")),
];

/// The definitions of a file that several agents share.
#[derive(Debug)]
pub(super) struct SharedDefinitions<'a> {
    report: &'a FileReport,
    toolsets: &'a [MapEntry],
    servers: &'a [MapEntry],
    commands: &'a [MapEntry],
}

#[derive(Debug, Default)]
pub(super) struct AgentToolsets {
    pub(super) sets: Vec<ToolsetSpec>,
    /// Where a shell toolset sets `safer`.
    pub(super) safer: Option<ByteSpan>,
}

impl<'a> SharedDefinitions<'a> {
    /// Reads `toolsets`, `mcps` and `commands` of the document.
    pub(super) fn read(fields: &mut FieldReader<'a>) -> Self {
        Self {
            report: fields.report(),
            toolsets: entries_of(fields, "toolsets"),
            servers: entries_of(fields, "mcps"),
            commands: entries_of(fields, "commands"),
        }
    }

    /// Reads the shared definitions, so that their errors are found even if no agent uses them.
    pub(super) fn check(&self) {
        let mut unused = AgentToolsets::default();
        for entry in self.toolsets {
            self.read_one(&entry.value, &mut unused);
        }
        for entry in self.servers {
            mcp::read_definition(self.report, entry);
        }
        for entry in self.commands {
            super::agent_entry::read_prompts(self.report, &entry.value);
        }
    }

    /// Reads `toolsets` and `use_toolsets` of an agent.
    pub(super) fn read_toolsets(&self, fields: &mut FieldReader<'_>) -> AgentToolsets {
        let mut toolsets = AgentToolsets::default();
        for item in fields.list("toolsets").unwrap_or_default() {
            self.read_one(item, &mut toolsets);
        }
        for node in self.shared_nodes(fields, "use_toolsets", self.toolsets, "the toolset") {
            self.read_one(node, &mut toolsets);
        }
        toolsets
    }

    /// The command groups that an agent uses.
    pub(super) fn command_groups(&self, fields: &mut FieldReader<'_>) -> Vec<&'a DocNode> {
        self.shared_nodes(fields, "use_commands", self.commands, "the group of commands")
    }

    fn shared_nodes(
        &self,
        fields: &mut FieldReader<'_>,
        key: &'static str,
        shared_entries: &'a [MapEntry],
        action: &str,
    ) -> Vec<&'a DocNode> {
        let find = |(name, span): &(String, ByteSpan)| {
            let found = shared_entries.iter().find(|entry| entry.key == *name).map(|entry| &entry.value);
            if found.is_none() {
                let known = shared_entries.iter().map(|entry| entry.key.as_str());
                report_unknown(self.report, action, name, *span, known, "declare it at the top of the file");
            }
            found
        };
        read_names(fields, key).iter().filter_map(find).collect()
    }

    fn read_one(&self, node: &DocNode, toolsets: &mut AgentToolsets) {
        let written = node.get("type").and_then(DocNode::as_text);
        let owner = written.map_or_else(|| String::from("a toolset"), |name| format!("the toolset `{name}`"));
        let mut fields = FieldReader::new(self.report, owner, Some(node), node.span);
        let Some(name) = fields.text("type") else {
            if node.get("type").is_none() {
                let help = "for example `- type: shell`";
                self.report.value_error("missing_key", "a toolset needs a `type`", node.span, help);
            }
            return;
        };
        let Some(def) = ROWS.iter().find(|def| def.name == name) else {
            return self.report_unknown_type(&name, &mut fields);
        };
        let (tools, instruction) = (fields.texts("tools"), fields.text("instruction"));
        let safer = (name == "shell").then(|| fields.boolean("safer")).flatten().unwrap_or(false);
        let kind = (def.read)(&mut fields, self);
        read_keys(&mut fields, def.unsupported);
        read_keys(&mut fields, NOT_YET);
        if safer {
            toolsets.safer = toolsets.safer.or_else(|| fields.node("safer").map(|node| node.span));
        }
        fields.finish_strictly();
        let location = self.report.location(node.span);
        toolsets.sets.extend(kind.map(|kind| ToolsetSpec { kind, tools, instruction, location }));
    }

    /// Reports an unknown or unsupported toolset type.
    fn report_unknown_type(&self, name: &str, fields: &mut FieldReader<'_>) {
        let span = fields.span_of("type");
        if NOT_YET_TYPES.contains(&name) {
            let message = format!("the toolset `{name}` is not supported yet, so the agent does not get its tools");
            let help = "an MCP server (`type: mcp`) or `type: script` may do the same";
            return self.report.warning("not_supported", message, span, help);
        }
        let known = ROWS.iter().map(|def| def.name);
        let help = did_you_mean(name, known.clone().chain(NOT_YET_TYPES.iter().copied()))
            .unwrap_or_else(|| format!("the toolset types are {}", known.collect::<Vec<_>>().join(", ")));
        self.report.value_error("unknown_toolset", format!("unknown toolset type `{name}`"), span, help);
    }
}
