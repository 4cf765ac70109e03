//! A fixed slice of `kleene-oracle rust`: what panics in compiled functions is what the lints say.

use std::time::Duration;

use kleene::frontend::Arithmetic;
use kleene_oracle::rust::{Class, Compared, Request, compare};

fn compared(class: Class, functions: usize, seeds: &[(u64, Arithmetic)]) -> Compared {
    let name = format!("kleene-rust-{}-{}", class.name(), std::process::id());
    let folder = std::env::temp_dir().join(name);
    let mut all = Compared::default();
    for (seed, arithmetic) in seeds {
        let timeout = Duration::from_secs(20);
        let request = Request { class, seed: *seed, functions, arithmetic: *arithmetic, timeout };
        all.add(compare(&request, &folder).unwrap_or_else(|problem| panic!("{}: {problem}", class.name())));
    }
    let _ = std::fs::remove_dir_all(&folder);
    all
}

#[test]
fn lints_agree_with_compiled_functions() {
    let seeds = [(0, Arithmetic::Debug), (1, Arithmetic::Release), (2, Arithmetic::Debug)];
    let all = compared(Class::Scalar, 20, &seeds);
    assert!(all.wrong.is_empty(), "{}\n{}", all.wrong.join("\n"), all.table());
    assert!(all.panicking > 20 && all.never > 20 && all.happens > 20, "{}", all.table());
    assert!(all.open * 5 <= all.decided(), "{}", all.table());
}
