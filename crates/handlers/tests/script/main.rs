//! Scripts through the builder, with real worker processes.

mod attacks;
mod calls;
mod governed;
mod stage;
