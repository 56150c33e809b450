//! The native tools: one file and one table entry each.

mod edit;
mod fetch;
mod glob;
mod grep;
mod list;
mod read;
mod shell;
mod write;

use std::sync::Arc;

use serde_json::Value;

use super::{Tool, ToolContext};
use crate::model::ModelTool;

static NATIVE: &[NativeToolDef] =
    &[shell::TOOL, read::TOOL, write::TOOL, edit::TOOL, list::TOOL, glob::TOOL, grep::TOOL, fetch::TOOL];

/// A native tool in the table.
struct NativeToolDef {
    name: &'static str,
    /// When the tool is offered to an agent.
    offer: ToolOffer,
    /// Its second name, used by hooks of AI Harness projects.
    alias: Option<&'static str>,
    /// The description for the model.
    description: &'static str,
    /// The JSON Schema of its arguments.
    parameters: fn() -> Value,
    /// Runs the tool.
    call: fn(&Value, &ToolContext<'_>) -> Result<Value, String>,
}

/// When a native tool is offered to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolOffer {
    /// Unless a policy denies it.
    Always,
    /// If a policy's `allow` list covers it. A project's guards are written for the tools that its policy names, so a
    /// tool that they do not know must not be offered.
    Granted,
    /// If a policy's `allow` list contains exactly this name, because it is the second name of another tool.
    Named,
}

/// A native tool under one of its names.
#[derive(Debug)]
struct NativeTool {
    definition: ModelTool,
    call: fn(&Value, &ToolContext<'_>) -> Result<Value, String>,
}

/// Every native tool under each of its names, and when it is offered under that name.
pub(super) fn native_tools() -> impl Iterator<Item = (Arc<dyn Tool>, ToolOffer)> {
    NATIVE.iter().flat_map(|native| {
        let names = [Some((native.name, native.offer)), native.alias.map(|alias| (alias, ToolOffer::Named))];
        names.into_iter().flatten().map(|(name, offer)| {
            let definition = ModelTool {
                name: name.to_owned(),
                description: native.description.to_owned(),
                parameters: (native.parameters)(),
            };
            let tool: Arc<dyn Tool> = Arc::new(NativeTool { definition, call: native.call });
            (tool, offer)
        })
    })
}

/// The other name of a native tool.
pub(super) fn alternate_name(name: &str) -> Option<&'static str> {
    NATIVE.iter().find_map(|native| match native.alias {
        Some(alias) if name == native.name => Some(alias),
        Some(alias) if name == alias => Some(native.name),
        _ => None,
    })
}

impl Tool for NativeTool {
    fn definition(&self) -> &ModelTool {
        &self.definition
    }

    fn can_write_unseen(&self) -> bool {
        self.definition.name == shell::TOOL.name
    }

    fn call(&self, arguments: &Value, at: &ToolContext<'_>) -> Result<Value, String> {
        (self.call)(arguments, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_one_name_a_description_and_an_object_schema() {
        let mut names = Vec::new();
        for (tool, _) in native_tools() {
            let definition = tool.definition();
            assert!(definition.description.ends_with('.'), "{}", definition.name);
            assert_eq!(definition.parameters["type"], "object", "{}", definition.name);
            for (parameter, schema) in definition.parameters["properties"].as_object().unwrap() {
                assert!(schema["type"].is_string(), "{}.{parameter}", definition.name);
                assert!(schema["description"].is_string(), "{}.{parameter}", definition.name);
                assert_eq!(schema.get("default"), None, "{}.{parameter}", definition.name);
            }
            names.push(definition.name.clone());
        }
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
