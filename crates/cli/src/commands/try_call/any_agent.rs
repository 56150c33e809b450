//! An agent that speaks Pintle's own words and can do whatever hooks decide: what a call is tried with if no agent is
//! named. It runs no hooks itself, so the hooks of every dialect are called.

use pintle_bridge::{HostDef, HostEventDef};
use pintle_host::clients::host::{ActionSupport, HostSupport};
use pintle_host::clients::{EncodeContext, PayloadStyle, matcher::MatcherSyntax, shared_events, shared_keys};
use pintle_host::tools::PINTLE;
use serde_json::Value;

static STYLE: PayloadStyle = PayloadStyle {
    base: shared_keys::SESSION,
    tools: &PINTLE,
    matcher: MatcherSyntax::NamesOrExpression,
    response: no_response,
    read_keys: &[],
    adjust_context: pintle_host::clients::event_def::unchanged_context,
};

static BEFORE_TOOL: HostSupport = HostSupport {
    deny: ActionSupport::Supported,
    ask: ActionSupport::Supported,
    approve: ActionSupport::Supported,
    rewrite: ActionSupport::Supported,
    context: ActionSupport::Supported,
    stop: ActionSupport::Supported,
    ..HostSupport::OBSERVE_ONLY
};

static EVENTS: [HostEventDef; 1] =
    [shared_events::pre_tool_use(&STYLE).answered(&BEFORE_TOOL, |_, _| pintle_bridge::HostResponse::empty())];

pub(in crate::commands) static ANY_AGENT: HostDef =
    HostDef { name: "any", title: "the agent", tools: &PINTLE, events: &EVENTS, ..HostDef::COMMON };

fn no_response(_context: &EncodeContext<'_>) -> Value {
    Value::Null
}
