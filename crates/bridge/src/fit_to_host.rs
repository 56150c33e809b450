//! Fits a decision to what the host supports: an unsupported action becomes the nearest stricter one, with a notice.

use pintle_host::Decision;

use crate::{ActionSupport, HookAction, HostDecision, HostSupport};

/// The reason of a denial without one.
const NO_REASON: &str = "a hook denied this without giving a reason";

/// Fits a decision to the host.
#[must_use]
pub(crate) fn fit_to_host(mut ruling: HostDecision, can: &HostSupport) -> HostDecision {
    fit_changes(&mut ruling, can);
    fit_decision(&mut ruling, can);
    fit_context(&mut ruling, can);
    if ruling.decision != Decision::Allow && ruling.reason.trim().is_empty() {
        ruling.reason = String::from(NO_REASON);
    }
    ruling
}

/// Fits changed inputs and results.
fn fit_changes(ruling: &mut HostDecision, can: &HostSupport) {
    let is_approved = ruling.is_approved && ruling.decision == Decision::Allow;
    let rewrite = match can.rewrite {
        ActionSupport::WithApprovalOnly(_) if is_approved => ActionSupport::Supported,
        ability => ability,
    };
    if ruling.input.is_some() && drops_change(ruling, HookAction::Rewrite, rewrite) {
        ruling.input = None;
    }
    if ruling.output.is_some() && drops_change(ruling, HookAction::Output, can.output) {
        ruling.output = None;
    }
}

/// Whether the host cannot make a change; the decision then says what happens instead.
fn drops_change(ruling: &mut HostDecision, verb: HookAction, ability: ActionSupport) -> bool {
    match ability {
        ActionSupport::Supported | ActionSupport::Approximated(_) => return false,
        // The run ends, which was decided when the hooks ran.
        ActionSupport::RunEndedInstead(_) if verb == HookAction::Output => {}
        ActionSupport::DeniedInstead(reason) | ActionSupport::WithApprovalOnly(reason) => {
            force_denial(ruling, &format!("a hook changed this, but {reason}"));
        }
        ability => notify_dropped(ruling, verb, ability, None),
    }
    true
}

fn fit_decision(ruling: &mut HostDecision, can: &HostSupport) {
    if let Some(why) = &ruling.stop
        && !matches!(can.stop, ActionSupport::Supported | ActionSupport::Approximated(_))
    {
        let why = why.clone();
        ruling.stop = None;
        notify_dropped(ruling, HookAction::Stop, can.stop, Some(&why));
    }
    if ruling.decision == Decision::Ask {
        match can.ask {
            ActionSupport::Supported | ActionSupport::Approximated(_) => {}
            ActionSupport::DeniedInstead(why) | ActionSupport::WithApprovalOnly(why) => {
                let asked = std::mem::take(&mut ruling.reason);
                force_denial(ruling, &format!("{asked} ({why}, so this is denied)"));
            }
            ability => {
                ruling.decision = Decision::Allow;
                let reason = std::mem::take(&mut ruling.reason);
                notify_dropped(ruling, HookAction::Ask, ability, Some(&reason));
            }
        }
    }
    if ruling.decision == Decision::Deny
        && !matches!(
            can.deny,
            ActionSupport::Supported | ActionSupport::Approximated(_) | ActionSupport::RunEndedInstead(_)
        )
    {
        ruling.decision = Decision::Allow;
        let reason = std::mem::take(&mut ruling.reason);
        notify_dropped(ruling, HookAction::Deny, can.deny, Some(&reason));
    }
    if !matches!(can.approve, ActionSupport::Supported | ActionSupport::Approximated(_))
        || ruling.decision != Decision::Allow
    {
        // Dropping the approval is the stricter choice.
        ruling.is_approved = false;
    }
    if ruling.decision == Decision::Deny {
        ruling.input = None;
        ruling.output = None;
    }
}

fn fit_context(ruling: &mut HostDecision, can: &HostSupport) {
    if ruling.context.is_empty() {
        return;
    }
    match can.context {
        // A denial has only one text for the model.
        ActionSupport::Supported | ActionSupport::Approximated(_) if ruling.is_denied() => {
            let context = std::mem::take(&mut ruling.context);
            ruling.reason = format!("{}\n\n{}", ruling.reason, context.join("\n\n")).trim().to_owned();
        }
        ActionSupport::Supported | ActionSupport::Approximated(_) => {}
        ability => {
            let context = std::mem::take(&mut ruling.context).join("\n\n");
            notify_dropped(ruling, HookAction::Context, ability, Some(&context));
        }
    }
}

/// Denies, whatever was decided before.
fn force_denial(ruling: &mut HostDecision, reason: &str) {
    if ruling.is_denied() && !ruling.reason.is_empty() {
        ruling.reason.push_str("; ");
        ruling.reason.push_str(reason);
    } else {
        ruling.reason = reason.to_owned();
    }
    ruling.decision = Decision::Deny;
}

/// Tells the user that an action has no effect.
fn notify_dropped(ruling: &mut HostDecision, verb: HookAction, ability: ActionSupport, what: Option<&str>) {
    let reason = match ability {
        ActionSupport::NotifiesUser(reason) | ActionSupport::Dropped(reason) => reason,
        _ => "this event does not support it",
    };
    let what = what.map(|what| format!(": {what}")).unwrap_or_default();
    ruling.notices.push(format!("pintle: a hook's `{}` has no effect here: {reason}{what}", verb.as_str()));
}
