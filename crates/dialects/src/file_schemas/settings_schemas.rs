//! The schemas of settings that have hooks beside other things.

use pintle_clients::{CLIENTS, ClientDef, HookLayout};
use pintle_contract::{TapeRetention, TelemetrySettings, UntrustedGuardPolicy};
use serde_json::{Map, Value, json};

use super::{FileSchema, new_schema};
use crate::client_files::GROUP_KEYS;
use crate::docker_agent::load::settings::{OTHER_SECTIONS, OTHER_SETTINGS};
use crate::harness_framework;
use crate::words::{ENFORCEMENT_MODES, FAILURE_POLICIES, PERMISSION_MODES};

/// The keys that every handler of a client may have.
const HANDLER_KEYS: [&str; 7] = ["type", "name", "timeout", "timeoutSec", "files", "onFailure", "failClosed"];

/// The settings of a user, with hooks of docker-agent.
pub(super) fn user_settings(hooks: Value) -> Value {
    let modes: Vec<&str> = PERMISSION_MODES.iter().map(|(word, _)| *word).collect();
    let names =
        json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}, {"type": "null"}]});
    let mut settings = anything(OTHER_SETTINGS);
    settings.extend([
        (String::from("hooks"), hooks),
        (
            String::from("permissions"),
            json!({
                "description": "Rules on calls.",
                "type": ["object", "null"],
                "properties": {"allow": names, "ask": names, "deny": names},
                "additionalProperties": false,
            }),
        ),
        (String::from("redact_secrets"), json!({"type": "boolean", "description": "Whether secrets are redacted on the tape, for every agent and hook."})),
        (String::from("safety"), json!({"enum": modes, "description": "What happens to a call that no permission rule decides."})),
        (String::from("snapshot"), json!({"type": "boolean", "description": "Whether snapshots of the files are taken before and after the agent's work."})),
        (String::from("YOLO"), json!({"type": "boolean", "description": "The older form of `safety: autonomous`."})),
    ]);
    let guards: Vec<&str> = UntrustedGuardPolicy::WORDS.iter().map(|(word, _)| *word).collect();
    let mut properties = anything(OTHER_SECTIONS);
    properties.extend([
        (
            String::from("settings"),
            json!({"type": ["object", "null"], "properties": settings, "additionalProperties": false}),
        ),
        (
            String::from("untrusted_guards"),
            json!({"enum": guards, "description": "What happens to the guards of a project that is not trusted."}),
        ),
        (String::from("tapes"), tape_settings()),
        (String::from("telemetry"), telemetry_settings()),
    ]);
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// How long the sessions of agents are kept, and where copies of their checkpoints are.
fn tape_settings() -> Value {
    let (least, most) = TapeRetention::KEEP_DAYS.into_inner();
    json!({
        "description": "How long the sessions of agents under `pintle hook` are kept, and where copies of the checkpoints of tapes are.",
        "type": ["object", "null"],
        "properties": {
            "keep_days": {
                "description": "Days without a call after which a session is removed.",
                "type": "integer",
                "minimum": least,
                "maximum": most,
            },
            "max_size": {
                "description": "The size of all sessions from which on the oldest are removed, such as `500MB`.",
                "type": ["string", "null"],
                "pattern": TapeRetention::size_pattern(),
            },
            "witness": absolute_path("The file to which each checkpoint of a tape is appended, by an absolute path or one in `~`."),
        },
        "additionalProperties": false,
    })
}

/// Where `pintle-fleet telemetry` sends what, if anything.
fn telemetry_settings() -> Value {
    json!({
        "description": "Where `pintle-fleet telemetry` sends spans, metrics and logs. Without it nothing is sent.",
        "type": ["object", "null"],
        "properties": {
            "otlp": {
                "description": "The address of an OTLP endpoint, such as `http://localhost:4318`.",
                "type": "string",
                "pattern": TelemetrySettings::ENDPOINT_PATTERN,
            },
            "headers_file": absolute_path("A file with headers for the endpoint, `NAME: VALUE` in each line, by an absolute path or one in `~`."),
            "content": {
                "description": "Whether arguments, prompts, results and directories are sent, too. Default: no.",
                "type": "boolean",
            },
        },
        "required": ["otlp"],
        "additionalProperties": false,
    })
}

/// A path that does not depend on the working directory.
fn absolute_path(description: &str) -> Value {
    json!({"description": description, "type": ["string", "null"], "pattern": "^(~|/|[A-Za-z]:|\\\\\\\\)"})
}

fn anything(keys: &[&str]) -> Map<String, Value> {
    keys.iter().map(|key| ((*key).to_owned(), json!({}))).collect()
}

/// A manifest of Harn, which has parts that only Harn reads.
pub(super) fn harn_manifest(persona: &Value) -> Value {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let mut hook = failure_keys();
    hook.extend([
        (String::from("event"), json!({"type": "string", "description": "The event, such as `PreToolUse`."})),
        (
            String::from("pattern"),
            json!({"type": "string", "description": "What the hook is for: a pattern of tools, or an expression."}),
        ),
        (String::from("handler"), json!({"type": "string", "description": "The function: `module::function`."})),
        (String::from("name"), json!({"type": "string", "description": "The hook's name. Default: its handler."})),
        (
            String::from("timeout_ms"),
            json!({"type": "integer", "minimum": 1, "description": "Time limit of one call, in milliseconds."}),
        ),
        (
            String::from("tools"),
            json!({"type": "array", "items": {"type": "string"}, "description": "The tools that it may call."}),
        ),
    ]);
    json!({
        "type": "object",
        "properties": {
            "package": {"type": "object", "properties": {"name": {"type": "string"}}},
            "exports": texts,
            "dependencies": {"type": "object"},
            "hooks": {
                "description": "Hooks around tools, steps and sessions.",
                "type": "array",
                "items": {"type": "object", "properties": hook, "required": ["event", "handler"], "additionalProperties": false},
            },
            "personas": {"type": "array", "items": persona},
        },
    })
}

