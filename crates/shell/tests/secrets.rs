//! What is a secret: the table of files, the names of variables, and the programs that show them.

use std::path::Path;

use pintle_shell::OperationTag::{self, ProbableSecret, Secret};
use pintle_shell::{CallSite, Operation, OperationKind, ShellLanguage, operations_of_command};

fn operations(command: &str) -> Vec<Operation> {
    let site =
        CallSite::new(Path::new("/home/ana/shop"), Path::new("/home/ana/shop")).with_home(Some(Path::new("/home/ana")));
    operations_of_command(command, ShellLanguage::Bash, &site)
}

/// What is known of a file that is read: `Secret`, `ProbableSecret` or nothing.
fn tag_of_read(path: &str) -> Option<OperationTag> {
    let all = operations(&format!("cat '{path}'"));
    assert!(all.iter().all(|operation| operation.kind == OperationKind::Read), "{path}: {all:?}");
    let has = |tag| all.iter().any(|operation| operation.has(tag));
    [Secret, ProbableSecret].into_iter().find(|tag| has(*tag))
}

#[test]
fn every_row_of_the_table_is_found() {
    let mut wrong = Vec::new();
    let rows =
        include_str!("../src/paths/secrets.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    for row in rows {
        let fields: Vec<&str> = row.split(" | ").collect();
        assert!(fields.len() == 3 && fields.iter().all(|field| !field.is_empty()), "{row}");
        let path = fields.first().unwrap_or(&"").trim_start_matches(['?', '!']).replace("**", "x").replace('*', "x");
        let expected = match row.chars().next() {
            Some('?') => Some(ProbableSecret),
            Some('!') => None,
            _ => Some(Secret),
        };
        let places = match path.split_once('/') {
            Some(("~", rest)) => vec![format!("/home/ana/{rest}"), format!("/root/{rest}")],
            Some(("@", rest)) => [".config", ".local/share", "Library/Application Support", "AppData/Roaming"]
                .iter()
                .map(|directory| format!("/home/ana/{directory}/{rest}"))
                .collect(),
            Some(("", _)) => vec![path],
            _ => vec![format!("/home/ana/shop/a/{path}"), format!("/home/ana/shop/a/{}", path.to_uppercase())],
        };
        wrong.extend(places.into_iter().filter(|place| tag_of_read(place) != expected).map(|place| (row, place)));
    }
    // Two rows name the place of one file with different weight.
    wrong.retain(|(row, place)| !(row.starts_with("?@/crush/") && place.contains(".local/share")));
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn names_beside_secrets_are_none() {
    let harmless = ".env.example .env.sample .env.template config.json auth.js secrets.md tests/fixtures/ca.pem ca.pem \
         certs/fullchain.pem docs/public-key.pem ~/.gnupg/gpg.conf ~/.ssh/id_rsa.pub ~/.ssh/known_hosts variables.tf \
         src/token.rs src/credentials.ts environment.yml ~/.config/gh/config.yml ~/.codex/config.toml \
         ~/.claude/settings.json ~/.claude/CLAUDE.md ~/.gemini/settings.json .claude/commands/x.md apps.json hosts.json \
         ~/.config/opencode/opencode.json id.json src/keys.py keyboard.key.ts kaggle.py local.settings.json.example";
    for path in harmless.split_whitespace() {
        assert_eq!(tag_of_read(&path.replace('~', "/home/ana")), None, "{path}");
    }
    let probable = "terraform.tfvars prod.auto.tfvars .envrc .npmrc tests/fixtures/server.key ~/.claude.json ~/.codex";
    for path in probable.split_whitespace() {
        assert_eq!(tag_of_read(&path.replace('~', "/home/ana")), Some(ProbableSecret), "{path}");
    }
}

#[test]
fn a_pattern_is_a_secret_if_it_asks_for_one() {
    let tag = |line: &str| {
        let all = operations(line);
        [Secret, ProbableSecret].into_iter().find(|tag| all.iter().any(|operation| operation.has(*tag)))
    };
    for line in ["cat .e*", "cat .[e]nv", "cat *.pem", "cat ~/.ssh/*", "cat ~/.config/gh/*", "cat ~/.aws/c*"] {
        assert_eq!(tag(line), Some(Secret), "{line}");
    }
    for line in ["cat *config*", "cat c*", "cat *.json", "cat config/*", "cat *txt", "cat *-cert.pem", "cat src/*"] {
        assert_eq!(tag(line), None, "{line}");
    }
}
