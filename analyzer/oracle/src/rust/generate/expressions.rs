//! Expressions of a type, with operands of at most a depth.

use super::{Maker, Variable};

impl Maker {
    pub(super) fn expr(&mut self, ty: &'static str, depth: usize) -> String {
        let known: Vec<String> =
            self.known.variables.iter().filter(|it| it.ty == ty).map(|it| it.name.clone()).collect();
        if depth == 0 || self.rng.percent(20) {
            if !known.is_empty() && self.rng.percent(75) {
                return self.rng.pick(&known).clone();
            }
            return self.literal(ty);
        }
        if ty == "bool" { self.truth(depth) } else { self.number(ty, depth) }
    }

    /// A byte that is not read from a variable which is lent at the same time.
    pub(super) fn expr_without(&mut self, lent: &Variable) -> String {
        let at = self.known.variables.iter().position(|it| it.name == lent.name);
        let kept = at.map(|at| (at, self.known.variables.remove(at)));
        let value = self.expr("u8", 1);
        if let Some((at, kept)) = kept {
            self.known.variables.insert(at, kept);
        }
        value
    }

    pub(super) fn literal(&mut self, ty: &'static str) -> String {
        match ty {
            "bool" => self.rng.percent(50).to_string(),
            "u8" if self.rng.percent(8) => "LIMIT".into(),
            "i8" if self.rng.percent(8) => "STEP".into(),
            "i8" | "i16" => match self.rng.range(-12, 40) {
                negative if negative < 0 => format!("({negative}{ty})"),
                other => format!("{other}{ty}"),
            },
            _ => format!("{}{ty}", self.rng.range(0, 60)),
        }
    }

    /// An operand whose type the other one says: a literal may leave it out.
    fn operand(&mut self, ty: &'static str, depth: usize) -> String {
        if ty != "bool" && self.rng.percent(25) {
            return self.rng.range(0, 60).to_string();
        }
        self.expr(ty, depth)
    }

    fn truth(&mut self, depth: usize) -> String {
        let ty = *self.rng.pick(&["u8", "i8", "i16", "u32"]);
        let below = depth - 1;
        match self.rng.below(11) {
            0..=4 => {
                let op = *self.rng.pick(&["<", "<=", "==", "!=", ">", ">="]);
                format!("({} {op} {})", self.expr(ty, below), self.operand(ty, below))
            }
            5 => format!("({} && {})", self.expr("bool", below), self.expr("bool", below)),
            6 => format!("({} || {})", self.expr("bool", below), self.expr("bool", below)),
            7 => format!("matches!({}, 1..=9 | 40 | 200..)", self.expr("u8", below)),
            8 => format!("found({}).is_some()", self.expr("u8", below)),
            9 => format!(
                "({} {} {})",
                self.expr("bool", below),
                self.rng.pick(&["&", "|", "^"]),
                self.expr("bool", below)
            ),
            _ => format!("(!{})", self.expr("bool", below)),
        }
    }

