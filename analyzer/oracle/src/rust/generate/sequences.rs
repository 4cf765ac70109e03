//! Slices: elements, parts, ends, chunks and patterns; rows are slices that may be written through.

use super::Maker;

pub(super) const COMMON: &str = "\
fn sum_of(xs: &[u8]) -> u32 {
    let mut total = 0;
    for x in xs {
        total += *x as u32;
    }
    total
}
fn middle(xs: &[u8]) -> &[u8] {
    if xs.len() < 2 {
        return xs;
    }
    &xs[1..xs.len() - 1]
}
fn element(xs: &[u8], at: usize) -> u8 {
    xs[at]
}
fn number(xs: &[u8]) -> Option<u16> {
    let (high, rest) = xs.split_first()?;
    let low = rest.first()?;
    Some(u16::from(*high) << 8 | u16::from(*low))
}
fn set(xs: &mut [u8], at: usize, to: u8) {
    xs[at] = to;
}
fn place(xs: &mut [u8], at: usize) -> &mut u8 {
    &mut xs[at]
}
fn place_if_there(xs: &mut [u8], at: usize) -> Option<&mut u8> {
    if at < xs.len() { Some(&mut xs[at]) } else { None }
}
trait Rest {
    fn rest(&mut self) -> usize;
}
impl Rest for &[u8] {
    fn rest(&mut self) -> usize {
        let mut two = [3u8; 2];
        match std::io::Read::read(self, &mut two) {
            Ok(n) => n + self.len() - usize::from(two[1]),
            Err(_) => 0,
        }
    }
}
fn rest_of(source: &mut impl Rest) -> usize {
    source.rest()
}
fn cleared(xs: &mut [u8]) -> usize {
    for x in xs.iter_mut() {
        *x = 0;
    }
    xs.len()
}
";

impl Maker {
    pub(super) fn slice(&mut self) {
        let Some(row) = self.known.rows.last().cloned().filter(|_| self.rng.percent(50)) else {
            let xs = self.some_slice();
            return match self.rng.below(9) {
                0 | 1 => self.one_element(&xs),
                2 | 3 => self.parted(&xs),
                4 => self.ends_of(&xs),
                5 => self.pattern(&xs),
                6 => self.walked(&xs),
                7 => self.cut(&xs),
                _ => {
                    self.size(&xs);
                }
            };
        };
        self.written(&row);
    }

    /// A slice that can be read: one in scope, a row, or a part of an array.
    pub(super) fn some_slice(&mut self) -> String {
        let mut all = self.known.slices.clone();
        all.extend(self.known.rows.iter().cloned());
        if !all.is_empty() && self.rng.percent(90) {
            return self.rng.pick(&all).clone();
        }
        let name = self.fresh();
        match self.known.arrays.last().cloned().filter(|_| self.rng.percent(50)) {
            Some(array) => {
                let part = self.part_of(&array);
                self.line(&format!("let {name}: &[u8] = &{array}[{part}].to_vec();"));
            }
            None => {
                let values: Vec<String> = (0..self.rng.below(4)).map(|_| self.byte()).collect();
                self.line(&format!("let {name}: &[u8] = &[{}];", values.join(", ")));
            }
        }
        self.known.slices.push(name.clone());
        name
    }

    fn one_element(&mut self, xs: &str) {
        let (at, by) = (self.index(xs), self.byte());
        match self.rng.below(7) {
            0 | 1 => self.let_byte(&format!("{xs}[{at}]")),
            2 => self.let_byte(&format!("element({xs}, {at})")),
            3 => {
                self.line(&format!("if {at} < {xs}.len() {{"));
                self.line(&format!("    assert!({xs}[{at}] != {by});"));
                self.line("}");
            }
            4 => self.let_byte(&format!("{xs}.get({at}).copied().unwrap_or({by})")),
            5 => self.let_byte(&format!("*{xs}.get({at}).unwrap()")),
            _ => {
                self.line(&format!("if let Some(x) = {xs}.get({at}) {{"));
                self.line(&format!("    assert!(*x < 200 || {by} > 3);"));
                self.line("}");
            }
        }
    }

    fn parted(&mut self, xs: &str) {
        let name = self.fresh();
        let text = match self.rng.below(6) {
            0 => format!("middle({xs})"),
            1 => {
                let at = self.index(xs);
                let side = self.rng.below(2);
                format!("{xs}.split_at({at}).{side}")
            }
            2 => {
                let part = self.part_of(xs);
                format!("{xs}.get({part}).unwrap_or(&[])")
            }
            _ => {
                let part = self.part_of(xs);
                format!("&{xs}[{part}]")
            }
        };
        // A part of a row is read where the row may be written again: it is copied.
        let copied = if self.known.rows.iter().any(|row| row == xs) { ".to_vec()" } else { "" };
        match copied {
            "" => self.line(&format!("let {name}: &[u8] = {text};")),
            _ => {
                let text = text.strip_prefix('&').map_or(text.clone(), |place| format!("({place})"));
                self.line(&format!("let {name}: Vec<u8> = {text}{copied};"));
                self.line(&format!("let {name}: &[u8] = &{name};"));
            }
        }
        self.known.slices.push(name);
    }

