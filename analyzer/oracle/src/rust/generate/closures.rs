//! Closures that capture more than bytes, are kept, handed on and given back.

use super::Maker;

pub(super) const COMMON: &str = "\
fn adder(by: u8) -> impl Fn(u8) -> u8 {
    move |x| x + by
}
fn limited(limit: u8) -> impl FnMut(u8) -> u8 {
    let mut left = limit;
    move |x| {
        left =
            left - x;
        left
    }
}
fn composed(f: impl Fn(u8) -> u8, g: impl Fn(u8) -> u8) -> impl Fn(u8) -> u8 {
    move |x| g(f(x))
}
fn called_once<F: FnOnce() -> u8>(f: F) -> u8 {
    f()
}
fn each(xs: &[u8], mut f: impl FnMut(usize, &u8)) {
    for (at, x) in xs.iter().enumerate() {
        f(at, x);
    }
}
fn beside<F: FnOnce(&mut u8, u8) -> u8>(x: &mut u8, by: u8, then: F) -> u8 {
    *x /= 2;
    then(x, by)
}
fn pointed(f: fn(u8) -> u8, x: u8) -> u8 {
    f(x)
}
fn by_reference(f: &dyn Fn(u8) -> u8, x: u8) -> u8 {
    f(x)
}
struct Rule<F: Fn(u8) -> bool> {
    test: F,
    found: u8,
}
impl<F: Fn(u8) -> bool> Rule<F> {
    fn see(&mut self, x: u8) -> bool {
        let fits = (self.test)(x);
        if fits {
            self.found +=
                100;
        }
        fits
    }
}
";

impl Maker {
    /// A closure that writes what it captures, beside a borrow that it is given.
    fn beside(&mut self) {
        let (place, other, by, start) = (self.fresh(), self.fresh(), self.byte(), self.byte());
        self.line(&format!("let mut {place}: u8 = {start};"));
        self.line(&format!("let mut {other} = (1u8, [{by}, 2]);"));
        let lent = self.rng.below(2) == 0;
        if lent {
            self.line("{");
            self.line(&format!("let seen = &mut {other};"));
        }
        let seen = if lent { "seen" } else { other.as_str() };
        self.line(&format!("let got = beside(&mut {place}, {by}, |x, by| {{"));
        self.line(&format!("    {seen}.0 += 1;"));
        self.line(&format!("    {seen}.1[1] -= by;"));
        self.line("    *x += by;");
        self.line("    by");
        self.line("});");
        self.line(&format!("assert!(got <= {seen}.0 + 40);"));
        if lent {
            self.line("}");
        }
        self.let_byte(&format!("{place} - {other}.1[1] + {other}.0"));
    }

    pub(super) fn closing(&mut self) {
        match self.rng.below(13) {
            0..=2 => self.callable(),
            12 => self.beside(),
            3 => self.made(),
            4 => self.composition(),
            5 => self.once(),
            6 => self.over_elements(),
            7 => self.capturing_aggregates(),
            8 => self.pointer(),
            9 => self.rule(),
            10 => self.nested(),
            _ => self.chosen_closure(),
        }
    }

    /// Given back by a function.
    fn made(&mut self) {
        let (name, by, one, two) = (self.fresh(), self.byte(), self.byte(), self.byte());
        if self.rng.percent(50) {
            self.line(&format!("let {name} = adder({by});"));
            self.let_byte(&format!("{name}({one})"));
            self.let_byte(&format!("{name}({two}) / 2"));
        } else {
            self.line(&format!("let mut {name} = limited({by});"));
            self.let_byte(&format!("{name}({one})"));
            self.let_byte(&format!("{name}({two})"));
        }
    }

    fn composition(&mut self) {
        let (name, by, one) = (self.fresh(), self.byte(), self.byte());
        let first = *self.rng.pick(&["half", "|x| x - 1", "adder(3)", "|x: u8| x.wrapping_mul(3)"]);
        self.line(&format!("let {name} = composed({first}, move |x| x ^ {by});"));
        self.let_byte(&format!("{name}({one})"));
    }

