//! The agents of a team, each opened on first use.
//!
//! A member has only the tools of its toolsets, and runs under its own hooks and those of the runtime (the user's and
//! an administrator's), whichever agent calls it. State of its toolsets, such as a to-do list or a server, belongs to
//! the member and exists once, even if the member works on several tasks at the same time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pintle::{AgentSpec, HookOverlay, MemberSpec, TeamSpec, suggest_nearest};

use crate::agent::{Agent, compile_overlay};
use crate::model::Model;
use crate::session_context::SessionContext;
use crate::tools::{Tool, ToolPolicies, Toolbox};
use crate::toolsets::{self, ToolsetContext};

#[derive(Debug)]
pub(crate) struct Team {
    spec: TeamSpec,
    /// By name; opening a member that failed is tried again.
    members: Mutex<BTreeMap<String, Arc<MemberSlot>>>,
    toolset_context: ToolsetContext,
}

/// The slot of a member in the team. Opening one member does not block the others.
#[derive(Debug, Default)]
struct MemberSlot(Mutex<Option<Arc<OpenMember>>>);

/// An open member: the state shared by all agents that run as it.
#[derive(Debug)]
pub(crate) struct OpenMember {
    pub(crate) spec: Arc<AgentSpec>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) overlay: Arc<HookOverlay>,
    pub(crate) toolbox: Toolbox,
}

impl Team {
    pub(crate) fn new(spec: TeamSpec) -> Self {
        Self { spec, members: Mutex::default(), toolset_context: ToolsetContext::default() }
    }

    /// The member as an agent that takes over the conversation, at the same depth.
    ///
    /// # Errors
    /// When the member does not exist or cannot be opened.
    pub(crate) fn as_successor(&self, agent: &Agent, name: &str) -> Result<Arc<Agent>, String> {
        Ok(Agent::as_successor(agent, &*self.get_or_open(&agent.shared, name, &agent.model)?))
    }

    /// The member as an agent that works on a task.
    ///
    /// # Errors
    /// When the member does not exist, cannot be opened, or already waits for this agent.
    pub(crate) fn as_child(&self, parent: &Agent, name: &str) -> Result<Arc<Agent>, String> {
        if parent.spec.name == name || parent.waiting_callers.iter().any(|above| above == name) {
            let chain = [parent.waiting_callers.join(" -> "), parent.spec.name.clone(), name.to_owned()];
            let chain: Vec<String> = chain.into_iter().filter(|part| !part.is_empty()).collect();
            return Err(format!(
                "delegation cycle: {}; do the task yourself or give it to another agent",
                chain.join(" -> ")
            ));
        }
        Ok(Agent::as_child(parent, &*self.get_or_open(&parent.shared, name, &parent.model)?))
    }

    /// Opens the member that talks to the user, with the model of the session.
    pub(crate) fn open_first(
        &self,
        shared: &SessionContext,
        spec: AgentSpec,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<Arc<OpenMember>, String> {
        let seat = self.member_slot(&spec.name);
        let member = Arc::new(self.open(shared, &spec, model, more)?);
        *seat.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&member));
        Ok(member)
    }

    /// Closes the members. A member that is needed again is opened again.
    pub(crate) fn close(&self) {
        let open = std::mem::take(&mut *self.members.lock().unwrap_or_else(PoisonError::into_inner));
        drop(open);
    }

    fn member_slot(&self, name: &str) -> Arc<MemberSlot> {
        let mut open = self.members.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(open.entry(name.to_owned()).or_default())
    }

    fn get_or_open(
        &self,
        shared: &SessionContext,
        name: &str,
        model: &Arc<dyn Model>,
    ) -> Result<Arc<OpenMember>, String> {
        let Some(spec) = self.spec.agent(name) else {
            return Err(unknown_agent_message(name, self.spec.agents.iter().map(|agent| agent.name.as_str())));
        };
        let seat = self.member_slot(name);
        let mut member = seat.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(member) = &*member {
            return Ok(Arc::clone(member));
        }
        let model = match (&spec.model, &shared.open_model) {
            (Some(own), Some(open)) if !own.provider.is_empty() => {
                open(own).map_err(|error| format!("agent `{name}` cannot be opened: {error}"))?
            }
            _ => Arc::clone(model),
        };
        let opened = Arc::new(self.open(shared, spec, model, Vec::new())?);
        *member = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn open(
        &self,
        shared: &SessionContext,
        spec: &AgentSpec,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<OpenMember, String> {
        let overlay = compile_overlay(&shared.runtime, spec, &HookOverlay::default())?;
        let mut toolbox = Toolbox::new(ToolPolicies::default().narrowed_by(&spec.policy)?);
        for tool in more {
            toolbox.add(tool);
        }
        let mut spec = spec.clone();
        let mut told = vec![std::mem::take(&mut spec.instruction)];
        let member = spec.member.as_ref();
        let warn = |warning: &str| shared.show_warning(&spec.name, warning);
        let declared = member.map(|member| member.toolsets.as_slice()).unwrap_or_default();
        for set in toolsets::open_all(declared, &spec, &self.toolset_context, shared) {
            // If a server does not start, the member works without its tools, as in docker-agent.
            let set = match set {
                Ok(set) => set,
                Err(reason) => {
                    warn(&reason);
                    continue;
                }
            };
            set.warnings.iter().for_each(|warning| warn(warning));
            for tool in set.tools {
                let name = tool.definition().name.clone();
                if toolbox.get(&name).is_some() {
                    warn(&format!("two toolsets have a tool named `{name}`; the first one is used"));
                } else {
                    toolbox.add(tool);
                }
            }
            told.push(set.instruction);
        }
        if let Some(member) = member {
            for tool in toolsets::team_tools(member) {
                toolbox.add(tool);
            }
            told.push(self.describe_others(member));
        }
        told.retain(|text| !text.trim().is_empty());
        spec.instruction = told.join("\n\n");
        Ok(OpenMember { spec: Arc::new(spec), model, overlay, toolbox })
    }

    /// The text that tells a member about the agents it may call.
    fn describe_others(&self, member: &MemberSpec) -> String {
        let list = |names: &[String], what: &str| {
            let known = names.iter().filter_map(|name| self.spec.agent(name));
            let lines: Vec<String> = known.map(|agent| format!("- {}: {}", agent.name, agent.description)).collect();
            (!lines.is_empty()).then(|| format!("{what}\n{}", lines.join("\n")))
        };
        let lists = [
            list(
                &member.sub_agents,
                "You work in a team. With `transfer_task` you can give a task to one of these agents and get its answer; an agent knows only what the task says:",
            ),
            list(
                &member.handoffs,
                "With `handoff` you can hand the conversation over to one of these agents, which then continues it:",
            ),
        ];
        lists.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}

/// The error for the model when an agent does not exist.
pub(crate) fn unknown_agent_message<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = match suggest_nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match known.collect::<Vec<_>>().as_slice() {
            [] => String::from("there are no agents to call"),
            names => format!("the agents are: {}", names.join(", ")),
        },
    };
    format!("agent `{name}` does not exist or cannot be called; {hint}")
}
