//! The native tools: one file and one table entry each.

mod def;
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

use crate::model::ModelTool;
use crate::turn_context::{Tool, ToolContext, Toolbox, alternate_name};

use def::{NativeToolDef, ToolOffer};

static NATIVE: &[NativeToolDef] =
    &[shell::TOOL, read::TOOL, write::TOOL, edit::TOOL, list::TOOL, glob::TOOL, grep::TOOL, fetch::TOOL];

/// A native tool under one of its names.
#[derive(Debug)]
struct NativeTool {
    definition: ModelTool,
    call: fn(&Value, &ToolContext<'_>) -> Result<Value, String>,
}

/// Adds the native tools that the policies make available.
pub(crate) fn add_native_tools(toolbox: &mut Toolbox) {
    for (tool, offer) in native_tools() {
        let name = &tool.definition().name;
        let is_offered = match offer {
            ToolOffer::Always => true,
            ToolOffer::Granted => toolbox.policies().is_explicitly_allowed(name),
            ToolOffer::Named => toolbox.policies().allows_by_name(name),
        };
        if is_offered {
            toolbox.add(tool);
        }
    }
}

/// Every native tool under each of its names, and when it is offered under that name.
fn native_tools() -> impl Iterator<Item = (Arc<dyn Tool>, ToolOffer)> {
    NATIVE.iter().flat_map(|native| {
        let second = alternate_name(native.name).map(|second| (second, ToolOffer::Named));
        let names = [Some((native.name, native.offer)), second];
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
