//! The toolsets of a team's members: one match arm per set in [`open`]. The tools of `filesystem`, `shell`, `background_jobs` and
//! `fetch` are native tools under docker-agent's names; every other set is a file or directory.
//!
//! Names, arguments, categories, read-only hints and result texts are docker-agent's, so that its hooks see what they
//! were written for. A set's instruction for the model is added to the member's system prompt after its own
//! instruction, in the order of the sets (`team.rs` does so when it opens the member).

mod expand;
mod mcp;
mod memory;
mod native;
mod script;
mod set;
mod team;
mod think;
mod todo;

use std::sync::Arc;

use pintle_host::contract::{AgentSpec, ToolsetKind, ToolsetSpec, suggest_nearest};

use crate::turn_context::SessionContext;
use crate::turn_context::Tool;

use set::Toolset;
use todo::TodoList;

pub(crate) use team::team_tools;

/// The placeholder for a set's own instruction in a text that replaces it, as in docker-agent.
const OWN_WORDS: &str = "{ORIGINAL_INSTRUCTIONS}";

/// State that the toolsets of all members of a team share.
#[derive(Debug, Default)]
pub(crate) struct ToolsetContext {
    todos: Arc<TodoList>,
}

/// Opens all declared sets, in order. Those that wait for a server start concurrently.
pub(crate) fn open_all(
    specs: &[ToolsetSpec],
    member: &AgentSpec,
    context: &ToolsetContext,
    session_context: &SessionContext,
) -> Vec<Result<Toolset, String>> {
    std::thread::scope(|scope| {
        let opening: Vec<_> = specs
            .iter()
            .map(|spec| match &spec.kind {
                ToolsetKind::Mcp(_) => Ok(scope.spawn(move || open(spec, member, context, session_context))),
                _ => Err(spec),
            })
            .collect();
        let crashed = || Err(String::from("the toolset of the server crashed while opening; please report this bug"));
        let opened = opening.into_iter().map(|opening| match opening {
            Ok(thread) => thread.join().unwrap_or_else(|_| crashed()),
            Err(spec) => open(spec, member, context, session_context),
        });
        opened.collect()
    })
}

/// Opens one declared set.
///
/// # Errors
/// When the set cannot be opened.
fn open(
    spec: &ToolsetSpec,
    member: &AgentSpec,
    context: &ToolsetContext,
    session_context: &SessionContext,
) -> Result<Toolset, String> {
    let workspace = &session_context.workspace;
    let mut set = match &spec.kind {
        ToolsetKind::Shell { environment } => native::open_shell(expand::expand_all(environment)),
        ToolsetKind::BackgroundJobs { environment } => native::open_background_jobs(expand::expand_all(environment)),
        ToolsetKind::Filesystem => native::open_filesystem(workspace),
        ToolsetKind::Think => think::open(),
        ToolsetKind::Todo { shared: true } => todo::open(Arc::clone(&context.todos)),
        ToolsetKind::Todo { shared: false } => todo::open(Arc::default()),
        ToolsetKind::Memory { path } => memory::open(path.as_deref(), workspace)?,
        ToolsetKind::Fetch { timeout_ms } => native::open_fetch(*timeout_ms, &member.network),
        ToolsetKind::Script(tools) => script::open(tools),
        // A rehearsed session has the tools that its scenario names.
        ToolsetKind::Mcp(_) if session_context.tool_player.is_some() => Toolset::default(),
        ToolsetKind::Mcp(server) => mcp::open(server, session_context)?,
        ToolsetKind::BackgroundAgents => team::background::open(),
    };
    let prefix = match &spec.kind {
        ToolsetKind::Mcp(server) if !server.name.is_empty() => format!("{}_", server.name),
        _ => String::new(),
    };
    narrow(&mut set, &spec.tools, &prefix);
    if let Some(instruction) = &spec.instruction {
        set.instruction = instruction.replace(OWN_WORDS, &set.instruction);
    }
    Ok(set)
}

/// Keeps only the requested tools, by the set's own names. A name without a tool adds a warning.
fn narrow(set: &mut Toolset, wanted: &[String], prefix: &str) {
    if wanted.is_empty() {
        return;
    }
    let own = |tool: &Arc<dyn Tool>| tool.definition().name.strip_prefix(prefix).unwrap_or_default().to_owned();
    let names: Vec<String> = set.tools.iter().map(own).collect();
    for name in wanted.iter().filter(|name| !names.contains(name)) {
        let hint = match suggest_nearest(name, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the tools are: {}", names.join(", ")),
        };
        set.warnings.push(format!("tool `{name}` does not exist in this set; {hint}"));
    }
    set.tools.retain(|tool| wanted.contains(&own(tool)));
}
