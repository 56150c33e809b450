//! docker-agent's hooks through the real runtime, with real programs.

mod combination;
mod compat;
mod fixture;
mod holes;
mod matching;
mod matrix;
mod pipeline;
mod protocol;
mod repeated;
