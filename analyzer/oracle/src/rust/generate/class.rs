//! What functions can be about.

use super::{INPUTS, Maker, Variable};
use super::{closures, expansions, generics, iterators, references, sequences, strings, vectors};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Scalar,
    References,
    Slices,
    Vectors,
    Strings,
    Closures,
    Iterators,
    Generics,
    Macros,
}

impl Class {
    pub const ALL: [Class; 9] = [
        Class::Scalar,
        Class::References,
        Class::Slices,
        Class::Vectors,
        Class::Strings,
        Class::Closures,
        Class::Iterators,
        Class::Generics,
        Class::Macros,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::Scalar => "scalar",
            Class::References => "references",
            Class::Slices => "slices",
            Class::Vectors => "vectors",
            Class::Strings => "strings",
            Class::Closures => "closures",
            Class::Iterators => "iterators",
            Class::Generics => "generics",
            Class::Macros => "macros",
        }
    }

    /// Items that functions of the class use.
    pub(super) fn common(self) -> &'static str {
        match self {
            Class::Scalar => "",
            Class::References => references::COMMON,
            Class::Slices => sequences::COMMON,
            Class::Vectors => vectors::COMMON,
            Class::Strings => strings::COMMON,
            Class::Closures => closures::COMMON,
            Class::Iterators => iterators::COMMON,
            Class::Generics => generics::COMMON,
            Class::Macros => expansions::COMMON,
        }
    }
}

impl Maker {
    pub(super) fn parameters(&mut self) -> Vec<&'static str> {
        let sequence = match self.class {
            Class::Scalar => {
                let mut parameters = vec![*self.rng.pick(&INPUTS), *self.rng.pick(&INPUTS)];
                if self.rng.percent(30) {
                    parameters.push("bool");
                }
                return parameters;
            }
            Class::Macros => return vec!["u8", "u8"],
            Class::References => *self.rng.pick(&["&mut u8", "&u8", "&mut [u8; 4]", "Option<u8>"]),
            Class::Slices => *self.rng.pick(&["&[u8]", "&[u8]", "&mut [u8]"]),
            Class::Vectors => *self.rng.pick(&["&[u8]", "Vec<u8>", "u8", "&mut Vec<u8>"]),
            Class::Strings => *self.rng.pick(&["&str", "&str", "String"]),
            Class::Closures | Class::Generics => *self.rng.pick(&["u8", "&[u8]", "i8"]),
            Class::Iterators => *self.rng.pick(&["&[u8]", "&[u8]", "Vec<u8>", "[u8; 4]"]),
        };
        let mut parameters = vec![sequence, "u8"];
        if self.rng.percent(30) {
            parameters.push(*self.rng.pick(&["bool", "u8"]));
        }
        parameters
    }

    pub(super) fn know_parameter(&mut self, name: String, ty: &'static str) {
        let known = &mut self.known;
        match ty {
            "&mut u8" => {
                known.variables.push(Variable { name: format!("(*{name})"), ty: "u8", assignable: true });
            }
            "&u8" => {
                known.variables.push(Variable { name: format!("(*{name})"), ty: "u8", assignable: false })
            }
            "&mut [u8; 4]" => known.arrays.push(name),
            "&[u8]" => known.slices.push(name),
            "&mut [u8]" => known.rows.push(name),
            "&mut Vec<u8>" => known.vectors.push(name),
            "&str" => known.texts.push(name),
            // Their own, to be changed.
            "Vec<u8>" | "String" | "[u8; 4]" => self.own(name, ty),
            "Option<u8>" => {
                let value = self.fresh();
                self.line(&format!("let {value}: u8 = {name}.unwrap_or(9);"));
                self.know(value, "u8", false);
            }
            _ => self.know(name, ty, false),
        }
    }

    fn own(&mut self, parameter: String, ty: &str) {
        let name = self.fresh();
        self.line(&format!("let mut {name} = {parameter};"));
        match ty {
            "Vec<u8>" => self.known.vectors.push(name),
            "String" => self.known.strings.push(name),
            _ => self.known.arrays.push(name),
        }
    }

    /// Mostly what the class is about.
    pub(super) fn statement_of_class(&mut self, nesting: usize) {
        if self.rng.percent(65) {
            return match self.class {
                Class::Scalar | Class::Macros => self.expansion(),
                Class::References => self.reference(),
                Class::Slices => self.slice(),
                Class::Vectors => self.vector(),
                Class::Strings => self.string(),
                Class::Closures => self.closing(),
                Class::Iterators => self.iterating(),
                Class::Generics => self.generic(),
            };
        }
        match self.rng.below(if nesting == 0 { 5 } else { 8 }) {
            0 | 1 => self.declaration(),
            2 => self.assignment(),
            3 => self.assertion(),
            4 => self.leaving(),
            5 | 6 => self.branch(nesting),
            _ => self.counted(nesting),
        }
    }

    /// A byte that stays small more often than not.
    pub(super) fn byte(&mut self) -> String {
        self.expr("u8", 1)
    }

    /// An index into a sequence, inside it more often than not.
    pub(super) fn index(&mut self, of: &str) -> String {
        match self.rng.below(9) {
            0 | 1 => self.rng.below(3).to_string(),
            2 => format!("{of}.len() - 1"),
            3 => format!("{of}.len() / 2"),
            4 => format!("(({} & 3) as usize)", self.byte()),
            5 => format!("({} as usize)", self.byte()),
            6 => format!("({} as usize % {of}.len())", self.byte()),
            7 => format!("({} as usize).min({of}.len())", self.byte()),
            _ => {
                let known = self.known.variables.iter().filter(|it| it.ty == "usize");
                let sizes: Vec<String> = known.map(|it| it.name.clone()).collect();
                if sizes.is_empty() { format!("{of}.len()") } else { self.rng.pick(&sizes).clone() }
            }
        }
    }

    /// A range of a sequence, often one of its parts.
    pub(super) fn part_of(&mut self, of: &str) -> String {
        let (low, high) = (self.index(of), self.index(of));
        match self.rng.below(6) {
            0 => format!("{low}.."),
            1 => format!("..{high}"),
            2 => "..".into(),
            3 => format!("..={high}"),
            4 => format!("1..{high}"),
            _ => format!("{low}..{high}"),
        }
    }

    /// An index that has a name: what it is taken from may be lent while it is used.
    pub(super) fn size(&mut self, of: &str) -> String {
        let (name, value) = (self.fresh(), self.index(of));
        self.line(&format!("let {name}: usize = {value};"));
        self.know(name.clone(), "usize", false);
        name
    }

    /// A range between such indices.
    pub(super) fn sized_part(&mut self, of: &str) -> String {
        match self.rng.below(4) {
            0 => format!("{}..", self.size(of)),
            1 => format!("..{}", self.size(of)),
            2 => "1..".into(),
            _ => format!("{}..{}", self.size(of), self.size(of)),
        }
    }

    pub(super) fn let_byte(&mut self, value: &str) {
        let name = self.fresh();
        self.line(&format!("let {name}: u8 = {value};"));
        self.know(name, "u8", false);
    }
}
