//! Statements: declarations, assignments, control. What a block declares is forgotten behind it.

use super::{Class, Maker, TYPES, Variable};

impl Maker {
    pub(super) fn statement(&mut self, nesting: usize) {
        if self.class != Class::Scalar {
            return self.statement_of_class(nesting);
        }
        match self.rng.below(if nesting == 0 { 18 } else { 31 }) {
            29 => self.attempts(),
            30 => self.local_macro(),
            0..=2 => self.declaration(),
            3 | 4 => self.assignment(),
            5 => self.assertion(),
            6 => self.pair(),
            7 => self.array(),
            8 => self.element(),
            9 => self.borrowed(),
            10 => self.tuple(),
            11 => self.optional(),
            12 => self.unwrapped(),
            13 => self.leaving(),
            14 => self.shape(),
            15..=17 => self.callable(),
            18..=20 => self.branch(nesting),
            21 => self.counted(nesting),
            22 => self.nested_loops(nesting),
            23 => self.broken_loop(),
            24 => self.while_loop(nesting),
            25 => self.matched(),
            26 => self.matched_pair(),
            27 => self.conditional(nesting),
            _ => self.inner_function(),
        }
    }

    pub(super) fn declaration(&mut self) {
        let ty = *self.rng.pick(&TYPES);
        let value = match ty {
            "bool" => self.expr(ty, 2),
            _ if self.rng.percent(20) => self.rng.range(0, 100).to_string(),
            _ => self.expr(ty, 2),
        };
        // A name that is known may stand for something else from here on.
        let known = self.known.variables.iter().position(|it| it.assignable && it.is_plain());
        if let Some(at) = known.filter(|_| self.depth == 1 && self.rng.percent(10)) {
            let name = self.known.variables.remove(at).name;
            self.line(&format!("let mut {name}: {ty} = {value};"));
            return self.know(name, ty, true);
        }
        let name = self.fresh();
        self.line(&format!("let mut {name}: {ty} = {value};"));
        self.know(name, ty, true);
    }

    pub(super) fn assignment(&mut self) {
        let Some(variable) = self.assignable(None) else { return };
        let value = self.expr(variable.ty, 2);
        let op = match variable.ty {
            "bool" => *self.rng.pick(&["=", "&=", "|=", "^="]),
            _ => *self.rng.pick(&["=", "+=", "-=", "*=", "/=", "%=", "^=", "&="]),
        };
        self.line(&format!("{} {op} {value};", variable.name));
    }

    pub(super) fn assertion(&mut self) {
        let (cond, ty) = (self.expr("bool", 2), *self.rng.pick(&["u8", "i8"]));
        match self.rng.below(5) {
            0 => {
                let (left, right) = (self.expr(ty, 1), self.expr(ty, 1));
                self.line(&format!("assert_ne!({left}, {right});"));
            }
            1 => self.line(&format!("debug_assert!({cond}, \"only where it is asked for\");")),
            2 => {
                self.line(&format!("if {cond} {{"));
                let macros = ["panic!(\"here\");", "unreachable!();", "todo!();"];
                let what = *self.rng.pick(&macros);
                self.line(&format!("    {what}"));
                self.line("}");
            }
            _ => self.line(&format!("assert!({cond});")),
        }
    }

    fn pair(&mut self) {
        if let Some(pair) = self.known.pairs.last().cloned().filter(|_| self.rng.percent(70)) {
            let (by, right) = (self.expr("u8", 1), self.expr("i8", 1));
            let name = self.fresh();
            match self.rng.below(5) {
                0 => self.line(&format!("let {name}: u8 = {pair}.bump({by});")),
                1 => self.line(&format!("let {name}: u8 = {pair}.total();")),
                2 => {
                    self.line(&format!("{pair} = {pair}.flipped();"));
                    self.line(&format!("let {name}: u8 = {pair}.left;"));
                }
                3 => {
                    self.line(&format!("{pair}.right += {right};"));
                    self.line(&format!("let Pair {{ left: {name}, .. }} = {pair};"));
                }
                _ => {
                    self.line(&format!("{pair}.left *= {by};"));
                    self.line(&format!("let {name}: u8 = {pair}.left;"));
                }
            }
            return self.know(name, "u8", false);
        }
        let (left, right, name) = (self.expr("u8", 1), self.expr("i8", 1), self.fresh());
        let value = match self.rng.below(4) {
            0 => format!("Pair {{ left: {left}, ..Pair::ZERO }}"),
            _ => format!("Pair {{ left: {left}, right: {right} }}"),
        };
        self.line(&format!("let mut {name} = {value};"));
        self.known.pairs.push(name);
    }

