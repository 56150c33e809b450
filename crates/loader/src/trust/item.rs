//! Describes one hook or tool of a project with its capabilities.

use std::path::{Path, PathBuf};

use pintle_contract::{
    AgentSpec, Capability, CommandSpec, EnforcementMode, HandlerSpec, Hook, HookDeclaration, Location, McpTransport,
    ModelSpec, PermissionMode, PersonaSpec, PolicyMode, ScriptToolSpec, SubjectFilter, TeamSpec, ToolSpec, ToolsetKind,
    ToolsetSpec,
};
use serde::{Deserialize, Serialize};

/// The kind of a trust item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustItemKind {
    /// A hook of the project.
    Hook,
    /// A hook of one agent of the project.
    Member,
    /// A tool of an agent.
    Tool,
    /// A model that an agent calls at a custom URL.
    Model,
    /// The hosts that an agent's scripts may connect to.
    Network,
}

/// One hook or tool of a project with its capabilities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustItem {
    /// The kind of the item.
    pub kind: TrustItemKind,
    /// The name of the item.
    pub name: String,
    /// The canonical event of a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The dialect of a hook.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// The matcher of a hook as its author wrote it. Default: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The only subjects that a hook matches, such as tools, if they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// Whether a hook can deny, and its verdict is enforced.
    #[serde(default)]
    #[serde(rename = "guard")]
    pub is_guard: bool,
    /// The capabilities. An empty list does not need trust.
    #[serde(default)]
    pub capabilities: Vec<Capability>,
    /// The files that determine its behaviour: its own, and those that its commands name.
    #[serde(default)]
    pub files: Vec<String>,
    /// The parts of its commands that the grant does not cover, because their text does not name the files that they
    /// run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
}

impl TrustItem {
    /// Whether the item is of this kind and has the name, event and dialect of another one.
    pub(super) fn has_same_name(&self, other: &Self, kind: TrustItemKind) -> bool {
        self.kind == kind && self.name == other.name && self.event == other.event && self.dialect == other.dialect
    }

    /// Whether it has the same name and the same matcher.
    pub(super) fn has_same_matcher(&self, other: &Self, kind: TrustItemKind) -> bool {
        self.has_same_name(other, kind) && self.matcher == other.matcher
    }

    /// Whether it is the same item, apart from derived fields.
    pub(super) fn is_same_item(&self, other: &Self) -> bool {
        self.has_same_matcher(other, other.kind)
            && (self.is_guard, &self.capabilities, &self.files) == (other.is_guard, &other.capabilities, &other.files)
    }
}

/// An item before its files are determined.
#[derive(Debug)]
pub(super) struct TrustItemDraft {
    pub(super) item: TrustItem,
    /// The file it was declared in.
    pub(super) declared_in: Option<PathBuf>,
    /// Whether modules of a package may be part of it.
    pub(super) uses_modules: bool,
    /// Its commands, in which files are searched.
    pub(super) commands: Vec<CommandSpec>,
    /// The files that its author lists.
    pub(super) listed_files: Vec<String>,
}

impl TrustItemDraft {
    fn new(kind: TrustItemKind, name: &str, location: &Location, capabilities: Vec<Capability>) -> Self {
        let claim = TrustItem {
            kind,
            name: name.to_owned(),
            event: None,
            dialect: String::new(),
            matcher: None,
            subjects: Vec::new(),
            is_guard: false,
            capabilities,
            files: Vec::new(),
            not_covered: Vec::new(),
        };
        Self {
            item: claim,
            declared_in: location.path().map(Path::to_owned),
            uses_modules: false,
            commands: Vec::new(),
            listed_files: Vec::new(),
        }
    }

