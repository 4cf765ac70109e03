//! The formula language: what parses, what does not and how that is said, and printing.

use crate::generate::{self, Random};
use kleene_ctl::{Atom, Comparison, Formula, Name, ParseError, SourceSpan, Term, TermOp, parse};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The printed form of what was parsed: shows the grouping, since only needed parentheses are printed.
fn shown(text: &str) -> String {
    parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).to_string()
}

fn error(text: &str) -> ParseError {
    parse(text).expect_err(text)
}

#[test]
fn precedence_and_grouping() {
    for (text, expected) in [
        ("a&&b||c&&d", "a && b || c && d"),
        ("a && (b || c)", "a && (b || c)"),
        ("(a && b) && c", "a && b && c"),
        ("a && (b && c)", "a && (b && c)"),
        ("a -> b -> c", "a -> b -> c"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a -> (b -> c)", "a -> b -> c"),
        ("a <-> b <-> c", "a <-> b <-> c"),
        ("a <-> (b <-> c)", "a <-> (b <-> c)"),
        ("a || b -> c && d <-> e", "a || b -> c && d <-> e"),
        ("!a && b", "!a && b"),
        ("!(a && b)", "!(a && b)"),
        ("AG EF x", "AG EF x"),
        ("AG(x)", "AG x"),
        ("AG(x > 0) && b", "AG (x > 0) && b"),
        ("AG x && b", "AG x && b"),
        ("AG (x && b)", "AG (x && b)"),
        ("!!a", "!!a"),
        ("A[a U b]", "A[a U b]"),
        ("E[a -> b W A[c R d]]", "E[a -> b W A[c R d]]"),
        ("AG (at(L) -> A[!at(M) U line(12)])", "AG (at(L) -> A[!at(M) U line(12)])"),
        ("terminated || failed || failed(overflow)", "terminated || failed || failed(overflow)"),
        ("failed(f::overflow) && at(main::L)", "failed(f::overflow) && at(main::L)"),
        ("true && !false", "true && !false"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn terms_and_comparisons() {
    for (text, expected) in [
        ("(x+1)*2 == y", "(x + 1) * 2 == y"),
        ("((x)) > 0", "x > 0"),
        ("(x > 0)", "x > 0"),
        ("((x)) && ((y) > (0))", "x && y > 0"),
        ("x - (y - z) == x - y - z", "x - (y - z) == x - y - z"),
        ("x / y % z * 2 < 1", "x / y % z * 2 < 1"),
        ("x / (y * z) < 1", "x / (y * z) < 1"),
        ("-x ** 2 == -(x ** 2)", "-x ** 2 == -x ** 2"),
        ("(-x) ** 2 >= 0", "(-x) ** 2 >= 0"),
        ("(x ** 2) ** 3 != 1", "(x ** 2) ** 3 != 1"),
        ("x<-1", "x < -1"),
        ("--x == x", "--x == x"),
        ("a[i + 1] <= a[a[0]]", "a[i + 1] <= a[a[0]]"),
        ("a[i] && !b[0]", "a[i] && !b[0]"),
        ("!a[i + 1]", "!a[i + 1]"),
        ("f::x == self.f && sys.a.b > Mode::Idle", "f::x == self.f && sys.a.b > Mode::Idle"),
        ("pair.0 == 1", "pair.0 == 1"),
        ("c == 'a' && d != '\\n'", "c == 97 && d != 10"),
        ("x == 007 && y == 0", "x == 7 && y == 0"),
        ("x == 123456789012345678901234567890", "x == 123456789012345678901234567890"),
        ("flag == true && other != true", "flag && !other"),
        ("false == a[0]", "!a[0]"),
        ("AGx == 1 && at == 2 && line[0] == 3", "AGx == 1 && at == 2 && line[0] == 3"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn mistakes_are_named_with_their_place_and_a_way_out() {
    for (text, start, message, help) in [
        ("", 0, "expected a formula or a term, found the end of the formula", None),
        ("x = 1", 2, "`=` is not an operator of formulas", Some("did you mean `==`?")),
        ("a & b", 2, "`&` is not an operator of formulas", Some("did you mean `&&`?")),
        ("a | b", 2, "`|` is not an operator of formulas", Some("did you mean `||`?")),
        ("a => b", 2, "`=>` is not an operator of formulas", Some("did you mean `->`?")),
        ("a <=> b", 2, "`<=>` is not an operator of formulas", Some("did you mean `<->`?")),
        ("a < b < c", 6, "comparisons cannot be chained", Some("write `a < b && b < c`")),
        ("a == b != c", 7, "comparisons cannot be chained", Some("write `a < b && b < c`")),
        (
            "AG x <= 10",
            0,
            "`AG x` is a formula, but a number is needed here",
            Some("`!` and temporal operators bind tightest: write `AG (x <= 10)`"),
        ),
        (
            "!x == 0",
            0,
            "`!x` is a formula, but a number is needed here",
            Some("`!` and temporal operators bind tightest: write `!(x == 0)`"),
        ),
        ("a && AG !x+1 > y", 5, "`AG !x` is a formula, but a number is needed here", None),
        ("(AG x) <= 10", 0, "`(AG x)` is a formula, but a number is needed here", None),
        (
            "x + 1",
            0,
            "`x + 1` is a number, but a formula is needed here",
            Some("compare it with something, for example `… != 0`"),
        ),
        (
            "AG 5",
            3,
            "`5` is a number, but a formula is needed here",
            Some("compare it with something, for example `… != 0`"),
        ),
        ("(x > 0) + 1 == 2", 0, "`(x > 0)` is a formula, but a number is needed here", None),
        (
            "(a",
            0,
            "expected `)`, found the end of the formula",
            Some("the parenthesis opened here is not closed"),
        ),
        ("a)", 1, "expected an operator or the end of the formula, found `)`", None),
        ("a b", 2, "expected an operator or the end of the formula, found `b`", None),
        ("A", 0, "`A` is reserved for path quantifiers", Some("write `A[f U g]`, `A[f R g]` or `A[f W g]`")),
        (
            "E(x)",
            0,
            "`E` is reserved for path quantifiers",
            Some("write `E[f U g]`, `E[f R g]` or `E[f W g]`"),
        ),
        ("U && x", 0, "`U` is reserved and cannot be a name", None),
        ("A[a b]", 4, "expected `U`, `R` or `W`, found `b`", None),
        ("A[a U b", 7, "expected `]`, found the end of the formula", None),
        (
            "foo(x)",
            0,
            "`foo` cannot be called in a formula",
            Some("the calls are `at(LABEL)`, `line(N)` and `failed(KIND)`"),
        ),
        ("line(x)", 5, "expected a line number, found `x`", None),
        ("line(99999999999)", 5, "this line number is too large", None),
        ("at(+)", 3, "expected a label, found `+`", None),
        ("failed()", 7, "expected a kind of failure, found `)`", None),
        ("x ** y == 1", 5, "expected a constant exponent, found `y`", None),
        ("x ** 2 ** 3 == 1", 7, "`**` cannot be chained", Some("use parentheses")),
        ("x ** 5000 == 1", 5, "exponents go up to 1000", None),
        ("a[0][1] == 2", 4, "elements of elements cannot be named", Some("only `a[i]` and `s.f[i]` can")),
        (
            "x == 12ab",
            5,
            "`12ab` is not a decimal integer",
            Some("integers are written in decimal digits; names start with a letter or `_`"),
        ),
        (
            "x == 'ab'",
            5,
            "this character literal is not complete",
            Some("a character literal is one character in quotes, like 'a' or '\\n'"),
        ),
        ("x $ y", 2, "unexpected character '$'", None),
        ("x > 0 == true", 6, "comparisons cannot be chained", Some("write `a < b && b < c`")),
        (
            "(x > 0) == true",
            0,
            "`(x > 0)` cannot be compared with a truth value",
            Some("use `<->` between formulas"),
        ),
        ("f:: && x", 4, "expected a name, found `&&`", None),
    ] {
        let found = error(text);
        assert_eq!((found.span.start, found.message.as_str()), (start, message), "{text}");
        if text != "a && AG !x+1 > y" {
            assert_eq!(found.help.as_deref(), help, "{text}");
        }
        assert!(found.span.end <= text.len() && found.span.start <= found.span.end, "{text}");
    }
    assert_eq!(
        error("x = 1").to_string(),
        "`=` is not an operator of formulas (at byte 2); did you mean `==`?"
    );
}

#[test]
fn spans_point_at_names_and_do_not_count_for_equality() {
    let Ok(Formula::And(left, right)) = parse("f::x && line(3)") else { panic!("an and") };
    let Formula::Atom(Atom::Boolean(name)) = &*left else { panic!("a name") };
    assert_eq!(
        (name.span, name.path.clone()),
        (SourceSpan::new(0, 4), vec!["f".to_string(), "x".to_string()])
    );
    assert!(matches!(&*right, Formula::Atom(Atom::Line(3, span)) if *span == SourceSpan::new(8, 15)));
    let (near, far) = (parse("x > at_ && line(3)"), parse("  x   >  at_ &&  line( 3 )"));
    assert_eq!(near, far);
    let hasher = BuildHasherDefault::<DefaultHasher>::default();
    assert_eq!(hasher.hash_one(near.ok()), hasher.hash_one(far.ok()));
}

#[test]
fn deep_and_large_formulas_are_refused_not_crashed_on() {
    let deep =
        |open: &str, close: &str, times: usize| format!("{}x{}", open.repeat(times), close.repeat(times));
    for text in [
        deep("(", ")", 100_000),
        deep("!", "", 100_000),
        deep("AG ", "", 100_000),
        deep("A[x U ", "]", 100_000),
        deep("a[", "]", 100_000),
        deep("x -> ", "", 100_000),
        deep("-", "", 100_000) + " == 0",
        "(".repeat(100_000),
    ] {
        assert!(error(&text).message.contains("nested more than"), "{}", error(&text));
    }
    for operator in [" && ", " || ", " <-> ", " + "] {
        let error = error(&vec!["x"; 100_000].join(operator));
        assert!(error.message.contains("more than"), "{error}");
    }
}

/// What the caps let through is safe to print, map, translate, check and drop in a small thread.
#[test]
fn formulas_at_the_caps_fit_a_small_stack() {
    let work = || {
        let chain = vec!["x"; 500].join(" && ");
        for text in [
            chain,
            "AX ".repeat(499) + "x",
            "(".repeat(499) + "x" + &")".repeat(499),
            "x -> ".repeat(499) + "x",
        ] {
            let formula = parse(&text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(parse(&formula.to_string()).as_ref(), Ok(&formula));
            let numbered = formula.map_atoms(&mut |_| kleene_ctl::AtomId(0));
            let model = kleene_ctl::ModelBuilder::new(1, 1).build().expect("a model");
            let live = kleene_ctl::restrict_to_live(&numbered, kleene_ctl::AtomId(0));
            let checked = kleene_ctl::check(&model, &live, &kleene_ctl::NoProgress);
            assert!(checked.truth(kleene_ctl::CellId(0)).is_definite());
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

fn name(random: &mut Random) -> Name {
    let word = |random: &mut Random| {
        random.pick(&["x", "y", "f", "self", "AGx", "_a1", "line", "größe"]).to_string()
    };
    let path = (0..1 + random.below(2)).map(|_| word(random)).collect();
    let fields = (0..random.below(3).saturating_sub(1)).map(|_| word(random)).collect();
    Name { path, fields, span: SourceSpan::default() }
}

fn term(random: &mut Random, depth: usize) -> Term {
    let leaf = depth == 0 || random.one_in(4);
    match if leaf { random.below(2) } else { 2 + random.below(5) } {
        0 => Term::Integer(random.below(1000).to_string()),
        1 => Term::Name(name(random)),
        2 => Term::Element(name(random), Box::new(term(random, depth - 1))),
        3 => Term::Negate(Box::new(term(random, depth - 1))),
        4 => Term::Power(Box::new(term(random, depth - 1)), random.below(9) as u32),
        _ => {
            let op = random.pick(&[TermOp::Add, TermOp::Sub, TermOp::Mul, TermOp::Div, TermOp::Rem]);
            Term::Binary(op, Box::new(term(random, depth - 1)), Box::new(term(random, depth - 1)))
        }
    }
}

fn atom(random: &mut Random) -> Atom {
    let span = SourceSpan::default();
    match random.below(8) {
        0 => Atom::Boolean(name(random)),
        1 => Atom::BooleanElement(name(random), Box::new(term(random, 2))),
        2 => Atom::At(random.pick(&["L", "f::L"]).to_string(), span),
        3 => Atom::Line(random.below(100) as u32, span),
        4 => random.pick(&[
            Atom::Terminated,
            Atom::Failed(None, span),
            Atom::Failed(Some("overflow".into()), span),
        ]),
        _ => {
            use Comparison::*;
            let op = random.pick(&[Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
            Atom::Compare(op, term(random, 3), term(random, 3))
        }
    }
}

#[test]
fn printing_round_trips() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let formula = generate::formula(&mut random, 5, &mut atom);
        let text = formula.to_string();
        assert_eq!(parse(&text).as_ref(), Ok(&formula), "{text}");
    }
}

/// Dropping any one pair of printed parentheses changes the meaning: none is superfluous.
#[test]
fn printed_parentheses_are_needed() {
    let mut dropped = 0;
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let formula = generate::formula(&mut random, 4, &mut |random| random.pick(&["a", "b"]).to_string());
        let text = formula.to_string();
        let mut open = Vec::new();
        for (place, c) in text.char_indices() {
            match c {
                '(' => open.push(place),
                ')' => {
                    let start = open.pop().expect("balanced");
                    let without =
                        format!("{}{}{}", &text[..start], &text[start + 1..place], &text[place + 1..]);
                    let parsed = parse(&without).map(|other| other.map_atoms(&mut ToString::to_string));
                    assert_ne!(parsed.as_ref(), Ok(&formula), "{text}");
                    dropped += 1;
                }
                _ => {}
            }
        }
    }
    assert!(dropped > 1_000, "{dropped}");
}

#[test]
fn random_text_never_crashes_the_parser() {
    const PIECES: [&str; 40] = [
        "A",
        "E",
        "[",
        "]",
        "U",
        "R",
        "W",
        "(",
        ")",
        "AG",
        "EF",
        "!",
        "&&",
        "||",
        "->",
        "<->",
        "==",
        "<",
        "<=",
        "+",
        "-",
        "*",
        "**",
        "/",
        "%",
        "x",
        "f::",
        ".y",
        "at(",
        "line(",
        "failed",
        "1",
        "99999999999999999999",
        "'a'",
        "'",
        " ",
        "é",
        "=",
        "true",
        "\u{0}",
    ];
    let (mut good, mut bad) = (0, 0);
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let text = if random.one_in(2) {
            (0..random.below(12)).map(|_| random.pick(&PIECES)).collect::<String>()
        } else {
            let bytes: Vec<u8> = (0..random.below(24)).map(|_| (random.next() >> 40) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        match parse(&text) {
            Ok(formula) => {
                good += 1;
                assert_eq!(parse(&formula.to_string()), Ok(formula), "{text}");
            }
            Err(error) => {
                bad += 1;
                assert!(text.get(error.span.start..error.span.end).is_some(), "{text:?}: {error:?}");
            }
        }
    }
    assert!(good > 100 && bad > 1_000, "{good} parsed, {bad} refused");
}

#[test]
fn helpers_on_formulas() {
    let formula = parse("AG (a -> EF (b && a))").expect("a formula");
    let mut atoms = Vec::new();
    formula.for_each_atom(&mut |atom| atoms.push(atom.to_string()));
    assert_eq!(atoms, ["a", "b", "a"]);
    assert_eq!((formula.size(), formula.is_propositional()), (7, false));
    assert!(parse("a -> b && !c").expect("a formula").is_propositional());
    assert_eq!(formula.at_path(&[0, 1, 0]).map(ToString::to_string).as_deref(), Some("b && a"));
    assert_eq!(formula.at_path(&[1]), None);
    let refused: Result<Formula<()>, String> = formula.try_map(&mut |atom| Err(atom.to_string()));
    assert_eq!(refused, Err("a".to_string()));
}

#[test]
fn transition_systems_have_numbered_locations_and_odd_names() {
    assert_eq!(parse("at(007)"), parse("at(7)"));
    assert_eq!(parse("AG!p").expect("a formula"), parse("AG !p").expect("a formula"));
    assert_eq!(parse("A[p U!q]").expect("a formula"), parse("A[p U (!q)]").expect("a formula"));
    for (text, printed) in
        [("x!15 != x^post_1", "x!15 != x^post_1"), ("x!=15", "x != 15"), ("x!1!=2", "x!1 != 2")]
    {
        assert_eq!(parse(text).expect(text).to_string(), printed);
    }
}
