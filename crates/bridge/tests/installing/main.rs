//! Installing in every host, and taking it out again.

mod cases;
mod documents;
mod property;
mod stage;
