//! Borrows: of variables, elements and fields, in structures and tuples, passed on and handed back.

use super::{Maker, Variable};

pub(super) const COMMON: &str = "\
struct Counter {
    count: u8,
    step: u8,
    log: [u8; 2],
}
impl Counter {
    fn advance(&mut self) -> u8 {
        self.count +=
            self.step;
        self.log[0] = self.count;
        self.count
    }
    fn slot(&mut self, at: usize) -> &mut u8 {
        &mut self.log[at]
    }
    fn reset(&mut self) -> u8 {
        self.log[1] = std::mem::take(&mut self.count);
        self.log[1]
    }
    fn latest(&self) -> &u8 {
        if self.count > 9 { &self.log[0] } else { &self.log[1] }
    }
    fn add(&mut self, by: u8) -> &mut Counter {
        self.count =
            self.count + by;
        self
    }
}
struct View<'a> {
    of: &'a mut u8,
    by: u8,
}
impl<'a> View<'a> {
    fn shrink(&mut self) -> u8 {
        *self.of =
            *self.of - self.by;
        *self.of
    }
    fn next(&mut self) -> View<'_> {
        View { of: &mut *self.of, by: self.by / 2 }
    }
}
fn larger<'a>(x: &'a u8, y: &'a u8) -> &'a u8 {
    if x > y { x } else { y }
}
fn chosen<'a>(first: bool, x: &'a mut u8, y: &'a mut u8) -> &'a mut u8 {
    if first { x } else { y }
}
fn raise(x: &mut u8, by: u8) {
    *x =
        *x + by;
}
fn raise_twice(x: &mut u8, by: u8) {
    raise(x, by);
    raise(&mut *x, 1);
}
fn raise_all(xs: &mut [u8; 4], by: u8) {
    for x in xs.iter_mut() {
        raise(x, by);
    }
}
";

impl Maker {
    pub(super) fn reference(&mut self) {
        match self.rng.below(15) {
            0 | 1 => self.lent(),
            2 => self.read_through(),
            3 | 4 => self.exchanged(),
            5 | 6 => self.counter(),
            7 => self.choice(),
            8 => self.optional_place(),
            9 => self.elements(),
            10 => self.viewed(),
            11 => self.two_at_once(),
            12 => self.passed_on(),
            13 => self.updated_place(),
            _ => self.fields(),
        }
    }

    /// A byte that may be written, made if there is none.
    pub(super) fn place(&mut self) -> Variable {
        if let Some(variable) = self.assignable(Some("u8")).filter(|_| self.rng.percent(80)) {
            return variable;
        }
        let (name, value) = (self.fresh(), self.byte());
        self.line(&format!("let mut {name}: u8 = {value};"));
        self.know(name, "u8", true);
        self.known.variables.last().cloned().expect("it was made just now")
    }

    /// Two of them.
    pub(super) fn places(&mut self) -> (Variable, Variable) {
        let first = self.place();
        let at = self.known.variables.iter().position(|it| it.name == first.name);
        let kept = at.map(|at| self.known.variables.remove(at));
        let second = self.place();
        self.known.variables.extend(kept);
        (first, second)
    }

    pub(super) fn hide(&mut self, lent: &Variable) {
        self.known.variables.retain(|it| it.name != lent.name);
    }

    /// A borrow, and what is done through it while it lasts.
    fn lent(&mut self) {
        let place = self.place();
        self.line("{");
        self.scoped(|maker| {
            maker.hide(&place);
            let name = maker.fresh();
            maker.line(&format!("let {name} = &mut {};", place.name));
            maker.know(format!("(*{name})"), "u8", true);
            maker.through(&name);
            if maker.rng.percent(60) {
                maker.through(&name);
            }
        });
        self.line("}");
    }

    fn through(&mut self, name: &str) {
        let lent = Variable { name: format!("(*{name})"), ty: "u8", assignable: true };
        let value = self.expr_without(&lent);
        match self.rng.below(7) {
            0 => self.line(&format!("*{name} -= {value};")),
            1 => {
                let again = self.fresh();
                self.line(&format!("let {again} = &mut *{name};"));
                self.line(&format!("*{again} += {value};"));
            }
            2 => self.line(&format!("take({name}, {value});")),
            3 => self.line(&format!("raise_twice({name}, {value});")),
            4 => {
                let taken = self.fresh();
                self.line(&format!("let {taken}: u8 = std::mem::replace({name}, {value});"));
                self.know(taken, "u8", false);
            }
            5 => self.assertion(),
            _ => self.assignment(),
        }
    }

