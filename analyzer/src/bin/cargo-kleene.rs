//! `cargo kleene`: see [`kleene::cli`].

fn main() -> std::process::ExitCode {
    kleene::cli::cargo_kleene(std::env::args_os())
}
