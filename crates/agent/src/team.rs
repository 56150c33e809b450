//! The agents of a team, each opened on first use.
//!
//! A member has only the tools of its toolsets, and runs under its own hooks and those of the runtime (the user's and
//! an administrator's), whichever agent calls it. State of its toolsets, such as a to-do list or a server, belongs to
//! the member and exists once, even if the member works on several tasks at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use pintle_host::HookOverlay;
use pintle_host::contract::{AgentSpec, MemberSpec, TeamSpec};

use crate::delegation::{share_overlay, unknown_agent_message};
use crate::model::Model;
use crate::session_state::DelegationBounds;
use crate::toolsets::{self, ToolsetContext};
use crate::turn_context::{Agent, AgentParts, SessionContext, TeamMembers, Tool, ToolPolicies, Toolbox};

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

impl TeamMembers for Team {
    fn as_successor(&self, agent: &Agent, name: &str) -> Result<Arc<Agent>, String> {
        let member = self.get_or_open(&agent.shared, name, &agent.model)?;
        Ok(member.to_agent(&agent.shared, agent.depth, agent.waiting_callers.clone(), agent.bounds.clone()))
    }

    fn as_child(&self, parent: &Agent, name: &str) -> Result<Arc<Agent>, String> {
        let mut callers = parent.waiting_callers.clone();
        callers.push(parent.spec.name.clone());
        if callers.iter().any(|above| above == name) {
            return Err(format!(
                "delegation cycle: {} -> {name}; do the task yourself or give it to another agent",
                callers.join(" -> ")
            ));
        }
        let member = self.get_or_open(&parent.shared, name, &parent.model)?;
        let bounds = parent.bounds.for_child(&member.spec.delegation);
        Ok(member.to_agent(&parent.shared, parent.depth + 1, callers, bounds))
    }

    fn close(&self) {
        let open = std::mem::take(&mut *self.members.lock());
        drop(open);
    }
}

impl OpenMember {
    fn to_agent(
        &self,
        shared: &Arc<SessionContext>,
        depth: u32,
        waiting_callers: Vec<String>,
        bounds: DelegationBounds,
    ) -> Arc<Agent> {
        let parts = AgentParts {
            shared: Arc::clone(shared),
            model: Arc::clone(&self.model),
            depth,
            waiting_callers,
            overlay: Arc::clone(&self.overlay),
            bounds,
            max_iterations: self.spec.exit.max_iterations,
            toolbox: self.toolbox.clone(),
            agents: Vec::new(),
        };
        Agent::new(Arc::clone(&self.spec), parts)
    }
}

impl Team {
    pub(crate) fn new(spec: TeamSpec) -> Self {
        Self { spec, members: Mutex::default(), toolset_context: ToolsetContext::default() }
    }

    /// Opens the member that talks to the user, with the model of the session.
    pub(crate) fn open_first(
        &self,
        shared: &Arc<SessionContext>,
        spec: &Arc<AgentSpec>,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<Arc<Agent>, String> {
        let seat = self.member_slot(&spec.name);
        let member = Arc::new(self.open(shared, spec, model, more)?);
        *seat.0.lock() = Some(Arc::clone(&member));
        Ok(member.to_agent(shared, 0, Vec::new(), DelegationBounds::from_spec(&spec.delegation)))
    }

    fn member_slot(&self, name: &str) -> Arc<MemberSlot> {
        let mut open = self.members.lock();
        Arc::clone(open.entry(name.to_owned()).or_default())
    }

    fn get_or_open(
        &self,
        context: &SessionContext,
        name: &str,
        model: &Arc<dyn Model>,
    ) -> Result<Arc<OpenMember>, String> {
        let Some(spec) = self.spec.agent(name) else {
            return Err(unknown_agent_message(name, self.spec.agents.iter().map(|agent| agent.name.as_str())));
        };
        let seat = self.member_slot(name);
        let mut member = seat.0.lock();
        if let Some(member) = &*member {
            return Ok(Arc::clone(member));
        }
        let model = match (&spec.model, &context.open_model) {
            (Some(own), Some(open)) if !own.provider.is_empty() => {
                open(own).map_err(|error| format!("agent `{name}` cannot be opened: {error}"))?
            }
            _ => Arc::clone(model),
        };
        let opened = Arc::new(self.open(context, spec, model, Vec::new())?);
        *member = Some(Arc::clone(&opened));
        Ok(opened)
    }

    fn open(
        &self,
        context: &SessionContext,
        spec: &Arc<AgentSpec>,
        model: Arc<dyn Model>,
        more: Vec<Arc<dyn Tool>>,
    ) -> Result<OpenMember, String> {
        let overlay = share_overlay(&context.runtime, spec)?;
        let mut toolbox = Toolbox::new(ToolPolicies::default().narrowed_by(&spec.policy)?);
        for tool in more {
            toolbox.add(tool);
        }
        // The hooks are compiled.
        let mut spec = AgentSpec { hooks: Vec::new(), ..AgentSpec::clone(spec) };
        let mut told = vec![std::mem::take(&mut spec.instruction)];
        let member = spec.member.as_ref();
        let warn = |warning: &str| context.show_warning(&spec.name, warning);
        let declared = member.map(|member| member.toolsets.as_slice()).unwrap_or_default();
        for set in toolsets::open_all(declared, &spec, &self.toolset_context, context) {
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