    fn read_through(&mut self) {
        let (place, by) = (self.place(), self.byte());
        let (name, twice) = (self.fresh(), self.fresh());
        self.line(&format!("let {name} = &{};", place.name));
        self.line(&format!("let {twice} = &{name};"));
        let op = *self.rng.pick(&["-", "+", "/"]);
        self.let_byte(&format!("**{twice} {op} {by}"));
    }

    fn exchanged(&mut self) {
        let (first, second) = self.places();
        let value = self.expr_without(&first);
        match self.rng.below(4) {
            0 => {
                self.line(&format!("std::mem::swap(&mut {}, &mut {});", first.name, second.name));
                let by = self.byte();
                self.line(&format!("{} -= {by};", first.name));
            }
            1 => self.let_byte(&format!("std::mem::replace(&mut {}, {value})", first.name)),
            2 => self.let_byte(&format!("std::mem::take(&mut {})", first.name)),
            _ => {
                self.let_byte(&format!("std::mem::take(&mut {}) - {}", first.name, second.name));
            }
        }
    }

    fn counter(&mut self) {
        let Some(counter) = self.known.counters.last().cloned().filter(|_| self.rng.percent(80)) else {
            let (name, count, step) = (self.fresh(), self.byte(), self.byte());
            self.line(&format!("let mut {name} = Counter {{ count: {count}, step: {step}, log: [0, 1] }};"));
            return self.known.counters.push(name);
        };
        let value = self.byte();
        match self.rng.below(8) {
            0 | 1 => self.let_byte(&format!("{counter}.advance()")),
            2 => self.let_byte(&format!("{counter}.reset()")),
            3 => self.line(&format!("*{counter}.slot(({value} & 1) as usize) += 9;")),
            4 => self.let_byte(&format!("*{counter}.latest() - {value}")),
            5 => self.let_byte(&format!("{counter}.add({value}).add(1).advance()")),
            6 => {
                self.line(&format!("{counter}.step = {value};"));
                self.line(&format!("{counter}.advance();"));
            }
            _ => self.line(&format!("raise(&mut {counter}.step, {value});")),
        }
    }

    /// One of two places.
    fn choice(&mut self) {
        let (first, second) = self.places();
        let kept = self.known.clone();
        self.hide(&first);
        self.hide(&second);
        let (cond, value) = (self.expr("bool", 1), self.byte());
        let (one, two) = (first.name, second.name);
        match self.rng.below(3) {
            0 => self.line(&format!("*chosen({cond}, &mut {one}, &mut {two}) -= {value};")),
            1 => {
                let name = self.fresh();
                self.line(&format!("let {name} = if {cond} {{ &mut {one} }} else {{ &mut {two} }};"));
                self.line(&format!("*{name} += {value};"));
            }
            _ => {
                let name = self.fresh();
                self.line(&format!("let {name}: &u8 = larger(&{one}, &{two});"));
                let result = self.fresh();
                self.line(&format!("let {result}: u8 = {value} - *{name};"));
                self.known = kept;
                return self.know(result, "u8", false);
            }
        }
        self.known = kept;
    }

    fn optional_place(&mut self) {
        let (name, value, by) = (self.fresh(), self.byte(), self.byte());
        self.line(&format!("let mut {name} = found({value});"));
        match self.rng.below(6) {
            0 => {
                self.line(&format!("if let Some(x) = &mut {name} {{"));
                self.line(&format!("    *x -= {by};"));
                self.line("}");
                self.let_byte(&format!("{name}.unwrap_or(3)"));
            }
            1 => {
                self.line(&format!("let taken = {name}.take();"));
                self.line(&format!("assert!({name}.is_none());"));
                self.let_byte(&format!("taken.unwrap_or({by})"));
            }
            2 => {
                self.line(&format!("let before = {name}.replace({by});"));
                self.let_byte(&format!("{name}.unwrap() - before.unwrap_or(0)"));
            }
            3 => {
                self.line(&format!("let seen: u8 = match &{name} {{"));
                self.line(&format!("    Some(x) if *x > {by} => *x - 100,"));
                self.line(&format!("    Some(x) => *x - {by},"));
                self.line("    None => 0,");
                self.line("};");
                self.let_byte("seen");
            }
            4 => {
                self.line(&format!("if let Some(x) = {name}.as_mut() {{"));
                self.line(&format!("    *x ^= {by};"));
                self.line("}");
                self.let_byte(&format!("{name}.unwrap_or(1)"));
            }
            _ => {
                self.line(&format!("match {name} {{"));
                self.line(&format!("    Some(ref mut x) => *x /= {by},"));
                self.line(&format!("    None => {name} = Some(1),"));
                self.line("}");
                self.let_byte(&format!("{name}.unwrap()"));
            }
        }
    }

