//! The tools of a team's members: what each does, rejects and limits, and what hooks see of it.

mod bench;
mod families;
mod files;
mod mcp;
mod shell;
mod small_toolsets;
mod team;