    pub(super) fn array(&mut self) {
        let name = self.fresh();
        let values: Vec<String> = (0..4).map(|_| self.expr("u8", 1)).collect();
        match self.rng.below(4) {
            0 => self.line(&format!("let mut {name} = [{}; 4];", values[0])),
            _ => self.line(&format!("let mut {name} = [{}];", values.join(", "))),
        }
        self.known.arrays.push(name);
    }

    /// What is added is evaluated before the place it is added to.
    pub(super) fn element(&mut self) {
        let Some(array) = self.known.arrays.last().cloned() else { return self.array() };
        let index = self.expr("u8", 1);
        let masked = if self.rng.percent(60) { " & 3" } else { "" };
        let op = *self.rng.pick(&["=", "+=", "-=", "^="]);
        match self.assignable(Some("u8")).filter(|_| self.rng.percent(40)) {
            Some(it) => {
                let (value, name) = (self.expr_without(&it), it.name);
                self.line(&format!("{array}[({name} & 3) as usize] {op} take(&mut {name}, {value});"));
            }
            None => {
                let value = self.expr("u8", 1);
                self.line(&format!("{array}[({index}{masked}) as usize] {op} {value};"));
            }
        }
    }

    fn borrowed(&mut self) {
        let Some(variable) = self.assignable(Some("u8")) else { return self.declaration() };
        let (value, first) = (self.expr_without(&variable), variable.name);
        match self.rng.below(4) {
            0 => {
                let name = self.fresh();
                self.line(&format!("let {name}: u8 = take(&mut {first}, {value});"));
                self.know(name, "u8", false);
            }
            1 => {
                let name = self.fresh();
                self.line(&format!("let {name} = &mut {first};"));
                self.line(&format!("*{name} += {};", self.next));
            }
            2 => match self.known.pairs.last().cloned() {
                Some(pair) => self.line(&format!("exchange(&mut {first}, &mut {pair}.left);")),
                None => self.line(&format!("take(&mut {first}, {value});")),
            },
            _ => match self.known.arrays.last().cloned() {
                Some(array) => self.line(&format!("exchange(&mut {array}[1], &mut {first});")),
                None => self.line(&format!("take(&mut {first}, {value});")),
            },
        }
    }

    fn tuple(&mut self) {
        let (first, second) = (self.fresh(), self.fresh());
        if self.rng.percent(40) {
            let (left, right) = (self.expr("u8", 1), self.expr("u8", 1));
            let method = *self.rng.pick(&["overflowing_add", "overflowing_sub"]);
            self.line(&format!("let ({first}, {second}) = {left}.{method}({right});"));
            self.know(first, "u8", false);
            return self.know(second, "bool", false);
        }
        let (left, right) = (self.expr("u8", 1), self.expr("i8", 1));
        self.line(&format!("let (mut {first}, {second}): (u8, i8) = ({left}, {right});"));
        self.know(first, "u8", true);
        self.know(second, "i8", false);
    }

    fn optional(&mut self) {
        let (name, value) = (self.fresh(), self.expr("u8", 1));
        if self.result == "Option<u8>" && self.rng.percent(50) {
            let function = *self.rng.pick(&["found", "chained"]);
            self.line(&format!("let {name}: u8 = {function}({value})?;"));
            return self.know(name, "u8", false);
        }
        match self.rng.below(3) {
            0 => {
                let (some, none) = (self.expr("u8", 1), self.expr("u8", 1));
                self.line(&format!("let {name}: u8 = match found({value}) {{"));
                self.line(&format!("    Some(x) => x ^ {some},"));
                self.line(&format!("    None => {none},"));
                self.line("};");
            }
            1 => {
                let returned = self.returned();
                self.line(&format!("let Some({name}) = found({value}) else {{"));
                self.line(&format!("    return {returned};"));
                self.line("};");
            }
            _ => {
                let (value, other) = (self.expr("i8", 1), self.expr("u8", 1));
                self.line(&format!("let {name}: u8 = match asked({value}) {{"));
                self.line("    Ok(x) if x > 9 => (x as u8) / 3,");
                self.line(&format!("    Ok(x) => x as u8 - {other},"));
                self.line("    Err(code) => code,");
                self.line("};");
            }
        }
        self.know(name, "u8", false);
    }

