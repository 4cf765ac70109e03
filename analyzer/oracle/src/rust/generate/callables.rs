//! Closures, combinators, functions that take functions, traits and iterators.

use super::Maker;

/// What functions of this kind use.
pub(super) const COMMON: &str = "\
fn apply<F: Fn(u8) -> u8>(f: F, x: u8) -> u8 {
    f(x)
}
fn twice(mut f: impl FnMut(u8) -> u8, x: u8) -> u8 {
    let once = f(x);
    f(once)
}
fn through<F>(f: &mut F, x: u8)
where
    F: FnMut(u8),
{
    f(x);
    f(x / 2);
}
trait Measure {
    const STEP: u8;
    type Unit;
    fn size(&self) -> u8;
    fn unit(&self) -> Self::Unit;
    fn grown(&self) -> u8 {
        self.size() + Self::STEP
    }
}
#[derive(Clone, Copy, PartialEq, Debug)]
struct Meters(u8);
#[derive(Clone, Copy, PartialEq, Debug)]
struct Knots {
    speed: i8,
}
impl Measure for Meters {
    const STEP: u8 = 7;
    type Unit = u8;
    fn size(&self) -> u8 {
        self.0
    }
    fn unit(&self) -> u8 {
        self.0 / 3
    }
}
impl Measure for Knots {
    const STEP: u8 = 90;
    type Unit = i8;
    fn size(&self) -> u8 {
        self.speed.unsigned_abs()
    }
    fn unit(&self) -> i8 {
        -self.speed
    }
    fn grown(&self) -> u8 {
        self.size() * 2
    }
}
impl std::ops::Add for Meters {
    type Output = Meters;
    fn add(self, other: Meters) -> Meters {
        Meters(self.0 + other.0)
    }
}
impl std::ops::SubAssign<u8> for Meters {
    fn sub_assign(&mut self, by: u8) {
        self.0 -= by;
    }
}
fn measured<M: Measure>(measure: &M) -> u8 {
    measure.grown() ^ M::STEP
}
struct Halves {
    left: u8,
}
impl Iterator for Halves {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        if self.left == 0 {
            return None;
        }
        self.left /= 2;
        Some(self.left)
    }
}
struct Fault(u8);
impl From<u8> for Fault {
    fn from(code: u8) -> Fault {
        Fault(code / 2)
    }
}
fn faulty(x: i8) -> Result<i8, Fault> {
    let y = asked(x)?;
    Ok(y / 2)
}
";

impl Maker {
    pub(super) fn callable(&mut self) {
        match self.rng.below(6) {
            0 => self.closure(),
            1 => self.counting(),
            2 => self.combined(),
            3 => self.taking(),
            4 => self.measure(),
            _ => self.chain(),
        }
    }

    /// A closure that reads what is around it, called twice.
    fn closure(&mut self) {
        let (f, x, name) = (self.fresh(), self.fresh(), self.fresh());
        let moved = if self.rng.percent(30) { "move " } else { "" };
        self.line(&format!("let {f} = {moved}|{x}: u8| {{"));
        let known = self.known.variables.len();
        self.depth += 1;
        self.know(x, "u8", false);
        let (cond, early, value) = (self.expr("bool", 1), self.expr("u8", 1), self.expr("u8", 2));
        if self.rng.percent(40) {
            self.line(&format!("if {cond} {{ return {early}; }}"));
        }
        self.line(&value);
        self.depth -= 1;
        self.known.variables.truncate(known);
        self.line("};");
        let (first, second) = (self.expr("u8", 1), self.expr("u8", 1));
        self.line(&format!("let {name}: u8 = {f}({first});"));
        let other = self.fresh();
        self.line(&format!("let {other}: u8 = {f}({second}) ^ {name};"));
        self.know(other, "u8", false);
    }

    /// A closure that writes what is around it.
    fn counting(&mut self) {
        let (total, f, name) = (self.fresh(), self.fresh(), self.fresh());
        let (first, second, value) = (self.expr("u8", 1), self.expr("u8", 1), self.expr("u8", 1));
        self.line(&format!("let mut {total}: u8 = {value};"));
        match self.rng.below(4) {
            0 => {
                self.line(&format!("let mut {f} = move |x: u8| {{"));
                self.line(&format!("    {total} += x;"));
                self.line(&format!("    {total}"));
                self.line("};");
                self.line(&format!("let {name}: u8 = {f}({first});"));
                let again = self.fresh();
                self.line(&format!("let {again}: u8 = {f}({second}) ^ {name};"));
                self.know(again, "u8", false);
            }
            1 => {
                self.line(&format!("let mut {f} = |x: u8| {{"));
                self.line(&format!("    {total} -= x;"));
                self.line("};");
                self.line(&format!("through(&mut {f}, {first});"));
            }
            2 => {
                self.line(&format!("let {name}: u8 = twice(|x| {{"));
                self.line(&format!("    {total} *= 2;"));
                self.line(&format!("    {total} ^ x"));
                self.line(&format!("}}, {second});"));
                self.know(name, "u8", false);
            }
            _ => {
                let over = self.rng.range(1, 7);
                self.line(&format!("(0..{over}u8).for_each(|x| {{"));
                self.line(&format!("    {total} += x;"));
                self.line("});");
            }
        }
        self.know(total, "u8", true);
    }

