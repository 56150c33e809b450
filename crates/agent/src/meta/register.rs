//! Registers tools, hooks and agents at run time.

use pintle_host::Diagnostic;
use pintle_host::contract::{
    AgentSpec, HookDeclaration, Location, ModelSpec, NATIVE_TOOLS, PolicyMode, ScriptSource, ToolSpec,
};
use pintle_host::event::MetaPayload;
use pintle_host::loader;
use serde_json::{Map, Value, json};

use super::{check_name, fire_meta_event, require_enabled, reserve_name};
use crate::tools::{StarlarkTool, join_diagnostics};
use crate::turn_context::TurnContext;

/// The lowest priority number of a registered hook, so that it runs after the project's hooks.
const LEAST_PRIORITY: i64 = 50;

/// The time limit of a registered tool.
const TIMEOUT_MS: u64 = 60_000;

/// `meta.register_tool(name, description, parameters, script, replace)`.
pub(super) fn register_tool(turn: &TurnContext, arguments: &Value) -> Result<Value, String> {
    let spec = prepare_tool(turn, arguments)?;
    turn.agent.add_tool(StarlarkTool::compile(&turn.agent.shared.runtime, &spec)?);
    Ok(json!({"name": spec.name, "registered": true}))
}

/// The tool that a script or a model wrote, after all checks and `meta.register_tool` have passed.
pub(crate) fn prepare_tool(turn: &TurnContext, arguments: &Value) -> Result<ToolSpec, String> {
    require_enabled(turn)?;
    let shared = &turn.agent.shared;
    let (name, description, script) =
        (text_argument(arguments, "name"), text_argument(arguments, "description"), text_argument(arguments, "script"));
    let replace = arguments.get("replace").and_then(Value::as_bool).unwrap_or(false);
    check_name(name)?;
    if script.is_empty() {
        return Err(format!("tool `{name}` has no `script`; define `run(args)` in it"));
    }
    let is_registered = shared.state.meta_registry.tools.lock().contains(name);
    match turn.agent.tool(name) {
        Some(_) if !is_registered => return Err(format!("tool `{name}` belongs to the project; choose another name")),
        Some(_) if !replace => return Err(format!("tool `{name}` exists; pass replace=True to replace it")),
        // A child agent that is given this tool would get the native tool with it.
        None if NATIVE_TOOLS.contains(&name) => {
            return Err(format!("`{name}` is the name of a native tool; choose another name"));
        }
        _ => {}
    }
    let spec = ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: to_json_schema(arguments.get("parameters").unwrap_or(&Value::Null)),
        script: Some(ScriptSource::without_file(script)),
        timeout_ms: TIMEOUT_MS,
        verify: None,
        location: Location::default(),
    };
    let payload = MetaPayload {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        replace: Some(replace),
        script: Some(script.to_owned()),
        ..MetaPayload::default()
    };
    fire_meta_event(turn, "meta.register_tool", &payload)?;
    // Compiling a script runs its top level, so the event fires before that.
    shared
        .runtime
        .compile_tool(&spec)
        .map_err(|found| format!("tool `{name}` does not compile: {}", join_diagnostics(&found)))?;
    reserve_name(&shared.state.meta_registry.tools, name, shared.meta.max_tools, "tools")?;
    Ok(spec)
}

/// `meta.register_hook(name, event, script, when, priority)`.
pub(super) fn register_hook(turn: &TurnContext, arguments: &Value) -> Result<Value, String> {
    let declaration = prepare_hook(turn, arguments)?;
    let runtime = &turn.agent.shared.runtime;
    runtime.register(&declaration).map_err(|error| compile_error(&declaration.name, error.diagnostics()))?;
    Ok(json!({"name": declaration.name, "registered": true}))
}

fn prepare_hook(turn: &TurnContext, arguments: &Value) -> Result<HookDeclaration, String> {
    require_enabled(turn)?;
    let shared = &turn.agent.shared;
    let name = match text_argument(arguments, "name") {
        "" => text_argument(arguments, "handler"),
        name => name,
    };
    let (event, script) = (text_argument(arguments, "event"), text_argument(arguments, "script"));
    let when = Some(text_argument(arguments, "when")).filter(|when| !when.is_empty());
    let priority = arguments.get("priority").and_then(Value::as_i64).unwrap_or(100).max(LEAST_PRIORITY);
    check_name(name)?;
    if shared.runtime.hooks().hooks().any(|(_, hook)| hook.id.as_str() == name) {
        return Err(format!("hook `{name}` exists; a registered hook cannot replace another hook"));
    }
    let declaration =
        loader::declare_hook(name, event, script, when, Some(priority)).map_err(|found| compile_error(name, &found))?;
    // Otherwise a registered hook could block every later one, guards included.
    if declaration.event.as_str() == "meta.register_hook" {
        return Err(String::from("cannot register a hook on meta.register_hook"));
    }
    let payload = MetaPayload {
        name: name.to_owned(),
        event: Some(declaration.event.as_str().to_owned()),
        priority: Some(priority),
        script: Some(script.to_owned()),
        ..MetaPayload::default()
    };
    fire_meta_event(turn, "meta.register_hook", &payload)?;
    reserve_name(&shared.state.meta_registry.hooks, name, shared.meta.max_hooks, "hooks")?;
    Ok(declaration)
}

