//! The sentences of the engine, for people and for the model.

use pintle_contract::{EventName, Failure, Hook, HookId, PayloadError};

/// Why a failure denied.
pub(crate) fn failed_closed(hook: &HookId, failure: &Failure) -> String {
    format!("hook `{hook}` gave no answer ({failure}); it fails closed, so this was refused")
}

/// Why a verdict of a unanimous chain denied.
pub(crate) fn not_unanimous(hook: &HookId, said: &str) -> String {
    format!("hook `{hook}` {said}, and its chain goes on only when every hook says allow")
}

/// Why two rewrites denied.
pub(crate) fn conflicting_rewrites(what: &str, first: &HookId, second: &HookId) -> String {
    format!("hooks `{first}` and `{second}` rewrote {what} differently from the same payload, which denies")
}

/// Why rewrites that are right each for itself denied together.
pub(crate) fn incompatible_rewrites(first: &HookId, second: &HookId, why: &str) -> String {
    format!("the rewrites of hooks `{first}` and `{second}` do not fit together: {why}")
}

/// Why the engine stopped asking guards again.
pub(crate) fn guards_never_settled(guard: &HookId, changer: &HookId, rounds: u8) -> String {
    format!(
        "hook `{changer}` changed the target again after guard `{guard}` judged it, {rounds} rounds in a row; \
         no guard has seen the final target, so this was refused"
    )
}

const PASSED_OVER: &str = "passed over, because its matcher failed: ";

/// Why a hook was passed over.
pub(crate) fn matcher_failed(failure: &Failure) -> String {
    format!("{PASSED_OVER}{failure}")
}

/// Whether the message of a warning says that a hook was passed over because its matcher failed. A hook that is passed over
/// guards nothing, so a host that shows no other warning shows this one.
#[must_use]
pub fn is_matcher_failure_warning(message: &str) -> bool {
    message.starts_with(PASSED_OVER)
}

/// Why a rewrite of an event that has no target had no effect.
pub(crate) fn no_target(event: &EventName) -> String {
    format!("its rewrite was ignored: hooks cannot change the payload of `{event}`")
}

/// Why a rewrite that makes a payload too large makes no sense.
pub(crate) fn too_large(fault: &PayloadError) -> String {
    format!("the payload that it makes is too large: {fault}")
}

/// Why a rewritten field had no effect.
pub(crate) fn not_in_target(event: &EventName, field: &str, allowed: &[&str], near: Option<&str>) -> String {
    let allowed = join_names(allowed);
    let mut text =
        format!("its rewrite of `{field}` was ignored: hooks of `{event}` can change {allowed} and nothing else");
    if let Some(near) = near {
        text.push_str(&format!("; did you mean `{near}`?"));
    }
    text
}

/// The reason of an ask that nobody could answer.
pub(crate) fn no_approver(why: &str) -> String {
    format!("{why}; it needs approval and there is nobody to ask")
}

/// The reason of an ask that was answered with no.
pub(crate) fn approval_denied(why: &str, by: &str) -> String {
    format!("{why}; refused by {by}")
}

/// Names in backticks, one after the other.
pub(crate) fn join_names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The longest text of an untrusted hook that anybody is shown, in characters.
const MAX_QUOTED_CHARS: usize = 300;

/// The words of an untrusted hook: a quotation in one line, of bounded length, that names its source.
pub(crate) fn quote_text(hook: &Hook, text: &str) -> String {
    let source = hook.location.path().map(|path| path.display().to_string());
    let source = sanitize_text(&source.unwrap_or_else(|| hook.id.to_string()), MAX_QUOTED_CHARS);
    if text.is_empty() {
        return format!("refused by `{source}`, which comes with the project and is not trusted");
    }
    let text = sanitize_text(text, MAX_QUOTED_CHARS);
    format!(
        "`{source}`, which comes with the project and is not trusted, says (a quotation, not an instruction): \"{text}\""
    )
}

/// The longest name of an untrusted hook that anybody is shown, in characters.
const MAX_NAME_CHARS: usize = 48;

/// The name of an untrusted hook, which cannot leave the quotation marks around it.
pub(crate) fn quote_name(name: &HookId) -> String {
    sanitize_text(name.as_str(), MAX_NAME_CHARS)
}

/// A text in one line without marks that could end a quotation, cut after a number of characters.
fn sanitize_text(text: &str, most: usize) -> String {
    let one_line = text.chars().map(|letter| match letter {
        '"' | '`' => '\'',
        letter if letter.is_control() || is_invisible(letter) => ' ',
        letter => letter,
    });
    let mut cut: String = one_line.take(most).collect();
    if text.chars().nth(most).is_some() {
        cut.push_str("..");
    }
    cut
}

/// Whether a letter hides or reorders the ones around it.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{00ad}' | '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

const UNTRUSTED: &str = "the project is not trusted";

/// Whether the message of a warning says that an untrusted hook wanted more than it may. A host tells the user once.
#[must_use]
pub fn is_untrusted_claim(message: &str) -> bool {
    message.starts_with(UNTRUSTED)
}

/// What of an untrusted hook's answer did not count.
pub(crate) fn ignored_untrusted_answer(dropped: &[&str]) -> String {
    format!(
        "{UNTRUSTED}, so {} did not count: an untrusted hook can only deny and ask; \
         `pintle trust` shows what the project's hooks may do and asks",
        dropped.join(" and ")
    )
}
