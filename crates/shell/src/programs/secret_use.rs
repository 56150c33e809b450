//! Secrets among the arguments of a program: which options only use them, and what is asked of the others.

use super::program::ProgramUse;
use super::table::ProgramFacts;
use crate::OperationTag::{ProbableSecret, Secret};
use crate::walk::{CommandWalk, ProgramCall, TextFlow, TextTaint};
use crate::word_lists::is_listed;
use crate::{Operation, OperationKind};

/// Options, without their dashes, by which any program uses a file without showing it.
const USES: &str = "ca-cert cacert cafile cert certfile cert-file client-cert client-certificate client-key credential-file \
     credentials credentials-file defaults-extra-file defaults-file dotenv-file dotenv-path env-file env-from-file env-path \
     envfile env_file exclude from-env-file from-file identity identity-file ignore key key-file keyfile keystore ks kubeconfig \
     netrc-file passphrase-file passin password-file passwordfile private-key private-key-file secret secrets-file \
     service-account-key-file ssh-key ssl-cert ssl-certfile ssl-key ssl-keyfile tls-cert tls-cert-file tls-key \
     tls-key-file tlscert tlskey tls-private-key-file var-file vault-id vault-password-file values";
/// Options whose value is a file with names, of programs that show nothing of their other arguments.
const LISTS: &str = "-f --file --files-from --files0-from";

/// Whether a program only uses the value of an option.
fn only_uses(facts: &ProgramFacts, option: &str) -> bool {
    let name = option.trim_start_matches('-');
    option.starts_with('-') && (is_listed(USES, name) || is_listed(facts.used_options, name))
}

/// An argument that may be a file: the option that it is the value of, and the file.
fn file_of<'a>(before: Option<&'a str>, text: &'a str) -> Option<(&'a str, &'a str)> {
    let option = before.filter(|before| before.starts_with('-') && !before.contains('=')).unwrap_or_default();
    let (option, file) = match (text.split_once('='), text.get(2..)) {
        (Some((name, value)), _) if name.starts_with('-') || !name.contains(['/', '.']) => (name, value),
        (_, Some(glued)) if text.starts_with('-') && !text.starts_with("--") => (text.get(..2)?, glued),
        _ => (option, text),
    };
    let file = file.strip_prefix('@').unwrap_or(file);
    (!file.is_empty() && !file.starts_with('-') && !file.contains([' ', '\n'])).then_some((option, file))
}

/// Adds the reading of each secret among the arguments of which no operation says anything: whether the program shows it
/// is not known. `first` is the number of the first operation of the call.
pub(super) fn push_unclear_secrets(
    walk: &mut CommandWalk<'_>,
    call: &ProgramCall<'_>,
    facts: &ProgramFacts,
    first: usize,
    flow: &mut TextFlow,
) {
    // The commands of PowerShell add their own operations.
    if call.name.starts_with('&') || facts.is("no-reader") {
        return;
    }
    let shows_lists_only = matches!(
        facts.def.as_ref().map(|def| def.usage),
        Some(ProgramUse::Text | ProgramUse::Prints | ProgramUse::Quiet)
    );
    let mut before = None;
    for arg in call.args {
        let found = file_of(before.replace(arg.text.as_str()), &arg.text);
        let Some((option, file)) = found.filter(|(option, _)| !only_uses(facts, option)) else { continue };
        if shows_lists_only && !is_listed(LISTS, option) {
            continue;
        }
        let file = arg.with_text(file);
        let placed = walk.place(&file);
        if !placed.tags.iter().any(|tag| matches!(tag, Secret | ProbableSecret)) {
            continue;
        }
        let path = placed.path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let says = |operation: &Operation| {
            let is_named = operation.written == file.shown() || operation.path.is_some() && operation.path == path;
            is_named && operation.kind != OperationKind::Download
        };
        if walk.operations.iter().skip(first).any(says) {
            continue;
        }
        let mut operation = Operation::new(OperationKind::Read, call.name).written(file.shown()).tag(ProbableSecret);
        (operation.path, operation.place) = (path, Some(placed.place));
        walk.push(operation);
        flow.taint |= TextTaint::FILE | TextTaint::SECRET;
    }
}
