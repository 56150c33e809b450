//! Installs in every host, and uninstalls again.

mod agents;
mod cases;
mod documents;
mod fixture;
mod folders;
mod lines;
mod managed;
mod plugin;
mod property;
