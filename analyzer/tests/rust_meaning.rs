//! Rust functions compiled into this test and lowered from the same text: all runs must agree.
//!
//! Every function takes two `u8`. It is called for real, with overflow checks, and run by the concrete
//! interpreter inside an assertion that its result is the real one. Panics must be of the same kind.

#![allow(dead_code, clippy::all, unused, unexpected_cfgs)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use kleene::concrete::{Interpreter, Status};
use kleene::frontend::rust::Crate;
use kleene::frontend::{Arithmetic, FrontendOptions};
use kleene::ir::{FailKind, Program, verify};
use kleene::source::{FileId, SourceFile};
use kleene_domains::Int;

mod scalars {
    include!("../../fixtures/rust/meaning/scalars.rs");
}
mod aggregates {
    include!("../../fixtures/rust/meaning/aggregates.rs");
}

mod more {
    include!("../../fixtures/rust/meaning/more.rs");
}

mod slices {
    include!("../../fixtures/rust/meaning/slices.rs");
}

mod drops {
    include!("../../fixtures/rust/meaning/drops.rs");
}

mod closures {
    include!("../../fixtures/rust/meaning/closures.rs");
}

mod traits {
    include!("../../fixtures/rust/meaning/traits.rs");
}

mod generics {
    include!("../../fixtures/rust/meaning/generics.rs");
}

mod standard {
    include!("../../fixtures/rust/meaning/standard.rs");
}

mod macros {
    include!("../../fixtures/rust/meaning/macros.rs");
}

mod patterns {
    include!("../../fixtures/rust/meaning/patterns.rs");
}

#[allow(dead_code)]
mod inferred {
    include!("../../fixtures/rust/meaning/inferred.rs");
}

mod tables {
    include!("../../fixtures/rust/meaning/tables.rs");
}

mod collections {
    include!("../../fixtures/rust/meaning/collections.rs");
}

const SECOND: [u8; 15] = [0, 1, 2, 3, 4, 7, 9, 16, 31, 100, 127, 128, 200, 254, 255];

fn quiet() {
    static ONCE: Once = Once::new();
    // Thousands of expected panics; those of the test itself still show.
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let here = info.location().is_some_and(|at| at.file().ends_with("tests/rust_meaning.rs"));
            if here {
                usual(info);
            }
        }));
    });
}

/// What panics about indices and parts say.
const INDEX: [&str; 11] = [
    "index out of bounds",
    "out of range for slice",
    "slice index starts at",
    "mid > len",
    "index (is ",
    "is out of bounds of",
    "not a char boundary",
    "begin <= end",
    "begin > end",
    "Out of bounds access",
    "no entry found for key",
];

/// The kind that a panic's message speaks of.
fn kind(message: &str) -> FailKind {
    match message {
        text if text.contains("divide by zero") || text.contains("divisor of zero") => {
            FailKind::DivisionByZero
        }
        text if text.contains("shift") => FailKind::Shift,
        text if text.contains("with overflow") => FailKind::Overflow,
        text if INDEX.iter().any(|part| text.contains(part)) => FailKind::Index,
        text if text.contains("Option::unwrap") || text.contains("Result::unwrap") => FailKind::Unwrap,
        text if text.contains("a is not below b") => FailKind::Unwrap,
        text if text.starts_with("assertion") && !text.contains("step != 0") => FailKind::Assertion,
        text if text.starts_with("too large") => FailKind::Assertion,
        _ => FailKind::Panic,
    }
}

fn real<T: Into<i128>>(call: impl FnOnce() -> T) -> Result<i128, FailKind> {
    catch_unwind(AssertUnwindSafe(|| call().into())).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
        kind(&text.expect("panics have messages"))
    })
}