/// What a failed hook does, and whether it is enforced, in every dialect's words.
fn failure_keys() -> Map<String, Value> {
    let words = |words: &[&str], description: &str| json!({"enum": words, "description": description});
    let policies = FAILURE_POLICIES.map(|(word, _)| word);
    let modes = ENFORCEMENT_MODES.map(|(word, _)| word);
    [
        ("on_error", words(&policies, "The failure policy.")),
        ("onFailure", words(&["block", "continue"], "Claude Code's word for `on_error`.")),
        ("failClosed", json!({"type": "boolean", "description": "Cursor's word for `on_error: closed`."})),
        ("mode", words(&modes, "In `shadow` the hook is called and its verdict recorded, but not enforced.")),
    ]
    .into_iter()
    .map(|(key, schema)| (key.to_owned(), schema))
    .collect()
}

/// Settings of The Harness Framework. Groups of Claude Code may be beside its entries.
pub(super) fn framework() -> Value {
    let mut entry = failure_keys();
    entry.extend([
        (
            String::from("path"),
            json!({"type": "string", "description": "The script, relative to the directory of this file."}),
        ),
        (String::from("timeout"), json!({"type": "number", "description": "Time limit of one call, in milliseconds."})),
        (String::from("matcher"), json!({"description": "The fields of the payload that the hook is for."})),
    ]);
    let own = json!({"type": "object", "properties": entry, "required": ["path"], "additionalProperties": false});
    let item = json!({"anyOf": [own, {"type": "object", "required": ["hooks"]}]});
    let events: Map<String, Value> = harness_framework::ROWS
        .iter()
        .map(|def| {
            let description = def.canonical.def().fires_when;
            (
                def.name.to_owned(),
                json!({"type": "array", "items": {"$ref": "#/$defs/entry"}, "description": description}),
            )
        })
        .collect();
    json!({
        "type": "object",
        "properties": {"hooks": {"type": "object", "properties": events}},
        "$defs": {"entry": item},
    })
}

/// The hook files of the clients.
pub(super) fn client_settings() -> Vec<FileSchema> {
    let has_files = |client: &&&ClientDef| {
        client.dialect.is_some() && client.files.iter().any(|place| place.path.ends_with("json"))
    };
    CLIENTS
        .iter()
        .filter(has_files)
        .map(|client| {
            new_schema(
                &format!("{}-hooks", client.name),
                &["settings.json", "hooks.json"],
                "Hooks of a coding agent.",
                client_schema(client),
            )
        })
        .collect()
}

fn client_schema(client: &ClientDef) -> Value {
    let mut handler = Map::new();
    let unsupported = client.settings.not_carried_over.iter().map(|(key, ..)| *key);
    for key in client.settings.handler_keys().chain(unsupported).chain(HANDLER_KEYS) {
        handler.insert(key.to_owned(), json!({}));
    }
    let kinds: Vec<&str> = client.settings.kinds.iter().map(|(word, _)| *word).collect();
    handler.insert(String::from("type"), json!({"enum": kinds, "description": "What the hook is."}));
    for (key, description) in [
        ("timeout", "Time limit of one call."),
        ("command", "The command line."),
        ("name", "The hook's name in messages."),
    ] {
        if let Some(schema) = handler.get_mut(key) {
            *schema = json!({"description": description});
        }
    }
    let item = match client.settings.layout {
        HookLayout::Flat => {
            handler.insert(String::from("matcher"), json!({"description": "The tools that the hook is for."}));
            json!({"type": "object", "properties": handler, "additionalProperties": false})
        }
        HookLayout::Groups => {
            let hook = json!({"type": "object", "properties": handler, "additionalProperties": false});
            let mut group: Map<String, Value> = GROUP_KEYS.iter().map(|key| ((*key).to_owned(), json!({}))).collect();
            group.insert(String::from("hooks"), json!({"type": "array", "items": hook, "description": "The hooks."}));
            group.insert(
                String::from("matcher"),
                json!({"description": "The tools or subjects that the hooks are for."}),
            );
            // Entries with a `path` belong to The Harness Framework.
            json!({"anyOf": [{"type": "object", "properties": group, "additionalProperties": false}, {"type": "object", "required": ["path"]}]})
        }
    };
    let events: Map<String, Value> = client
        .hook_events()
        .map(|def| {
            let description = def.canonical.map_or("", |kind| kind.def().fires_when);
            (
                def.name.to_owned(),
                json!({"type": "array", "items": {"$ref": "#/$defs/entry"}, "description": description}),
            )
        })
        .collect();
    json!({
        "type": "object",
        "properties": {"hooks": {"type": "object", "properties": events}},
        "$defs": {"entry": item},
    })
}
