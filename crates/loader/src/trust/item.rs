//! One hook or tool of a project, and what it may do.

use std::path::{Path, PathBuf};

use pintle_contract::{
    AgentSpec, Capability, CommandSpec, EnforcementMode, HandlerSpec, Hook, HookDeclaration, Location, McpTransport,
    ModelSpec, PermissionMode, PersonaSpec, PolicyMode, ScriptToolSpec, SubjectFilter, TeamSpec, ToolSpec, ToolsetKind,
    ToolsetSpec,
};
use serde::{Deserialize, Serialize};

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustItemKind {
    /// A hook of the project.
    Hook,
    /// A hook of one agent of the project.
    Member,
    /// A tool of an agent.
    Tool,
    /// A model that an agent asks at an address of its own.
    Model,
    /// The hosts that an agent's scripts may connect to.
    Network,
}

/// One hook or tool of a project, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustItem {
    /// What it is.
    pub kind: TrustItemKind,
    /// Its name.
    pub name: String,
    /// The canonical event of a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The dialect of a hook.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub dialect: String,
    /// What a hook wants to see, as its author wrote it. Default: everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The only subjects that a hook wants to see, such as tools, where that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// Whether a hook can deny, and its verdict is enforced.
    #[serde(default)]
    #[serde(rename = "guard")]
    pub is_guard: bool,
    /// What it may do. Nothing is what needs nobody's consent.
    #[serde(default)]
    #[serde(rename = "reach")]
    pub capabilities: Vec<Capability>,
    /// The files that say what it does: its own, and those that its commands name.
    #[serde(default)]
    pub files: Vec<String>,
    /// What it runs that an agreement does not cover, because its text does not say which files that is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
}

impl TrustItem {
    /// Whether it is one of a kind with the name, event and dialect of another one.
    pub(super) fn has_same_name(&self, other: &Self, kind: TrustItemKind) -> bool {
        self.kind == kind && self.name == other.name && self.event == other.event && self.dialect == other.dialect
    }

    /// Whether it wants to see the same as well.
    pub(super) fn has_same_matcher(&self, other: &Self, kind: TrustItemKind) -> bool {
        self.has_same_name(other, kind) && self.matcher == other.matcher
    }

    /// Whether it says the same, apart from what is derived from the rest.
    pub(super) fn is_same_item(&self, other: &Self) -> bool {
        self.has_same_matcher(other, other.kind)
            && (self.is_guard, &self.capabilities, &self.files) == (other.is_guard, &other.capabilities, &other.files)
    }
}

/// A claim before its files are looked at.
#[derive(Debug)]
pub(super) struct TrustItemDraft {
    pub(super) item: TrustItem,
    /// The file it was declared in.
    pub(super) declared_in: Option<PathBuf>,
    /// Whether modules of a package may have a part in it.
    pub(super) uses_modules: bool,
    /// The words of its commands, in which files are looked for.
    pub(super) commands: Vec<CommandSpec>,
    /// The files that its author lists besides.
    pub(super) listed_files: Vec<String>,
}

impl TrustItemDraft {
    fn new(kind: TrustItemKind, name: &str, location: &Location, reach: Vec<Capability>) -> Self {
        let claim = TrustItem {
            kind,
            name: name.to_owned(),
            event: None,
            dialect: String::new(),
            matcher: None,
            subjects: Vec::new(),
            is_guard: false,
            capabilities: reach,
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

    /// The claim of a hook. Without a compiled one it does not run, and so guards nothing.
    pub(super) fn for_hook(
        kind: TrustItemKind,
        declaration: &HookDeclaration,
        hook: Option<&Hook>,
        reach: Vec<Capability>,
    ) -> Self {
        let mut draft = Self::new(kind, &declaration.name, &declaration.location, reach);
        draft.item.event = Some(declaration.event.as_str().to_owned());
        draft.item.dialect = declaration.codec.dialect().to_owned();
        draft.item.matcher = hook
            .and_then(|hook| hook.matcher.as_ref())
            .map(|matcher| matcher.describe())
            .filter(|text| !text.is_empty());
        if let Some(SubjectFilter::Only { names, .. }) =
            hook.and_then(|hook| hook.matcher.as_ref()).map(|matcher| matcher.subjects())
        {
            draft.item.subjects = names;
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

/// The claims of an agent and those below it: what it can do besides talking to the model that whoever runs it pays for.
pub(super) fn draft_agent(
    agent: &AgentSpec,
    reach: &dyn Fn(&HookDeclaration) -> Vec<Capability>,
    drafts: &mut Vec<TrustItemDraft>,
) {
    let name = &agent.name;
    for hook in &agent.hooks {
        drafts.push(TrustItemDraft::for_hook(TrustItemKind::Member, hook, None, reach(hook)));
    }
    drafts.extend(agent.tools.iter().map(draft_tool));
    for model in agent.model.iter().chain(&agent.models) {
        drafts.extend(draft_model(name, &agent.location, model));
    }
    // What nobody wrote is no project's, and agents below the first one can do no more.
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
    // A member of a team has no scripts that could connect.
    if agent.member.is_none() && !agent.network.allowed_domains.is_empty() {
        let hosts = agent.network.allowed_domains.iter().cloned().map(Capability::Host).collect();
        drafts.push(TrustItemDraft::new(TrustItemKind::Network, name, &agent.location, hosts));
    }
    if let Some(verify) = &agent.delegation.verify {
        let reach = vec![Capability::Effect(String::from("runs a script that can start programs and change files"))];
        drafts.push(TrustItemDraft::new(TrustItemKind::Tool, &format!("{name} verify"), &verify.location, reach));
    }
    if let Some(member) = &agent.member {
        for toolset in &member.toolsets {
            draft_toolset(toolset, drafts);
        }
        for model in &member.fallback_models {
            drafts.extend(draft_model(name, &agent.location, model));
        }
    }
    for child in &agent.agents {
        draft_agent(child, reach, drafts);
    }
}

/// The claims of a role and its steps: the models that they ask at addresses of their own.
pub(super) fn draft_persona(persona: &PersonaSpec, drafts: &mut Vec<TrustItemDraft>) {
    let of_steps = persona.steps.iter().filter_map(|step| step.model.as_ref());
    for model in persona.model.iter().chain(of_steps) {
        drafts.extend(draft_model(&persona.name, &persona.location, model));
    }
}

/// The rules of a team by which its tools run without anybody being asked: a project cannot agree for a person.
pub(super) fn draft_permission_rules(team: &TeamSpec, drafts: &mut Vec<TrustItemDraft>) {
    let modes = || team.agents.iter().filter_map(|agent| agent.member.as_ref()?.permission_mode);
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

/// Whether a file is an agent's own and not that of one below it.
fn is_own_file(path: &Path) -> bool {
    path.parent().and_then(Path::file_name).is_none_or(|folder| folder != "agents")
}

/// The tools of every agent that do more than read.
const ACTING: [&str; 6] = ["shell", "write", "edit", "fetch", "fs.write", "fs.edit"];

/// Whether an agent may have tools that act: its own file says so, and nobody is asked before a call.
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

/// A model at an address that the project names gets the person's key and all that is said.
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
        // What Pintle brings along asks the person by itself, by the rules for tool calls.
        ToolsetKind::Shell { .. }
        | ToolsetKind::Filesystem
        | ToolsetKind::Think
        | ToolsetKind::Todo { .. }
        | ToolsetKind::Memory { .. }
        | ToolsetKind::Fetch { .. }
        | ToolsetKind::BackgroundAgents => {}
    }
}
