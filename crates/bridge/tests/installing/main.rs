//! Installs in every host, and uninstalls again.

mod cases;
mod documents;
mod fixture;
mod folders;
mod lines;
mod plugin;
mod property;
