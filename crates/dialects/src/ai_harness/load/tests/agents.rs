//! Sub-agents.

use super::*;

#[test]
fn references_of_agents_are_looked_up_and_dangling_ones_are_errors() {
    let child = "---\ndescription: helps\nmodel: small\ntools:\n  - t\n  - shell\n  - tt\n  - {name: own, description: Own., script: x}\nhooks:\n  - a\n  - aa\n  - {handler: mine, event: tool.pree, priority: 1, script: x}\n  - {handler: good, event: tool.pre, priority: 1, script: x}\n---\nDo it.\n";
    let root = "---\nmodel: {name: large, provider: ollama, max_tokens: 7}\ntools_policy: {deny: [exec]}\nnetwork: {allowed_domains: [example.com]}\n---\nHi.\n";
    let project = read(&[
        (ArtifactKind::Harness, "harness", root),
        (ArtifactKind::Agent, "child", child),
        (ArtifactKind::Hook, "a", HOOK),
        (ArtifactKind::Tool, "t", "---\nscript: x\n---\nOne.\n"),
    ]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "agents/child.md:7:5: error: agent `child` refers to tool `tt`, which does not exist | did you mean `t`?",
            "agents/child.md:11:5: error: agent `child` refers to hook `aa`, which does not exist | did you mean `a`?",
            "agents/child.md:12:28: error: agent child: hooks[0].event \"tool.pree\" is invalid | did you mean `tool.pre`?",
        ]
    );
    let root = project.agent.unwrap();
    let child = &root.agents[0];
    assert_eq!(child.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["own", "t"]);
    assert_eq!(
        child.policy,
        ToolsPolicy {
            mode: PolicyMode::Allowlist,
            allow: ["own", "t", "shell"].map(String::from).to_vec(),
            deny: vec![String::from("exec")]
        }
    );
    assert_eq!(child.hooks.iter().map(|hook| hook.name.as_str()).collect::<Vec<_>>(), ["good"]);
    let model = child.model.as_ref().unwrap();
    assert_eq!((model.name.as_str(), model.provider.as_str(), model.max_tokens), ("small", "ollama", Some(7)));
    assert_eq!(child.network, root.network);
    assert_eq!(project.unplaced.len(), 1);
}

#[test]
fn agents_of_the_own_file_are_as_those_of_agent_files() {
    let own = "---\nname: a\nagents:\n  - name: helper\n    description: helps\n    system_prompt: You help.\n    tools: [fetch]\n    hooks:\n      - {handler: guard, event: tool.pre, priority: 1, script: \"def handle(event, payload): return block('no')\"}\n  - name: reviewer\n    system_prompt: Old.\n---\nHi.\n";
    let fetch =
        "---\nparameters: {url: {type: string}, count: {type: int}, all: {type: bool}}\nscript: x\n---\nFetches.\n";
    let reviewer = "---\ndescription: reviews\n---\nYou review.\n";
    let project = read(&[
        (ArtifactKind::Harness, "harness", own),
        (ArtifactKind::Tool, "fetch", fetch),
        (ArtifactKind::Agent, "reviewer", reviewer),
    ]);
    assert_eq!(findings(&project, Severity::Error), Vec::<String>::new());
    let agent = project.agent.unwrap();
    let parameters = &agent.tools[0].parameters["properties"];
    assert_eq!((&parameters["count"]["type"], &parameters["all"]["type"]), (&"integer".into(), &"boolean".into()));
    let [helper, reviewer] = &agent.agents[..] else { panic!("{:?}", agent.agents) };
    assert_eq!((helper.name.as_str(), helper.instruction.as_str()), ("helper", "You help."));
    assert_eq!((helper.tools.len(), helper.hooks.len()), (1, 1));
    assert_eq!((reviewer.name.as_str(), reviewer.instruction.trim()), ("reviewer", "You review."));
}

#[test]
fn slips_in_an_agent_of_the_own_file_are_errors() {
    for (agent, wanted) in [
        ("description: x", "has no `name`"),
        ("{name: x, hook: []}", "hook"),
        ("{name: x, tools_policy: {mode: allowlist}}", "an agent cannot have its own `tools_policy`"),
    ] {
        let own = format!("---\nname: a\nagents:\n  - {agent}\n---\nHi.\n");
        let found = findings(&read(&[(ArtifactKind::Harness, "harness", &own)]), Severity::Error);
        assert!(found.len() == 1 && found[0].contains(wanted), "{agent}: {found:?}");
    }
}
