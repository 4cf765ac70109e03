//! `cargo kleene`: see [`kleene::cli`].

/// As in `kleene`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    kleene::cli::cargo_kleene(std::env::args_os())
}
