//! The tools of one agent.

use std::sync::Arc;

use pintle_host::contract::{NATIVE_TOOLS, suggest_nearest};
use pintle_host::tools::AI_HARNESS;

use super::policy::ToolPolicies;
use super::tool::Tool;
use crate::model::ModelTool;

/// The tools of one agent, in the order the model sees them, with the policies that restrict them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
    policies: ToolPolicies,
}

impl Toolbox {
    pub(crate) fn new(policies: ToolPolicies) -> Self {
        Self { tools: Vec::new(), policies }
    }

    /// Adds a tool, or replaces the one of the same name.
    pub(crate) fn add(&mut self, tool: Arc<dyn Tool>) {
        let name = &tool.definition().name;
        match self.tools.iter_mut().find(|known| known.definition().name == *name) {
            Some(known) => *known = tool,
            None => self.tools.push(tool),
        }
    }

    pub(crate) fn policies(&self) -> &ToolPolicies {
        &self.policies
    }

    /// All tools, including those that the policies deny.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.definition().name == name)
    }

    /// Whether the policies allow a tool.
    pub(crate) fn allows(&self, name: &str) -> bool {
        allows_tool(&self.policies, name)
    }

    /// The tools that are offered to the model, without the denied ones.
    pub(crate) fn definitions(&self) -> Vec<ModelTool> {
        self.visible_tools().map(|tool| tool.definition().clone()).collect()
    }

    /// The error for the model when a tool does not exist.
    pub(crate) fn missing_tool_message(&self, name: &str) -> String {
        let near = suggest_nearest(name, self.visible_tools().map(|tool| tool.definition().name.as_str()));
        let hint = near.map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        format!("tool \"{name}\" not found{hint}")
    }

    fn visible_tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().filter(|tool| self.allows(&tool.definition().name))
    }
}

/// Whether policies allow a tool. Denying a native tool under one of its names denies it under both.
pub(crate) fn allows_tool(policies: &ToolPolicies, name: &str) -> bool {
    policies.allows(name) && alternate_name(name).is_none_or(|other| !policies.denies(other))
}

/// The other name of a native tool that has two: hooks of AI Harness projects use the second one.
pub(crate) fn alternate_name(name: &str) -> Option<&'static str> {
    let second_names = AI_HARNESS.tools.iter().filter_map(|tool| match tool.native_names {
        [second] if NATIVE_TOOLS.contains(second) => Some((tool.canonical, *second)),
        _ => None,
    });
    second_names
        .flat_map(|(first, second)| [(first, second), (second, first)])
        .find_map(|(one, other)| (one == name).then_some(other))
}