    fn unwrapped(&mut self) {
        let name = self.fresh();
        if self.rng.percent(50) {
            let value = self.expr("u8", 1);
            let how = *self.rng.pick(&["unwrap()", "expect(\"some\")"]);
            self.line(&format!("let {name}: u8 = found({value}).{how};"));
            return self.know(name, "u8", false);
        }
        let value = self.expr("i8", 1);
        let how = *self.rng.pick(&["unwrap()", "expect(\"fine\")"]);
        self.line(&format!("let {name}: i8 = asked({value}).{how};"));
        self.know(name, "i8", false);
    }

    pub(super) fn leaving(&mut self) {
        let (cond, value) = (self.expr("bool", 2), self.returned());
        self.line(&format!("if {cond} {{"));
        self.line(&format!("    return {value};"));
        self.line("}");
    }

    fn shape(&mut self) {
        let (cond, dot, area) = (self.expr("bool", 1), self.expr("u8", 1), self.expr("i8", 1));
        let (shape, name) = (self.fresh(), self.fresh());
        self.line(&format!("let {shape} = if {cond} {{"));
        self.line(&format!("    Shape::Line({dot})"));
        self.line("} else {");
        self.line(&format!("    Shape::Area {{ width: {area}, open: {cond} }}"));
        self.line("};");
        self.line(&format!("let {name}: u8 = match {shape} {{"));
        self.line("    Shape::Dot => 0,");
        self.line(&format!("    Shape::Line(x) if x > {} => x / 3,", self.next));
        self.line("    Shape::Line(x) => x + 200,");
        self.line("    Shape::Area { width, open: true } => width as u8,");
        self.line(&format!("    other => other.size() - {},", self.next));
        self.line("};");
        self.know(name, "u8", false);
    }

    pub(super) fn block(&mut self, nesting: usize) {
        self.scoped(|maker| {
            for _ in 0..1 + maker.rng.below(2) {
                maker.statement(nesting - 1);
            }
        });
    }

    pub(super) fn branch(&mut self, nesting: usize) {
        let cond = self.expr("bool", 2);
        self.line(&format!("if {cond} {{"));
        self.block(nesting);
        if self.rng.percent(50) {
            self.line("} else {");
            self.block(nesting);
        }
        self.line("}");
    }

    pub(super) fn counted(&mut self, nesting: usize) {
        let (name, end) = (self.fresh(), self.rng.range(1, 6));
        // A borrowed one would be moved.
        let array = self.known.arrays.last().cloned().filter(|name| name.starts_with('v'));
        let over = match self.rng.below(6) {
            0 => format!("0..={end}u8"),
            1 => format!("(0u8..{end}).rev()"),
            2 => format!("(0u8..{}).step_by({end})", end * 2),
            3 if array.is_some() => array.unwrap_or_default(),
            _ => format!("0u8..{end}"),
        };
        self.line(&format!("for {name} in {over} {{"));
        self.know(name, "u8", false);
        self.block(nesting);
        self.known.variables.pop();
        self.line("}");
    }

    fn nested_loops(&mut self, nesting: usize) {
        let (outer, inner, label) = (self.fresh(), self.fresh(), self.fresh());
        self.line(&format!("'{label}: for {outer} in 0u8..3 {{"));
        self.know(outer, "u8", false);
        self.depth += 1;
        self.line(&format!("for {inner} in 0u8..2 {{"));
        self.know(inner, "u8", false);
        let cond = self.expr("bool", 2);
        let leave = *self.rng.pick(&["break", "continue"]);
        self.line(&format!("    if {cond} {{ {leave} '{label}; }}"));
        self.block(nesting);
        self.line("}");
        self.known.variables.pop();
        self.depth -= 1;
        self.line("}");
        self.known.variables.pop();
    }

    fn broken_loop(&mut self) {
        let (count, name, label) = (self.fresh(), self.fresh(), self.fresh());
        let (cond, first, second) = (self.expr("bool", 2), self.expr("u8", 1), self.expr("u8", 1));
        self.line(&format!("let mut {count}: u8 = 0;"));
        self.line(&format!("let {name}: u8 = '{label}: loop {{"));
        self.line(&format!("    {count} += 1;"));
        self.line(&format!("    if {cond} {{ break '{label} {first}; }}"));
        self.line(&format!("    if {count} > 4 {{ break {second} - {count}; }}"));
        self.line("};");
        self.know(name, "u8", false);
    }

