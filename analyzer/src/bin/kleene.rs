//! `kleene`: see [`kleene::cli`].

/// Abstract states are many small pieces, shared and dropped by the thousand.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    kleene::cli::kleene(std::env::args_os())
}
