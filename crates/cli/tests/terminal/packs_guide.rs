//! The guides about packs and own rules: their policies load, and their commands print what they say.

use std::fs;
use std::path::Path;

use pintle_host::packs::default_packs;

use crate::fixture::CliFixture;

/// The user's policy, as the guide names it.
const POLICY: &str = "~/.config/pintle/policy.yaml";

fn read_guide(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide").join(name)).unwrap()
}

/// The fenced blocks of a page: the language and the text.
fn fenced_blocks(page: &str) -> Vec<(&str, &str)> {
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.split_once('\n')).collect()
}

/// The words of a command line; single quotes keep words together.
fn split_words(line: &str) -> Vec<&str> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(index, part)| if index % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_policy_loads_and_every_command_prints_what_the_guides_say() {
    for (name, expected) in [("packs.md", (2, 6)), ("own-rules.md", (3, 2))] {
        assert_eq!(check_guide(name), expected, "{name}");
    }
}

/// The numbers of policies and of commands that are as the page says.
fn check_guide(name: &str) -> (usize, usize) {
    let page = read_guide(name);
    let mut fixture = CliFixture::new_empty();
    let own = fixture.path("own").display().to_string();
    fs::create_dir_all(&own).unwrap();
    let mut counts = (0, 0);
    for (language, block) in fenced_blocks(&page) {
        if language == "yaml" {
            fixture = fixture.with_file("own/policy.yaml", block);
            let (out, err, status) =
                fixture.pintle(&["validate"]).with_variable("PINTLE_CONFIG_DIR", &own).run_to_parts();
            assert_eq!(status, Some(0), "{block}{out}{err}");
            counts.0 += 1;
            continue;
        }
        for session in block.split("$ pintle ").skip(1) {
            let (line, shown) = session.split_once('\n').unwrap();
            let words = split_words(line);
            let invocation = fixture.pintle(&words).with_variable("PINTLE_CONFIG_DIR", &own);
            let printed = squeeze(&invocation.run_to_parts().0.replace("own/policy.yaml", POLICY));
            let mut rest = printed.as_str();
            for part in shown.split("...").map(squeeze).filter(|part| !part.is_empty()) {
                let found = rest.find(&part);
                assert!(found.is_some(), "{line}: `{part}` is not in\n{printed}");
                rest = rest.get(found.unwrap() + part.len()..).unwrap_or_default();
            }
            assert!(shown.contains("...") || rest.is_empty(), "{line}: the guide does not show `{rest}`");
            counts.1 += 1;
        }
    }
    counts
}

#[test]
fn every_default_pack_is_in_the_guide() {
    let page = read_guide("packs.md");
    for pack in default_packs() {
        assert!(page.contains(&format!("\n| `{}` | ", pack.name)), "{}", pack.name);
    }
}
