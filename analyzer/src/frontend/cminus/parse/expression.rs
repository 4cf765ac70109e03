//! Expressions, by precedence climbing.

use kleene_domains::expr::{BinaryOp, CompareOp};
use kleene_domains::int::Int;
use kleene_domains::machine::IntType;

use super::super::ast::{Bump, CHOICE, Expr, ExprKind, Fix, Operator, UnaryOp};
use super::super::token::{Token, TokenKind};
use super::super::types::{INT, Scalar};
use super::{HEIGHT_LIMIT, Language, Parsed, Parser, is_keyword};
use crate::source::Span;

/// Longer literals are refused: reading them takes time quadratic in their length.
const LITERAL_LIMIT: usize = 10_000;

enum Infix {
    And,
    Or,
    Plain(Operator),
}

/// The operator and how tightly it binds (higher is tighter).
fn infix(token: &Token<'_>) -> Option<(u8, Infix)> {
    use Infix::{And, Or, Plain};
    use Operator::{Arithmetic, Compare};
    if token.kind != TokenKind::Symbol {
        return None;
    }
    Some(match token.text {
        "||" => (1, Or),
        "&&" => (2, And),
        "|" => (3, Plain(Operator::BitOr)),
        "^" => (4, Plain(Operator::BitXor)),
        "&" => (5, Plain(Operator::BitAnd)),
        "==" => (6, Plain(Compare(CompareOp::Equal))),
        "!=" => (6, Plain(Compare(CompareOp::NotEqual))),
        "<" => (7, Plain(Compare(CompareOp::Less))),
        "<=" => (7, Plain(Compare(CompareOp::LessEqual))),
        ">" => (7, Plain(Compare(CompareOp::Greater))),
        ">=" => (7, Plain(Compare(CompareOp::GreaterEqual))),
        "<<" => (8, Plain(Operator::ShiftLeft)),
        ">>" => (8, Plain(Operator::ShiftRight)),
        "+" => (9, Plain(Arithmetic(BinaryOp::Add))),
        "-" => (9, Plain(Arithmetic(BinaryOp::Sub))),
        "*" => (10, Plain(Arithmetic(BinaryOp::Mul))),
        "/" => (10, Plain(Arithmetic(BinaryOp::Div))),
        "%" => (10, Plain(Arithmetic(BinaryOp::Rem))),
        _ => return None,
    })
}

/// `Some(None)` is plain `=`.
fn assignment(token: &Token<'_>) -> Option<Option<Operator>> {
    use Operator::Arithmetic;
    if token.kind != TokenKind::Symbol {
        return None;
    }
    Some(match token.text {
        "=" => None,
        "+=" => Some(Arithmetic(BinaryOp::Add)),
        "-=" => Some(Arithmetic(BinaryOp::Sub)),
        "*=" => Some(Arithmetic(BinaryOp::Mul)),
        "/=" => Some(Arithmetic(BinaryOp::Div)),
        "%=" => Some(Arithmetic(BinaryOp::Rem)),
        "&=" => Some(Operator::BitAnd),
        "|=" => Some(Operator::BitOr),
        "^=" => Some(Operator::BitXor),
        "<<=" => Some(Operator::ShiftLeft),
        ">>=" => Some(Operator::ShiftRight),
        _ => return None,
    })
}

fn is_bitwise(operator: Operator) -> bool {
    !matches!(operator, Operator::Arithmetic(_) | Operator::Compare(_))
}

