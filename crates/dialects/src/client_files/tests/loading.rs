//! Files to declarations and diagnostics. A case is a section: its heading is the file's path, its first block the
//! file, its second one a line for each hook and each diagnostic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pintle_contract::{HandlerSpec, HookDeclaration, MatcherSpec, Profile, SourceFile};
use pintle_testkit::read_cases;

use crate::{Artifact, ArtifactKind, ParseContext};
use pintle_clients::recognise;

/// The result for a case's file, one line each.
fn describe_file(path: &str, text: &str) -> String {
    let file = Arc::new(SourceFile { path: PathBuf::from(path), text: text.to_owned() });
    let file_kind = recognise(Path::new(path), text).unwrap_or_else(|| panic!("{path} is nobody's"));
    let role = ArtifactKind::Client(file_kind);
    let artifact = Artifact { role, name: String::new(), file };
    let project = (role.dialect().load)(&[artifact], &ParseContext::default());
    let hooks = project.hooks.iter().map(describe_hook);
    let findings = project.diagnostics.iter().map(|diagnostic| {
        let help = diagnostic.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        diagnostic.to_string().replace(path, "") + &help
    });
    hooks.chain(findings).map(|line| line + "\n").collect()
}

fn describe_hook(hook: &HookDeclaration) -> String {
    let runs = match &hook.handler {
        HandlerSpec::Command(spec) => {
            let parts = [
                spec.arguments.as_ref().map(|arguments| format!("{} {arguments:?}", spec.command)),
                spec.arguments.is_none().then(|| format!("{:?}", spec.command)),
                spec.shell.as_ref().map(|shell| format!("by {shell}")),
                (!spec.environment.is_empty()).then(|| format!("with {:?}", spec.environment)),
                spec.directory.as_ref().map(|directory| format!("in {directory}")),
            ];
            parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
        HandlerSpec::Http(spec) => format!("POST {} {:?} {:?}", spec.url, spec.headers, spec.allowed_environment),
        HandlerSpec::Model(spec) => format!("ask {}: {:?}", spec.model, spec.prompt),
        other => format!("{other:?}"),
    };
    let matcher = match &hook.matcher {
        None => String::from("all"),
        Some(MatcherSpec::Compiled(matcher)) => matcher.describe(),
        Some(other) => format!("{other:?}"),
    };
    let failure = match hook.on_error {
        Some(written) => format!("{written:?}!"),
        None => format!("{:?}", hook.default_on_error),
    };
    let flags = [(hook.background, " background"), (hook.profile != Profile::ParallelStrictest, " sequential")];
    let flags: String = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| *flag).collect();
    let line = hook.location.line_column().unwrap().0;
    format!(
        "{line}: {} = {} `{}` of [{matcher}] {runs} {} ms {failure}{flags}",
        hook.event_alias,
        hook.event,
        hook.name,
        hook.timeout_ms.unwrap()
    )
}

/// The heading and the blocks of each section.
fn sections(page: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    page.split("\n## ").skip(1).map(|section| {
        let (path, rest) = section.split_at(section.find('\n').unwrap());
        let blocks = rest.split("\n```").skip(1).step_by(2);
        (path.trim(), blocks.map(|block| block.split_once('\n').map_or("", |(_, text)| text)).collect())
    })
}

#[test]
fn each_file_gives_its_hooks_and_tells_what_it_cannot_carry_over() {
    let mut wrong = Vec::new();
    for (name, page) in read_cases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/client_files/tests/loading"), "md")
    {
        let mut count = 0;
        for (path, blocks) in sections(&page) {
            count += 1;
            let found = describe_file(path, blocks[0]);
            if found.trim() != blocks.get(1).copied().unwrap_or_default().trim() {
                wrong.push(format!("{name}, {path}:\n{}\n---\n{found}", blocks[0]));
            }
        }
        assert!(count > 0, "{name} has no cases");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
