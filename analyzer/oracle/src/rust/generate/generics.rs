//! Functions and structures of any type or size, traits with defaults, associated items, operators and conversions.

use super::Maker;

pub(super) const COMMON: &str = "\
fn largest<T: PartialOrd + Copy>(xs: &[T]) -> Option<T> {
    let mut found = *xs.first()?;
    for x in xs {
        if *x > found {
            found = *x;
        }
    }
    Some(found)
}
fn between<T: Ord>(x: T, low: T, high: T) -> T {
    if x < low {
        low
    } else if x > high {
        high
    } else {
        x
    }
}
fn added<T: std::ops::Add<Output = T>>(x: T, y: T) -> T {
    x +
        y
}
fn at<T: Copy, const N: usize>(xs: [T; N], index: usize) -> T {
    xs[index]
}
fn size_of_all<const N: usize>(_: [u8; N], by: u8) -> u8 {
    100 / (by - N as u8)
}
struct Held<T> {
    value: T,
    reads: u8,
}
impl<T: Copy> Held<T> {
    fn new(value: T) -> Self {
        Held { value, reads: 250 }
    }
    fn read(&mut self) -> T {
        self.reads +=
            1;
        self.value
    }
    fn map<U>(self, f: impl FnOnce(T) -> U) -> Held<U> {
        Held { value: f(self.value), reads: self.reads }
    }
}
struct Ring<const N: usize> {
    items: [u8; N],
    next: usize,
}
impl<const N: usize> Ring<N> {
    const LAST: usize = N - 1;
    fn new() -> Self {
        Ring { items: [0; N], next: 0 }
    }
    fn put(&mut self, x: u8) {
        self.items[self.next] = x;
        self.next = (self.next + 1) % N;
    }
    fn put_carelessly(&mut self, x: u8) {
        self.items[self.next] =
            x;
        self.next += 1;
    }
    fn last(&self) -> u8 {
        self.items[Self::LAST]
    }
}
trait Area {
    const SIDES: u8;
    fn area(&self) -> u8;
    fn doubled(&self) -> u8 {
        self.area() *
            2
    }
    fn named() -> u8
    where
        Self: Sized,
    {
        Self::SIDES
    }
}
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Square(u8);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Oblong {
    width: u8,
    height: u8,
}
impl Area for Square {
    const SIDES: u8 = 1;
    fn area(&self) -> u8 {
        self.0
            * self.0
    }
}
impl Area for Oblong {
    const SIDES: u8 = 2;
    fn area(&self) -> u8 {
        self.width
            * self.height
    }
    fn doubled(&self) -> u8 {
        self.area() / 2
    }
}
impl From<u8> for Square {
    fn from(side: u8) -> Square {
        Square(side / 16)
    }
}
impl From<Square> for Oblong {
    fn from(square: Square) -> Oblong {
        Oblong { width: square.0, height: square.0 }
    }
}
impl std::ops::Mul<u8> for Oblong {
    type Output = Oblong;
    fn mul(self, by: u8) -> Oblong {
        Oblong { width: self.width
            * by, ..self }
    }
}
impl std::ops::Index<usize> for Oblong {
    type Output = u8;
    fn index(&self, at: usize) -> &u8 {
        match at {
            0 => &self.width,
            _ => &self.height,
        }
    }
}
impl std::ops::Neg for Square {
    type Output = Square;
    fn neg(self) -> Square {
        Square(20
            - self.0)
    }
}
fn total_area<A: Area, B: Area>(a: &A, b: &B) -> u8 {
    a.doubled() / 2 + b.area() / 2 + A::SIDES
}
fn converted<T: Into<Square>>(x: T) -> u8 {
    x.into().0
}
";

impl Maker {
    pub(super) fn generic(&mut self) {
        let (one, two) = (self.byte(), self.byte());
        match self.rng.below(16) {
            0 => {
                let xs = self.some_slice();
                self.let_byte(&format!("largest({xs}).unwrap()"));
            }
            1 => {
                let signed = self.expr("i8", 1);
                self.line(&format!("let least: i8 = largest(&[{signed}, 3i8]).unwrap();"));
                self.let_byte("least as u8 - 3");
            }
            2 => self.let_byte(&format!("between({one}, 10, 20) - {two}")),
            3 => {
                let (signed, other) = (self.expr("i8", 1), self.expr("i8", 1));
                self.let_byte(&format!("between({signed}, -5i8, {other}) as u8"));
            }
            4 => self.let_byte(&format!("added({one}, {two})")),
            5 => {
                let (signed, other) = (self.expr("i8", 1), self.expr("i8", 1));
                self.let_byte(&format!("added({signed} as i16, {other} as i16) as u8"));
            }
            6 => self.let_byte(&format!("at([1u8, {one}, 3], ({two} & 3) as usize)")),
            7 => self.let_byte(&format!("at([true, {one} > 3], ({two} & 3) as usize) as u8")),
            8 => self.let_byte(&format!("size_of_all([{one}; 5], {two})")),
            9 | 10 => self.held(),
            11 | 12 => self.ring(),
            13 => self.areas(),
            14 => self.operators(),
            _ => self.derived(),
        }
    }

