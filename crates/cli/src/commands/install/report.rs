//! `pintle install --report`: what each decision of a hook comes to in a host.

use pintle::tape::show::{StyledLine, Tone};
use pintle_bridge::{Ability, Host, Verb};
use serde_json::{Value, json};

use crate::options::Global;
use crate::terminal::Terminal;

/// Shows it, one event after another.
pub(super) fn show(host: &'static Host, terminal: &Terminal, global: &Global) {
    if global.json {
        let events: Vec<Value> = host.rows.iter().map(described).collect();
        terminal.json(&json!({"host": host.name, "events": events, "unasked": host.unasked}));
        return;
    }
    terminal.lines(&[
        StyledLine::new(Tone::Plain, format!("{}: what comes of what a hook decides, event by event", host.title)),
        StyledLine::new(Tone::Quiet, "  `fires` names the events that hooks hear there"),
        StyledLine::new(Tone::Quiet, "  to deny an end, such as that of a turn, is to send the agent on with the reason"),
    ]);
    let rows = host.rows.iter().filter(|row| !row.noisy);
    for row in rows {
        let guards = if row.guards { "; denied when Pintle cannot answer" } else { "" };
        let fires = if row.fires.is_empty() { String::from("nothing") } else { row.fires.join(", ") };
        terminal.lines(&[
            StyledLine::new(Tone::Plain, row.name),
            StyledLine::new(Tone::Quiet, format!("  fires {fires}{guards}")),
        ]);
        let lines = Verb::ALL.into_iter().filter_map(|verb| {
            let (tone, text) = told(row.can.of(verb))?;
            Some(StyledLine::new(tone, format!("  {:<18} {text}", verb.as_str())))
        });
        terminal.lines(&lines.collect::<Vec<_>>());
    }
    if !host.unasked.is_empty() {
        let unasked = host.unasked.iter().map(|what| StyledLine::new(Tone::Bad, format!("  {what}")));
        let head = StyledLine::new(Tone::Plain, "done without asking any hook");
        terminal.lines(&std::iter::once(head).chain(unasked).collect::<Vec<_>>());
    }
    terminal.lines(&[StyledLine::new(
        Tone::Quiet,
        "  whatever hooks say, calls that would change policy, agreements or tapes are denied",
    )]);
}

/// What becomes of a decision, for people; nothing where it makes no sense.
fn told(ability: Ability) -> Option<(Tone, String)> {
    match ability {
        Ability::Does => Some((Tone::Good, String::from("done"))),
        Ability::Nearly(how) => Some((Tone::Warn, format!("nearly: {how}"))),
        Ability::OnlyApproved(why) => Some((Tone::Warn, format!("done where the call is approved too, else denied: {why}"))),
        Ability::Later(how) => Some((Tone::Warn, format!("later: {how}"))),
        Ability::Denies(why) => Some((Tone::Warn, format!("denied instead: {why}"))),
        Ability::Ends(why) => Some((Tone::Warn, format!("the run is ended instead: {why}"))),
        Ability::Tells(why) => Some((Tone::Warn, format!("the person is told: {why}"))),
        Ability::Lost(why) => Some((Tone::Bad, format!("lost: {why}"))),
        Ability::Absent => None,
    }
}

fn described(row: &pintle_bridge::Row) -> Value {
    let word = |ability| match ability {
        Ability::Does => Some(("does", "")),
        Ability::Nearly(how) => Some(("nearly", how)),
        Ability::OnlyApproved(why) => Some(("only_approved", why)),
        Ability::Later(how) => Some(("later", how)),
        Ability::Denies(why) => Some(("denies", why)),
        Ability::Ends(why) => Some(("ends", why)),
        Ability::Tells(why) => Some(("tells", why)),
        Ability::Lost(why) => Some(("lost", why)),
        Ability::Absent => None,
    };
    let decisions = Verb::ALL.into_iter().filter_map(|verb| {
        let (comes_to, why) = word(row.can.of(verb))?;
        Some(json!({"decision": verb.as_str(), "comes_to": comes_to, "why": why}))
    });
    json!({
        "event": row.name,
        "fires": row.fires,
        "guards": row.guards,
        "installed": !row.noisy,
        "decisions": decisions.collect::<Vec<_>>(),
    })
}
