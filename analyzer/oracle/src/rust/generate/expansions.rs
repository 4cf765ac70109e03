//! Local macros: repetitions, recursion, items, patterns, counters and names of their own.

use super::Maker;

pub(super) const COMMON: &str = "\
macro_rules! total {
    () => { 0u8 };
    ($x:expr $(, $rest:expr)* $(,)?) => { $x / 2 + total!($($rest),*) };
}
macro_rules! bounded {
    ($x:expr, $low:literal ..= $high:literal) => {
        match $x {
            x if x < $low => $low,
            $low..=$high => 1,
            _ => $high,
        }
    };
}
macro_rules! records {
    ($($name:ident { $($field:ident: $t:ty = $value:expr),* $(,)? })*) => {$(
        #[derive(Clone, Copy)]
        struct $name { $($field: $t),* }
        impl $name {
            fn make() -> Self { $name { $($field: $value),* } }
            fn sum(&self) -> u8 { 0 $(+ self.$field as u8)* }
        }
    )*};
}
records! {
    Small { a: u8 = 3, b: u8 = 200 }
    Mixed { first: i8 = -1, second: u8 = 7, third: u8 = 9 }
}
macro_rules! swapped {
    ($a:ident, $b:ident) => {
        let kept = $a;
        $a = $b;
        $b = kept;
    };
}
macro_rules! check {
    ($cond:expr) => { assert!($cond) };
    ($cond:expr, $($more:expr),+) => {{ check!($cond); check!($($more),+) }};
}
macro_rules! first_of {
    ([$first:expr $(, $rest:expr)*]) => { $first };
}
macro_rules! count {
    () => { 0u8 };
    ($head:tt $($tail:tt)*) => { 1u8 + count!($($tail)*) };
}
macro_rules! repeat_times {
    ($n:expr, $body:block) => {{
        let mut left: u8 = $n;
        while left > 0 {
            left -= 1;
            $body
        }
    }};
}
macro_rules! pick {
    ($x:expr; $($p:pat_param => $v:expr),+ ; else $d:expr) => { match $x { $($p => $v,)+ _ => $d } };
}
";

impl Maker {
    pub(super) fn expansion(&mut self) {
        let (one, two) = (self.byte(), self.byte());
        match self.rng.below(14) {
            0 => self.let_byte(&format!("total!({one}, {two}, 3)")),
            1 => self.let_byte(&format!("bounded!({one}, 5 ..= 90)")),
            2 => {
                let name = self.fresh();
                self.line(&format!("let mut {name} = Small::make();"));
                self.line(&format!("{name}.a = {one};"));
                self.let_byte(&format!("{name}.sum()"));
            }
            3 => {
                let name = self.fresh();
                self.line(&format!("let {name} = Mixed {{ second: {one} / 2, third: 1, ..Mixed::make() }};"));
                self.let_byte(&format!("{name}.second - {name}.third"));
            }
            4 => {
                let (a, b) = (self.fresh(), self.fresh());
                self.line(&format!("let (mut {a}, mut {b}): (u8, u8) = ({one}, {two});"));
                self.line(&format!("swapped!({a}, {b});"));
                self.let_byte(&format!("{a} - {b}"));
            }
            5 => {
                let (cond, other) = (self.expr("bool", 1), self.expr("bool", 1));
                self.line(&format!("check!({cond}, {other});"));
            }
            6 => self.let_byte(&format!("first_of!([{one}, {two}]) - 1")),
            7 => self.let_byte(&format!("{one} - count!(a b (c d) [e] 5)")),
            8 => {
                let name = self.fresh();
                self.line(&format!("let mut {name}: u8 = {two};"));
                self.line(&format!("repeat_times!({one} & 3, {{ {name} += 60; }});"));
                self.know(name, "u8", true);
            }
            9 => self.let_byte(&format!("pick!({one}; 0 => 1, 1..=9 => {two}; else 100 / {one})")),
            10 => self.attempts(),
            11 => self.local_macro(),
            12 => self.let_byte(&format!("joined!(- least!({one}, {two}), spread!({two}, 9))")),
            _ => {
                let called = self.fresh();
                self.line(&format!("macro_rules! {called} {{"));
                self.line("    ($($x:ident = $v:expr),*) => { $(let $x: u8 = $v;)* };");
                self.line("}");
                let (a, b) = (self.fresh(), self.fresh());
                self.line(&format!("{called}!({a} = {one}, {b} = {two} - 1);"));
                self.know(a, "u8", false);
                self.know(b, "u8", false);
            }
        }
    }
}
