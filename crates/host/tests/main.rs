//! The crate, as programs that embed it see it.

mod code_files;
mod corpus;
mod dispatches;
mod docker_agent;
mod embedding;
mod fuzz;
mod guides;
mod layer_state;
mod life;
mod plugins;
mod register;
mod runtime;
mod shared_state;
mod trust;
mod worker;
