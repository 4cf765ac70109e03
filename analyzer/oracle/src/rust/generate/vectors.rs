//! Vectors: made, filled, cut and read.

use super::Maker;

pub(super) const COMMON: &str = "\
fn sum_of(xs: &[u8]) -> u32 {
    let mut total = 0;
    for x in xs {
        total += *x as u32;
    }
    total
}
fn upto(count: u8) -> Vec<u8> {
    let mut all = Vec::new();
    for x in 0..count {
        all.push(x);
    }
    all
}
fn evens(xs: &[u8]) -> Vec<u8> {
    let mut found = Vec::with_capacity(xs.len());
    for x in xs {
        if x % 2 == 0 {
            found.push(*x);
        }
    }
    found
}
fn appended(to: &mut Vec<u8>, x: u8) -> usize {
    to.push(x);
    to.len() - 1
}
struct Stack {
    items: Vec<u8>,
    limit: usize,
}
impl Stack {
    fn push(&mut self, x: u8) -> bool {
        if self.items.len() == self.limit {
            return false;
        }
        self.items.push(x);
        true
    }
    fn top(&self) -> u8 {
        self.items[self.items.len() -
            1]
    }
    fn drop_top(&mut self) -> u8 {
        self.items.pop().unwrap()
    }
}
";

impl Maker {
    pub(super) fn vector(&mut self) {
        let Some(v) = self.known.vectors.last().cloned().filter(|_| self.rng.percent(85)) else {
            return self.new_vector();
        };
        match self.rng.below(9) {
            0..=3 => self.changed(&v),
            4 | 5 => self.read_vector(&v),
            6 => self.lent_vector(&v),
            7 => self.stack(),
            _ => {
                self.size(&v);
            }
        }
    }

    pub(super) fn new_vector(&mut self) {
        let (name, one, two) = (self.fresh(), self.byte(), self.byte());
        let source = self.known.slices.last().cloned();
        let value = match self.rng.below(8) {
            0 => "Vec::new()".into(),
            1 => format!("vec![{one}; 3]"),
            2 => format!("vec![7u8; ({one} & 3) as usize]"),
            3 => format!("upto({one} & 3)"),
            4 if source.is_some() => format!("{}.to_vec()", source.unwrap_or_default()),
            5 if source.is_some() => format!("evens({})", source.unwrap_or_default()),
            6 => format!("[{one}, {two}].to_vec()"),
            _ => format!("vec![{one}, {two}]"),
        };
        self.line(&format!("let mut {name}: Vec<u8> = {value};"));
        self.known.vectors.push(name);
    }

    fn changed(&mut self, v: &str) {
        let (at, by) = (self.index(v), self.byte());
        match self.rng.below(14) {
            0 | 1 => self.line(&format!("{v}.push({by});")),
            2 => self.let_byte(&format!("{v}.pop().unwrap_or({by})")),
            3 => self.let_byte(&format!("{v}.pop().unwrap()")),
            4 => self.line(&format!("{v}.insert({at}, {by});")),
            5 => {
                let at = self.size(v);
                self.let_byte(&format!("{v}.remove({at})"));
            }
            6 => self.line(&format!("{v}.truncate(({by} & 3) as usize);")),
            7 => {
                let other = self.known.slices.last().cloned().unwrap_or_else(|| format!("&[{by}, 2]"));
                self.line(&format!("{v}.extend_from_slice({other});"));
            }
            8 => {
                let at = self.size(v);
                let op = *self.rng.pick(&["=", "+=", "-="]);
                self.line(&format!("{v}[{at}] {op} {by};"));
            }
            9 => self.line(&format!("{v}.clear();")),
            10 => self.line(&format!("{v}.resize(({by} & 7) as usize, 5);")),
            11 => {
                let name = self.fresh();
                let lent = if v.starts_with('p') { v.to_string() } else { format!("&mut {v}") };
                self.line(&format!("let {name}: usize = appended({lent}, {by});"));
                self.know(name, "usize", false);
            }
            12 => self.written_through(v),
            _ => {
                let end = self.rng.range(1, 4);
                self.line(&format!("for x in 0..{end}u8 {{"));
                self.line(&format!("    {v}.push(x * {by});"));
                self.line("}");
            }
        }
    }

    fn read_vector(&mut self, v: &str) {
        let (at, by) = (self.index(v), self.byte());
        match self.rng.below(8) {
            0 | 1 => self.let_byte(&format!("{v}[{at}]")),
            2 => self.let_byte(&format!("*{v}.last().unwrap()")),
            3 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u32 = sum_of(&{v}) / {v}.len() as u32;"));
                self.let_byte(&format!("{name} as u8"));
            }
            4 => {
                self.line(&format!("while let Some(x) = {v}.pop() {{"));
                self.line(&format!("    if x > {by} {{ break; }}"));
                self.line("}");
                self.line(&format!("assert!({v}.len() < 2);"));
            }
            5 => {
                let name = self.fresh();
                self.line(&format!("let mut {name}: u8 = 0;"));
                self.line(&format!("for at in 0..{v}.len() {{"));
                self.line(&format!("    {name} = {v}[at] - {name};"));
                self.line("}");
                self.know(name, "u8", true);
            }
            6 => {
                let part = self.part_of(v);
                self.let_byte(&format!("{v}[{part}].len() as u8"));
            }
            _ => {
                let name = self.fresh();
                self.line(&format!("let {name} = {v}.clone();"));
                self.line(&format!("{v}.push({by});"));
                self.line(&format!("assert!({name}.len() + 1 == {v}.len());"));
            }
        }
    }

    /// A part of it, while it is lent.
    fn lent_vector(&mut self, v: &str) {
        let part = self.sized_part(v);
        self.line("{");
        self.scoped(|maker| {
            maker.known.vectors.retain(|name| name != v);
            let (name, by) = (maker.fresh(), maker.byte());
            let at = maker.rng.below(3);
            maker.line(&format!("let {name} = &mut {v}[{part}];"));
            match maker.rng.below(3) {
                0 => maker.line(&format!("{name}[{at}] = {by};")),
                1 => {
                    maker.line(&format!("if let Some(x) = {name}.first_mut() {{"));
                    maker.line(&format!("    *x -= {by};"));
                    maker.line("}");
                }
                _ => maker.line(&format!("{name}.swap(0, {at});")),
            }
        });
        self.line("}");
    }

    /// A structure around one.
    fn stack(&mut self) {
        let (name, by, limit) = (self.fresh(), self.byte(), self.rng.range(0, 3));
        self.line(&format!("let mut {name} = Stack {{ items: vec![{by}], limit: {limit} }};"));
        for _ in 0..1 + self.rng.below(3) {
            let by = self.byte();
            match self.rng.below(4) {
                0 | 1 => self.line(&format!("{name}.push({by});")),
                2 => self.let_byte(&format!("{name}.drop_top()")),
                _ => self.let_byte(&format!("{name}.top()")),
            }
        }
        self.line(&format!("assert!({name}.items.len() <= {name}.limit);"));
    }
}
