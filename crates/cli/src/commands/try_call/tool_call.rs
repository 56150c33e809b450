//! The call that is tried: from the command line to the payload that an agent sends.

use std::str::FromStr;
use std::sync::Arc;

use pintle_bridge::HostDef;
use pintle_host::contract::suggest_or_list;
use pintle_host::tools::{NativeToolCall, ToolVocabulary};
use pintle_host::{Event, EventKind, Origin};
use serde_json::{Value, json};

use super::TryArgs;
use crate::error::CliError;
use crate::options::{CapturedPayload, current_dir};

/// The session of a tried call, which is never stored.
const SESSION: &str = "pintle-try";

/// A tool that can be tried, and the options that it needs.
#[derive(Debug)]
struct TriedToolDef {
    name: &'static str,
    /// Each needed option with the argument that it becomes.
    needs: &'static [(&'static str, &'static str)],
}

/// The tools, by their names in Pintle's words.
static TOOLS: [TriedToolDef; 7] = [
    TriedToolDef { name: "shell", needs: &[("CALL", "command")] },
    TriedToolDef { name: "read", needs: &[("--path", "path")] },
    TriedToolDef { name: "write", needs: &[("--path", "path")] },
    TriedToolDef { name: "edit", needs: &[("--path", "path")] },
    TriedToolDef { name: "delete", needs: &[("--path", "path")] },
    TriedToolDef { name: "move", needs: &[("--path", "path"), ("--to", "to")] },
    TriedToolDef { name: "fetch", needs: &[("--url", "url")] },
];

/// A tool named on the command line.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolArgument(&'static TriedToolDef);

impl FromStr for ToolArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        TOOLS.iter().find(|tool| tool.name == text).map(Self).ok_or_else(|| {
            let help = suggest_or_list(text, TOOLS.iter().map(|tool| tool.name), "the tools are");
            format!("unknown tool `{text}`; {help}")
        })
    }
}

/// The call that is tried.
#[derive(Debug)]
pub(in crate::commands) struct TriedCall {
    /// The tool, in Pintle's words.
    pub(in crate::commands) tool: String,
    /// What the tool gets, for a person: the command line, the path or the address.
    pub(in crate::commands) target: String,
    /// The call in the agent's words.
    pub(in crate::commands) native: NativeToolCall,
}

impl TryArgs {
    /// The command line of a single call, if one is given.
    pub(super) fn command_line(&self) -> Result<Option<&str>, CliError> {
        // The shell that runs `pintle` took the quotes off, so the words cannot be put together again.
        if self.call.len() > 1 {
            let quoted = format!("quote it, as in `pintle try '{}'`", self.call.join(" "));
            let error = format!("the call is {} words instead of one", self.call.len());
            return Err(CliError::invalid_input(error).help(quoted));
        }
        Ok(self.call.first().map(String::as_str))
    }

    /// The call in the words of an agent.
    pub(super) fn to_call(&self, host: &HostDef, command_line: Option<&str>) -> Result<TriedCall, CliError> {
        let [shell, .., fetch] = &TOOLS;
        let assumed = if self.url.is_some() { fetch } else { shell };
        let tool = self.tool.map_or(assumed, |ToolArgument(tool)| tool);
        let given = [
            ("CALL", command_line),
            ("--path", self.path.as_deref()),
            ("--to", self.to.as_deref()),
            ("--url", self.url.as_deref()),
        ];
        let needs = |option: &str| tool.needs.iter().find(|(needed, _)| *needed == option);
        if let Some((option, _)) = given.iter().find(|(option, value)| value.is_some() && needs(option).is_none()) {
            return Err(needless_option(tool, option));
        }
        let mut args = serde_json::Map::new();
        let mut targets = Vec::new();
        for (option, value) in given {
            let Some((_, argument)) = needs(option) else { continue };
            let value = value.filter(|value| !value.trim().is_empty()).ok_or_else(|| missing_option(tool, option))?;
            args.insert((*argument).to_owned(), Value::from(value));
            targets.push(value);
        }
        let content: &[&str] = match tool.name {
            "write" => &["content"],
            "edit" => &["old", "new"],
            _ => &[],
        };
        args.extend(content.iter().map(|name| ((*name).to_owned(), Value::from(""))));
        let words = host.call_event().and_then(|def| def.tools).unwrap_or(host.tools);
        let native = self.to_native(words, host, tool.name, args)?;
        Ok(TriedCall { tool: tool.name.to_owned(), target: targets.join(" -> "), native })
    }