    fn elements(&mut self) {
        let Some(array) = self.known.arrays.last().cloned() else { return self.array() };
        let by = self.byte();
        let lent = if array.starts_with('p') { array.clone() } else { format!("&mut {array}") };
        match self.rng.below(5) {
            0 => self.written_through(&array),
            1 => self.line(&format!("raise(&mut {array}[({by} & 3) as usize], 7);")),
            2 => {
                let name = self.fresh();
                self.line(&format!("let [{name}, _, other, ..] = {lent};"));
                self.line(&format!("std::mem::swap({name}, other);"));
                self.line(&format!("*{name} += 1;"));
            }
            3 => {
                let name = self.fresh();
                self.line(&format!("let {name} = &mut {array}[({by} & 7) as usize];"));
                self.line(&format!("*{name} = 100 / *{name};"));
            }
            _ => self.line(&format!("raise_all({lent}, {by});")),
        }
    }

    /// A structure that borrows.
    fn viewed(&mut self) {
        let place = self.place();
        let (name, by) = (self.fresh(), self.expr_without(&place));
        self.line(&format!("let mut {name} = View {{ of: &mut {}, by: {by} }};", place.name));
        match self.rng.below(3) {
            0 => self.let_byte(&format!("{name}.shrink()")),
            1 => {
                self.line(&format!("{name}.shrink();"));
                self.let_byte(&format!("{name}.next().shrink()"));
            }
            _ => {
                self.line(&format!("*{name}.of /= 2;"));
                self.line(&format!("{name}.by = *{name}.of;"));
                self.let_byte(&format!("{name}.shrink()"));
            }
        }
    }

    fn two_at_once(&mut self) {
        let (first, second) = self.places();
        let (one, two) = (self.fresh(), self.fresh());
        self.line(&format!("let ({one}, {two}) = (&mut {}, &mut {});", first.name, second.name));
        let op = *self.rng.pick(&["-=", "+=", "*="]);
        self.line(&format!("*{one} {op} *{two};"));
        if self.rng.percent(50) {
            self.line(&format!("exchange({one}, {two});"));
            self.line(&format!("*{two} -= 1;"));
        }
    }

    fn passed_on(&mut self) {
        let place = self.place();
        let value = self.expr_without(&place);
        let name = place.name;
        match self.rng.below(3) {
            0 => self.line(&format!("raise_twice(&mut {name}, {value});")),
            1 => self.let_byte(&format!("take(&mut {name}, {value}) - 1")),
            _ => self.line(&format!("raise(&mut {name}, {value});")),
        }
    }

    /// Written through a borrow in a loop.
    fn updated_place(&mut self) {
        let place = self.place();
        let (name, item, end) = (self.fresh(), self.fresh(), self.rng.range(1, 5));
        let value = self.expr_without(&place);
        self.line("{");
        self.line(&format!("    let {name} = &mut {};", place.name));
        self.line(&format!("    for {item} in 0..{end}u8 {{"));
        self.line(&format!("        if *{name} > {value} {{ break; }}"));
        self.line(&format!("        *{name} += {item} * 20;"));
        self.line("    }");
        self.line("}");
    }

    /// Fields borrowed side by side.
    fn fields(&mut self) {
        let Some(counter) = self.known.counters.last().cloned() else { return self.counter() };
        let value = self.byte();
        match self.rng.below(3) {
            0 => {
                self.line(&format!("let Counter {{ count, step, .. }} = &mut {counter};"));
                self.line("*count -= *step;");
                self.line(&format!("*step = {value};"));
            }
            1 => {
                self.line(&format!("std::mem::swap(&mut {counter}.count, &mut {counter}.step);"));
                self.let_byte(&format!("{counter}.count - {value}"));
            }
            _ => {
                let name = self.fresh();
                self.line(&format!("let {name} = &mut {counter}.log;"));
                self.line(&format!("{name}[({value} & 1) as usize] -= {counter}.count;"));
            }
        }
    }
}