    fn ends_of(&mut self, xs: &str) {
        let by = self.byte();
        match self.rng.below(7) {
            0 => self.let_byte(&format!("*{xs}.first().unwrap()")),
            1 => self.let_byte(&format!("*{xs}.last().unwrap_or(&{by})")),
            2 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u8 = match {xs}.split_last() {{"));
                self.line(&format!("    Some((last, rest)) => last / 2 + rest.len() as u8 - {by},"));
                self.line("    None => 0,");
                self.line("};");
                self.know(name, "u8", false);
            }
            3 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u16 = number({xs}).unwrap();"));
                self.let_byte(&format!("({name} >> 8) as u8"));
            }
            4 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u8 = if {xs}.is_empty() {{ 1 }} else {{ {xs}[0] }};"));
                self.know(name, "u8", false);
            }
            5 => {
                let name = self.fresh();
                let less = self.rng.range(1, 3);
                self.line(&format!("let {name}: usize = {xs}.len() - {less};"));
                self.know(name, "usize", false);
            }
            _ => {
                self.line(&format!("if let (Some(first), Some(last)) = ({xs}.first(), {xs}.last()) {{"));
                self.line(&format!("    assert!(first <= last || {by} > 9);"));
                self.line("}");
            }
        }
    }

    fn pattern(&mut self, xs: &str) {
        let (name, by) = (self.fresh(), self.byte());
        let read = if self.known.rows.iter().any(|row| row == xs) { format!("&{xs}[..]") } else { xs.into() };
        self.line(&format!("let {name}: u8 = match {read} {{"));
        match self.rng.below(4) {
            0 => {
                self.line(&format!("    [] => {by},"));
                self.line("    [one] => *one + 1,");
                self.line("    [first, .., last] => first - last,");
            }
            1 => {
                self.line("    [0, rest @ ..] => rest.len() as u8 - 1,");
                self.line("    [a, b] if a > b => a - b,");
                self.line(&format!("    _ => {by},"));
            }
            2 => {
                self.line("    [_, middle @ .., _] => middle.len() as u8,");
                self.line("    [x @ 1..=9] => 10 - x,");
                self.line("    _ => 7,");
            }
            _ => {
                self.line("    [a, b, ..] => *a - *b,");
                self.line("    &[a] => a,");
                self.line("    [] => unreachable!(),");
            }
        }
        self.line("};");
        self.know(name, "u8", false);
    }

    fn walked(&mut self, xs: &str) {
        let (name, by, size) = (self.fresh(), self.byte(), self.rng.range(0, 3));
        self.line(&format!("let mut {name}: u8 = {by};"));
        let (head, body): (String, &[&str]) = match self.rng.below(10) {
            0 => (format!("for x in {xs}.iter() {{"), &["@ ^= *x;"]),
            1 => (format!("for (at, x) in {xs}.iter().enumerate() {{"), &["@ = x - at as u8;"]),
            2 => (format!("for x in {xs}.iter().rev() {{"), &["@ = *x / 2 + 1;"]),
            3 => (format!("for pair in {xs}.windows(2) {{"), &["@ = pair[0] ^ pair[1];"]),
            4 => (format!("for part in {xs}.chunks({}) {{", size.max(1)), &["@ = part[0];", "@ -= part[1];"]),
            5 => (format!("for (x, y) in {xs}.iter().zip(1u8..) {{"), &["@ = x ^ y;"]),
            6 => (format!("for at in 0..{xs}.len() {{"), &["@ ^= #[at];"]),
            7 => (format!("for at in 1..{xs}.len() {{"), &["@ = #[at - 1] / 2;", "assert!(#[at] > @);"]),
            8 => (format!("for x in {xs}.iter().skip({size}) {{"), &["@ = 100 / x;"]),
            _ => {
                let count = self.byte();
                (format!("for part in {xs}.chunks(({count} & 3) as usize) {{"), &["@ = part.len() as u8;"])
            }
        };
        self.line(&head);
        for line in body {
            self.line(&format!("    {}", line.replace('@', &name).replace('#', xs)));
        }
        self.line("}");
        self.know(name, "u8", true);
    }

    /// What is read with an index that moves on.
    fn cut(&mut self, xs: &str) {
        let (at, name) = (self.fresh(), self.fresh());
        self.line(&format!("let mut {at}: usize = 0;"));
        self.line(&format!("let mut {name}: u8 = 0;"));
        match self.rng.below(4) {
            0 => {
                self.line(&format!("while {at} < {xs}.len() {{"));
                self.line(&format!("    {name} = {xs}[{at}];"));
                let step = self.rng.range(1, 3);
                self.line(&format!("    {at} += {step};"));
            }
            1 => {
                self.line(&format!("while {at} + 1 < {xs}.len() {{"));
                self.line(&format!("    {name} = {xs}[{at} + 1];"));
                self.line(&format!("    {at} += 1 + ({name} & 1) as usize;"));
            }
            2 => {
                self.line(&format!("while {at} < {xs}.len() && {xs}[{at}] != 0 {{"));
                self.line(&format!("    {at} += 1;"));
            }
            _ => {
                self.line(&format!("while {at} <= {xs}.len() {{"));
                self.line(&format!("    {at} += {xs}[{at}] as usize + 1;"));
            }
        }
        self.line("}");
        self.know(name, "u8", true);
        self.know(at, "usize", false);
    }

    /// Through a row.
    fn written(&mut self, row: &str) {
        let (at, other, by) = (self.size(row), self.size(row), self.byte());
        match self.rng.below(16) {
            0 | 1 => {
                let op = *self.rng.pick(&["=", "+=", "-=", "/="]);
                self.line(&format!("{row}[{at}] {op} {by};"));
            }
            2 => self.line(&format!("{row}.swap({at}, {other});")),
            3 => {
                let part = self.sized_part(row);
                self.line(&format!("{row}[{part}].fill({by});"));
            }
            4 => {
                self.line(&format!("let (low, high) = {row}.split_at_mut({at});"));
                self.line("if let (Some(x), Some(y)) = (low.first_mut(), high.first()) {");
                self.line("    *x -= *y;");
                self.line("}");
            }
            5 => self.line(&format!("set({row}, {at}, {by});")),
            6 => {
                let part = self.sized_part(row);
                self.line(&format!("set(&mut {row}[{part}], {other}, {by});"));
            }
            7 => {
                let part = self.sized_part(row);
                self.line(&format!("{row}[{part}].copy_from_slice(&[{by}, 1]);"));
            }
            8 => {
                self.line(&format!("if let Some(x) = {row}.get_mut({at}) {{"));
                self.line(&format!("    *x += {by};"));
                self.line("}");
            }
            9 => {
                self.written_through(row);
            }
            11 => {
                self.line(&format!("*place({row}, {at}) += {by};"));
            }
            12 => {
                self.line(&format!("if let Some(x) = place_if_there({row}, {at}) {{"));
                self.line(&format!("    *x -= {by};"));
                self.line("}");
            }
            13 => {
                self.line(&format!(
                    "let either = if {row}.len() > 2 {{ &mut {row}[1..] }} else {{ &mut {row}[..] }};"
                ));
                self.line(&format!("either[{other}] = {by};"));
            }
            14 => {
                let name = self.fresh();
                self.line(&format!("let {name}: usize = rest_of(&mut &{row}[..]);"));
                self.know(name, "usize", false);
            }
            10 => {
                let name = self.fresh();
                self.line(&format!("let {name}: usize = cleared(&mut {row}[1..]);"));
                self.know(name, "usize", false);
            }
            _ => {
                self.line(&format!("if let [first, .., last] = {row} {{"));
                self.line("    std::mem::swap(first, last);");
                self.line("    *first += 1;");
                self.line("}");
            }
        }
    }

    /// A loop over all places, or over some of them, that writes.
    pub(super) fn written_through(&mut self, elements: &str) {
        let less = self.rng.range(0, 3);
        let (pattern, chain, value) = match self.rng.below(14) {
            0 | 1 => ("x", "", format!("*x - {less}")),
            2 => ("x", "", "*x / 2 + 1".into()),
            3 | 4 => ("(n, x)", ".enumerate()", format!("*x + n as u8 - {less}")),
            5 => ("x", ".rev()", format!("*x - {less}")),
            6 => ("x", ".skip(1)", format!("*x + {less}")),
            7 => ("(n, x)", ".enumerate().skip(1)", "n as u8 - 1".into()),
            8 => ("(n, x)", ".rev().enumerate()", format!("*x + n as u8 - {less}")),
            9 => ("(n, x)", ".enumerate().rev()", "*x / (n as u8 + 1)".into()),
            10 => ("x", ".take(2).rev()", format!("*x - {less}")),
            11 => ("x", ".rev().skip(1)", format!("*x + {less}")),
            12 => ("((n, x), y)", ".enumerate().zip([1u8, 2].iter())", "*x - *y + n as u8".into()),
            _ => ("(x, y)", ".zip([1u8, 2].iter())", "*x - *y".into()),
        };
        self.line(&format!("for {pattern} in {elements}.iter_mut(){chain} {{"));
        if self.rng.below(4) == 0 {
            self.line("    if *x == 3 {");
            self.line("        continue;");
            self.line("    }");
        }
        self.line(&format!("    *x = {value};"));
        self.line("}");
    }
}
