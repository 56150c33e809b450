//! Declarations with the same name, and bundles.

use super::*;

#[test]
fn a_file_replaces_the_inline_hook_of_its_name_at_its_place() {
    let inline = "---\nhooks:\n  - {handler: a, event: turn.end, priority: 1, script: old}\n  - {handler: b, event: turn.end, priority: 1, script: x}\n---\nHi.\n";
    let project = read(&[(ArtifactKind::Harness, "harness", inline), (ArtifactKind::Hook, "a", HOOK)]);
    assert_eq!(names(&project), ["b", "a"], "`harness.md` comes before `hooks/a.md`");
    assert_eq!(project.hooks[1].event.as_str(), "tool.pre");
    assert_eq!(findings(&project, Severity::Note), ["hooks/a.md:2:8: note: hook `a` replaces the one at harness.md:3"]);
}

#[test]
fn two_files_of_one_name_both_run_with_a_warning() {
    let inline = "---\nhooks:\n  - {handler: a, event: turn.end, priority: 1, script: old}\n---\nHi.\n";
    let project = read(&[
        (ArtifactKind::Harness, "harness", inline),
        (ArtifactKind::Hook, "a", HOOK),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "p", &bundle_with_hook("a")),
    ]);
    assert_eq!(names(&project), ["a", "a"]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "plugins/p.md:4:12: warning: hook `a` is declared more than once, and every declaration runs | the other one is at hooks/a.md:2; rename one of them, or move one into `overrides/` to replace the other"
        ]
    );
}

#[test]
fn overrides_replace_whatever_has_their_name() {
    let project = read(&[
        (ArtifactKind::Bundle(BundleFolder::Overrides), "o", &bundle_with_hook("a")),
        (ArtifactKind::Hook, "a", HOOK),
        (ArtifactKind::Hook, "b", HOOK),
        (ArtifactKind::Bundle(BundleFolder::Builtins), "p", &bundle_with_hook("a")),
        (ArtifactKind::Tool, "t", "---\nscript: old\n---\nOld.\n"),
        (
            ArtifactKind::Bundle(BundleFolder::Overrides),
            "tools",
            "---\ntools:\n  - {name: t, description: New., script: new}\n---\n",
        ),
    ]);
    assert_eq!(names(&project), ["b", "a"], "`hooks/b.md` comes before `overrides/o.md`");
    assert_eq!(project.hooks[1].location.path(), Some(Path::new("overrides/o.md")));
    assert_eq!(project.agent.as_ref().unwrap().tools[0].description, "New.");
    assert_eq!(
        findings(&project, Severity::Note)
            .into_iter()
            .filter(|finding| finding.contains("replaces"))
            .collect::<Vec<_>>(),
        [
            "overrides/o.md:4:12: note: hook `a` replaces the one at builtins/p.md:4",
            "overrides/o.md:4:12: note: hook `a` replaces the one at hooks/a.md:2",
            "overrides/tools.md:3:5: note: tool `t` replaces the one at tools/t.md:2"
        ]
    );
}

#[test]
fn two_tools_of_one_name_are_an_error() {
    let project = read(&[
        (ArtifactKind::Tool, "t", "---\nscript: x\n---\nOne.\n"),
        (ArtifactKind::Bundle(BundleFolder::Root), "b", "---\ntools: [{name: t, script: x}]\n---\n"),
    ]);
    assert_eq!(
        findings(&project, Severity::Error),
        [
            "b.md:2:9: error: tool \"t\" is defined more than once | the other one is at tools/t.md:2; rename one of them, or move one into `overrides/` to replace the other"
        ]
    );
    assert_eq!(project.agent.unwrap().tools.len(), 1);
}

