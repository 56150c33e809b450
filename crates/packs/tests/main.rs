//! What the packs stop, and what they let pass.

mod calls;
mod examples;
mod fixture;
mod lines;
mod mutants;
mod policy;
mod powershell;
mod scripts;
