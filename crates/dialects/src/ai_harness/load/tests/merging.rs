//! What happens when things meet under one name, and bundles.

use super::*;

#[test]
fn a_file_replaces_the_inline_hook_of_its_name_at_its_place() {
    let inline = "---\nhooks:\n  - {handler: a, event: turn.end, priority: 1, script: old}\n  - {handler: b, event: turn.end, priority: 1, script: x}\n---\nHi.\n";
    let project = read(&[(Role::Harness, "harness", inline), (Role::Hook, "a", HOOK)]);
    assert_eq!(names(&project), ["a", "b"]);
    assert_eq!(project.hooks[0].event.as_str(), "tool.pre");
    assert_eq!(findings(&project, Severity::Note), ["hooks/a.md:2:8: note: hook `a` replaces the one at harness.md:3"]);
}

#[test]
fn two_files_of_one_name_both_run_with_a_warning() {
    let inline = "---\nhooks:\n  - {handler: a, event: turn.end, priority: 1, script: old}\n---\nHi.\n";
    let project = read(&[
        (Role::Harness, "harness", inline),
        (Role::Hook, "a", HOOK),
        (Role::Bundle(Folder::Plugins), "p", &bundle("a")),
    ]);
    assert_eq!(names(&project), ["a", "a"]);
    assert_eq!(
        findings(&project, Severity::Warning),
        [
            "plugins/p.md:4:12: warning: hook `a` is declared more than once, and each runs | the other is at hooks/a.md:2; rename one, or put one into `overrides/` to replace the other"
        ]
    );
}

#[test]
fn overrides_replace_whatever_has_their_name() {
    let project = read(&[
        (Role::Bundle(Folder::Overrides), "o", &bundle("a")),
        (Role::Hook, "a", HOOK),
        (Role::Hook, "b", HOOK),
        (Role::Bundle(Folder::Builtins), "p", &bundle("a")),
        (Role::Tool, "t", "---\nscript: old\n---\nOld.\n"),
        (Role::Bundle(Folder::Overrides), "tools", "---\ntools:\n  - {name: t, description: New., script: new}\n---\n"),
    ]);
    assert_eq!(names(&project), ["a", "b"]);
    assert_eq!(project.hooks[0].location.path(), Some(Path::new("overrides/o.md")));
    assert_eq!(project.agent.as_ref().unwrap().tools[0].description, "New.");
    assert_eq!(
        findings(&project, Severity::Note)
            .into_iter()
            .filter(|finding| finding.contains("replaces"))
            .collect::<Vec<_>>(),
        [
            "overrides/o.md:4:12: note: hook `a` replaces the one at hooks/a.md:2",
            "overrides/tools.md:3:5: note: tool `t` replaces the one at tools/t.md:2"
        ]
    );
}

#[test]
fn two_tools_of_one_name_are_an_error() {
    let project = read(&[
        (Role::Tool, "t", "---\nscript: x\n---\nOne.\n"),
        (Role::Bundle(Folder::Root), "b", "---\ntools: [{name: t, script: x}]\n---\n"),
    ]);
    assert_eq!(
        findings(&project, Severity::Error),
        [
            "b.md:2:9: error: tool \"t\" is defined more than once | the other is at tools/t.md:2; rename one, or put one into `overrides/` to replace the other"
        ]
    );
    assert_eq!(project.agent.unwrap().tools.len(), 1);
}

#[test]
fn a_bundle_that_declares_nothing_or_a_condition_is_pointed_out() {
    let conditional = "---\nname: pack\ntype: plugin\nversion: 1.0.0\ntags: [a]\ncondition: \"False\"\nhooks:\n  - {handler: h, event: tool.pre, priority: 1, script: x}\n---\n";
    let fenced = "---\nname: pack\n---\n```yaml\n- event: tool.pre\n```\n";
    let project = read(&[
        (Role::Bundle(Folder::Plugins), "a", conditional),
        (Role::Bundle(Folder::Plugins), "b", fenced),
        (Role::Bundle(Folder::Plugins), "c", HOOK),
    ]);
    assert_eq!(names(&project), ["h"]);
    assert_eq!(
        findings(&project, Severity::Warning)[..3],
        [
            "plugins/a.md:6:12: warning: `condition` is not supported yet | its hooks always run; give each hook its own `when`",
            "plugins/b.md:2:1: warning: bundle `b` declares no hooks and no tools | list them under `hooks:` and `tools:` in the frontmatter; fenced blocks in the body are not read",
            "plugins/c.md:2:1: warning: bundle `c` declares no hooks and no tools | move the file to `hooks/`",
        ]
    );
}