    /// The item of a hook. A hook that did not compile does not run, and so is not a guard.
    pub(super) fn for_hook(
        kind: TrustItemKind,
        declaration: &HookDeclaration,
        hook: Option<&Hook>,
        capabilities: Vec<Capability>,
    ) -> Self {
        let mut draft = Self::new(kind, &declaration.name, &declaration.location, capabilities);
        draft.item.event = Some(declaration.event.as_str().to_owned());
        draft.item.dialect = declaration.codec.dialect().to_owned();
        draft.item.matcher = hook
            .and_then(|hook| hook.matcher.as_ref())
            .map(|matcher| matcher.describe())
            .filter(|text| !text.is_empty());
        let subjects = hook.and_then(|hook| hook.matcher.as_ref()).map(|matcher| matcher.subjects());
        if let Some(names) = subjects.as_ref().and_then(SubjectFilter::names) {
            draft.item.subjects = names.map(str::to_owned).collect();
        }
        draft.item.is_guard =
            hook.is_some_and(|hook| hook.guard && hook.mode == EnforcementMode::Enforce) && !declaration.background;
        draft.listed_files.clone_from(&declaration.files);
        draft.uses_modules = matches!(declaration.handler, HandlerSpec::Function(_) | HandlerSpec::Script(_));
        if let HandlerSpec::Command(spec) = &declaration.handler {
            draft.commands.push(spec.clone());
        }
        draft
    }
}

/// Adds the items of an agent and its child agents: their capabilities, apart from calling the default model.
pub(super) fn draft_agent(
    agent: &AgentSpec,
    capabilities: &dyn Fn(&HookDeclaration) -> Vec<Capability>,
    drafts: &mut Vec<TrustItemDraft>,
) {
    let name = &agent.name;
    for hook in &agent.hooks {
        drafts.push(TrustItemDraft::for_hook(TrustItemKind::Member, hook, None, capabilities(hook)));
    }
    drafts.extend(agent.tools.iter().map(draft_tool));
    for model in agent.model.iter().chain(&agent.models) {
        drafts.extend(draft_model(name, &agent.location, model));
    }
    // An agent without a file is not the project's, and child agents cannot do more than the first one.
    if agent.member.is_none() && agent.location.path().is_some_and(is_own_file) && has_acting_tools(agent) {
        let what =
            String::from("uses tools that change files, fetch pages or start programs, as allowed by its own file");
        drafts.push(TrustItemDraft::new(
            TrustItemKind::Tool,
            &format!("{name} tools"),
            &agent.location,
            vec![Capability::Effect(what)],
        ));
    }
    // A team member has no scripts that could connect.
    if agent.member.is_none() && !agent.network.allowed_domains.is_empty() {
        let hosts = agent.network.allowed_domains.iter().cloned().map(Capability::Host).collect();
        drafts.push(TrustItemDraft::new(TrustItemKind::Network, name, &agent.location, hosts));
    }
    if let Some(verify) = &agent.delegation.verify {
        let capabilities =
            vec![Capability::Effect(String::from("runs a script that can start programs and change files"))];
        drafts.push(TrustItemDraft::new(
            TrustItemKind::Tool,
            &format!("{name} verify"),
            &verify.location,
            capabilities,
        ));
    }
    if let Some(member) = &agent.member {
        for toolset in &member.toolsets {
            draft_toolset(toolset, drafts);
        }
    }
    for model in &agent.fallback_models {
        drafts.extend(draft_model(name, &agent.location, model));
    }
    for child in &agent.agents {
        draft_agent(child, capabilities, drafts);
    }
}

/// Adds the items of a persona and its steps: the models that they call at custom URLs.
pub(super) fn draft_persona(persona: &PersonaSpec, drafts: &mut Vec<TrustItemDraft>) {
    let of_steps = persona.steps.iter().filter_map(|step| step.model.as_ref());
    for model in persona.model.iter().chain(of_steps) {
        drafts.extend(draft_model(&persona.name, &persona.location, model));
    }
}

