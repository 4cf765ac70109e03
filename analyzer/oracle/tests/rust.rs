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

/// One test per class, so that they run side by side; what stays open is little in each.
macro_rules! classes {
    ($($name:ident: $class:ident, $most:literal %;)*) => {$(
        #[test]
        fn $name() {
            let all = compared(Class::$class, 8, &[(31, Arithmetic::Debug), (32, Arithmetic::Release)]);
            assert!(all.wrong.is_empty(), "{}\n{}", all.wrong.join("\n"), all.table());
            assert!(all.panicking > 5 && all.never > 20 && all.happens > 5, "{}", all.table());
            let open = all.open * 100 / (all.open + all.decided());
            assert!(open <= $most, "{}\n{}", all.undecided.join("\n"), all.table());
        }
    )*};
}

classes! {
    references_agree: References, 30 %;
    slices_agree: Slices, 20 %;
    vectors_agree: Vectors, 20 %;
    strings_agree: Strings, 30 %;
    closures_agree: Closures, 30 %;
    iterators_agree: Iterators, 25 %;
    generics_agree: Generics, 25 %;
    macros_agree: Macros, 15 %;
}