/// `meta.register_agent(name, model, system_prompt, tools, hooks)`.
pub(super) fn register_agent(turn: &TurnContext, arguments: &Value) -> Result<Value, String> {
    require_enabled(turn)?;
    let shared = &turn.agent.shared;
    let name = text_argument(arguments, "name");
    check_name(name)?;
    if turn.agent.spec.agents.iter().any(|known| known.name == name) {
        return Err(format!("agent `{name}` belongs to the project; choose another name"));
    }
    let (tools, hooks) = (list_argument(arguments, "tools"), list_argument(arguments, "hooks"));
    let model = Some(text_argument(arguments, "model")).filter(|model| !model.is_empty());
    let payload = MetaPayload {
        name: name.to_owned(),
        model: model.map(str::to_owned),
        tool_count: Some(u32::try_from(tools.len()).unwrap_or(u32::MAX)),
        ..MetaPayload::default()
    };
    fire_meta_event(turn, "meta.register_agent", &payload)?;
    let mut spec = AgentSpec {
        name: name.to_owned(),
        description: text_argument(arguments, "description").to_owned(),
        instruction: text_argument(arguments, "system_prompt").to_owned(),
        model: model.map(model_on_same_provider),
        ..AgentSpec::default()
    };
    for tool in tools {
        let tool_name = match tool.as_str() {
            Some(known) => {
                let own = turn.agent.spec.tools.iter().find(|own| own.name == known);
                if turn.agent.tool(known).is_none() {
                    return Err(turn.agent.missing_tool_message(known));
                }
                spec.tools.extend(own.cloned());
                known.to_owned()
            }
            None => {
                let written = prepare_tool(turn, tool)?;
                spec.tools.push(written);
                text_argument(tool, "name").to_owned()
            }
        };
        // An agent with a list of tools has only these.
        spec.policy.mode = PolicyMode::Allowlist;
        spec.policy.allow.push(escape_glob(&tool_name));
    }
    spec.hooks = hooks.iter().map(|hook| prepare_hook(turn, hook)).collect::<Result<_, _>>()?;
    let (_, found) = shared.runtime.compile_chains(&format!("agent {name}"), pintle_host::Layer::Agent, &spec.hooks);
    if found.iter().any(|found| found.severity == pintle_host::Severity::Error) {
        return Err(format!("the hooks of agent `{name}` do not compile: {}", join_diagnostics(&found)));
    }
    reserve_name(&shared.state.meta_registry.agents, name, shared.meta.max_agents, "agents")?;
    turn.agent.add_agent(spec);
    Ok(json!({"name": name, "registered": true}))
}

fn compile_error(name: &str, diagnostics: &[Diagnostic]) -> String {
    format!("hook `{name}` does not compile: {}", join_diagnostics(diagnostics))
}

/// Another model of the same provider.
fn model_on_same_provider(name: &str) -> ModelSpec {
    ModelSpec {
        name: name.to_owned(),
        provider: String::new(),
        base_url: None,
        api_key_env: None,
        max_tokens: None,
        temperature: None,
        retry: pintle_host::contract::RetrySpec::default(),
    }
}

/// A glob that matches only this name.
fn escape_glob(name: &str) -> String {
    globset::escape(name)
}

/// The parameters as JSON Schema. They may be JSON Schema already, or AI Harness's `{name: {type, description,
/// required}}`.
fn to_json_schema(parameters: &Value) -> Value {
    let none = Map::new();
    let fields = parameters.as_object().unwrap_or(&none);
    if fields.get("type").is_some_and(Value::is_string) {
        return parameters.clone();
    }
    let mut required = Vec::new();
    let mut properties = Map::new();
    for (name, parameter) in fields {
        let mut parameter = parameter.clone();
        if let Some(fields) = parameter.as_object_mut()
            && fields.shift_remove("required") == Some(Value::Bool(true))
        {
            required.push(name.clone());
        }
        properties.insert(name.clone(), parameter);
    }
    json!({"type": "object", "properties": properties, "required": required})
}

fn text_argument<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn list_argument<'a>(arguments: &'a Value, name: &str) -> &'a [Value] {
    arguments.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_either_form_become_a_schema() {
        let full = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        assert_eq!(to_json_schema(&full), full);
        let short =
            json!({"city": {"type": "string", "required": true}, "days": {"type": "integer", "required": false}});
        let expected = json!({
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        });
        assert_eq!(to_json_schema(&short), expected);
        assert_eq!(to_json_schema(&Value::Null), json!({"type": "object", "properties": {}, "required": []}));
    }
}
