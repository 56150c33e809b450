//! Determines the capabilities of a hook outside the sandbox.

use pintle_contract::{BuiltinSpec, Capability, CommandSpec, HandlerSpec, HookDeclaration};

use crate::builtin::builtins;
use crate::http::host_of;
use crate::script::{capabilities_of_function, capabilities_of_script};

/// The capabilities of a declaration. An empty list does not need trust.
pub(crate) fn capabilities(declaration: &HookDeclaration) -> Vec<Capability> {
    match &declaration.handler {
        // A hook that a dialect builds from a table only returns verdicts: dialects cannot do anything else.
        HandlerSpec::None | HandlerSpec::Native(_) => Vec::new(),
        HandlerSpec::Script(text) => {
            capabilities_of_names(&capabilities_of_script(&declaration.name, text), declaration)
        }
        HandlerSpec::Function(spec) => capabilities_of_names(&capabilities_of_function(spec), declaration),
        HandlerSpec::Command(spec) => vec![Capability::Command(command_line_text(spec))],
        HandlerSpec::Http(spec) => vec![Capability::Host(host_of(&spec.url))],
        HandlerSpec::Model(spec) => vec![Capability::Model(spec.model.clone())],
        HandlerSpec::Builtin(spec) => builtin_capabilities(spec),
    }
}

fn capabilities_of_names(names: &[&str], declaration: &HookDeclaration) -> Vec<Capability> {
    let of_name = |name: &&str| match *name {
        "http" => vec![Capability::Host(String::from("the hosts that its agent allows"))],
        "fs" => vec![Capability::Effect(String::from("reads files of the project"))],
        "meta" if declaration.tools.is_empty() => vec![Capability::Tool(String::from("meta.call_tool"))],
        "meta" => declaration.tools.iter().cloned().map(Capability::Tool).collect(),
        _ => vec![Capability::Effect(String::from("delegates work to other agents"))],
    };
    names.iter().flat_map(of_name).collect()
}

/// A command with its arguments as one line.
fn command_line_text(spec: &CommandSpec) -> String {
    let arguments = spec.arguments.iter().flatten().map(String::as_str);
    std::iter::once(spec.command.as_str()).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn builtin_capabilities(spec: &BuiltinSpec) -> Vec<Capability> {
    let Some(def) = builtins().iter().find(|def| def.name == spec.name) else {
        // It does not load either.
        return vec![Capability::Effect(format!("is the unknown built-in `{}`", spec.name))];
    };
    match (def.side_effects, spec.arguments.first()) {
        ("", _) => Vec::new(),
        (deeds, Some(first)) if def.name == "http_post" => {
            vec![Capability::Host(host_of(first)), Capability::Effect(deeds.to_owned())]
        }
        (deeds, _) => vec![Capability::Effect(deeds.to_owned())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_ins_that_only_tell_and_judge_need_no_consent() {
        let reaching: Vec<&str> =
            builtins().iter().filter(|def| !def.side_effects.is_empty()).map(|def| def.name).collect();
        assert_eq!(reaching, ["add_prompt_files", "handle_large_tool_output", "http_post", "snapshot", "unload"]);
        let post = BuiltinSpec {
            name: String::from("http_post"),
            arguments: vec![String::from("https://user@a.example:8080/x"), String::from("text")],
            ..BuiltinSpec::default()
        };
        let wanted =
            [Capability::Host(String::from("a.example")), Capability::Effect(String::from("sends events to a server"))];
        assert_eq!(builtin_capabilities(&post), wanted);
        let unknown = BuiltinSpec { name: String::from("nosuch"), ..BuiltinSpec::default() };
        assert_eq!(builtin_capabilities(&unknown).len(), 1);
    }

    #[test]
    fn an_address_that_cannot_be_read_is_shown_as_it_is() {
        for (address, wanted) in [
            ("https://hooks.example/path?q=1", "hooks.example"),
            ("http://127.0.0.1:9000/", "127.0.0.1"),
            ("$HOOK_URL/x", "$HOOK_URL/x"),
            ("", ""),
        ] {
            assert_eq!(host_of(address), wanted);
        }
    }
}
