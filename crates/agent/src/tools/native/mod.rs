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

use super::ToolDef;
use crate::model::ModelTool;
use crate::turn_context::{Tool, Toolbox, alternate_name};

static NATIVE: [(ToolDef, ToolOffer); 8] = [
    (shell::TOOL, ToolOffer::Granted),
    (read::TOOL, ToolOffer::Always),
    (write::TOOL, ToolOffer::Always),
    (edit::TOOL, ToolOffer::Always),
    (list::TOOL, ToolOffer::Always),
    (glob::TOOL, ToolOffer::Always),
    (grep::TOOL, ToolOffer::Always),
    (fetch::TOOL, ToolOffer::Always),
];

/// When a native tool is offered to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolOffer {
    /// Unless a policy denies it.
    Always,
    /// If a policy's `allow` list covers it. A project's guards are written for the tools that its policy names, so a
    /// tool that they do not know must not be offered.
    Granted,
    /// If a policy's `allow` list contains exactly this name, because it is the second name of another tool.
    Named,
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
    NATIVE.iter().flat_map(|(def, offer)| {
        let second = alternate_name(def.name).map(|second| (second, ToolOffer::Named));
        [Some((def.name, *offer)), second].into_iter().flatten().map(|(name, offer)| {
            let definition = ModelTool { name: name.to_owned(), ..def.to_definition() };
            (def.build(definition, None, &Arc::new(())), offer)
        })
    })
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
