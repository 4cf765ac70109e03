//! Chains over slices, vectors and arrays: a source, some adaptors, a consumer.

use super::Maker;

pub(super) const COMMON: &str = "\
fn collected(xs: &[u8], limit: u8) -> Vec<u8> {
    xs.iter().copied().filter(|x| *x < limit).collect()
}
fn longest<'a>(parts: &[&'a [u8]]) -> &'a [u8] {
    let mut found: &[u8] = &[];
    for part in parts {
        if part.len() > found.len() {
            found = part;
        }
    }
    found
}
fn weighted(values: impl Iterator<Item = u8>) -> u8 {
    let mut total = 0u8;
    for (at, x) in values.enumerate() {
        total =
            total + x / (at as u8 + 1);
    }
    total
}
struct Steps {
    at: u8,
    end: u8,
}
impl Iterator for Steps {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        if self.at >= self.end {
            return None;
        }
        self.at += 50;
        Some(self.at)
    }
}
";

impl Maker {
    pub(super) fn iterating(&mut self) {
        match self.rng.below(8) {
            0..=3 => self.consumed(),
            4 => self.looped(),
            5 => self.gathered(),
            6 => self.by_hand(),
            _ => self.passed(),
        }
    }

    /// Something to go through whose items are bytes.
    fn source(&mut self) -> String {
        let xs = match self.known.vectors.last().cloned().filter(|_| self.rng.percent(50)) {
            Some(vector) => vector,
            None => match self.known.arrays.last().cloned().filter(|_| self.rng.percent(50)) {
                Some(array) => array,
                None => self.some_slice(),
            },
        };
        let (by, end) = (self.byte(), self.rng.range(1, 5));
        match self.rng.below(9) {
            0 | 1 => format!("{xs}.iter().copied()"),
            2 => format!("{xs}.iter().rev().copied()"),
            3 => format!("{xs}.iter().map(|x| x / 2)"),
            4 => format!("{xs}.iter().skip({end}).cloned()"),
            5 => format!("{xs}.iter().take(({by} & 3) as usize).copied()"),
            6 => format!("(0..{end}u8)"),
            7 => format!("(Steps {{ at: 0, end: {by} & 127 }})"),
            _ => format!("{xs}.iter().zip({xs}.iter().skip(1)).map(|(x, y)| x ^ y)"),
        }
    }

    fn adapted(&mut self) -> String {
        let by = self.byte();
        let source = self.source();
        let adaptor = match self.rng.below(9) {
            0 => format!(".map(|x| x - {})", self.rng.range(0, 4)),
            1 => format!(".filter(|x| *x > {by})"),
            2 => ".enumerate().map(|(at, x)| at as u8 ^ x)".into(),
            3 => format!(".take_while(|x| *x < {by})"),
            4 => format!(".chain(std::iter::once({by}))"),
            5 => ".filter_map(|x| x.checked_sub(1))".into(),
            6 => format!(".map(|x| {by} / x)"),
            _ => String::new(),
        };
        format!("{source}{adaptor}")
    }

    fn consumed(&mut self) {
        let (items, by) = (self.adapted(), self.byte());
        // Overflow of a sum is reported in std, in no line of the text: it is kept out.
        let value = match self.rng.below(13) {
            0 => format!("{items}.map(u32::from).sum::<u32>() as u8"),
            1 => format!("{items}.max().unwrap()"),
            2 => format!("{items}.min().unwrap_or({by})"),
            3 => format!("{items}.count() as u8 - 1"),
            4 => format!("{items}.fold({by}, |total, x| total.wrapping_add(x))"),
            5 => format!("{items}.fold(0, |total: u8, x| total + x / 2)"),
            6 => format!("{items}.position(|x| x == {by}).unwrap() as u8"),
            7 => format!("{items}.any(|x| x > 200) as u8"),
            8 => format!("{items}.all(|x| x < {by}) as u8"),
            9 => format!("{items}.last().unwrap_or({by})"),
            10 => format!("{items}.find(|x| x % 3 == 1).unwrap_or({by})"),
            11 => format!("{items}.nth(({by} & 3) as usize).unwrap()"),
            _ => format!("{items}.reduce(|x, y| x ^ y).unwrap_or(9)"),
        };
        let value = match value.contains(".any(") || value.contains(".all(") || value.contains(".position(") {
            true => format!("({value})"),
            false => value,
        };
        self.let_byte(&value);
    }

    fn looped(&mut self) {
        let (items, name, item) = (self.adapted(), self.fresh(), self.fresh());
        self.line(&format!("let mut {name}: u8 = 0;"));
        self.line(&format!("for {item} in {items} {{"));
        match self.rng.below(4) {
            0 => self.line(&format!("    {name} = {item} - {name};")),
            1 => self.line(&format!("    {name} += {item} / 4;")),
            2 => {
                self.line(&format!("    if {item} == 0 {{ break; }}"));
                self.line(&format!("    {name} = 100 / {item};"));
            }
            _ => {
                self.line(&format!("    if {item} > 9 {{ continue; }}"));
                self.line(&format!("    {name} = {item} * 25;"));
            }
        }
        self.line("}");
        self.know(name, "u8", true);
    }

    fn gathered(&mut self) {
        let (name, items, by) = (self.fresh(), self.adapted(), self.byte());
        match self.rng.below(3) {
            0 => self.line(&format!("let mut {name}: Vec<u8> = {items}.collect();")),
            1 => self.line(&format!("let mut {name} = {items}.collect::<Vec<u8>>();")),
            _ => {
                let xs = self.some_slice();
                self.line(&format!("let mut {name}: Vec<u8> = collected({xs}, {by});"));
            }
        }
        self.known.vectors.push(name.clone());
        if self.rng.percent(50) {
            let at = self.index(&name);
            self.let_byte(&format!("{name}[{at}]"));
        }
    }

    /// `next`, called by hand.
    fn by_hand(&mut self) {
        let (name, items, by) = (self.fresh(), self.adapted(), self.byte());
        self.line(&format!("let mut {name} = {items};"));
        match self.rng.below(3) {
            0 => {
                self.let_byte(&format!("{name}.next().unwrap_or({by})"));
                self.let_byte(&format!("{name}.next().unwrap()"));
            }
            1 => {
                self.line(&format!("while let Some(x) = {name}.next() {{"));
                self.line(&format!("    if x > {by} {{ break; }}"));
                self.line("}");
                self.line(&format!("assert!({name}.next().is_none());"));
            }
            _ => {
                let all = self.fresh();
                self.line(&format!("let mut {all} = {name}.peekable();"));
                self.line(&format!("if let Some(x) = {all}.peek() && *x > {by} {{"));
                self.line(&format!("    assert!({all}.next().unwrap() > {by});"));
                self.line("}");
            }
        }
    }

    fn passed(&mut self) {
        let items = self.adapted();
        match self.rng.below(3) {
            0 | 1 => self.let_byte(&format!("weighted({items})")),
            _ => {
                let xs = self.some_slice();
                let part = self.part_of(&xs);
                self.let_byte(&format!("longest(&[&{xs}[{part}], &[1, 2]]).len() as u8 - 2"));
            }
        }
    }
}
