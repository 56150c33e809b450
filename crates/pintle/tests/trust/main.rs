//! Consent: what of a project runs before and after somebody agreed to it, and what tampering does.

mod bytes;
mod clients;
mod fixture;
mod folders;
mod layers;
mod malice;
mod sets;
mod states;
mod tampering;
