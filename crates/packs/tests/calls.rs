//! Calls of tools other than shells, such as those of MCP servers, and what all packs make of them: `calls.txt`.

use crate::fixture;

use pintle_contract::ToolKind;
use pintle_packs::packs;
use pintle_shell::operations_of_call;

#[test]
fn every_call_is_judged_as_it_says() {
    let wrong =
        fixture::find_misjudged(include_str!("calls.txt"), &packs().iter().collect::<Vec<_>>(), |call, site| {
            let (tool, args) = call.split_once(' ').unwrap();
            let args = serde_json::from_str(args).unwrap_or_else(|error| panic!("{call}: {error}"));
            let kind = match tool {
                "shell" | "powershell" => ToolKind::Shell,
                "grep" | "glob" => ToolKind::Search,
                "write" => ToolKind::Write,
                "edit" => ToolKind::Edit,
                "read" => ToolKind::Read,
                "delete" => ToolKind::Delete,
                tool if tool.starts_with("mcp__") => ToolKind::Mcp,
                _ => ToolKind::Other,
            };
            operations_of_call(kind, tool, &args, site)
        });
    assert!(wrong.is_empty(), "\n{wrong}");
}
