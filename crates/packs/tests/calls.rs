//! Calls of tools that Pintle does not know, such as those of MCP servers, and what all packs make of them.

use std::path::Path;

use pintle_contract::ToolKind;
use pintle_packs::{PackSettings, RuleSeverity, judge, packs};
use pintle_shell::{CallSite, operations_of_call};

#[test]
fn every_call_is_judged_as_it_says() {
    let site = CallSite {
        cwd: Path::new("/home/ana/code/shop"),
        project: Path::new("/home/ana/code/shop"),
        home: Some(Path::new("/home/ana")),
        resolve: None,
    };
    let settings = PackSettings::new();
    let mut counts = [0_usize; 2];
    let mut wrong = String::new();
    for line in include_str!("calls.txt").lines().filter(|line| !line.is_empty() && !line.starts_with("# ")) {
        let mut parts = line.splitn(3, ' ');
        let (label, tool, args) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let must_stop = match label {
            "stop" => true,
            "pass" => false,
            _ => panic!("`stop` or `pass` is missing in front of `{line}`"),
        };
        counts[usize::from(must_stop)] += 1;
        let args = serde_json::from_str(args).unwrap_or_else(|error| panic!("{line}: {error}"));
        let kind = if tool.starts_with("mcp__") { ToolKind::Mcp } else { ToolKind::Other };
        let operations = operations_of_call(kind, tool, &args, &site);
        let rules: Vec<String> = packs()
            .iter()
            .flat_map(|pack| judge(pack, &settings, &operations))
            .filter(|finding| finding.severity > RuleSeverity::Warn)
            .map(|finding| finding.rule_name())
            .collect();
        if must_stop == rules.is_empty() {
            wrong.push_str(&format!("{line}\n    rules {rules:?}\n    {operations:?}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(counts.iter().all(|count| *count >= 60), "{counts:?}");
}