    fn combined(&mut self) {
        let (name, value) = (self.fresh(), self.expr("u8", 1));
        let (one, two) = (self.expr("u8", 1), self.expr("u8", 1));
        let text = match self.rng.below(9) {
            0 => format!("found({value}).map(|x| x ^ {one}).unwrap_or({two})"),
            1 => format!("found({value}).map_or({two}, |x| x - {one})"),
            2 => format!("found({value}).filter(|x| *x > {one}).unwrap_or_else(|| {two} / 2)"),
            3 => format!(
                "found({value}).and_then(|x| x.checked_sub({one})).or_else(|| found({two})).unwrap_or(3)"
            ),
            4 => format!("asked({value} as i8).map(|x| x as u8 + 1).unwrap_or_else(|code| code ^ {one})"),
            5 => {
                format!("asked({value} as i8).map_err(|code| code / 3).map_or_else(|code| code, |x| x as u8)")
            }
            6 => format!("({value} > {one}).then(|| {value} - {one}).unwrap_or_default()"),
            7 => format!("found({value}).zip(found({one})).map(|(x, y)| x / 2 + y / 2).unwrap_or({two})"),
            _ => format!(
                "match faulty({value} as i8) {{ Ok(x) => x as u8, Err(Fault(code)) => code ^ {two} }}"
            ),
        };
        self.line(&format!("let {name}: u8 = {text};"));
        self.know(name, "u8", false);
    }

    fn taking(&mut self) {
        let (name, value) = (self.fresh(), self.expr("u8", 1));
        let text = match self.rng.below(4) {
            0 => format!("apply(half, {value})"),
            1 => format!("apply(u8::swap_bytes, {value})"),
            2 => format!("found({value}).map(half).map(Some).is_some() as u8"),
            _ => format!("apply(|x| x.wrapping_mul({}), {value})", self.expr("u8", 1)),
        };
        self.line(&format!("let {name}: u8 = {text};"));
        self.know(name, "u8", false);
    }

    fn measure(&mut self) {
        let (name, value, other) = (self.fresh(), self.expr("u8", 1), self.expr("i8", 1));
        let text = match self.rng.below(5) {
            0 => format!("measured(&Meters({value}))"),
            1 => format!("measured(&Knots {{ speed: {other} }})"),
            2 => format!("(Meters({value}) + Meters({})).unit()", self.expr("u8", 1)),
            3 => format!("Measure::unit(&Knots {{ speed: {other} }}) as u8 ^ <Meters as Measure>::STEP"),
            _ => {
                let made = self.fresh();
                self.line(&format!("let mut {made} = Meters({value});"));
                let by = self.expr("u8", 1);
                self.line(&format!("{made} -= {by};"));
                format!("{made}.grown()")
            }
        };
        self.line(&format!("let {name}: u8 = {text};"));
        self.know(name, "u8", false);
    }

    fn chain(&mut self) {
        let (name, value, end) = (self.fresh(), self.expr("u8", 1), self.rng.range(2, 7));
        let array = self.known.arrays.last().cloned().unwrap_or_else(|| "TABLE".into());
        let source = match self.rng.below(5) {
            0 => format!("(0..{end}u8)"),
            1 => format!("(0..={end}u8).rev()"),
            2 => format!("{array}.iter().copied()"),
            3 => format!("(Halves {{ left: {value} & 15 }})"),
            _ => format!("{array}.iter().zip(0..{end}u8).map(|(x, y)| x ^ y)"),
        };
        let middle = match self.rng.below(6) {
            0 => format!(".map(|x| x / 2 + {})", self.rng.range(0, 9)),
            1 => format!(".filter(|x| x % 2 == {value} % 2)"),
            2 => format!(".take_while(|x| *x != {})", self.rng.range(0, 9)),
            3 => ".enumerate().map(|(at, x)| at as u8 ^ x)".into(),
            4 => format!(".skip({})", self.rng.below(4)),
            _ => String::new(),
        };
        let text = match self.rng.below(8) {
            // Overflow of a sum is reported in std, in no line of the text: it is kept out.
            0 => format!("{source}{middle}.map(|x| x as u32).sum::<u32>() as u8"),
            1 => format!("{source}{middle}.max().unwrap_or({value})"),
            2 => format!("{source}{middle}.fold({value}, |x, y| x.wrapping_add(y))"),
            3 => format!("{source}{middle}.count() as u8"),
            4 => format!("{source}{middle}.position(|x| x > {value}).map_or(9, |at| at as u8)"),
            5 => format!("{source}{middle}.find(|x| *x > {value}).unwrap_or(1)"),
            6 => format!("{source}{middle}.any(|x| x == {value}) as u8"),
            _ => {
                let (item, total) = (self.fresh(), self.fresh());
                self.line(&format!("let mut {total}: u8 = 0;"));
                self.line(&format!("for {item} in {source}{middle} {{"));
                self.line(&format!("    {total} += {item} / 2;"));
                self.line("}");
                total
            }
        };
        self.line(&format!("let {name}: u8 = {text};"));
        self.know(name, "u8", false);
    }
}
