//! The agents of a team, each opened when it is first needed.
//!
//! A member has the tools of its toolsets and no others, and runs under its own hooks and those of the runtime (the
//! user's and an administrator's), whoever called it. What its toolsets hold, such as a list of things to do or a server
//! that was started, is the member's own and there once, also when it works on several tasks at the same time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use pintle::{AgentSpec, HookOverlay, MemberSpec, TeamSpec, suggest_nearest};

use crate::agent::{Agent, SessionContext, compile_overlay};
use crate::model::Model;
use crate::tools::{Tool, ToolPolicies, Toolbox};
use crate::toolsets::{self, ToolsetContext};

/// The agents of a team.
#[derive(Debug)]
pub(crate) struct Team {
    spec: TeamSpec,
    /// By name; a member that could not be opened is tried again.
    members: Mutex<BTreeMap<String, Arc<MemberSlot>>>,
    toolset_context: ToolsetContext,
}

/// A member's place in the team. Opening one keeps nobody from opening another.
#[derive(Debug, Default)]
struct MemberSlot(Mutex<Option<Arc<OpenMember>>>);

/// A member that is open: what all agents that play it share.
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

    /// The member that takes the conversation over from an agent: as deep as that one.
    ///
    /// # Errors
    /// When there is no such member or it cannot be opened.
    pub(crate) fn as_successor(&self, agent: &Agent, name: &str) -> Result<Arc<Agent>, String> {
        Ok(Agent::as_successor(agent, &*self.get_or_open(&agent.shared, name, &agent.model)?))
    }

    /// The member that an agent gives a task to.
    ///
    /// # Errors
    /// When there is no such member, it cannot be opened, or it is at work above this very agent.
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

    /// Opens a member with the model that the session was given, as the one that a person talks to.
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

    /// Ends what the members hold. A member that is needed again is opened again.
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
                open(own).map_err(|fault| format!("agent `{name}` cannot be opened: {fault}"))?
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
            // A server that does not start takes its own tools away, and not the agent (docker-agent, MCP tool).
            let set = match set {
                Ok(set) => set,
                Err(why) => {
                    warn(&why);
                    continue;
                }
            };
            set.warnings.iter().for_each(|warning| warn(warning));
            for tool in set.tools {
                let name = tool.definition().name.clone();
                if toolbox.get(&name).is_some() {
                    warn(&format!("two toolsets have a tool `{name}`; the first one is used"));
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

    /// What a member is told about those it may call.
    fn describe_others(&self, member: &MemberSpec) -> String {
        let list = |names: &[String], what: &str| {
            let known = names.iter().filter_map(|name| self.spec.agent(name));
            let lines: Vec<String> = known.map(|agent| format!("- {}: {}", agent.name, agent.description)).collect();
            (!lines.is_empty()).then(|| format!("{what}\n{}", lines.join("\n")))
        };
        let lists = [
            list(
                &member.sub_agents,
                "You work in a team. With `transfer_task` you can give a task to one of these agents, and get its answer back; they know nothing but what the task says:",
            ),
            list(
                &member.handoffs,
                "With `handoff` you can hand the conversation over to one of these agents, who then goes on with it:",
            ),
        ];
        lists.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}

/// Why an agent is not there, for the model.
pub(crate) fn unknown_agent_message<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let hint = match suggest_nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match known.collect::<Vec<_>>().as_slice() {
            [] => String::from("there are none"),
            names => format!("there are: {}", names.join(", ")),
        },
    };
    format!("there is no agent `{name}` to call; {hint}")
}