fn program(text: &str, name: &str, result: &str) -> Program {
    let text =
        format!("{text}\nfn checked_{name}(a: u8, b: u8, r: {result}) {{ assert_eq!({name}(a, b), r); }}\n");
    let file = SourceFile::new(FileId(0), "fixture.rs", text);
    let options = FrontendOptions { arithmetic: Arithmetic::Debug, ..FrontendOptions::default() };
    let read = Crate::read(&file, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    let entry = read.entry_named(&format!("checked_{name}")).expect("the wrapper is there");
    let lowered = read.program(&entry).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
    assert_eq!(verify::verify(&lowered.program), Ok(()), "{name}");
    assert!(lowered.unknown.is_empty(), "{name} is not understood: {:?}", shown(&file, &lowered.unknown));
    lowered.program
}

/// Functions that are not followed to their ends: what they answer depends on something unseen.
const NOT_FOLLOWED: [&str; 8] = [
    "mapped_arrays",
    "mapped_with_a_panic",
    "bags",
    "lent_elements",
    "letters_as_bytes",
    "places_behind_a_deref",
    "other_places_to_write",
    "written_behind_a_star",
];

/// Functions of a text that take two `u8`, are declared `pub`, and are on no list.
fn left_out<'t>(text: &'t str, listed: &[&str]) -> Vec<&'t str> {
    let compared = text.lines().filter_map(|line| line.strip_prefix("pub fn ")?.split_once("(a: u8, b: u8)"));
    let is_listed = |name: &&str| listed.contains(name) || NOT_FOLLOWED.contains(name);
    compared.map(|(name, _)| name).filter(|name| !is_listed(name)).collect()
}

fn shown(file: &SourceFile, unknown: &[kleene::frontend::Unknown]) -> Vec<String> {
    unknown.iter().map(|it| format!("{:?} {}", file.position(it.span.start), it.reason)).collect()
}

fn run(program: &Program, inputs: [i128; 3]) -> Status {
    let interpreter = Interpreter::new(program);
    let globals = program.globals.iter().flat_map(|global| vec![Int::ZERO; global.ty.slots() as usize]);
    let mut locals: Vec<Int> = inputs.into_iter().map(Int::from).collect();
    locals.resize(interpreter.layout.frame(program.entry) as usize, Int::ZERO);
    let mut choose = |_: &kleene::concrete::Choice<'_>| None;
    let mut state = interpreter.initial(globals.collect(), locals, &mut choose).expect("an initial state");
    for _ in 0..100_000 {
        if state.status != Status::Running {
            break;
        }
        state = interpreter.step(&state, &mut choose).expect("no inputs");
    }
    state.status
}

fn agree<T: Into<i128>>(text: &str, name: &str, result: &str, function: fn(u8, u8) -> T) {
    quiet();
    let program = program(text, name, result);
    for a in 0..=255u8 {
        for b in SECOND {
            let (value, expected) = match real(|| function(a, b)) {
                Ok(value) => (value, Status::Ended),
                Err(kind) => (0, Status::Failed(kind)),
            };
            let found = run(&program, [a.into(), b.into(), value]);
            assert_eq!(found, expected, "{name}({a}, {b}), really {value}");
        }
    }
}

macro_rules! agreeing {
    ($module:ident: $($name:ident -> $result:ident),* $(,)?) => {
        mod $module {
            #[test]
            fn every_function_is_compared() {
                let text = include_str!(concat!("../../fixtures/rust/meaning/", super::text!($module), ".rs"));
                assert_eq!(super::left_out(text, &[$(stringify!($name)),*]), Vec::<&str>::new());
            }
            $(
                #[test]
                fn $name() {
                    let text = include_str!(concat!("../../fixtures/rust/meaning/", super::text!($module), ".rs"));
                    super::agree(text, stringify!($name), stringify!($result), super::super::$module::$name);
                }
            )*
        }
    };
}

macro_rules! text {
    (scalars) => {
        "scalars"
    };
    (aggregates) => {
        "aggregates"
    };
    (generics) => {
        "generics"
    };
    (more) => {
        "more"
    };
    (drops) => {
        "drops"
    };
    (closures) => {
        "closures"
    };
    (traits) => {
        "traits"
    };
    (slices) => {
        "slices"
    };
    (standard) => {
        "standard"
    };
    (macros) => {
        "macros"
    };
    (patterns) => {
        "patterns"
    };
    (tables) => {
        "tables"
    };
    (collections) => {
        "collections"
    };
    (inferred) => {
        "inferred"
    };
}
use text;

