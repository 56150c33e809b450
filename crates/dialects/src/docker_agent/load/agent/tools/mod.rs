//! Toolsets, and the definitions that agents share (docker-agent, Configuration, Tools).

mod mcp;
mod rows;
mod script;

use pintle_contract::{ByteSpan, ToolsetSpec, suggest_nearest};

use self::rows::{NOT_YET_TYPES, ROWS};
use super::model::names;
use super::unsupported::{self, Missing};
use super::{entries_of, unknown};
use crate::document::{Entry, Fields, Node, Report};

/// Keys of every toolset that docker-agent has and Pintle does not implement.
const NOT_YET: &[Missing] = &[
    Missing::restriction("readonly", "name the tools that only read under `tools`"),
    Missing::feature("toon", "results stay as they are"),
    Missing::feature("model", "the agent's own model reads the results"),
    Missing::feature("defer", "all tools are told to the model at once"),
    Missing::feature("lifecycle", "a server that ends is started again once"),
];

/// What a file defines once for several agents.
#[derive(Debug)]
pub(super) struct Shelf<'a> {
    report: &'a Report,
    toolsets: &'a [Entry],
    servers: &'a [Entry],
    commands: &'a [Entry],
}

/// The toolsets of one agent.
#[derive(Debug, Default)]
pub(super) struct Toolsets {
    pub(super) sets: Vec<ToolsetSpec>,
    /// Where a shell was asked to be `safer`.
    pub(super) safer: Option<ByteSpan>,
}

impl<'a> Shelf<'a> {
    /// Reads `toolsets`, `mcps` and `commands` of the document.
    pub(super) fn read(fields: &mut Fields<'a>) -> Self {
        Self {
            report: fields.report(),
            toolsets: entries_of(fields, "toolsets"),
            servers: entries_of(fields, "mcps"),
            commands: entries_of(fields, "commands"),
        }
    }

    /// Reads what is defined for several agents, so that its faults are found when no agent uses it.
    pub(super) fn check(&self) {
        let mut unused = Toolsets::default();
        for entry in self.toolsets {
            self.read_one(&entry.value, &mut unused);
        }
        for entry in self.servers {
            mcp::read_definition(self.report, entry);
        }
        for entry in self.commands {
            super::commands::read(self.report, &entry.value);
        }
    }

    /// Reads `toolsets` and `use_toolsets` of an agent.
    pub(super) fn read_toolsets(&self, fields: &mut Fields<'_>) -> Toolsets {
        let mut toolsets = Toolsets::default();
        for item in fields.list("toolsets").unwrap_or_default() {
            self.read_one(item, &mut toolsets);
        }
        for node in self.named(fields, "use_toolsets", self.toolsets, "the toolset") {
            self.read_one(node, &mut toolsets);
        }
        toolsets
    }

    /// The groups of commands that an agent uses.
    pub(super) fn groups(&self, fields: &mut Fields<'_>) -> Vec<&'a Node> {
        self.named(fields, "use_commands", self.commands, "the group of commands")
    }

    fn named(&self, fields: &mut Fields<'_>, key: &'static str, shelf: &'a [Entry], what: &str) -> Vec<&'a Node> {
        let find = |(name, span): &(String, ByteSpan)| {
            let found = shelf.iter().find(|entry| entry.key == *name).map(|entry| &entry.value);
            if found.is_none() {
                let known = shelf.iter().map(|entry| entry.key.as_str());
                unknown(self.report, what, name, *span, known, "declare it at the top of the file");
            }
            found
        };
        names(fields, key).iter().filter_map(find).collect()
    }

    fn read_one(&self, node: &Node, toolsets: &mut Toolsets) {
        let written = node.get("type").and_then(Node::as_text);
        let owner = written.map_or_else(|| String::from("a toolset"), |name| format!("the toolset `{name}`"));
        let mut fields = Fields::new(self.report, owner, Some(node), node.span);
        let Some(name) = fields.text("type") else {
            if node.get("type").is_none() {
                let help = Some(String::from("as in `- type: shell`"));
                self.report.value_error("missing_key", "a toolset needs a `type`", node.span, help);
            }
            return;
        };
        let Some(row) = ROWS.iter().find(|row| row.name == name) else { return self.refuse(&name, &mut fields) };
        let (tools, instruction) = (fields.texts("tools"), fields.text("instruction"));
        let safer = (name == "shell").then(|| fields.boolean("safer")).flatten().unwrap_or(false);
        let kind = (row.read)(&mut fields, self);
        unsupported::tell(&mut fields, row.not_yet);
        unsupported::tell(&mut fields, NOT_YET);
        if safer {
            toolsets.safer = toolsets.safer.or_else(|| fields.node("safer").map(|node| node.span));
        }
        fields.finish_strictly();
        let location = self.report.location(node.span);
        toolsets.sets.extend(kind.map(|kind| ToolsetSpec { kind, tools, instruction, location }));
    }

    /// Says that there is no such toolset here.
    fn refuse(&self, name: &str, fields: &mut Fields<'_>) {
        let span = fields.node("type").map_or(fields.place(), |node| node.span);
        if NOT_YET_TYPES.contains(&name) {
            let message = format!("the toolset `{name}` is not supported yet; the agent lacks its tools");
            let help = Some(String::from(
                "a server of the Model Context Protocol (`type: mcp`) or `type: script` may do the same",
            ));
            return self.report.warning("not_supported", message, span, help);
        }
        let known = ROWS.iter().map(|row| row.name);
        let help = match suggest_nearest(name, known.clone().chain(NOT_YET_TYPES.iter().copied())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known.collect::<Vec<_>>().join(", ")),
        };
        self.report.value_error("unknown_toolset", &format!("unknown toolset type `{name}`"), span, Some(help));
    }
}
