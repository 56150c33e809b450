//! Installing in every host, and taking it out again.

mod cases;
mod documents;
mod fixture;
mod folders;
mod lines;
mod property;
