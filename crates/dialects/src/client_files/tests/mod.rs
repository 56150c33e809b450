//! Checks what is read from the clients' files.

mod fuzz;
mod loading;
