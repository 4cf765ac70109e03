//! Types, declarations and the items of a file.

use kleene_domains::machine::IntType;
use rustc_hash::FxHashMap;

use super::super::ast::{
    Declaration, Declarator, Enumerator, FunctionItem, Initialiser, Item, Parameter, Prototype, Shape,
    Storage, TypeName, Unit,
};
use super::super::token::TokenKind;
use super::super::types::{INT, Scalar};
use super::{Language, Parsed, Parser, is_keyword};
use crate::source::Diagnostic;

const QUALIFIERS: [&str; 14] = [
    "const",
    "volatile",
    "inline",
    "register",
    "auto",
    "restrict",
    "_Noreturn",
    "__inline",
    "__inline__",
    "__extension__",
    "__const",
    "__volatile__",
    "__restrict",
    "static",
];

/// Types that headers would declare.
pub(super) fn known_typedefs(language: Language) -> FxHashMap<&'static str, TypeName> {
    if language != Language::C {
        return FxHashMap::default();
    }
    let names = [
        ("int8_t", IntType::I8),
        ("int16_t", IntType::I16),
        ("int32_t", IntType::I32),
        ("int64_t", IntType::I64),
        ("uint8_t", IntType::U8),
        ("uint16_t", IntType::U16),
        ("uint32_t", IntType::U32),
        ("uint64_t", IntType::U64),
        ("size_t", IntType::U64),
        ("ssize_t", IntType::I64),
    ];
    names.into_iter().map(|(name, ty)| (name, TypeName::Scalar(Scalar::Int(ty)))).collect()
}

/// What the words before a declarator say.
struct Specifiers<'a> {
    ty: TypeName,
    storage: Storage,
    enumerators: Vec<Enumerator<'a>>,
}

#[derive(Default)]
struct Words {
    seen: bool,
    unsigned: bool,
    signed: bool,
    short: bool,
    long: bool,
    char: bool,
    fixed: Option<TypeName>,
}

impl Words {
    fn resolve(&self) -> TypeName {
        let int = |signed, bits| TypeName::Scalar(Scalar::Int(IntType { signed, bits }));
        match self.fixed {
            Some(ty) => ty,
            None if self.char => int(!self.unsigned, 8),
            None if self.short => int(!self.unsigned, 16),
            None if self.long => int(!self.unsigned, 64),
            None => int(!self.unsigned, 32),
        }
    }
}