    fn number(&mut self, ty: &'static str, depth: usize) -> String {
        let below = depth - 1;
        let signed = ty.starts_with('i');
        match self.rng.below(25) {
            22..=24 => self.expanded(ty, below),
            0..=3 => {
                let op = *self.rng.pick(&["+", "-", "*"]);
                format!("({} {op} {})", self.expr(ty, below), self.operand(ty, below))
            }
            4 => {
                let op = *self.rng.pick(&["/", "%"]);
                format!("({} {op} {})", self.expr(ty, below), self.operand(ty, below))
            }
            5 | 6 => {
                let op = *self.rng.pick(&["&", "|", "^"]);
                format!("({} {op} {})", self.expr(ty, below), self.operand(ty, below))
            }
            7 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                format!("({} {op} {})", self.expr(ty, below), self.operand("u8", below))
            }
            8..=10 => {
                let from = *self.rng.pick(&["u8", "i8", "i16", "u32", "bool"]);
                format!("({} as {ty})", self.expr(from, below))
            }
            11 => {
                let methods = [
                    "wrapping_add",
                    "wrapping_mul",
                    "wrapping_sub",
                    "saturating_sub",
                    "saturating_add",
                    "min",
                    "max",
                ];
                let method = *self.rng.pick(&methods);
                format!("{}.{method}({})", self.expr(ty, below), self.operand(ty, below))
            }
            12 => {
                let checked = *self.rng.pick(&["checked_add", "checked_sub", "checked_mul", "checked_div"]);
                let (left, right) = (self.expr(ty, below), self.expr(ty, below));
                format!("{left}.{checked}({right}).unwrap_or({})", self.literal(ty))
            }
            13 if signed => format!("(-{})", self.expr(ty, below)),
            13 => format!("(!{})", self.expr(ty, below)),
            14 | 15 if ty == "u8" || ty == "i8" => self.called(ty, below),
            16 | 17 if ty == "u8" || ty == "i8" => self.part(ty, below),
            18 => {
                let (from, value) = (*self.rng.pick(&["u8", "bool"]), below);
                match from {
                    "bool" => format!(
                        "(match {} {{ true => {}, false => {} }})",
                        self.expr("bool", value),
                        self.expr(ty, value),
                        self.expr(ty, value)
                    ),
                    _ => format!(
                        "(match {} {{ 0 => {}, 1..=99 => {}, _ => {} }})",
                        self.expr("u8", value),
                        self.expr(ty, value),
                        self.expr(ty, value),
                        self.expr(ty, value)
                    ),
                }
            }
            19 => {
                let name = self.fresh();
                let (value, rest) = (self.expr(ty, below), self.operand(ty, below));
                format!("({{ let {name} = {value}; {name} ^ {rest} }})")
            }
            _ => {
                let cond = self.expr("bool", below);
                format!("(if {cond} {{ {} }} else {{ {} }})", self.expr(ty, below), self.expr(ty, below))
            }
        }
    }

    /// A call of a macro; its own names are those that are in scope here too.
    fn expanded(&mut self, ty: &'static str, below: usize) -> String {
        let (left, right) = (self.expr(ty, below), self.expr(ty, below));
        match self.rng.below(5) {
            0 => format!("spread!({left}, {right})"),
            1 => format!("least!({left}, {right}, {})", self.expr(ty, below)),
            2 => format!("joined!(plus {left}, {right})"),
            3 if ty == "u8" => format!("scaled_by({left}, {right})"),
            3 if ty == "i8" => format!("shifted({left}, {right}, {})", self.literal(ty)),
            _ => format!("joined!({} {left}, {right})", self.rng.pick(&["-", "*", "&", "%"])),
        }
    }

    fn called(&mut self, ty: &'static str, below: usize) -> String {
        if ty == "i8" {
            return match self.rng.below(3) {
                0 => format!("share({}, {})", self.expr("i8", below), self.expr("i8", below)),
                1 => format!("asked({}).unwrap_or({})", self.expr("i8", below), self.literal("i8")),
                _ => format!("{}.signum()", self.expr("i8", below)),
            };
        }
        match self.rng.below(6) {
            5 => format!("scaled({})", self.expr("u8", below)),
            0 => format!("half({})", self.expr("u8", below)),
            1 => format!("chained({}).unwrap_or({})", self.expr("u8", below), self.literal("u8")),
            2 => format!("Shape::Line({}).size()", self.expr("u8", below)),
            3 => format!(
                "(Shape::Area {{ width: {}, open: {} }}).size()",
                self.expr("i8", below),
                self.expr("bool", below)
            ),
            _ => format!("TABLE[({} & 3) as usize]", self.expr("u8", below)),
        }
    }

    /// A part of something larger.
    fn part(&mut self, ty: &'static str, below: usize) -> String {
        let field = if ty == "u8" { "left" } else { "right" };
        if let Some(pair) = self.known.pairs.last().cloned().filter(|_| self.rng.percent(60)) {
            return format!("{pair}.{field}");
        }
        if ty == "u8"
            && let Some(array) = self.known.arrays.last().cloned().filter(|_| self.rng.percent(60))
        {
            let masked = if self.rng.percent(70) { " & 3" } else { "" };
            return format!("{array}[({}{masked}) as usize]", self.expr("u8", below));
        }
        match self.rng.below(3) {
            0 => format!(
                "({}, {}).{}",
                self.expr("u8", below),
                self.expr("i8", below),
                usize::from(ty == "i8")
            ),
            _ => format!(
                "(Pair {{ left: {}, right: {} }}).{field}",
                self.expr("u8", below),
                self.expr("i8", below)
            ),
        }
    }
}
