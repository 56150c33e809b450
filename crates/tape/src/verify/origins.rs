//! Whether every record says of itself whose it is as the others do.

use std::collections::{BTreeSet, HashMap};

use pintle_contract::Origin;

use super::Notes;
use super::host::{Line, line_of};
use crate::record::host::{HostRecord, Stage};
use crate::record::{Body, Resolved};

/// Whose records there are.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// The sessions that were opened.
    sessions: BTreeSet<String>,
    /// How deep each agent is.
    depths: HashMap<Line, u32>,
    /// The turn that began last in each session.
    turns: HashMap<String, u32>,
}

impl Origins {
    /// Sees the next record.
    pub(super) fn see(&mut self, body: &Body<'_>, notes: &mut Notes<'_>) {
        let origin = match body {
            Body::Event(fired) => &*fired.origin,
            Body::Approval(Resolved { origin: Some(origin), .. }) => origin,
            Body::Host(host) => {
                match host {
                    HostRecord::Session(opened) | HostRecord::Resumed(opened) => {
                        self.sessions.insert(opened.origin.session.clone());
                    }
                    HostRecord::Turn(turn) if turn.stage == Stage::Start && turn.origin.run.is_empty() => {
                        self.turns.insert(turn.origin.session.clone(), turn.origin.turn);
                    }
                    _ => {}
                }
                host.origin()
            }
            _ => return,
        };
        self.check(origin, matches!(body, Body::Host(HostRecord::Said(_))), notes);
    }

    fn check(&mut self, origin: &Origin, begins: bool, notes: &mut Notes<'_>) {
        let Origin { session, turn, depth, run, .. } = origin;
        let known = self.sessions.is_empty() || self.sessions.contains(session);
        notes.unless(known, || format!("it is of session `{session}`"), || String::from("one that was opened before"));
        let first = *self.depths.entry(line_of(origin)).or_insert(*depth);
        notes.unless(first == *depth, || format!("its agent is at depth {depth}"), || format!("{first}, as before"));
        // What is said before a turn is of the one that it begins.
        let Some(last) = self.turns.get(session).filter(|_| run.is_empty() && *turn > 0) else { return };
        let fits = turn == last || (begins && *turn == last.saturating_add(1));
        notes.unless(fits, || format!("it is of turn {turn}"), || format!("turn {last}, which began last"));
    }
}
