//! `harness.md`: the agent's own file.

use pintle_contract::{CompactionSpec, ExitSpec, HistorySpec, MetaSpec, RetrySpec};

use super::{FieldSection, field};

pub(super) fn all_sections() -> Vec<FieldSection> {
    vec![
        root_section(),
        model_section(),
        retry_section(),
        context_section(),
        compaction_section(),
        policy_section(),
        delegation_section(),
        verify_policy_section(),
        meta_section(),
        network_section(),
        exit_section(),
    ]
}

fn root_section() -> FieldSection {
    FieldSection {
        title: "harness.md",
        about: "The agent's own file. The body is its instruction.",
        fields: vec![
            field("name", "text", "`root`", "The agent's name."),
            field("description", "text", "none", "What the agent does."),
            field("model", "text or mapping", "none", "Its model: a name, or a mapping as below."),
            field("models", "list", "none", "Further models that its child agents may name."),
            field("context", "mapping", "as below", "How much of the conversation is sent."),
            field("tools", "list", "none", "Tools as above, each with its `name`."),
            field("tools_policy", "mapping", "all tools", "Which tools may be used."),
            field(
                "hooks",
                "list",
                "none",
                "Hooks as above, each with its `handler`. A hook file of the same name replaces one.",
            ),
            field("delegation", "mapping", "as below", "Limits on delegation."),
            field("meta", "mapping", "disabled", "Limits on self-augmentation."),
            field("network", "mapping", "nowhere", "Where scripts may connect to."),
            field("exit_policy", "mapping", "as below", "When a turn may end."),
            field("compaction", "mapping", "as below", "When the conversation is compacted."),
            field(
                "permission_mode",
                "`strict`, `balanced`, `restricted`, `autonomous`",
                "none",
                "What happens to a call that no hook decided, as with `--permission-mode`; without a mode it runs. If a mode asks, the hooks of `permission.ask` run first.",
            ),
            field(
                "redact_secrets",
                "true or false",
                "false",
                "Whether secrets are redacted on the tape, as with `--redact-secrets`. `false` does not turn off redaction that the user or the organisation requires.",
            ),
            field("version", "text", "none", "Reserved: read, but without effect."),
            field("serve", "any", "none", "Not supported: start the agent with `pintle run`."),
            field("artifact_sources", "any", "none", "Not supported: copy the artifacts into `.harness/`."),
            field("trusted_sources", "any", "none", "Not supported: copy the artifacts into `.harness/`."),
        ],
    }
}

fn model_section() -> FieldSection {
    FieldSection {
        title: "model",
        about: "A language model and how to reach it.",
        fields: vec![
            field("name", "text", "`gpt-4o`", "The model's name."),
            field(
                "provider",
                "text",
                "`openai`",
                "Its provider: `openai`, `anthropic`, `gemini`, `ollama`, … or `script` for a scripted one.",
            ),
            field("base_url", "text", "the provider's", "The server's address."),
            field("api_key_env", "text", "the provider's", "The environment variable that holds the key."),
            field("max_tokens", "whole number", "the provider's", "The maximum number of tokens of one reply."),
            field("temperature", "number", "the provider's", "The sampling temperature, from 0 to 2."),
            field("retry", "mapping", "as below", "What to do if a call fails."),
        ],
    }
}

fn retry_section() -> FieldSection {
    let retry = RetrySpec::default();
    FieldSection {
        title: "model.retry",
        about: "How often and how fast a failed model call is retried.",
        fields: vec![
            field("max_retries", "whole number", retry.max_retries, "Attempts after the first."),
            field("initial_backoff_ms", "whole number", retry.initial_backoff_ms, "The first delay, in milliseconds."),
            field("max_backoff_ms", "whole number", retry.max_backoff_ms, "The longest delay, in milliseconds."),
            field("multiplier", "number", retry.multiplier, "By how much each delay is multiplied."),
        ],
    }
}

fn context_section() -> FieldSection {
    let history = HistorySpec::default();
    FieldSection {
        title: "context",
        about: "How much of the conversation is sent.",
        fields: vec![
            field("max_history", "whole number", history.max_messages, "The maximum number of messages."),
            field("max_tokens", "whole number", history.max_tokens, "The maximum number of tokens, estimated."),
            field("system_prompt", "text", "none", "The instruction; ignored if the file has a body."),
            field(
                "sources",
                "any",
                "none",
                "Not supported: put the text into the body, or read the files with a tool.",
            ),
        ],
    }
}

