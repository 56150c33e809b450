//! Sessions that fire every event of the example.

use std::sync::Arc;

use pintle_host::contract::{AgentSpec, TeamSpec};

use super::session_runner::{SessionScript, UserAction};

pub(super) const ALL: &[&SessionScript] = &[&TOOLS, &COMPACTION, &OVERFLOW, &ERROR, &LOOP, &LIMIT, &TEAM];

/// Leaves the example's team unchanged.
fn leave_unchanged(_team: &mut TeamSpec) {}

fn change_root(team: &mut TeamSpec, change: impl FnOnce(&mut AgentSpec)) {
    if let Some(root) = team.agents.first_mut() {
        change(Arc::make_mut(root));
    }
}

/// Tool calls: allowed, denied, rewritten, read-only, and one that needs approval.
pub(super) const TOOLS: SessionScript = SessionScript {
    name: "tools",
    arrange: leave_unchanged,
    model: r#"
turns:
  - expect:
      system: ["Session log: /tmp/agent-session.log", "Here is useful information about the environment", "Today's date: ", "Be brief.", "A project of two notes."]
    calls: [{tool: shell, args: {cmd: echo hello}}]
  - {expect: {tool: shell, contains: hello}, say: It said hello.}
  - calls: [{tool: shell, args: {cmd: rm -rf /tmp/test}}]
  - {expect: {tool: shell, contains: HOOK BLOCKED}, say: I may not.}
  - calls: [{tool: shell, args: {cmd: sudo apt update}}]
  - {expect: {tool: shell, contains: HOOK BLOCKED}, say: I may not do that either.}
  - calls: [{tool: shell, args: {cmd: ls}}]
  - {expect: {tool: shell, contains: notes.txt}, say: Three files.}
  - calls: [{tool: read_file, args: {path: notes.txt}}]
  - {expect: {tool: read_file, contains: three}, say: Three lines.}
  - calls: [{tool: shell, args: {cmd: touch made.txt}}]
  - {expect: {tool: shell, contains: requires user confirmation}, say: Nobody said yes.}
  - {expect: {last: user, system: "Hook hint: agent log files live under /tmp/agent-*.log"}, say: In /tmp.}
"#,
    steps: &[
        UserAction::Say("Run: echo hello"),
        UserAction::Say("Run: rm -rf /tmp/test"),
        UserAction::Say("Run: sudo apt update"),
        UserAction::Say("List files in current dir"),
        UserAction::Say("Read the notes"),
        UserAction::Say("Run: touch made.txt"),
        UserAction::Say("Where are the logs?"),
    ],
    failed_turns: &[],
    logs: "
/tmp/agent-llm-calls.log
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=15 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=11 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=26 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=13 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=13 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=1 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=17 chars
[DATE] [→] tools llm call starting
[DATE] [←] tools llm call complete, content=9 chars
/tmp/agent-permissions.log
[DATE] permission request: touch made.txt
/tmp/agent-prompts.log
[DATE] [tools] Run: echo hello
[DATE] [tools] Run: rm -rf /tmp/test
[DATE] [tools] Run: sudo apt update
[DATE] [tools] List files in current dir
[DATE] [tools] Read the notes
[DATE] [tools] Run: touch made.txt
[DATE] [tools] Where are the logs?
/tmp/agent-responses.log
[DATE] Session tools - response length: 15 chars
[DATE] Session tools - response length: 11 chars
[DATE] Session tools - response length: 26 chars
[DATE] Session tools - response length: 13 chars
[DATE] Session tools - response length: 13 chars
[DATE] Session tools - response length: 17 chars
[DATE] Session tools - response length: 9 chars
/tmp/agent-session.log
🚀 Session tools started at DATE
👋 Session tools ended (reason: stream_ended) at DATE
/tmp/agent-turns.log
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=continue)
[DATE] [←] tools root turn ended (reason=normal)
[DATE] [←] tools root turn ended (reason=normal)
",
};