    fn once(&mut self) {
        let (name, by, value) = (self.fresh(), self.byte(), self.byte());
        match self.rng.below(3) {
            0 => {
                self.line(&format!("let {name} = [{by}, {value}, 3];"));
                self.let_byte(&format!("called_once(move || {name}[1] - {name}[2])"));
            }
            1 => {
                self.line(&format!("let {name} = vec![{by}, {value}];"));
                self.let_byte(&format!("called_once(move || {name}[({value} & 3) as usize])"));
            }
            _ => {
                self.line(&format!("let mut {name}: u8 = {by};"));
                self.line("called_once(|| {");
                self.line(&format!("    {name} -= {value};"));
                self.line(&format!("    {name}"));
                self.line("});");
                self.know(name, "u8", true);
            }
        }
    }

    fn over_elements(&mut self) {
        let xs = self.some_slice();
        let (name, by) = (self.fresh(), self.byte());
        self.line(&format!("let mut {name}: u8 = {by};"));
        self.line(&format!("each({xs}, |at, x| {{"));
        match self.rng.below(3) {
            0 => self.line(&format!("    {name} = *x - at as u8;")),
            1 => self.line(&format!("    {name} ^= x / (at as u8 + 1);")),
            _ => self.line(&format!("    {name} = {xs}[at] / 2 + {xs}[{xs}.len() - at - 1] / 2;")),
        }
        self.line("});");
        self.know(name, "u8", true);
    }

    /// What is captured is a structure or an array; fields on their own.
    fn capturing_aggregates(&mut self) {
        let (name, f, by, one) = (self.fresh(), self.fresh(), self.byte(), self.byte());
        match self.rng.below(3) {
            0 => {
                self.line(&format!("let mut {name} = Pair {{ left: {by}, right: 1 }};"));
                self.line(&format!("let mut {f} = |x: u8| {{"));
                self.line(&format!("    {name}.left -= x;"));
                self.line("};");
                // The other field is free while the first is captured.
                self.line(&format!("{name}.right = -{name}.right;"));
                self.line(&format!("{f}({one});"));
                self.let_byte(&format!("{name}.left"));
            }
            1 => {
                self.line(&format!("let mut {name} = [{by}, 2, 3, 4];"));
                self.line(&format!("let mut {f} = |at: usize| {{"));
                self.line(&format!("    {name}[at] += 1;"));
                self.line(&format!("    {name}[0]"));
                self.line("};");
                self.let_byte(&format!("{f}(({one} & 7) as usize)"));
                self.known.arrays.push(name);
            }
            _ => {
                self.line(&format!("let mut {name}: Vec<u8> = vec![{by}];"));
                self.line(&format!("let mut {f} = |x: u8| {name}.push(x);"));
                self.line(&format!("{f}({one});"));
                self.line(&format!("{f}(7);"));
                self.let_byte(&format!("{name}[2] - {name}[0]"));
            }
        }
    }

    fn pointer(&mut self) {
        let (by, cond) = (self.byte(), self.expr("bool", 1));
        match self.rng.below(3) {
            0 => self.let_byte(&format!("pointed(half, {by})")),
            1 => {
                let name = self.fresh();
                self.line(&format!("let {name}: fn(u8) -> u8 = if {cond} {{ half }} else {{ scaled }};"));
                self.let_byte(&format!("{name}({by})"));
            }
            _ => self.let_byte(&format!("by_reference(&|x| x - 5, {by})")),
        }
    }

    fn rule(&mut self) {
        let (name, by, limit) = (self.fresh(), self.byte(), self.byte());
        self.line(&format!("let mut {name} = Rule {{ test: |x| x > {limit}, found: {by} }};"));
        for _ in 0..1 + self.rng.below(2) {
            let one = self.byte();
            self.line(&format!("{name}.see({one});"));
        }
        self.let_byte(&format!("{name}.found"));
    }

    /// A closure in a closure.
    fn nested(&mut self) {
        let (outer, by, one) = (self.fresh(), self.byte(), self.byte());
        self.line(&format!("let {outer} = |x: u8| {{"));
        self.line(&format!("    let inner = |y: u8| y / 2 + x / 2 - {by};"));
        self.line("    inner(x) ^ inner(3)");
        self.line("};");
        self.let_byte(&format!("{outer}({one})"));
    }

    /// What a closure does depends on what it captured.
    fn chosen_closure(&mut self) {
        let (name, cond, by, one) = (self.fresh(), self.expr("bool", 1), self.byte(), self.byte());
        self.line(&format!("let flag = {cond};"));
        self.line(&format!("let {name} = move |x: u8| if flag {{ x - {by} }} else {{ x / 2 }};"));
        self.let_byte(&format!("apply({name}, {one})"));
        self.let_byte(&format!("apply(&{name}, 200)"));
    }
}