fn compaction_section() -> FieldSection {
    let compaction = CompactionSpec::default();
    FieldSection {
        title: "compaction",
        about: "When the conversation is compacted: as it nears the model's window, or when the model rejects it as too long.",
        fields: vec![
            field("enabled", "true or false", compaction.enabled, "Whether it is compacted automatically."),
            field(
                "threshold",
                "number",
                compaction.threshold,
                "The share of the window, above 0 up to 1, at which the conversation is compacted.",
            ),
            field(
                "context_limit",
                "whole number",
                "the model's",
                "The window in tokens; without it an unknown model's window is never full.",
            ),
        ],
    }
}

fn policy_section() -> FieldSection {
    FieldSection {
        title: "tools_policy",
        about: "Which tools may be used. Patterns with `*` and `?`; `deny` wins. A tool that is not allowed is hidden from the model.",
        fields: vec![
            field(
                "mode",
                "`allowlist`, `denylist`",
                "by `allow`",
                "Only what `allow` names, or everything but what `deny` names. A list in `allow` implies `allowlist`.",
            ),
            field("allow", "list of texts", "none", "Patterns of allowed tools."),
            field("deny", "list of texts", "none", "Patterns of denied tools."),
        ],
    }
}

fn delegation_section() -> FieldSection {
    FieldSection {
        title: "delegation",
        about: "Limits on delegation.",
        fields: vec![
            field("max_depth", "whole number", 3, "How deep agents may delegate; 0 forbids it, 5 is the maximum."),
            field("max_concurrent", "whole number", 5, "How many child agents run at once."),
            field(
                "iterations_per_depth",
                "list of whole numbers",
                "`[20, 10, 5, 3]`",
                "The maximum number of model calls of a child agent, by depth; the last applies to deeper ones.",
            ),
            field(
                "verify",
                "Starlark",
                "none",
                "The source that defines `run(result)`, which every delegation must pass.",
            ),
            field("max_verify_retries", "whole number", 2, "Attempts after a failed verification."),
            field("verify_policy", "mapping", "none", "The same in another notation."),
        ],
    }
}

fn verify_policy_section() -> FieldSection {
    FieldSection {
        title: "delegation.verify_policy",
        about: "Another notation for `max_verify_retries`, which takes precedence.",
        fields: vec![
            field("max_retries", "whole number", 2, "Attempts after a failed verification."),
            field("on_exhausted", "any", "none", "Reserved: read, but without effect."),
            field("timeout_per_attempt", "any", "none", "Reserved: read, but without effect."),
        ],
    }
}

fn meta_section() -> FieldSection {
    let meta = MetaSpec::default();
    FieldSection {
        title: "meta",
        about: "Limits on self-augmentation: what an agent may register while it runs, under the hooks of `meta.*`.",
        fields: vec![
            field("enabled", "true or false", meta.enabled, "Whether self-augmentation is allowed."),
            field("max_tools", "whole number", meta.max_tools, "Tools that may be registered."),
            field("max_hooks", "whole number", meta.max_hooks, "Hooks that may be registered."),
            field("max_agents", "whole number", meta.max_agents, "Agents that may be registered."),
            field("max_call_depth", "whole number", meta.max_call_depth, "How deep `meta.call_tool` may nest."),
        ],
    }
}

fn network_section() -> FieldSection {
    FieldSection {
        title: "network",
        about: "Where scripts may connect to. Redirects and resolved addresses are checked too, and private ranges are denied unless listed.",
        fields: vec![field(
            "allowed_domains",
            "list of texts",
            "none",
            "`example.com` with its sub-domains, `*.example.com` without the domain itself, `*` for all.",
        )],
    }
}

fn exit_section() -> FieldSection {
    let exit = ExitSpec::default();
    FieldSection {
        title: "exit_policy",
        about: "When a turn may end. `agent.stop` is fired in every mode.",
        fields: vec![
            field(
                "mode",
                "`natural`, `done_tool`, `hook`, `hybrid`",
                "`natural`",
                "What ends a turn: the model's final text, the `done` tool, the hooks of `agent.stop`, or both.",
            ),
            field(
                "max_iterations",
                "whole number",
                exit.max_iterations,
                "The maximum number of model calls in one turn.",
            ),
            field(
                "on_max_iterations",
                "`error`, `warn_and_exit`, `continue_with_warning`",
                "`error`",
                "What happens at that limit: the turn fails, it ends with the current text, or it continues once more with a warning to the model.",
            ),
            field(
                "block_fails_turn",
                "true or false",
                exit.block_fails_turn,
                "Whether a deny of `agent.stop` fails the turn instead of making the agent continue.",
            ),
        ],
    }
}