#[test]
fn a_bundle_that_declares_nothing_or_a_condition_is_pointed_out() {
    let conditional = "---\nname: pack\ntype: plugin\nversion: 1.0.0\ntags: [a]\ncondition: ctx.x\nhooks:\n  - {handler: h, event: tool.pre, priority: 1, script: x}\n---\n";
    let fenced = "---\nname: pack\n---\n```yaml\n- event: tool.pre\n```\n";
    let project = read(&[
        (ArtifactKind::Bundle(BundleFolder::Plugins), "a", conditional),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "b", fenced),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "c", HOOK),
    ]);
    assert_eq!(names(&project), ["h"]);
    assert_eq!(
        findings(&project, Severity::Warning)[..3],
        [
            "plugins/a.md:6:12: warning: `condition` is decided when it is loaded, and this one cannot be: the hooks of the bundle always run, its tools and its text are left out | only `True`, `False`, `not`, `and` and `or` are decided; give each hook its own `when`, and put tools and text that are always wanted into another bundle",
            "plugins/b.md:2:1: warning: bundle `b` declares no hooks and no tools | list them under `hooks:` and `tools:` in the frontmatter; fenced blocks in the body are ignored",
            "plugins/c.md:2:1: warning: bundle `c` declares no hooks and no tools | move the file to `hooks/`",
        ]
    );
}

#[test]
fn two_hooks_that_an_override_replaces_are_not_said_to_run() {
    let list = |script: &str| {
        format!("---\nhooks:\n  - {{handler: c, event: tool.pre, priority: 1, script: {script}}}\n---\n")
    };
    let (plugin, other) = (list("one"), list("two"));
    let project = read(&[
        (ArtifactKind::Hook, "c", "---\nevent: tool.pre\npriority: 1\nscript: x\n---\n"),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "p", &plugin),
        (ArtifactKind::Bundle(BundleFolder::Overrides), "o", &other),
    ]);
    assert_eq!(names(&project), ["c"]);
    assert_eq!(
        findings(&project, Severity::Note),
        [
            "overrides/o.md:3:25: note: hook `c` replaces the one at plugins/p.md:3",
            "overrides/o.md:3:25: note: hook `c` replaces the one at hooks/c.md:2",
        ]
    );
    let both = read(&[
        (ArtifactKind::Hook, "c", "---\nevent: tool.pre\npriority: 1\nscript: x\n---\n"),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "p", &plugin),
    ]);
    assert!(
        findings(&both, Severity::Warning)[0]
            .contains("hook `c` is declared more than once, and every declaration runs")
    );
}

#[test]
fn hooks_are_handed_on_in_the_order_of_their_paths() {
    let list = |name: &str| {
        format!(
            "---\nhooks:\n  - {{handler: {name}2, event: tool.pre, priority: 1, script: x}}\n  - {{handler: {name}1, event: tool.pre, priority: 1, script: x}}\n---\n"
        )
    };
    let (own, plugin, builtin, over) = (list("own"), list("plugin"), list("builtin"), list("over"));
    let project = read(&[
        (ArtifactKind::Harness, "harness", &own),
        (ArtifactKind::Hook, "h", "---\nevent: tool.pre\npriority: 1\nscript: x\n---\n"),
        (ArtifactKind::Bundle(BundleFolder::Plugins), "p", &plugin),
        (ArtifactKind::Bundle(BundleFolder::Builtins), "b", &builtin),
        (ArtifactKind::Bundle(BundleFolder::Overrides), "o", &over),
    ]);
    let wanted = ["builtin2", "builtin1", "own2", "own1", "h", "over2", "over1", "plugin2", "plugin1"];
    assert_eq!(names(&project), wanted);
}