    fn while_loop(&mut self, nesting: usize) {
        let (count, value) = (self.fresh(), self.expr("u8", 1));
        self.line(&format!("let mut {count}: u8 = {value} & 7;"));
        self.line(&format!("while {count} > 0 {{"));
        self.line(&format!("    {count} -= 1;"));
        self.know(count, "u8", false);
        self.block(nesting);
        self.line("}");
    }

    fn matched(&mut self) {
        let (name, value, cond) = (self.fresh(), self.expr("u8", 1), self.expr("bool", 1));
        let arms: Vec<String> = (0..4).map(|_| self.expr("u8", 1)).collect();
        self.line(&format!("let {name}: u8 = match {value} {{"));
        self.line(&format!("    0 => {},", arms[0]));
        self.line(&format!("    x @ 1..=9 if {cond} => x * {},", arms[1]));
        self.line(&format!("    10 | 20 | 30..=40 => {},", arms[2]));
        self.line(&format!("    x if x > 200 => x + {},", arms[3]));
        self.line("    LIMIT.. => 1,");
        self.line("    _ => 2,");
        self.line("};");
        self.know(name, "u8", false);
    }

    fn matched_pair(&mut self) {
        let (name, left, right) = (self.fresh(), self.expr("u8", 1), self.expr("i8", 1));
        let value = self.expr("u8", 1);
        self.line(&format!("let {name}: u8 = match ({left}, {right}) {{"));
        self.line("    (0, _) => 5,");
        self.line("    (x, -128..=-1) => x / 2,");
        self.line(&format!("    (x, y) if y as u8 > x => y as u8 - {value},"));
        self.line(&format!("    (x, _) => {value} % x,"));
        self.line("};");
        self.know(name, "u8", false);
    }

    /// `if let`, with a condition behind it.
    fn conditional(&mut self, nesting: usize) {
        let (name, value, cond) = (self.fresh(), self.expr("u8", 1), self.expr("bool", 1));
        match self.rng.below(3) {
            0 => self.line(&format!("if let Some({name}) = found({value}) && {name} > {cond} as u8 {{")),
            1 => self.line(&format!("if let Some({name} @ 101..=180) = found({value}) {{")),
            _ => self.line(&format!(
                "if let Ok(1..=9) | Err(_) = asked({value} as i8) && let Some({name}) = chained({value}) {{"
            )),
        }
        self.know(name, "u8", false);
        self.block(nesting);
        self.known.variables.pop();
        self.line("} else {");
        self.block(nesting);
        self.line("}");
    }

    /// A loop that a macro brings, with a label of its own.
    pub(super) fn attempts(&mut self) {
        let name = self.fresh();
        let cond = self.expr("bool", 1);
        let enough = self.rng.below(5);
        self.line(&format!("attempts!({name}, {cond} || {name} > {enough});"));
        self.know(name, "u8", true);
    }

    /// A macro that sees a variable of the function, which another may hide before the call.
    pub(super) fn local_macro(&mut self) {
        let variable = self.assignable(Some("u8")).filter(Variable::is_plain);
        let Some(variable) = variable else { return self.declaration() };
        let (called, name, seen) = (self.fresh(), self.fresh(), variable.name);
        self.line(&format!("macro_rules! {called} {{"));
        self.line(&format!("    ($x:expr) => {{{{ let p0 = $x; {seen} ^= 1; p0 - {seen} / 2 }}}};"));
        self.line("}");
        if self.rng.percent(60) {
            let value = self.expr("u8", 1);
            self.line(&format!("let mut {seen}: u8 = {value};"));
        }
        let value = self.expr("u8", 1);
        self.line(&format!("let {name}: u8 = {called}!({value});"));
        self.know(name, "u8", false);
    }

    fn inner_function(&mut self) {
        let (function, constant, name) = (self.fresh(), self.fresh(), self.fresh());
        let (by, value, deep) = (self.rng.range(1, 90), self.expr("u8", 1), self.rng.below(3));
        self.line(&format!("const C{constant}: u8 = {by} * 2;"));
        self.line(&format!("fn {function}(x: u8, deep: u8) -> u8 {{"));
        self.line("    if deep == 0 {");
        self.line(&format!("        return x - C{constant} / 2;"));
        self.line("    }");
        self.line(&format!("    {function}(x / 2, deep - 1)"));
        self.line("}");
        self.line(&format!("let {name}: u8 = {function}({value}, {deep});"));
        self.know(name, "u8", false);
    }
}