impl<'a> Parser<'a, '_> {
    /// Whether the token at `distance` begins a type.
    pub(super) fn starts_type(&self, distance: usize) -> bool {
        let token = self.ahead(distance);
        let types = [
            "int",
            "bool",
            "boolean",
            "void",
            "unsigned",
            "signed",
            "__signed__",
            "long",
            "short",
            "char",
            "_Bool",
            "float",
            "double",
            "struct",
            "union",
            "enum",
            "typedef",
            "extern",
        ];
        token.kind == TokenKind::Word
            && (types.contains(&token.text)
                || QUALIFIERS.contains(&token.text)
                || self.typedefs.contains_key(token.text))
    }

    /// A type alone, as in a cast or a parameter.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let span = self.peek().span;
        let specifiers = self.specifiers()?;
        match specifiers.storage {
            Storage::Plain | Storage::Static => Ok(specifiers.ty),
            _ => self.error(span, "a storage class cannot stand here"),
        }
    }

    fn specifiers(&mut self) -> Parsed<Specifiers<'a>> {
        let mut words = Words::default();
        let mut storage = Storage::Plain;
        let mut enumerators = Vec::new();
        loop {
            let token = *self.peek();
            if token.kind != TokenKind::Word {
                break;
            }
            if self.declares_bool(storage, &words) {
                break;
            }
            match token.text {
                "int" | "bool" | "boolean" | "void" | "float" | "double" | "struct" | "union" => {}
                word if self.starts_type(0) && !self.typedefs.contains_key(word) => {
                    self.only_in_c(token.span, &format!("`{word}`"))?;
                }
                _ => {}
            }
            match token.text {
                "int" => {}
                // A name after a complete type is what is declared, even if it is also a type's.
                word if self.typedefs.contains_key(word) => match words.seen {
                    true => break,
                    false => words.fixed = Some(self.typedefs[word]),
                },
                "bool" | "boolean" | "_Bool" => words.fixed = Some(TypeName::Scalar(Scalar::Bool)),
                "void" => words.fixed = Some(TypeName::Void),
                "unsigned" => words.unsigned = true,
                "signed" | "__signed__" => words.signed = true,
                "short" => words.short = true,
                "long" => words.long = true,
                "char" => words.char = true,
                "float" | "double" => return self.unsupported(token.span, "floating-point numbers"),
                "struct" | "union" => {
                    return self.unsupported(token.span, &format!("`{}` types", token.text));
                }
                "enum" => {
                    self.next();
                    enumerators = self.enumeration()?;
                    (words.seen, words.fixed) = (true, Some(TypeName::Scalar(INT)));
                    continue;
                }
                "typedef" => storage = Storage::Typedef,
                "extern" => storage = Storage::Extern,
                "static" => storage = Storage::Static,
                word if QUALIFIERS.contains(&word) => {}
                _ => break,
            }
            words.seen |= storage_free(token.text);
            self.next();
        }
        if !words.seen {
            let token = *self.peek();
            return self.error(token.span, format!("expected a type, found {}", token.shown()));
        }
        Ok(Specifiers { ty: words.resolve(), storage, enumerators })
    }

    /// Whether the next word is what `typedef int bool;` declares.
    fn declares_bool(&self, storage: Storage, words: &Words) -> bool {
        let named = self.at_word("bool") || self.at_word("boolean");
        named && words.seen && storage == Storage::Typedef && self.language == Language::C
    }

    /// Behind `enum`: an optional tag and an optional list.
    fn enumeration(&mut self) -> Parsed<Vec<Enumerator<'a>>> {
        if self.peek().kind == TokenKind::Word {
            self.name("after `enum`")?;
        }
        let mut list = Vec::new();
        if !self.eat("{") {
            return Ok(list);
        }
        while !self.at_symbol("}") {
            let (name, span) = self.name_or(["true", "false"], "of a constant")?;
            self.declares_truth |= is_keyword(name);
            let value = if self.eat("=") { Some(self.assignment()?) } else { None };
            list.push(Enumerator { name, value, span });
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the constants of the `enum`")?;
        Ok(list)
    }

    /// `type a = 1, b[3];` with its semicolon.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration<'a>> {
        let specifiers = self.specifiers()?;
        self.declarators(specifiers)
    }

    fn declarators(&mut self, specifiers: Specifiers<'a>) -> Parsed<Declaration<'a>> {
        let Specifiers { ty, storage, enumerators } = specifiers;
        let mut declarators = Vec::new();
        if !self.at_symbol(";") || enumerators.is_empty() {
            loop {
                declarators.push(self.declarator(storage)?);
                if !self.eat(",") {
                    break;
                }
            }
        }
        self.expect(";", "after the declaration")?;
        if storage == Storage::Typedef {
            for declarator in declarators.drain(..) {
                if matches!(declarator.shape, Shape::Array(_)) {
                    return self.unsupported(declarator.span, "a `typedef` of an array");
                }
                self.typedefs.insert(declarator.name, ty);
            }
        }
        Ok(Declaration { ty, storage, enumerators, declarators })
    }

    fn declarator(&mut self, storage: Storage) -> Parsed<Declarator<'a>> {
        if self.at_symbol("*") {
            let span = self.peek().span;
            return self.unsupported(span, "pointers");
        }
        let (name, name_span) = match storage {
            Storage::Typedef => self.name_or(["bool", "boolean"], "of a type")?,
            _ => self.name("of a variable")?,
        };
        let mut shape = Shape::Scalar;
        if self.eat("[") {
            let length = if self.at_symbol("]") { None } else { Some(self.conditional()?) };
            self.expect("]", "after the length of the array")?;
            shape = Shape::Array(length);
            if self.at_symbol("[") {
                let span = self.peek().span;
                return self.unsupported(span, "arrays of more than one dimension");
            }
        }
        let initialiser = if self.eat("=") { Some(self.initialiser()?) } else { None };
        Ok(Declarator { name, shape, initialiser, name_span, span: name_span.to(self.previous()) })
    }

    fn initialiser(&mut self) -> Parsed<Initialiser<'a>> {
        if !self.eat("{") {
            return Ok(Initialiser::Value(self.assignment()?));
        }
        let mut values = Vec::new();
        while !self.at_symbol("}") {
            values.push(self.assignment()?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}", "after the initial values")?;
        Ok(Initialiser::List(values))
    }

    /// One item of a file.
    pub(super) fn item(&mut self, unit: &mut Unit<'a>) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        let token = *self.peek();
        if self.eat("}") {
            self.diagnostics.push(Diagnostic::error(token.span, "this `}` closes nothing"));
            return Ok(());
        }
        if token.is("#") {
            self.only_in_c(token.span, "a line that starts with `#`")?;
        }
        if let Some((prototype, behind)) = self.prototype() {
            self.at = behind;
            unit.items.push(Item::Prototype(prototype));
            return Ok(());
        }
        let implicit_int =
            self.peek().kind == TokenKind::Word && !self.starts_type(0) && self.ahead(1).is("(");
        let specifiers = if implicit_int {
            Specifiers { ty: TypeName::Scalar(INT), storage: Storage::Plain, enumerators: Vec::new() }
        } else {
            self.specifiers()?
        };
        if self.at_symbol("*") {
            let span = self.peek().span;
            return self.unsupported(span, "pointers");
        }
        if self.peek().kind == TokenKind::Word && self.ahead(1).is("(") {
            let function = self.function(specifiers.ty)?;
            unit.items.push(Item::Function(function));
        } else {
            unit.items.push(Item::Variables(self.declarators(specifiers)?));
        }
        Ok(())
    }

    /// A function declaration with its `;`, found by looking ahead: its parameters may be of types we
    /// do not read.
    fn prototype(&mut self) -> Option<(Prototype<'a>, usize)> {
        let mut open = self.at;
        loop {
            let token = &self.tokens[open];
            let harmless = token.kind == TokenKind::Word && token.text != "typedef" || token.is("*");
            if token.is("(") {
                break;
            } else if !harmless {
                return None;
            }
            open += 1;
        }
        let name = self.tokens[self.at..open].last().filter(|token| token.kind == TokenKind::Word)?;
        if is_keyword(name.text) || open == self.at + 1 {
            return None;
        }
        let mut depth = 0usize;
        let mut close = open;
        loop {
            let token = &self.tokens[close];
            match token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                "{" | "}" | ";" => return None,
                _ if token.kind == TokenKind::End => return None,
                _ => {}
            }
            close += 1;
            if depth == 0 {
                break;
            }
        }
        if !self.tokens[close].is(";") {
            return None;
        }
        let result = self.prototype_type(open - 1);
        Some((Prototype { name: name.text, result }, close + 1))
    }

    /// The result type of a prototype whose name stands at `end`; leaves the parser where it is.
    fn prototype_type(&mut self, end: usize) -> Option<TypeName> {
        let (at, messages) = (self.at, self.diagnostics.len());
        let ty = self.specifiers().ok().map(|specifiers| specifiers.ty).filter(|_| self.at == end);
        self.diagnostics.truncate(messages);
        self.at = at;
        ty
    }

    fn function(&mut self, result: TypeName) -> Parsed<FunctionItem<'a>> {
        let (name, name_span) = self.name("of a function")?;
        self.expect("(", "after the function's name")?;
        let mut parameters = Vec::new();
        let nothing = self.at_word("void") && self.ahead(1).is(")");
        if nothing {
            self.next();
        }
        while !self.at_symbol(")") {
            parameters.extend(self.parameter(name)?);
            if !self.eat(",") {
                break;
            }
        }
        let close = self.expect(")", "after the parameters")?;
        let open = self.expect("{", "before the body of the function")?;
        let body = self.block(open)?;
        let span = name_span.to(close);
        Ok(FunctionItem { name, name_span, result, parameters, body, span, end: self.previous() })
    }

    /// `None` for a pointer parameter of `main`, which a program without pointers cannot use.
    fn parameter(&mut self, function: &str) -> Parsed<Option<Parameter<'a>>> {
        let start = self.peek().span;
        let ty = self.type_name()?;
        let pointer = self.at_symbol("*");
        if pointer && function != "main" {
            let span = self.peek().span;
            return self.unsupported(span, "pointers");
        }
        while self.eat("*") || self.eat_word("const") {}
        let (name, name_span) = match self.peek().kind {
            TokenKind::Word => self.name("of a parameter")?,
            _ => ("", self.previous()),
        };
        if self.at_symbol("[") {
            let span = self.peek().span;
            if !pointer || function != "main" {
                return self.unsupported(span, "array parameters");
            }
            self.next();
            self.expect("]", "after `[`")?;
        }
        match ty {
            _ if pointer => Ok(None),
            TypeName::Scalar(ty) => Ok(Some(Parameter { name, ty, span: start.to(name_span) })),
            TypeName::Void => self.error(start, "a parameter cannot be `void`"),
        }
    }
}

/// Words that say a type (alone, `static` or `const` do not).
fn storage_free(word: &str) -> bool {
    !QUALIFIERS.contains(&word) && !["typedef", "extern"].contains(&word)
}