impl<'a> Parser<'a, '_> {
    /// A tree node; its height is checked here.
    fn node(&mut self, kind: ExprKind<'a>, span: Span) -> Parsed<Expr<'a>> {
        let mut expr = Expr { kind, span, height: 0 };
        let mut height = 0;
        expr.for_each_child(|child| height = height.max(child.height + 1));
        expr.height = height;
        if height > HEIGHT_LIMIT {
            return self
                .error(span, format!("the expression is too deep (more than {HEIGHT_LIMIT} operators)"));
        }
        Ok(expr)
    }

    /// With commas, where C allows a sequence.
    pub(super) fn expression(&mut self) -> Parsed<Expr<'a>> {
        let mut left = self.assignment()?;
        while self.at_symbol(",") {
            self.next();
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = self.node(ExprKind::Comma(Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr<'a>> {
        self.deeper(|parser| {
            let target = parser.conditional()?;
            let token = *parser.peek();
            let Some(operator) = assignment(&token) else { return Ok(target) };
            if operator.is_some_and(is_bitwise) {
                parser.only_in_c(token.span, &format!("`{}`", token.text))?;
            }
            parser.next();
            if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Index(..)) {
                return parser.error(target.span, "only a variable or an array element can be assigned");
            }
            let value = parser.assignment()?;
            let span = target.span.to(value.span);
            parser.node(ExprKind::Assign(operator, Box::new(target), Box::new(value)), span)
        })
    }

    pub(super) fn conditional(&mut self) -> Parsed<Expr<'a>> {
        let condition = self.binary(1)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":", "between the two values of `?`")?;
        let no = self.deeper(Self::conditional)?;
        let span = condition.span.to(no.span);
        self.node(ExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no)), span)
    }

    fn binary(&mut self, tightest: u8) -> Parsed<Expr<'a>> {
        let mut left = self.unary()?;
        loop {
            let token = *self.peek();
            let Some((binding, infix)) = infix(&token).filter(|(binding, _)| *binding >= tightest) else {
                return Ok(left);
            };
            if let Infix::Plain(operator) = infix
                && is_bitwise(operator)
            {
                self.only_in_c(token.span, &format!("`{}`", token.text))?;
            }
            self.next();
            let right = self.binary(binding + 1)?;
            let span = left.span.to(right.span);
            let (left_part, right_part) = (Box::new(left), Box::new(right));
            let kind = match infix {
                Infix::And => ExprKind::And(left_part, right_part),
                Infix::Or => ExprKind::Or(left_part, right_part),
                Infix::Plain(operator) => ExprKind::Binary(operator, left_part, right_part),
            };
            left = self.node(kind, span)?;
        }
    }

    fn unary(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.peek();
        let operator = match (token.kind, token.text) {
            (TokenKind::Symbol, "-") => UnaryOp::Minus,
            (TokenKind::Symbol, "+") => UnaryOp::Plus,
            (TokenKind::Symbol, "!") => UnaryOp::Not,
            (TokenKind::Symbol, "~") => {
                self.only_in_c(token.span, "`~`")?;
                UnaryOp::Complement
            }
            (TokenKind::Symbol, "++" | "--") => return self.prefix_bump(),
            (TokenKind::Symbol, "&") => return self.address(),
            (TokenKind::Symbol, "*") => return self.unsupported(token.span, "pointers (`*` before a value)"),
            (TokenKind::Word, "sizeof") => return self.unsupported(token.span, "`sizeof`"),
            (TokenKind::Symbol, "(") if self.starts_type(1) => return self.cast(),
            _ => return self.postfix(),
        };
        self.next();
        let inner = self.deeper(Self::unary)?;
        let span = token.span.to(inner.span);
        self.node(ExprKind::Unary(operator, Box::new(inner)), span)
    }

    fn prefix_bump(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.next();
        let target = self.deeper(Self::unary)?;
        self.bump(&token, target, Fix::Prefix)
    }

    fn bump(&mut self, token: &Token<'a>, target: Expr<'a>, fix: Fix) -> Parsed<Expr<'a>> {
        if !matches!(target.kind, ExprKind::Name(_) | ExprKind::Index(..)) {
            return self.error(target.span, format!("`{}` needs a variable or an array element", token.text));
        }
        let by = if token.text == "++" { Bump::Up } else { Bump::Down };
        let span = token.span.to(target.span);
        self.node(ExprKind::Bump { target: Box::new(target), by, fix }, span)
    }

    fn address(&mut self) -> Parsed<Expr<'a>> {
        let start = self.next().span;
        let inner = self.deeper(Self::unary)?;
        let span = start.to(inner.span);
        self.node(ExprKind::Address(Box::new(inner)), span)
    }

    fn cast(&mut self) -> Parsed<Expr<'a>> {
        let start = self.next().span;
        self.only_in_c(start, "a cast")?;
        let ty = self.type_name()?;
        if self.at_symbol("*") {
            let span = self.peek().span;
            return self.unsupported(span, "pointers");
        }
        self.expect(")", "after the type of a cast")?;
        let inner = self.deeper(Self::unary)?;
        let span = start.to(inner.span);
        self.node(ExprKind::Cast(ty, Box::new(inner)), span)
    }

    fn postfix(&mut self) -> Parsed<Expr<'a>> {
        let mut expr = self.primary()?;
        loop {
            let token = *self.peek();
            match (token.kind, token.text) {
                (TokenKind::Symbol, "[") => {
                    self.next();
                    let index = self.expression()?;
                    let end = self.expect("]", "after the index")?;
                    let span = expr.span.to(end);
                    expr = self.node(ExprKind::Index(Box::new(expr), Box::new(index)), span)?;
                }
                (TokenKind::Symbol, "++" | "--") => {
                    self.next();
                    expr = self.bump(&token, expr, Fix::Postfix)?;
                }
                (TokenKind::Symbol, "." | "->") => {
                    return self.unsupported(token.span, "structures (`.` and `->`)");
                }
                (TokenKind::Symbol, "(") => {
                    return self.error(token.span, "only a function's name can be called");
                }
                _ => return Ok(expr),
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.peek();
        match token.kind {
            TokenKind::Number => self.number(),
            TokenKind::Character => self.character(),
            TokenKind::Text => {
                while self.peek().kind == TokenKind::Text {
                    self.next();
                }
                self.node(ExprKind::Text, token.span)
            }
            TokenKind::Word => self.word(),
            TokenKind::Symbol if token.text == "(" => {
                self.next();
                let mut inner = self.expression()?;
                let end = self.expect(")", "to close the parenthesis")?;
                // The parentheses belong to what reports show.
                inner.span = token.span.to(end);
                Ok(inner)
            }
            TokenKind::Symbol if token.text == "?" && self.language == Language::C => {
                self.next();
                self.node(ExprKind::Anything, token.span)
            }
            TokenKind::Symbol if token.text == "[" && self.language == Language::C => self.choice(),
            _ => self.error(token.span, format!("expected an expression, found {}", token.shown())),
        }
    }

    /// `[lowest, highest]`: any value between them, as some analyzers' programs write it.
    fn choice(&mut self) -> Parsed<Expr<'a>> {
        let start = self.next().span;
        let lowest = self.conditional()?;
        self.expect(",", "between the lowest and the highest value")?;
        let highest = self.conditional()?;
        let span = start.to(self.expect("]", "after the highest value")?);
        let arguments = vec![lowest, highest];
        self.node(ExprKind::Call { name: CHOICE, name_span: start, arguments }, span)
    }

    fn word(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.next();
        match token.text {
            "true" | "false" if self.declares_truth => {}
            "true" => return self.node(ExprKind::Integer(Int::from(1), Scalar::Bool), token.span),
            "false" => return self.node(ExprKind::Integer(Int::from(0), Scalar::Bool), token.span),
            word if is_keyword(word) => {
                return self.error(token.span, format!("expected an expression, found {}", token.shown()));
            }
            _ => {}
        }
        if !self.eat("(") {
            return self.node(ExprKind::Name(token.text), token.span);
        }
        let mut arguments = Vec::new();
        while !self.at_symbol(")") {
            arguments.push(self.assignment()?);
            if !self.eat(",") {
                break;
            }
        }
        let end = self.expect(")", "after the arguments")?;
        let kind = ExprKind::Call { name: token.text, name_span: token.span, arguments };
        self.node(kind, token.span.to(end))
    }

    fn number(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.next();
        if token.text.len() > LITERAL_LIMIT {
            return self
                .error(token.span, format!("not supported: a number of more than {LITERAL_LIMIT} digits"));
        }
        let Some((value, ty)) = literal(token.text) else {
            if token.text.contains('.') || (!token.text.starts_with("0x") && token.text.contains(['e', 'E']))
            {
                return self.unsupported(token.span, "floating-point numbers");
            }
            return self.error(token.span, format!("{} is not an integer", token.shown()));
        };
        self.node(ExprKind::Integer(value, Scalar::Int(ty)), token.span)
    }

    fn character(&mut self) -> Parsed<Expr<'a>> {
        let token = *self.next();
        let inner = token.text.strip_prefix('\'').unwrap_or("").strip_suffix('\'').unwrap_or("");
        match character(inner) {
            Some(value) => self.node(ExprKind::Integer(Int::from(value), INT), token.span),
            None => self.error(token.span, format!("{} is not one character", token.shown())),
        }
    }
}

