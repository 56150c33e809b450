//! Trust: what a project's hooks can do before and after the user trusts them, and the effects of tampering.

mod bytes;
mod clients;
mod fixture;
mod folders;
mod layers;
mod malice;
mod sets;
mod states;
mod tampering;