    fn to_native(
        &self,
        words: &'static ToolVocabulary,
        host: &HostDef,
        tool: &'static str,
        mut args: serde_json::Map<String, Value>,
    ) -> Result<NativeToolCall, CliError> {
        if words.native_names(tool).next().is_none() {
            let known = TOOLS.iter().filter(|tool| words.native_names(tool.name).next().is_some());
            let known: Vec<&str> = known.map(|tool| tool.name).collect();
            return Err(CliError::invalid_input(format!("{} has no tool for `{tool}`", host.title))
                .help(format!("it has tools for {}; it does the rest in its shell", known.join(", "))));
        }
        if !self.powershell {
            return Ok(words.to_native(tool, &Value::Object(args)));
        }
        if tool != "shell" {
            return Err(CliError::invalid_input(format!("`--powershell` cannot be used with the tool `{tool}`"))
                .help("it says how a command line is read"));
        }
        // Agents have another tool for it; in Pintle's words it is an argument.
        let own = words.native_names(tool).find(|name| name.to_ascii_lowercase().contains("powershell"));
        if own.is_none() && words.name == pintle_host::tools::PINTLE.name {
            args.insert(String::from("shell"), Value::from("powershell"));
        } else if own.is_none() {
            return Err(CliError::invalid_input(format!("{} has no tool for PowerShell", host.title)));
        }
        let native = words.to_native(tool, &Value::Object(args));
        Ok(NativeToolCall { name: own.map_or(native.name, str::to_owned), ..native })
    }
}

fn missing_option(tool: &TriedToolDef, option: &str) -> CliError {
    let example = match option {
        "CALL" => String::from("name a command line, as in `pintle try 'git push --force'`"),
        "--url" => String::from("add one, as in `--url https://example.com`"),
        _ => format!("add one, as in `pintle try --tool {} {option} .env`", tool.name),
    };
    CliError::invalid_input(format!("the tool `{}` needs `{option}`", tool.name)).help(example)
}

fn needless_option(tool: &TriedToolDef, option: &str) -> CliError {
    let takes = TOOLS.iter().filter(|tool| tool.needs.iter().any(|(needed, _)| *needed == option));
    let takes: Vec<String> = takes.map(|tool| format!("`{}`", tool.name)).collect();
    let help = format!("`{option}` is for the tools {}; name one with `--tool`", takes.join(", "));
    CliError::invalid_input(format!("the tool `{}` does not take `{option}`", tool.name)).help(help)
}

impl TriedCall {
    /// The payload that the agent sends before the call.
    pub(in crate::commands) fn to_payload(&self, host: &'static HostDef) -> Result<CapturedPayload, CliError> {
        let event_def = host
            .call_event()
            .ok_or_else(|| CliError::invalid_input(format!("{} reports no tool calls", host.title)))?;
        let origin =
            Origin { session: String::from(SESSION), cwd: current_dir().display().to_string(), ..Origin::default() };
        let NativeToolCall { name, input } = &self.native;
        let fields = json!({"id": "call_1", "name": name, "args": input, "arguments": input.to_string()});
        let value = event_def.call_payload(&Event::new(EventKind::ToolPre, fields, Arc::new(origin)));
        let bytes = value.to_string().into_bytes();
        Ok(CapturedPayload { host, event_def, bytes: bytes.into(), value, is_recognised: false })
    }
}
