//! What hooks decided, narrowed to what a host can do: where it cannot, the nearest stricter thing, and that is said.

use pintle::Decision;

use crate::{Abilities, Ability, Ruling, Verb};

/// What stands for a reason that nobody gave.
const NO_REASON: &str = "a hook denied this and gave no reason";

/// Narrows a ruling.
#[must_use]
pub(crate) fn narrowed(mut ruling: Ruling, can: &Abilities) -> Ruling {
    inputs(&mut ruling, can);
    decision(&mut ruling, can);
    texts(&mut ruling, can);
    if ruling.decision != Decision::Allow && ruling.reason.trim().is_empty() {
        ruling.reason = String::from(NO_REASON);
    }
    ruling
}

/// Changed inputs and results.
fn inputs(ruling: &mut Ruling, can: &Abilities) {
    if ruling.input.is_some() {
        let approved = ruling.approved && ruling.decision == Decision::Allow;
        match can.rewrite {
            Ability::Does | Ability::Nearly(_) => {}
            Ability::OnlyApproved(_) if approved => {}
            Ability::Denies(why) | Ability::OnlyApproved(why) => {
                ruling.input = None;
                deny(ruling, &format!("a hook changed this, and {why}"));
            }
            ability => {
                ruling.input = None;
                lost(ruling, Verb::Rewrite, ability, None);
            }
        }
    }
    if ruling.output.is_some() {
        match can.output {
            Ability::Does | Ability::Nearly(_) => {}
            // The run is ended, which was decided where the hooks were heard.
            Ability::Ends(_) => ruling.output = None,
            Ability::Denies(why) | Ability::OnlyApproved(why) => {
                ruling.output = None;
                deny(ruling, &format!("a hook changed this, and {why}"));
            }
            ability => {
                ruling.output = None;
                lost(ruling, Verb::Output, ability, None);
            }
        }
    }
}

fn decision(ruling: &mut Ruling, can: &Abilities) {
    if let Some(why) = &ruling.stop
        && !matches!(can.stop, Ability::Does | Ability::Nearly(_))
    {
        let why = why.clone();
        ruling.stop = None;
        lost(ruling, Verb::Stop, can.stop, Some(&why));
    }
    if ruling.decision == Decision::Ask {
        match can.ask {
            Ability::Does | Ability::Nearly(_) => {}
            Ability::Denies(why) | Ability::OnlyApproved(why) => {
                let asked = std::mem::take(&mut ruling.reason);
                deny(ruling, &format!("{asked} ({why}, so this is denied)"));
            }
            ability => {
                ruling.decision = Decision::Allow;
                let reason = std::mem::take(&mut ruling.reason);
                lost(ruling, Verb::Ask, ability, Some(&reason));
            }
        }
    }
    if ruling.decision == Decision::Deny && !matches!(can.deny, Ability::Does | Ability::Nearly(_) | Ability::Ends(_)) {
        ruling.decision = Decision::Allow;
        let reason = std::mem::take(&mut ruling.reason);
        lost(ruling, Verb::Deny, can.deny, Some(&reason));
    }
    if !matches!(can.approve, Ability::Does | Ability::Nearly(_)) || ruling.decision != Decision::Allow {
        // Less is approved than could be, which is the stricter thing.
        ruling.approved = false;
    }
    if ruling.decision == Decision::Deny {
        ruling.input = None;
        ruling.output = None;
    }
}

fn texts(ruling: &mut Ruling, can: &Abilities) {
    if ruling.context.is_empty() {
        return;
    }
    match can.context {
        // A deny has one text for the model.
        Ability::Does | Ability::Nearly(_) if ruling.is_denied() => {
            let context = std::mem::take(&mut ruling.context);
            ruling.reason = format!("{}\n\n{}", ruling.reason, context.join("\n\n")).trim().to_owned();
        }
        Ability::Does | Ability::Nearly(_) => {}
        ability => {
            let context = std::mem::take(&mut ruling.context).join("\n\n");
            lost(ruling, Verb::Context, ability, Some(&context));
        }
    }
}

/// Denies, whatever was decided.
fn deny(ruling: &mut Ruling, why: &str) {
    if ruling.is_denied() && !ruling.reason.is_empty() {
        ruling.reason.push_str("; ");
        ruling.reason.push_str(why);
    } else {
        ruling.reason = why.to_owned();
    }
    ruling.decision = Decision::Deny;
}

/// Tells the person what nothing comes of.
fn lost(ruling: &mut Ruling, verb: Verb, ability: Ability, what: Option<&str>) {
    let why = match ability {
        Ability::Tells(why) | Ability::Lost(why) => why,
        _ => "it means nothing at this event",
    };
    let what = what.map(|what| format!(": {what}")).unwrap_or_default();
    ruling.notices.push(format!("pintle: a hook said `{}`, and {why}{what}", verb.as_str()));
}