mod agreeing {
    use super::*;
    agreeing! { scalars:
        sums -> u8, mixed_widths -> i32, signs -> i8, shifts -> u8, signed_shifts -> i8, masks -> u8,
        literals -> u64, default_type -> i32, negative_literal -> i8, casts -> i64, lazy -> bool,
        lazy_calls -> bool, order_of_operands -> u8, order_of_update -> u8, order_of_index -> u8,
        loops -> u32, labelled -> u8, break_value -> u8, ranges -> u32, zero_step -> u8, early -> u8,
        recursion -> u32, asserted -> u8, index -> u8, statics -> i16, shadowing -> u8, chars -> u32,
        bool_operators -> bool, nested_if -> u8, assign_by_control -> u8, usize_arithmetic -> u64,
    }
    agreeing! { aggregates:
        points -> i32, area -> u32, levels -> i32, options -> u8, unwrapping -> u8, questions -> u8,
        tuples -> u8, arrays -> u32, grid -> u8, board -> u8, swapped -> u8, references -> u8,
        matches_macro -> bool, generic -> i32, traits -> u8, modules -> u8, ordering -> u8,
        option_chain -> u8, try_conversions -> u8,
    }
    agreeing! { more:
        taken -> u8, recursive_results -> u8, recursive_borrows -> u8, alternatives -> u8, passing_arrays -> u32,
        array_of_enums -> u8, constants_in_patterns -> u8, comparing_references -> bool,
        leaving_expressions -> u8, questions_in_arguments -> u8, let_else -> u8, traits_on_integers -> u8,
        const_generics -> u8, aliases -> i64, nested_options -> u8, loop_in_argument -> u8,
        matching_references -> u8, field_of_call -> u8, swap_elements -> u8, wide -> i64, unit_values -> u8,
        labelled_blocks -> u8, update_through_field -> u8, methods_in_chain -> u8, while_let -> u8,
        assign_parts -> u8, copies_stay -> u8, state_machine -> u8, shadowed_in_arms -> u8,
        evaluation_of_conditions -> u8, slices_of_arrays -> u8, early_in_loop -> u8, negations -> i8,
        asks_about_ends -> u8,
    }
    agreeing! { slices:
        elements -> u8, lengths -> u64, parts -> u32, open_parts -> u32, inclusive_parts -> u32,
        parts_of_parts -> u8, lent_arrays -> u32, lent_vectors -> u32, pushing -> u32, popping -> u8,
        removing -> u32, removing_last -> u8, inserting -> u32, swapping -> u8, splitting -> u32, ends -> u8,
        split_ends -> u32, patterns -> u8, more_patterns -> u8, loops -> u32, filled -> u32, cleared -> u32,
        started_by_others -> u32, comparing -> bool, texts -> u64, boundaries -> u64, strings -> u64,
        matching_texts -> u8, buffers -> u8, readers -> u8, boxes -> u8, boxed_lists -> u8, nested -> u8,
        pairs -> u8, borrowed_elements -> u8, chains -> u32, positions -> u64, enumerated -> u8, chunked -> u32,
        letters -> u32, collected -> u32, looked_up -> u8, looked_up_behind -> u8, kept_iterator -> u8, words_of_parts -> u32, set_anew -> u32,
        lent_texts -> u32, lent_iterators -> u32, pairs_of_parts -> u64,
    }
    agreeing! { standard:
        long_letters -> u32, long_letters_backwards -> u32, pushed_letters -> u32, trimmed -> u32,
        texts_of_bytes -> u32, only_ascii -> u32, turned -> u32, parts_of_texts -> u32, read_on -> u32,
        borrowed_iterator -> u32, lent_iterator -> u32, beginnings_of_slices -> u32,
        beginnings -> u32, found -> u32, found_by_test -> u32, letters_backwards -> u32, cases -> u32, gathered_options -> u32, checked_texts -> u32, letter_tests -> u32, numbered_letters -> u32, slice_tests -> u32, searched -> u32, chunked -> u32, arrays_of_slices -> u32, kept -> u32, zipped -> u32, chains -> u32, chosen -> u32, in_ranges -> u32, derived_orders -> u32, by_paths -> u32, float_bits -> u64, durations -> u64, defaults -> u32, converted -> u32, sizes -> u64, scoped -> u32,
        not_of_numbers -> u32, kept_ranges -> u32, numbers_of_texts -> i64, numbers_with_a_radix -> u32,
        ranges_without_an_end -> u32,

    }
    agreeing! { drops:
        at_the_end_of_a_block -> u8, before_the_result -> u8, by_return -> u8, in_loops -> u8,
        moved_into_a_call -> u8, moved_out -> u8, assigned -> u8, dropped -> u8, parameters -> u8,
        fields_after_the_whole -> u8, only_fields -> u8, by_question -> u8, value_of_a_block -> u8,
        shadowed -> u8, without_fields -> u8, names_for_parts -> u8, parts_by_question -> u8,
        parts_of_a_choice -> u8,
        given_back_on_some_ways -> u8, left_by_a_question -> u8, left_by_return -> u8, left_by_break -> u8,
        assigned_behind_a_question -> u8,
    }
    agreeing! { closures:
        once_more -> u8,
        called_twice -> u8, typed -> u8, counts -> u8, copies -> u8, copied_state -> u8, returns_inside -> u8, asks_inside -> u8, nested -> u8, nested_state -> u8, overflows_inside -> u8, shadowed -> u8, captured_parts -> u8, changed_between -> u8, order_of_calls -> u8, passed -> u8, passed_state -> u8, passed_by_reference -> u8, passed_functions -> u8, made_at_once -> u8, in_loops -> u8, loops_inside -> u8, array_writes -> u8, mapped -> u8, map_to_other -> i32, chain_of_maps -> u8, lazily -> u8, results -> u8, error_questions -> u8, questions_of_options -> bool, constructors -> u8, methods_as_functions -> u8, own_functions -> u8, thens -> u8, zipped -> u8, patterns_of_parameters -> u8, flattened -> u8, taken -> u8, closure_in_tuple -> u8, closure_in_struct -> u8, references_kept -> u8, lends_arguments -> u8, diverging -> u8, recursion_and_closures -> u8,
        arguments_without_a_name -> u8,
    }
    agreeing! { traits:
        default_methods -> u8, in_generics -> u8, made_by_type -> u8, by_trait_path -> u8, taken_by_bound -> u8, associated_types -> u16, operators -> i8, more_operators -> i8, own_equality -> bool, converted_errors -> u8, from_calls -> u8, defaults -> u8, generic_traits -> u8, own_iterator -> u8, own_iterator_chain -> u8, references_from_iterators -> u8, sums -> u8, folds -> u32, counts_and_positions -> u8, any_and_all -> bool, finds -> u8, array_chains -> u8, enumerated -> u8, zipped_arrays -> u32, reversed_chains -> u8, skips_and_takes -> u8, steps_in_chains -> u8, whiles -> u8, chained -> u8, filter_maps -> u8, stepwise -> u8, peeks -> u8, keys -> u8, scans -> u8, iterators_as_arguments -> u8,
        loops_by_own_into_iter -> u64, loops_over_what_methods_give -> u64,
        behind_a_deref -> u64, between_other_fields -> u64,

    }
    agreeing! { generics:
        read_packets -> u8, lent_through_as_mut -> u8, range_values -> u8,
        passed_ranges -> u8, parts_by_value -> u8, contained -> bool, conversions -> u16, bounds_say -> u16,
        of_traits -> u32, addresses -> u8, long_addresses -> u16, sizes -> u64,
        lengths_that_show_elsewhere -> u64,
        lengths_of_parameters -> u8, grids -> u8,
    }
    agreeing! { inferred:
        parameters_with_defaults -> u64, pairs_that_become_tables -> u64, own_functions_first -> u8,
        extended_by_what_is_drawn -> u64, stores_of_one_kind -> i32, conversions_beside_an_own_one -> u8,
        written_in_part -> u16, numbers_of_a_parameter -> u64,
    }
    agreeing! { tables:
        element -> u32, rows -> u32, whole_row -> u32, parts_of_elements -> i64,
        indices_in_order -> u32, twice -> u32,
    }
    agreeing! { patterns:
        taken_apart -> u32, taken_into_places -> u32, counted_up -> u32, guarded_alternatives -> u32,
        nested_alternatives -> u32, asked_again -> u32, bound_alternatives -> u32, matched_before -> u32,
        by_ord -> u32, signed_ranges -> u32,
    }
    agreeing! { collections:
        queue_ends -> u32, queue_inside -> u32, queue_search -> u8, heap_order -> u32, tree_keys -> u32,
        tree_missing -> u32, derived_keys -> u32, text_keys -> u32, hashed -> u32,
        tree_sets -> u32, hash_sets -> u32, kept_in_fields -> u32, own_hashes -> u32,
    }
    agreeing! { macros:
        own_locals -> u8, declared_names -> u8, swapped_names -> u8, seen_from_the_definition -> u8,
        writing_from_the_definition -> u8, labels -> u8, labels_from_the_definition -> u8, recursion
        -> u8, counted_tokens -> u8, fragments_keep_their_kind -> u8, chosen_rules -> u8,
        optional_parts -> u8, nested_repetitions -> u8, pieces -> u8, declared_functions -> u8,
        declared_impls -> u8, declared_structures -> u8, declared_enums -> u8, patterns -> u8, types
        -> u8, made_macros -> u8, shadowed_macros -> u8, macros_of_modules -> u8, names_of_items ->
        u8, fields -> u8, leaving -> u8, statements_and_blocks -> u8, blocks_without_semicolons -> u8, configured -> u8,
        words_that_are_names -> u8, arms -> u8, assertions -> u8,
    }
}
