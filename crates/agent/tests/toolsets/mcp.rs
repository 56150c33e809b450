//! `mcp`: the tools of a server among those of a member.

use pintle_host::contract::{McpSpec, McpTransport, ToolsetKind, ToolsetSpec};
use serde_json::json;

use crate::support::*;
use crate::toolsets::bench::{make_calls, member_spec, toolset_spec};

/// A server with a tool that echoes a line of its environment and one that claims to be read-only.
const SERVER: &str = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"},"instructions":"Be kind."}}';;
    *'"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"say","description":"Says.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}},{"name":"look","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}';;
    *'"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[{"type":"text","text":"'$GIVEN'"}]}}';;
  esac
done
"#;

fn server_toolset(name: &str, program: &str) -> ToolsetKind {
    ToolsetKind::Mcp(McpSpec {
        name: name.to_owned(),
        transport: McpTransport::Stdio {
            command: program.to_owned(),
            arguments: vec![String::from("-c"), SERVER.to_owned()],
            environment: vec![(String::from("GIVEN"), String::from("given${env.PINTLE_NO_SUCH_VARIABLE}"))],
            directory: None,
        },
    })
}

#[test]
fn tools_of_a_server_are_called_by_its_name_and_guarded_like_all_others() {
    let guard = hook("guard", "tool.pre", |call| match call.event.subject() {
        Some("kind_look") => pintle_host::Verdict::deny("do not look"),
        _ => pintle_host::Verdict::pass(),
    });
    let calls = [
        ("kind_say", json!({"text": "x"})),
        ("kind_look", json!({})),
        ("kind_say", json!({})),
        ("say", json!({"text": "x"})),
    ];
    let (results, fixture) =
        make_calls(member_spec([toolset_spec(server_toolset("kind", "/bin/sh"))]), [guard], |_| {}, &calls);
    assert_eq!(results[0], (String::from("given"), false));
    assert!(results[1].1 && results[1].0.contains("do not look"), "{results:?}");
    assert!(results[2].1 && results[2].0.contains("`text` is required"), "{results:?}");
    assert!(results[3].1 && results[3].0.contains("not found"), "{results:?}");
    let pre = fixture.seen.payloads_of("tool.pre");
    assert_eq!((&pre[0]["category"], pre[0].get("read_only")), (&json!("mcp"), None));
    assert_eq!(pre[1]["read_only"], json!(true));
    assert!(message_lines(&fixture.model.request(0))[0].contains("Be kind."));
}

#[test]
fn server_is_narrowed_by_own_names_and_a_failing_one_is_left_out() {
    let sets = [
        ToolsetSpec { tools: vec![String::from("say")], ..toolset_spec(server_toolset("kind", "/bin/sh")) },
        toolset_spec(server_toolset("gone", "pintle-no-such-program")),
        toolset_spec(ToolsetKind::Think),
    ];
    let (_, fixture) = make_calls(member_spec(sets), [], |_| {}, &[]);
    assert_eq!(fixture.session.tools(), ["kind_say", "think"]);
}
