//! A fixed slice of `kleene-oracle rust`: what panics in compiled functions is what the lints say.

use std::time::Duration;

use kleene::frontend::Arithmetic;
use kleene_oracle::rust::{Compared, compare};

#[test]
fn lints_agree_with_compiled_functions() {
    let folder = std::env::temp_dir().join(format!("kleene-rust-{}", std::process::id()));
    let mut all = Compared::default();
    for (seed, arithmetic) in [(0, Arithmetic::Debug), (1, Arithmetic::Release), (2, Arithmetic::Debug)] {
        let compared = compare(seed, 20, arithmetic, Duration::from_secs(20), &folder);
        all.add(compared.expect("the functions run"));
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(all.wrong.is_empty(), "{}\n{}", all.wrong.join("\n"), all.table());
    assert!(all.panicking > 20 && all.never > 20 && all.happens > 20, "{}", all.table());
    assert!(all.open * 5 <= all.decided(), "{}", all.table());
}