/// Adds the rules of a team that let its tools run without approval: a project cannot approve for the user.
pub(super) fn draft_permission_rules(team: &TeamSpec, drafts: &mut Vec<TrustItemDraft>) {
    let modes = || team.agents.iter().filter_map(|agent| agent.permission_mode);
    let is_autonomous = team.permissions.mode.into_iter().chain(modes()).any(|mode| mode == PermissionMode::Autonomous);
    let Some(first) = team.agents.first() else { return };
    if is_autonomous || !team.permissions.allow.is_empty() {
        let what = String::from("lets its agents' tools run without approval, by its own `permissions` or `safety`");
        drafts.push(TrustItemDraft::new(
            TrustItemKind::Tool,
            "permissions",
            &first.location,
            vec![Capability::Effect(what)],
        ));
    }
}

/// Whether a file is the main agent's, and not a child agent's.
fn is_own_file(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_none_or(|dir| dir != "agents")
}

/// The native tools that do more than read.
const ACTING: [&str; 6] = ["shell", "write", "edit", "fetch", "fs.write", "fs.edit"];

/// Whether an agent may use acting tools because of its own file, without an approval request.
fn has_acting_tools(agent: &AgentSpec) -> bool {
    let may_mean = |glob: &String| glob.contains(['*', '?', '[', '{']) || ACTING.contains(&glob.as_str());
    agent.policy.mode == PolicyMode::Denylist || agent.policy.allow.iter().any(may_mean)
}

fn draft_tool(tool: &ToolSpec) -> TrustItemDraft {
    let reach = match (&tool.script, &tool.verify) {
        (None, None) => Vec::new(),
        _ => vec![Capability::Effect(String::from("runs a script that can start programs and change files"))],
    };
    TrustItemDraft { uses_modules: true, ..TrustItemDraft::new(TrustItemKind::Tool, &tool.name, &tool.location, reach) }
}

/// A model at a custom URL gets the user's API key and the whole conversation.
fn draft_model(agent: &str, location: &Location, model: &ModelSpec) -> Option<TrustItemDraft> {
    let address = model.base_url.clone()?;
    Some(TrustItemDraft::new(
        TrustItemKind::Model,
        &format!("{agent} {}", model.name),
        location,
        vec![Capability::Host(address)],
    ))
}

fn draft_toolset(toolset: &ToolsetSpec, drafts: &mut Vec<TrustItemDraft>) {
    let mut push = |name: &str, reach: Capability, command: Option<CommandSpec>| {
        let draft = TrustItemDraft::new(TrustItemKind::Tool, name, &toolset.location, vec![reach]);
        drafts.push(TrustItemDraft { commands: command.into_iter().collect(), ..draft });
    };
    match &toolset.kind {
        ToolsetKind::Script(tools) => {
            for ScriptToolSpec { name, command, directory, .. } in tools {
                let spec =
                    CommandSpec { command: command.clone(), directory: directory.clone(), ..CommandSpec::default() };
                push(name, Capability::Command(command.clone()), Some(spec));
            }
        }
        ToolsetKind::Mcp(server) => match &server.transport {
            McpTransport::Stdio { command, arguments, directory, .. } => {
                let line = std::iter::once(command).chain(arguments).map(String::as_str).collect::<Vec<_>>().join(" ");
                let spec = CommandSpec {
                    command: command.clone(),
                    arguments: Some(arguments.clone()),
                    directory: directory.clone(),
                    ..CommandSpec::default()
                };
                push(&server.name, Capability::Command(line), Some(spec));
            }
            McpTransport::Http { url, .. } => push(&server.name, Capability::Host(url.clone()), None),
        },
        ToolsetKind::Memory { path: Some(path) } => {
            push("memory", Capability::Effect(format!("keeps notes in the file `{path}`")), None);
        }
        // Pintle's own tools request approval by the rules for tool calls.
        ToolsetKind::Shell { .. }
        | ToolsetKind::BackgroundJobs { .. }
        | ToolsetKind::Filesystem
        | ToolsetKind::Think
        | ToolsetKind::Todo { .. }
        | ToolsetKind::Memory { .. }
        | ToolsetKind::Fetch { .. }
        | ToolsetKind::BackgroundAgents => {}
    }
}
