//! Tapes: written, read, checked and replayed.

mod deciding;
mod replay;
mod round_trip;
mod verify;
mod writing;
