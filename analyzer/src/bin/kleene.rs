//! `kleene`: see [`kleene::cli`].

fn main() -> std::process::ExitCode {
    kleene::cli::kleene(std::env::args_os())
}