/// A conversation that grows over the threshold, then one that the user compacts.
///
/// The token counts are those of the last call as the model counted them, in and out, plus an estimate of the messages
/// since: four plus a quarter of their letters. 120,000 + 10, and 8 for the second question of 18 letters. No message
/// follows the second answer, so it is 900 + 5. The output counts all calls so far: 10, then 5 more and the 3 of the
/// summary's ten letters.
pub(super) const COMPACTION: SessionScript = SessionScript {
    name: "compaction",
    arrange: leave_unchanged,
    model: r#"
turns:
  - {say: The first answer., usage: {input: 120000, output: 10}}
  - {expect: {contains: "When summarizing, please preserve any TODOs, file paths, and command outputs verbatim."}, say: A summary.}
  - {say: The second answer., usage: {input: 900, output: 5}}
  - {expect: {contains: "When summarizing, please preserve any TODOs, file paths, and command outputs verbatim."}, say: Another summary.}
"#,
    steps: &[UserAction::Say("A first question."), UserAction::Say("A second question."), UserAction::Compact],
    failed_turns: &[],
    logs: "
/tmp/agent-compactions.log
[DATE] compaction compacting (source=auto)
[DATE] [→] compacting (reason=threshold, in=120018, out=10, ctx=128000)
[DATE] [✓] compacted (reason=threshold, 120018+10 tokens → 11 chars summary)
[DATE] compaction compacting (source=manual)
[DATE] [→] compacting (reason=manual, in=905, out=18, ctx=128000)
[DATE] [✓] compacted (reason=manual, 905+18 tokens → 17 chars summary)
/tmp/agent-llm-calls.log
[DATE] [→] compaction llm call starting
[DATE] [←] compaction llm call complete, content=18 chars
[DATE] [→] compaction llm call starting
[DATE] [←] compaction llm call complete, content=19 chars
/tmp/agent-prompts.log
[DATE] [compaction] A first question.
[DATE] [compaction] A second question.
/tmp/agent-responses.log
[DATE] Session compaction - response length: 18 chars
[DATE] Session compaction - response length: 19 chars
/tmp/agent-session.log
🚀 Session compaction started at DATE
👋 Session compaction ended (reason: stream_ended) at DATE
/tmp/agent-turns.log
[DATE] [←] compaction root turn ended (reason=normal)
[DATE] [←] compaction root turn ended (reason=normal)
",
};

/// A model that rejects a conversation as too long.
///
/// 513 is what the first call counted, 500 + 5, and 8 for the second question, see [`COMPACTION`]; the rejected call
/// counted nothing. The rejected iteration ended with an error, and the one that replaced it did not.
pub(super) const OVERFLOW: SessionScript = SessionScript {
    name: "overflow",
    arrange: leave_unchanged,
    model: r#"
turns:
  - {say: The first answer., usage: {input: 500, output: 5}}
  - {error: {message: "this model's maximum context length is 128000 tokens"}}
  - {expect: {contains: "When summarizing, please preserve any TODOs, file paths, and command outputs verbatim."}, say: A summary., usage: {input: 520, output: 3}}
  - {say: The second answer., usage: {input: 300, output: 5}}
"#,
    steps: &[UserAction::Say("A first question."), UserAction::Say("A second question.")],
    failed_turns: &[],
    logs: "
/tmp/agent-compactions.log
[DATE] overflow compacting (source=overflow)
[DATE] [→] compacting (reason=overflow, in=513, out=5, ctx=128000)
[DATE] [✓] compacted (reason=overflow, 513+5 tokens → 11 chars summary)
/tmp/agent-llm-calls.log
[DATE] [→] overflow llm call starting
[DATE] [←] overflow llm call complete, content=18 chars
[DATE] [→] overflow llm call starting
[DATE] [→] overflow llm call starting
[DATE] [←] overflow llm call complete, content=19 chars
/tmp/agent-prompts.log
[DATE] [overflow] A first question.
[DATE] [overflow] A second question.
/tmp/agent-responses.log
[DATE] Session overflow - response length: 18 chars
[DATE] Session overflow - response length: 19 chars
/tmp/agent-session.log
🚀 Session overflow started at DATE
👋 Session overflow ended (reason: stream_ended) at DATE
/tmp/agent-turns.log
[DATE] [←] overflow root turn ended (reason=normal)
[DATE] [←] overflow root turn ended (reason=error)
[DATE] [←] overflow root turn ended (reason=normal)
",
};

