//! `harn.toml`.

use super::*;
use crate::document::FileReport;
use crate::harn::{ROWS, UNSUPPORTED, package_files};

fn package(manifest: &str, files: &[&str]) -> ParsedProject {
    package_with(manifest, files, false)
}

fn package_with(manifest: &str, files: &[&str], has_harn: bool) -> ParsedProject {
    let mut artifacts = vec![artifact(ArtifactKind::Package, "pkg/harn.toml", manifest)];
    artifacts.extend(
        files.iter().map(|path| artifact(ArtifactKind::Module, path, "def reject_secrets(event): return None")),
    );
    load(&artifacts, &ParseContext { has_harn, ..ParseContext::default() })
}

const EXAMPLE: &str =
    "[[hooks]]\nevent = \"UserPromptSubmit\"\npattern = \"*\"\nhandler = \"policy::reject_secrets\"\n";

#[test]
fn the_entry_of_the_document_is_declared() {
    for place in ["pkg/policy.star", "pkg/src/policy.star", "pkg/lib/policy.star"] {
        let project = package(EXAMPLE, &[place]);
        assert_eq!(describe_findings(&project), [""; 0], "{place}");
        let wanted = "policy::reject_secrets | prompt.submit | everything | policy.star Exported(\"reject_secrets\")";
        assert_eq!(describe_hooks(&project), [wanted], "{place}");
    }
}

#[test]
fn every_event_is_named_one_to_one() {
    for def in ROWS {
        let written = if def.name == "OnBudgetThreshold" { "OnBudgetThreshold(80)" } else { def.name };
        let manifest = format!("[[hooks]]\nevent = \"{written}\"\nhandler = \"policy::reject_secrets\"\n");
        let project = package(&manifest, &["pkg/policy.star"]);
        assert_eq!(describe_findings(&project), [""; 0], "{written}");
        assert_eq!(project.hooks[0].event.kind(), def.canonical);
    }
    assert_eq!(ROWS.len() + UNSUPPORTED.len(), 42);
    for (name, nearest) in UNSUPPORTED {
        let manifest = format!("[[hooks]]\nevent = \"{name}\"\nhandler = \"policy::reject_secrets\"\n");
        let project = package(&manifest, &["pkg/policy.star"]);
        let wanted =
            format!("2: `{name}` is an event of Harn that Pintle does not fire; the nearest event is `{nearest}`");
        assert_eq!(describe_findings(&project), [wanted]);
        assert!(ROWS.iter().any(|def| def.name == *nearest), "{nearest}");
    }
}

#[test]
fn modules_are_found_by_package_name_and_by_what_is_exported() {
    let manifest = "[package]\nname = \"acme\"\n[exports]\nrules = \"inner/r.star\"\n[[hooks]]\nevent = \"PreToolUse\"\n\
                    pattern = \"tool.name =~ 'write'\"\nhandler = \"acme::policy::reject_secrets\"\n[[hooks]]\n\
                    event = \"PreStep\"\npattern = \"merge_captain.audit\"\nhandler = \"rules::check\"\n[[hooks]]\n\
                    event = \"SessionEnd\"\nhandler = \"deep::er::bye\"\nname = \"farewell\"\n";
    let project = package(manifest, &["pkg/policy.star", "pkg/inner/r.star", "pkg/src/deep/er.star"]);
    assert_eq!(describe_findings(&project), [""; 0]);
    assert_eq!(
        describe_hooks(&project),
        [
            "acme::policy::reject_secrets | tool.pre | tool.name =~ 'write' | policy.star Exported(\"reject_secrets\")",
            "rules::check | step.pre | merge_captain.audit | r.star Exported(\"check\")",
            "farewell | session.end | everything | er.star Exported(\"bye\")",
        ]
    );
}

