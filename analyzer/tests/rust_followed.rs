//! Runs that are followed expression by expression, against the same functions as rustc compiles them.
//!
//! A run that comes to its end has to come to the real one, with the real value; a run may stop before. How many do not is
//! counted, so that nobody can agree by stopping.

#[path = "support/real.rs"]
mod real;

use kleene::frontend::rust::{Crate, Ended};
use kleene::frontend::{Arithmetic, FrontendOptions};
use kleene::source::{FileId, SourceFile};

use real::Call;

const FIRST: [u8; 22] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 31, 33, 64, 97, 100, 127, 128, 200, 254, 255];
const SECOND: [u8; 15] = [0, 1, 2, 3, 4, 7, 9, 16, 31, 100, 127, 128, 200, 254, 255];

/// How all calls of the functions of a text are followed.
fn followed(file: &str, text: &str, arithmetic: Arithmetic) -> Vec<(Call, Ended)> {
    let source = SourceFile::new(FileId(0), "fixture.rs", text.to_string());
    let options = FrontendOptions { arithmetic, ..FrontendOptions::default() };
    let read = Crate::read(&source, &options).unwrap_or_else(|errors| panic!("{file}: {errors:?}"));
    let inputs: Vec<(u8, u8)> = FIRST.iter().flat_map(|a| SECOND.iter().map(|b| (*a, *b))).collect();
    let numbers: Vec<Vec<i128>> = inputs.iter().map(|(a, b)| vec![(*a).into(), (*b).into()]).collect();
    let mut all = Vec::new();
    for (name, _) in real::functions(text) {
        let entry = read.entry_named(&name).expect("a function of the text");
        let ends = read.followed(&entry, &numbers).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let calls = inputs.iter().map(|(a, b)| (format!("{file}::{name}"), *a, *b));
        all.extend(calls.zip(ends));
    }
    all
}

/// Compares what is followed to its end; how many of a thousand calls that are.
fn agree(file: &str, text: &str, arithmetic: Arithmetic) -> usize {
    let all = followed(file, text, arithmetic);
    let count = all.len();
    let ended = all.into_iter().filter(|(_, ended)| !matches!(ended, Ended::Stop(_)));
    let (calls, ended): (Vec<Call>, Vec<Ended>) = ended.unzip();
    let checked = arithmetic == Arithmetic::Debug;
    let real = real::called(&[(file, text)], checked, &calls);
    let mut wrong = Vec::new();
    for ((call, ended), real) in calls.iter().zip(&ended).zip(real) {
        let agrees = match ended {
            Ended::Value(value) => real == Some(*value),
            _ => real.is_none(),
        };
        if !agrees {
            wrong.push(format!("{call:?}: {ended:?}, really {real:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} are wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    calls.len() * 1_000 / count.max(1)
}

/// The fixtures, each with how many of a thousand calls have to be followed to their ends.
macro_rules! agreeing {
    ($($file:ident $share:literal),* $(,)?) => {
        const FILES: &[&str] = &[$(stringify!($file)),*];
        $(
            #[test]
            fn $file() {
                let (file, text) = (stringify!($file), real::text(stringify!($file)));
                let share = agree(file, &text, Arithmetic::Debug);
                assert!(share >= $share, "{share} of a thousand calls are followed to their ends");
                agree(file, &text, Arithmetic::Release);
            }
        )*
    };
}

agreeing! {
    aggregates 1000, asked 700, bounds 1000, closures 1000, collections 450, drops 920, endings 900, generics 990, inferred 1000, macros 1000, more 1000,
    moved 970, orders 950, patterns 700, scalars 1000, shapes 900, shown 770, slices 970, standard 900, tables 1000, traits 880,
    unknowns 820, unnamed 570, views 850, widths 990,
}

#[test]
fn every_fixture_is_compared() {
    let files = std::fs::read_dir(real::folder()).expect("the fixtures");
    let names = files.map(|file| file.expect("a file").path().file_stem().expect("a name").to_owned());
    let left_out: Vec<_> = names.filter(|name| !FILES.iter().any(|file| name == *file)).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}
