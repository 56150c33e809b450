//! Other agents as hosts: their payload in, their answer out.
//!
//! A host such as Claude Code starts `pintle hook claude` at a point in its agent's life. The bridge reads what the host
//! [told](Told), fires the canonical events of that point in order, composes what the hooks said into one [`Ruling`],
//! narrows it to what the host [can do](Abilities), and writes it in the host's own terms as an [`Answer`].

mod ability;
mod answer;
mod deadline;
mod hearing;
mod host;
mod narrow;
mod policy;
mod row;
mod ruling;
mod run;
mod session;
mod told;

pub mod canary;
pub mod doctor;
pub mod hosts;
pub mod install;

pub use ability::{Abilities, Ability, Verb};
pub use answer::Answer;
pub use deadline::Deadline;
pub use host::{HOSTS, Host, UnknownHost};
pub use row::{Asked, Row, Unreadable};
pub use ruling::Ruling;
pub use run::{Errand, Place, run};
pub use session::{Kept, Story};
pub use told::{Call, Moment, Told, Whose};
