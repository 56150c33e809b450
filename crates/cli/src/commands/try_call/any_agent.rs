//! An agent that can do whatever hooks decide, in the words of any vocabulary: what a call is tried with if no agent is
//! named. It runs no hooks itself, so the hooks of every dialect are called.

use pintle_bridge::{HostDef, HostEventDef};
use pintle_host::clients::host::{ActionSupport, HostSupport};
use pintle_host::clients::{EncodeContext, PayloadStyle, matcher::MatcherSyntax, shared_events, shared_keys};
use pintle_host::tools::{
    AI_HARNESS, CLAUDE, CLINE, CODEX, COPILOT, COPILOT_AS_CLAUDE, CURSOR, DOCKER_AGENT, DROID, GEMINI, GOOSE, HARN,
    OPENCODE, PI, PINTLE, QWEN, ToolVocabulary,
};
use serde_json::Value;

static BEFORE_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::Supported,
    ask: ActionSupport::Supported,
    approve: ActionSupport::Supported,
    rewrite: ActionSupport::Supported,
    context: ActionSupport::Supported,
    stop: ActionSupport::Supported,
    ..HostSupport::OBSERVE_ONLY
};

/// The agent in Pintle's own words.
pub(in crate::commands) static ANY_AGENT: HostDef = define_agent(&PINTLE, &EVENTS);

static STYLE: PayloadStyle = define_style(&PINTLE);
static EVENTS: [HostEventDef; 1] = [define_event(&STYLE)];

macro_rules! other_agents {
    ($($vocabulary:ident),*) => {
        /// The agents in the words of every other vocabulary.
        static OTHERS: &[&HostDef] = &[$({
            static STYLE: PayloadStyle = define_style(&$vocabulary);
            static EVENTS: [HostEventDef; 1] = [define_event(&STYLE)];
            static AGENT: HostDef = define_agent(&$vocabulary, &EVENTS);
            &AGENT
        }),*];
    };
}
other_agents!(
    AI_HARNESS,
    DOCKER_AGENT,
    HARN,
    CLAUDE,
    CODEX,
    GEMINI,
    QWEN,
    COPILOT,
    COPILOT_AS_CLAUDE,
    CURSOR,
    CLINE,
    GOOSE,
    OPENCODE,
    PI,
    DROID
);

/// The agent that speaks a vocabulary.
pub(in crate::commands) fn agent_speaking(vocabulary: &ToolVocabulary) -> &'static HostDef {
    OTHERS.iter().find(|agent| agent.tools.name == vocabulary.name).copied().unwrap_or(&ANY_AGENT)
}

const fn define_style(tools: &'static ToolVocabulary) -> PayloadStyle {
    PayloadStyle {
        base: shared_keys::SESSION,
        tools,
        matcher: MatcherSyntax::NamesOrExpression,
        response: no_response,
        read_keys: &[],
        adjust_context: pintle_host::clients::event_def::unchanged_context,
    }
}

const fn define_event(style: &'static PayloadStyle) -> HostEventDef {
    shared_events::pre_tool_use(style).answered(&BEFORE_TOOL, |_, _| pintle_bridge::HostResponse::empty())
}

const fn define_agent(tools: &'static ToolVocabulary, events: &'static [HostEventDef]) -> HostDef {
    HostDef { name: "any", title: "the agent", tools, events, ..HostDef::COMMON }
}

fn no_response(_context: &EncodeContext<'_>) -> Value {
    Value::Null
}

#[cfg(test)]
mod tests {
    use pintle_host::tools::VOCABULARIES;

    use super::*;

    #[test]
    fn every_vocabulary_has_an_agent() {
        for vocabulary in VOCABULARIES {
            assert_eq!(agent_speaking(vocabulary).tools.name, vocabulary.name);
        }
    }
}