/// A model that repeats the same call forever.
///
/// Documented reasons of `session_end` are `clear`, `logout`, `prompt_input_exit`, `stream_ended` and `other`. No
/// stream ended by itself here, and the user did not leave, so `other` remains, as for every session that ends with an
/// error.
pub(super) const LOOP: SessionScript = SessionScript {
    name: "loop",
    arrange: leave_unchanged,
    model: r#"
turns:
  - &same {calls: [{tool: shell, args: {cmd: pwd}}], usage: {input: 10, output: 1}}
  - *same
  - *same
  - *same
  - *same
"#,
    steps: &[UserAction::Say("Where are you?")],
    failed_turns: &["Agent terminated: detected 5 consecutive identical calls to shell. This indicates a degenerate loop where the model is not making progress."],
    logs: "
/tmp/agent-errors.log
[DATE] error: Agent terminated: detected 5 consecutive identical calls to shell. This indicates a degenerate loop where the model is not making progress.
/tmp/agent-llm-calls.log
[DATE] [→] loop llm call starting
[DATE] [←] loop llm call complete, content=1 chars
[DATE] [→] loop llm call starting
[DATE] [←] loop llm call complete, content=1 chars
[DATE] [→] loop llm call starting
[DATE] [←] loop llm call complete, content=1 chars
[DATE] [→] loop llm call starting
[DATE] [←] loop llm call complete, content=1 chars
[DATE] [→] loop llm call starting
[DATE] [←] loop llm call complete, content=1 chars
/tmp/agent-notifications.log
[DATE] [error] Agent terminated: detected 5 consecutive identical calls to shell. This indicates a degenerate loop where the model is not making progress.
/tmp/agent-prompts.log
[DATE] [loop] Where are you?
/tmp/agent-session.log
🚀 Session loop started at DATE
👋 Session loop ended (reason: other) at DATE
/tmp/agent-turns.log
[DATE] [←] loop root turn ended (reason=continue)
[DATE] [←] loop root turn ended (reason=continue)
[DATE] [←] loop root turn ended (reason=continue)
[DATE] [←] loop root turn ended (reason=continue)
[DATE] [←] loop root turn ended (reason=loop_detected)
",
};

/// A model that fails.
pub(super) const ERROR: SessionScript = SessionScript {
    name: "error",
    arrange: leave_unchanged,
    model: "turns: [{error: {message: the model is gone}}]",
    steps: &[UserAction::Say("Hello?")],
    failed_turns: &["the model is gone"],
    logs: "
/tmp/agent-errors.log
[DATE] error: the model is gone
/tmp/agent-llm-calls.log
[DATE] [→] error llm call starting
/tmp/agent-notifications.log
[DATE] [error] the model is gone
/tmp/agent-prompts.log
[DATE] [error] Hello?
/tmp/agent-session.log
🚀 Session error started at DATE
👋 Session error ended (reason: other) at DATE
/tmp/agent-turns.log
[DATE] [←] error root turn ended (reason=error)
",
};

/// An agent limited to one model call, unlike the example's.
pub(super) const LIMIT: SessionScript = SessionScript {
    name: "limit",
    arrange: |team| change_root(team, |root| root.exit.max_iterations = 1),
    model: "turns: [{calls: [{tool: shell, args: {cmd: pwd}}]}, {say: unreachable}]",
    steps: &[UserAction::Say("Where are you?")],
    failed_turns: &[],
    logs: "
/tmp/agent-llm-calls.log
[DATE] [→] limit llm call starting
[DATE] [←] limit llm call complete, content=1 chars
/tmp/agent-max-iter.log
[DATE] max-iterations: Maximum iterations reached (1)
/tmp/agent-notifications.log
[DATE] [warning] Maximum iterations reached (1)
/tmp/agent-prompts.log
[DATE] [limit] Where are you?
/tmp/agent-session.log
🚀 Session limit started at DATE
👋 Session limit ended (reason: stream_ended) at DATE
/tmp/agent-turns.log
[DATE] [←] limit root turn ended (reason=continue)
",
};

/// The example's agent with a child agent.
pub(super) const TEAM: SessionScript = SessionScript {
    name: "team",
    arrange: |team| {
        let helper = team.agents.first().map(|root| AgentSpec {
            name: String::from("helper"),
            description: String::from("Helps."),
            hooks: Vec::new(),
            ..root.as_ref().clone()
        });
        team.agents.extend(helper.map(Arc::new));
        change_root(team, |root| {
            if let Some(member) = &mut root.member {
                member.sub_agents = vec![String::from("helper")];
            }
        });
    },
    model: r#"
turns:
  - calls: [{tool: transfer_task, args: {agent: helper, task: Count to three., expected_output: three numbers}}]
  - {expect: {tool: transfer_task, contains: one two three}, say: It can count.}
agents:
  helper:
    - say: one two three
"#,
    steps: &[UserAction::Say("Have somebody count.")],
    failed_turns: &[],
    logs: "
/tmp/agent-llm-calls.log
[DATE] [→] team llm call starting
[DATE] [←] team llm call complete, content=1 chars
[DATE] [→] team llm call starting
[DATE] [←] team llm call complete, content=14 chars
/tmp/agent-prompts.log
[DATE] [team] Have somebody count.
/tmp/agent-responses.log
[DATE] Session team - response length: 14 chars
/tmp/agent-session.log
🚀 Session team started at DATE
👋 Session team ended (reason: stream_ended) at DATE
/tmp/agent-subagents.log
[DATE] helper child=team.delegation_2 parent=team len=14
/tmp/agent-turns.log
[DATE] [←] team root turn ended (reason=continue)
[DATE] [←] team root turn ended (reason=normal)
",
};
