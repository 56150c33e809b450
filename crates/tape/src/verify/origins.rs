//! Checks that the origins of records agree.

use std::collections::{BTreeSet, HashMap};

use pintle_contract::Origin;

use super::FindingSink;
use super::host::{AgentRun, agent_run_of};
use crate::record::host::{HostRecord, TurnPhase};
use crate::record::{ApprovalRecord, RecordBody};

/// The origins so far.
#[derive(Debug, Default)]
pub(super) struct OriginCheck {
    /// The sessions that were opened.
    sessions: BTreeSet<String>,
    /// The depth of each agent.
    depths: HashMap<AgentRun, u32>,
    /// The last turn of each session.
    turns: HashMap<String, u32>,
}

impl OriginCheck {
    /// Checks the next record.
    pub(super) fn check_record(&mut self, body: &RecordBody<'_>, findings: &mut FindingSink<'_>) {
        let origin = match body {
            RecordBody::Event(fired) => &*fired.origin,
            RecordBody::Approval(ApprovalRecord { origin: Some(origin), .. }) => origin,
            RecordBody::Host(host) => {
                match host {
                    HostRecord::Session(opened) | HostRecord::Resumed(opened) => {
                        self.sessions.insert(opened.origin.session.clone());
                    }
                    HostRecord::Turn(turn) if turn.phase == TurnPhase::Start && turn.origin.run.is_empty() => {
                        self.turns.insert(turn.origin.session.clone(), turn.origin.turn);
                    }
                    _ => {}
                }
                host.origin()
            }
            _ => return,
        };
        self.check_origin(origin, matches!(body, RecordBody::Host(HostRecord::UserMessage(_))), findings);
    }

    fn check_origin(&mut self, origin: &Origin, begins: bool, findings: &mut FindingSink<'_>) {
        let Origin { session, turn, depth, run, .. } = origin;
        let known = self.sessions.is_empty() || self.sessions.contains(session);
        if !known {
            findings.add(format!("it belongs to session `{session}`"), "one that was opened before");
        }
        let first = *self.depths.entry(agent_run_of(origin)).or_insert(*depth);
        if first != *depth {
            findings.add(format!("its agent is at depth {depth}"), format!("{first}, as before"));
        }
        // A message before a turn belongs to the turn that it begins.
        let Some(last) = self.turns.get(session).filter(|_| run.is_empty() && *turn > 0) else { return };
        let fits = turn == last || (begins && *turn == last.saturating_add(1));
        if !fits {
            findings.add(format!("it belongs to turn {turn}"), format!("turn {last}, which began last"));
        }
    }
}