    fn held(&mut self) {
        let (name, one) = (self.fresh(), self.byte());
        self.line(&format!("let mut {name} = Held::new({one});"));
        match self.rng.below(3) {
            0 => {
                let end = self.rng.range(1, 7);
                self.line(&format!("for _ in 0..{end} {{"));
                self.line(&format!("    {name}.read();"));
                self.line("}");
                self.let_byte(&format!("{name}.reads"));
            }
            1 => {
                self.let_byte(&format!("{name}.read() - 1"));
                self.let_byte(&format!("{name}.reads - {one}"));
            }
            _ => {
                let other = self.fresh();
                self.line(&format!("let mut {other} = {name}.map(|x| (x / 2, x > 9));"));
                self.let_byte(&format!("{other}.read().0 - {other}.read().1 as u8"));
            }
        }
    }

    fn ring(&mut self) {
        let (name, size) = (self.fresh(), self.rng.range(1, 3));
        self.line(&format!("let mut {name} = Ring::<{size}>::new();"));
        let method = *self.rng.pick(&["put", "put", "put_carelessly"]);
        for _ in 0..1 + self.rng.below(3) {
            let one = self.byte();
            self.line(&format!("{name}.{method}({one});"));
        }
        self.let_byte(&format!("{name}.last() - 1"));
        self.line(&format!("assert!({name}.next < {size});"));
    }

    fn areas(&mut self) {
        let (one, two) = (self.byte(), self.byte());
        let value = match self.rng.below(5) {
            0 => format!("total_area(&Square({one} & 15), &Oblong {{ width: {two}, height: 2 }})"),
            1 => format!("total_area(&Oblong {{ width: 3, height: {one} }}, &Square(2))"),
            2 => format!("(Square({one}).doubled() - Oblong::named())"),
            3 => format!("<Oblong as Area>::doubled(&Oblong {{ width: {one}, height: {two} }})"),
            _ => format!("Square::SIDES + Area::area(&Square({one}))"),
        };
        self.let_byte(&value);
    }

    fn operators(&mut self) {
        let (one, two) = (self.byte(), self.byte());
        let value = match self.rng.below(6) {
            0 => format!("(Oblong {{ width: {one}, height: 3 }} * {two}).width"),
            1 => format!("Oblong {{ width: {one}, height: 3 }}[({two} & 3) as usize]"),
            2 => format!("(-Square({one})).0"),
            3 => format!("converted({one}) - 1"),
            4 => format!("Oblong::from(Square({one})).height"),
            _ => {
                let name = self.fresh();
                self.line(&format!("let {name}: Square = {one}.into();"));
                format!("{name}.0 - 3")
            }
        };
        self.let_byte(&value);
    }

    fn derived(&mut self) {
        let (one, two) = (self.byte(), self.byte());
        match self.rng.below(4) {
            0 => {
                self.line(&format!("if Square({one}) < Square({two}) {{"));
                self.line(&format!("    assert!({one} != 7);"));
                self.line("}");
            }
            1 => {
                let name = self.fresh();
                self.line(&format!("let {name} = Oblong {{ width: {one}, ..Default::default() }};"));
                self.line(&format!("assert!({name} != Oblong::default());"));
            }
            2 => {
                let name = self.fresh();
                self.line(&format!("let {name} = Oblong {{ width: {one}, height: 4 }};"));
                self.line(&format!("let other = {name}.clone();"));
                self.line(&format!("assert_eq!({name}, other);"));
                self.let_byte(&format!("other.width.max({two}) - {two}"));
            }
            _ => {
                let name = self.fresh();
                self.line(&format!("let {name} = Square({one}).max(Square(9)).cmp(&Square({two}));"));
                self.line(&format!("assert!({name} != std::cmp::Ordering::Equal);"));
            }
        }
    }
}
