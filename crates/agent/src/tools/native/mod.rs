//! The native tools: one file and one implementation each, under the names of both families.
//!
//! An implementation takes arguments in Pintle's words. The tools of the first family have these words themselves (those
//! of AI Harness projects have other names, but the same arguments); those of docker-agent's toolsets are translated by
//! its vocabulary. What a family promises is in its entries: the schema, the limits and the form of the result.

mod directories;
mod edit;
mod fetch;
mod glob;
mod grep;
mod list;
mod parts;
mod read;
mod search;
mod shell;
mod write;

use std::sync::Arc;

use super::ToolDef;
use crate::turn_context::{Tool, Toolbox, alternate_name};

pub(crate) use fetch::{FETCH_URLS, FetchState};
pub(crate) use shell::{CommandShell, JOB_TOOLS, SHELL_TOOLS, ShellState, ToolCommand, failure_status, output_text};

/// The files of the workspace, for docker-agent's toolset.
pub(crate) static FILESYSTEM_TOOLS: [ToolDef; 9] = [
    list::DIRECTORY_TREE,
    edit::EDIT_FILE,
    list::LIST_DIRECTORY,
    read::READ_FILE,
    read::READ_MULTIPLE_FILES,
    grep::SEARCH_FILES_CONTENT,
    write::WRITE_FILE,
    directories::CREATE_DIRECTORY,
    directories::REMOVE_DIRECTORY,
];

static NATIVE: [(ToolDef, ToolOffer); 8] = [
    (shell::SHELL, ToolOffer::Granted),
    (read::READ, ToolOffer::Always),
    (write::WRITE, ToolOffer::Always),
    (edit::EDIT, ToolOffer::Always),
    (list::LIST, ToolOffer::Always),
    (glob::GLOB, ToolOffer::Always),
    (grep::GREP, ToolOffer::Always),
    (fetch::FETCH, ToolOffer::Always),
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
        [Some((def.name, *offer)), second]
            .into_iter()
            .flatten()
            .map(|(name, offer)| (def.build(def.shared_definition(name), None, &Arc::new(())), offer))
    })
}

#[cfg(test)]
mod tests {
    use pintle_host::tools::{DOCKER_AGENT, PINTLE};

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

    #[test]
    fn the_vocabularies_have_the_tools_and_the_schemas_have_the_arguments() {
        let named = |def: &ToolDef| (def.name, (def.properties)());
        let docker_agent = FILESYSTEM_TOOLS.iter().map(named).chain([(FETCH_URLS.name, (FETCH_URLS.properties)())]);
        let docker_agent =
            docker_agent.chain(SHELL_TOOLS.iter().chain(&JOB_TOOLS).map(|def| (def.name, (def.properties)())));
        for (name, properties) in docker_agent {
            let Some(tool) = DOCKER_AGENT.tools.iter().find(|tool| tool.native_names.contains(&name)) else {
                assert!(name.ends_with("background_jobs") || name.ends_with("_job"), "{name}");
                continue;
            };
            let schema = properties.to_string();
            for (native, _) in tool.fields.iter().filter(|_| name != "read_multiple_files") {
                assert!(schema.contains(&format!("\"{native}\":")), "{name}.{native}");
            }
        }
        for (def, _) in &NATIVE {
            assert!(PINTLE.tools.iter().any(|tool| tool.native_names == [def.name]), "{}", def.name);
        }
    }
}