#[test]
fn functions_of_a_package_are_those_of_its_library() {
    let manifest = "[package]\nname = \"acme\"\n[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"acme::check\"\n";
    for (files, file) in [
        (&["pkg/lib.star"][..], "lib.star"),
        (&["pkg/src/lib.star"], "lib.star"),
        (&["pkg/lib.star", "pkg/acme.star"], "acme.star"),
    ] {
        let project = package(manifest, files);
        assert_eq!(describe_findings(&project), [""; 0], "{files:?}");
        let wanted = format!("acme::check | tool.pre | everything | {file} Exported(\"check\")");
        assert_eq!(describe_hooks(&project), [wanted], "{files:?}");
    }
    let with = package_with(manifest, &["pkg/lib.harn"], true);
    assert_eq!(describe_findings(&with), [""; 0]);
    let HandlerSpec::Command(spec) = &with.hooks[0].handler else { panic!() };
    assert!(spec.command.contains("import { check } from \"./lib\""), "{spec:?}");
    assert_eq!(describe_findings(&package(manifest, &[])).len(), 1);
}

#[test]
fn dependency_hooks_follow_root_hooks_and_carry_their_package_name() {
    let root = format!("[package]\nname = \"app\"\n[dependencies]\nguard = {{ path = \"deps/guard\" }}\n{EXAMPLE}");
    let inner = format!("[package]\nname = \"guard\"\n{EXAMPLE}");
    let local = package_files(Path::new("pkg/harn.toml"), &root).dependencies;
    assert_eq!(local.iter().map(|found| found.folder.as_path()).collect::<Vec<_>>(), [Path::new("deps/guard")]);
    assert_eq!(local[0].location.line_column(), Some((4, 18)));
    let files = [
        artifact(ArtifactKind::Package, "pkg/harn.toml", &root),
        artifact(ArtifactKind::Module, "pkg/policy.star", ""),
        artifact(ArtifactKind::Package, "pkg/deps/guard/harn.toml", &inner),
        artifact(ArtifactKind::Module, "pkg/deps/guard/policy.star", ""),
    ];
    let project = load(&files, &ParseContext::default());
    let names: Vec<&str> = project.hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!(names, ["policy::reject_secrets", "guard::policy::reject_secrets"]);
    let HandlerSpec::Function(spec) = &project.hooks[1].handler else { panic!() };
    assert_eq!(spec.module.location.path(), Some(Path::new("pkg/deps/guard/policy.star")));
}