/// Value and type of an integer literal as C reads it.
fn literal(text: &str) -> Option<(Int, IntType)> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] if text.as_bytes()[1].is_ascii_digit() => (8, &text[1..]),
        _ => (10, text),
    };
    let length = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(length);
    if digits.is_empty() {
        return None;
    }
    let (unsigned, long) = match suffix.to_ascii_lowercase().as_str() {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "lu" | "ull" | "llu" => (true, true),
        _ => return None,
    };
    let value = match radix {
        10 => digits.parse().ok()?,
        _ => digits.chars().filter_map(|c| c.to_digit(radix)).fold(Int::from(0), |value, digit| {
            value * Int::from(i64::from(radix)) + Int::from(i64::from(digit))
        }),
    };
    let candidates = [IntType::I32, IntType::U32, IntType::I64, IntType::U64, IntType::I128];
    let fitting = candidates.into_iter().find(|ty| {
        let allowed = match (unsigned, radix) {
            (true, _) => !ty.signed,
            (false, 10) => ty.signed,
            (false, _) => true,
        };
        allowed && (ty.bits >= 64 || !long) && ty.contains(&value)
    });
    Some((value, fitting.unwrap_or(IntType::I128)))
}

/// The value of a character literal without its quotes.
fn character(inner: &str) -> Option<i64> {
    let mut chars = inner.chars();
    let value = match chars.next()? {
        '\\' => match chars.next()? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'x' => {
                return i64::from_str_radix(chars.as_str(), 16).ok().filter(|value| (0..256).contains(value));
            }
            '0'..='7' => return i64::from_str_radix(&inner[1..], 8).ok().filter(|value| *value < 256),
            other @ ('\\' | '\'' | '"' | '?') => i64::from(u32::from(other)),
            _ => return None,
        },
        plain => i64::from(u32::from(plain)),
    };
    chars.next().is_none().then_some(value)
}
