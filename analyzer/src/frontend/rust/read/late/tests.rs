use rustc_hash::FxHashMap;

use super::super::super::cfg::{Configuration, Target, Undecided};
use super::super::super::hir::FnId;
use super::super::super::items::{Items, Written};
use super::super::super::modules::Texts;
use super::super::super::{STANDARD, STANDARD_TEXT};
use super::super::{new_crate, standard};
use super::without_bodies;
use crate::source::SourceFile;

fn configuration() -> Configuration {
    Configuration {
        features: Vec::new(),
        cfg: Vec::new(),
        pointer_width: 64,
        target: Target::linux(64),
        debug_assertions: true,
        marks_casts: false,
        only_explores: false,
        crates: Vec::new(),
        edition: None,
        undecided: Undecided::default(),
        out_dir: None,
        reads_tests: false,
    }
}

fn read(form: &str, left: FxHashMap<u32, u32>) -> Items {
    let (configuration, mut items) = (configuration(), Items::default());
    new_crate(&mut items, String::new(), &configuration);
    let file = SourceFile::new(STANDARD, "std", STANDARD_TEXT.as_str());
    let texts = Texts::seen_as(&file, form).expect("our own text of std parses");
    standard(&mut items, &texts, left, &configuration);
    items
}

#[test]
fn a_body_is_the_same_whenever_it_is_read() {
    let at_once = read(&STANDARD_TEXT, FxHashMap::default());
    let (form, left) = without_bodies(&STANDARD_TEXT);
    let late = read(&form, left);
    assert_eq!(at_once.functions.len(), late.functions.len());
    let mut waited = 0;
    for index in 0..late.functions.len() {
        let id = FnId(index as u32);
        let (one, other) = (at_once.function(id), late.function(id));
        assert_eq!((&one.name, one.span), (&other.name, other.span));
        let (one, body) = (at_once.body(id), late.body(id));
        assert_eq!(format!("{one:?}"), format!("{body:?}"), "the body of `{}`", other.name);
        waited += usize::from(matches!(other.written, Written::Late(..)));
    }
    assert!(2 * waited > late.functions.len(), "most bodies wait: {waited} of {}", late.functions.len());
}