#[test]
fn plugin_body_is_context_and_its_condition_selects_what_loads() {
    let pack = |condition: &str| {
        format!(
            "---\n{condition}tools:\n  - {{name: t, script: x}}\nhooks:\n  - {{handler: h, event: tool.pre, priority: 1, script: x}}\n---\nBe brief.\n"
        )
    };
    let agent = "---\nname: a\n---\nYou help.\n";
    for (condition, is_wanted, hooks) in [
        ("", true, &["h"][..]),
        ("condition: True\n", true, &["h"]),
        ("condition: not False\n", true, &["h"]),
        // The bundle's own file disables it.
        ("condition: \"False\"\n", false, &[]),
        ("condition: false\n", false, &[]),
        ("condition: not (True or False)\n", false, &[]),
        // Unknown: guards stay enabled.
        ("condition: ctx.x == 1\n", false, &["h"]),
        ("condition: False and ctx.x\n", false, &["h"]),
        ("condition: [False]\n", false, &["h"]),
    ] {
        for dir in [BundleFolder::Plugins, BundleFolder::Overrides] {
            let text = pack(condition);
            let project = read(&[(ArtifactKind::Harness, "harness", agent), (ArtifactKind::Bundle(dir), "p", &text)]);
            let root = project.agent.as_ref().unwrap();
            let wanted = if is_wanted { "You help.\n\nBe brief." } else { "You help." };
            assert_eq!((root.instruction.trim(), root.tools.len()), (wanted, usize::from(is_wanted)), "{condition}");
            assert_eq!(names(&project), hooks, "{condition}");
            assert_eq!(findings(&project, Severity::Warning).len(), usize::from(!is_wanted), "{condition}");
        }
    }
    // The body of a bundle in the root is documentation.
    let text = pack("");
    let project =
        read(&[(ArtifactKind::Harness, "harness", agent), (ArtifactKind::Bundle(BundleFolder::Root), "p", &text)]);
    assert_eq!(project.agent.unwrap().instruction.trim(), "You help.");
    let identity = "---\ntype: harness\n---\nYou are calm.\n";
    let project = read(&[
        (ArtifactKind::Harness, "harness", agent),
        (ArtifactKind::Bundle(BundleFolder::Root), "identity", identity),
    ]);
    assert_eq!(findings(&project, Severity::Warning), Vec::<String>::new());
    assert_eq!(project.agent.unwrap().instruction.trim(), "You help.\n\nYou are calm.");
}

#[test]
fn a_tool_that_the_host_would_put_its_own_in_the_place_of_is_an_error() {
    let tool = "---\nscript: x\n---\nDoes it.\n";
    let declares = "---\nscript: ctx.agent.set_done_flag()\n---\nSays so.\n";
    for (agent, name, tool, is_refused) in [
        ("exit_policy: {mode: hybrid}", "done", tool, true),
        ("exit_policy: {mode: done_tool}", "done", tool, true),
        ("exit_policy: {mode: hybrid}", "done", declares, false),
        ("exit_policy: {mode: done_tool}", "done", declares, false),
        ("exit_policy: {mode: hook}", "done", tool, false),
        ("name: a", "done", tool, false),
        ("name: a", "delegate", tool, true),
        ("name: a", "delegate", declares, true),
        ("name: a", "delegate_async", tool, true),
        ("delegation: {max_depth: 0}", "delegate", tool, false),
        ("name: a", "delegate_task", tool, false),
        ("name: a", "read", tool, false),
    ] {
        let agent = format!("---\n{agent}\n---\nHi.\n");
        let project = read(&[(ArtifactKind::Harness, "harness", &agent), (ArtifactKind::Tool, name, tool)]);
        assert_eq!(findings(&project, Severity::Error).len(), usize::from(is_refused), "{name} {agent}");
    }
}

#[test]
fn an_agent_that_lists_no_tools_has_those_of_the_root() {
    let tool = "---\nscript: x\n---\nDoes it.\n";
    let cases = [("description: kid\n", &["ping"][..]), ("tools: []\n", &[]), ("tools: [ping]\n", &["ping"])];
    for (fields, wanted) in cases {
        let kid = format!("---\n{fields}---\nHelp.\n");
        let project = read(&[(ArtifactKind::Tool, "ping", tool), (ArtifactKind::Agent, "kid", &kid)]);
        let root = project.agent.unwrap();
        let tools: Vec<&str> = root.agents[0].tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(tools, wanted, "{fields}");
    }
}
