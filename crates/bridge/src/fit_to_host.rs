//! Fits a decision to what the host supports: an unsupported action becomes the nearest stricter one, with a notice.

use pintle_host::Decision;

use crate::{ActionSupport, HookAction, HostDecision, HostSupport};

/// The reason of a denial without one.
const NO_REASON: &str = "a hook denied this without giving a reason";

/// Fits a decision to the host.
#[must_use]
pub(crate) fn fit_to_host(mut decision: HostDecision, support: &HostSupport) -> HostDecision {
    fit_changes(&mut decision, support);
    fit_decision(&mut decision, support);
    fit_context(&mut decision, support);
    if decision.decision != Decision::Allow && decision.reason.trim().is_empty() {
        decision.reason = String::from(NO_REASON);
    }
    decision
}

/// Fits changed inputs and results.
fn fit_changes(decision: &mut HostDecision, support: &HostSupport) {
    let is_approved = decision.is_approved && decision.decision == Decision::Allow;
    let rewrite = match support.rewrite {
        ActionSupport::WithApprovalOnly(_) if is_approved => ActionSupport::Supported,
        ability => ability,
    };
    if decision.input.is_some() && drops_change(decision, HookAction::Rewrite, rewrite) {
        decision.input = None;
    }
    if decision.output.is_some() && drops_change(decision, HookAction::Output, support.output) {
        decision.output = None;
    }
}

/// Whether the host cannot make a change; the decision then says what happens instead.
fn drops_change(decision: &mut HostDecision, verb: HookAction, ability: ActionSupport) -> bool {
    match ability {
        ActionSupport::Supported | ActionSupport::Approximated(_) => return false,
        // The run ends, which was decided when the hooks ran.
        ActionSupport::RunEndedInstead(_) if verb == HookAction::Output => {}
        ActionSupport::DeniedInstead(reason) | ActionSupport::WithApprovalOnly(reason) => {
            force_denial(decision, &format!("a hook changed this, but {reason}"));
        }
        ability => notify_dropped(decision, verb, ability, None),
    }
    true
}

fn fit_decision(decision: &mut HostDecision, support: &HostSupport) {
    if let Some(why) = &decision.stop
        && !matches!(support.stop, ActionSupport::Supported | ActionSupport::Approximated(_))
    {
        let why = why.clone();
        decision.stop = None;
        notify_dropped(decision, HookAction::Stop, support.stop, Some(&why));
    }
    if decision.decision == Decision::Ask {
        match support.ask {
            ActionSupport::Supported | ActionSupport::Approximated(_) => {}
            ActionSupport::DeniedInstead(why) | ActionSupport::WithApprovalOnly(why) => {
                let asked = std::mem::take(&mut decision.reason);
                force_denial(decision, &format!("{asked} ({why}, so this is denied)"));
            }
            ability => {
                decision.decision = Decision::Allow;
                let reason = std::mem::take(&mut decision.reason);
                notify_dropped(decision, HookAction::Ask, ability, Some(&reason));
            }
        }
    }
    if decision.decision == Decision::Deny
        && !matches!(
            support.deny,
            ActionSupport::Supported | ActionSupport::Approximated(_) | ActionSupport::RunEndedInstead(_)
        )
    {
        decision.decision = Decision::Allow;
        let reason = std::mem::take(&mut decision.reason);
        notify_dropped(decision, HookAction::Deny, support.deny, Some(&reason));
    }
    if !matches!(support.approve, ActionSupport::Supported | ActionSupport::Approximated(_))
        || decision.decision != Decision::Allow
    {
        // Dropping the approval is the stricter choice.
        decision.is_approved = false;
    }
    if decision.decision == Decision::Deny {
        decision.input = None;
        decision.output = None;
    }
}

fn fit_context(decision: &mut HostDecision, support: &HostSupport) {
    if decision.context.is_empty() {
        return;
    }
    match support.context {
        // A denial has only one text for the model.
        ActionSupport::Supported | ActionSupport::Approximated(_) if decision.is_denied() => {
            let context = std::mem::take(&mut decision.context);
            decision.reason = format!("{}\n\n{}", decision.reason, context.join("\n\n")).trim().to_owned();
        }
        ActionSupport::Supported | ActionSupport::Approximated(_) => {}
        ability => {
            let context = std::mem::take(&mut decision.context).join("\n\n");
            notify_dropped(decision, HookAction::Context, ability, Some(&context));
        }
    }
}

/// Denies, whatever was decided before.
fn force_denial(decision: &mut HostDecision, reason: &str) {
    if decision.is_denied() && !decision.reason.is_empty() {
        decision.reason.push_str("; ");
        decision.reason.push_str(reason);
    } else {
        decision.reason = reason.to_owned();
    }
    decision.decision = Decision::Deny;
}

/// Tells the user that an action has no effect.
fn notify_dropped(decision: &mut HostDecision, verb: HookAction, ability: ActionSupport, action: Option<&str>) {
    let reason = match ability {
        ActionSupport::NotifiesUser(reason) | ActionSupport::Dropped(reason) => reason,
        _ => "this event does not support it",
    };
    let action = action.map(|action| format!(": {action}")).unwrap_or_default();
    decision.notices.push(format!("pintle: a hook's `{}` has no effect here: {reason}{action}", verb.as_str()));
}