#[test]
fn every_slip_in_a_manifest_is_pointed_at() {
    for (manifest, wanted) in [
        (
            "[[hooks]]\nevent = \"UserPromptSumbit\"\nhandler = \"policy::f\"\n",
            "2: unknown event `UserPromptSumbit`; did you mean `UserPromptSubmit`?",
        ),
        (
            "[[hooks]]\nevent = \"OnBudgetThreshold\"\nhandler = \"policy::f\"\n",
            "2: `OnBudgetThreshold` needs a threshold in percent; write a number, for example `OnBudgetThreshold(80)`",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\npatern = \"x\"\nhandler = \"policy::f\"\n",
            "3: toml: line 3: unknown key `patern` in hooks[0]; did you mean `pattern`?",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\npattern = \"tool.name =~ '['\"\nhandler = \"policy::f\"\n",
            "3: `[` is not a valid regular expression: unclosed character class; escape a literal character with a backslash",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy.f\"\n",
            "3: `policy.f` is not a module function; write `module::function`, such as `policy::reject_secrets`",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"polcy::f\"\n",
            "3: the package has no module `polcy`; did you mean `policy`?",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"policy::_f\"\n",
            "3: `_f` of module `policy` is private: its name starts with an underscore; name a function that is exported, or rename it",
        ),
        (
            "[[hooks]]\nhandler = \"policy::f\"\n",
            "1: toml: line 1: hooks[0] has no `event`; add a line such as `event = \"UserPromptSubmit\"`",
        ),
        (
            "[[hooks]]\nevent = \"PreToolUse\"\n",
            "1: toml: line 1: hooks[0] has no `handler`; add a line such as `handler = \"policy::reject_secrets\"`",
        ),
        (
            "[[hooks]]\nevent = 3\nhandler = \"policy::f\"\n",
            "2: toml: line 2: event must be a string, not a number; put it in quotes: \"3\"",
        ),
        ("[hooks]\nevent = \"PreToolUse\"\n", "1: toml: line 1: hooks must be a list, not a mapping; "),
        (
            "[[hook]]\nevent = \"PreToolUse\"\n",
            "1: toml: line 1: `hook` of the manifest is ignored; did you mean `hooks`?",
        ),
        (
            "[dependencys]\nother = {path = \"../other\"}\n",
            "1: toml: line 1: `dependencys` of the manifest is ignored; did you mean `dependencies`?",
        ),
        (
            "[package]\nversion = \"1.0\"\nnmae = \"acme\"\n",
            "3: `nmae` of `[package]` is ignored; did you mean `name`?",
        ),
        (
            "[exports]\nrules = \"gone.star\"\n[[hooks]]\nevent = \"PreToolUse\"\nhandler = \"rules::f\"\n",
            "5: module `rules` is exported as `gone.star`, which does not exist or cannot be read; fix the path under `[exports]`; it is relative to the manifest",
        ),
        ("event = \n", "1: toml: line 1: "),
    ] {
        let project = package(manifest, &["pkg/policy.star"]);
        let found = describe_findings(&project);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{manifest}\n{found:#?}");
        assert!(project.hooks.is_empty(), "{manifest}");
        let span = project.diagnostics[0].location.span;
        assert!(span.start < span.end, "{manifest}: no underline");
    }
}

#[test]
fn all_faults_of_all_entries_are_told_at_once() {
    let manifest = "[[hooks]]\nevent = \"Nope\"\npattern = \"[\"\nhandler = \"gone::f\"\n[[hooks]]\nevent = \"PreStep\"\n\
                    pattern = \"[\"\nhandler = \"gone::f\"\nmode = \"shadw\"\n";
    assert_eq!(
        describe_findings(&package(manifest, &[])).len(),
        5,
        "{:#?}",
        describe_findings(&package(manifest, &[]))
    );
}

#[test]
fn a_module_in_harn_needs_its_program_and_runs_through_it_as_a_worker() {
    let without = package(EXAMPLE, &["pkg/policy.harn"]);
    assert_eq!(
        describe_findings(&without),
        [
            "4: cannot run `pkg/policy.harn`: module `policy` is written in Harn, and the program `harn` is not installed; install \
             `harn` on the PATH, or write the module in Starlark as `policy.star`"
        ]
    );
    let with = package_with(EXAMPLE, &["pkg/policy.harn"], true);
    assert_eq!(describe_findings(&with), [""; 0]);
    let HandlerSpec::Command(spec) = &with.hooks[0].handler else { panic!() };
    assert!(spec.keep && spec.directory.as_deref() == Some("pkg"), "{spec:?}");
    assert!(spec.command.starts_with("exec harn run -e 'import { reject_secrets } from \"./policy\"\n"), "{spec:?}");
    // A Starlark module of the name comes first.
    let both = package_with(EXAMPLE, &["pkg/policy.harn", "pkg/lib/policy.star"], true);
    assert!(matches!(both.hooks[0].handler, HandlerSpec::Function(_)));
}

#[test]
fn a_package_that_harn_fetches_is_noted_where_it_stands() {
    let project = package("[dependencies]\nfar = \"1.0\"\nnear = {path = \"near\"}\n", &[]);
    let wanted = "2: hooks of the package `far` are not loaded: Harn downloads the package; write \
                  `far = {path = \"..\"}` to load them from a directory";
    assert_eq!(describe_findings(&project), [wanted]);
    assert_eq!(project.diagnostics[0].severity, pintle_contract::Severity::Note);
}

#[test]
fn a_report_names_its_format() {
    let file = Arc::new(SourceFile { path: "a".into(), text: String::from("x") });
    let report = FileReport::new(file, "").with_format("toml");
    report.value_error("x", "no", ByteSpan { start: 0, end: 1 }, None);
    assert_eq!(report.into_diagnostics()[0].message, "toml: line 1: no");
}
