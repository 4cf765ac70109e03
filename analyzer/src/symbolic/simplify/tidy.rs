//! What can be said in fewer words without asking anybody: booleans, constants, cancellation.
//!
//! Every rule keeps the value of a condition wherever it has one, and that it has none elsewhere.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, concrete};

use super::sum::{Sum, is_total, is_total_cond};

pub fn tidy(cond: &Cond) -> Cond {
    match cond {
        Cond::Literal(_) => cond.clone(),
        Cond::Compare(op, left, right) => compared(*op, tidy_expr(left), tidy_expr(right)),
        Cond::Not(inner) => negated(tidy(inner)),
        Cond::And(left, right) => joined(Join::And, tidy(left), tidy(right)),
        Cond::Or(left, right) => joined(Join::Or, tidy(left), tidy(right)),
    }
}

pub fn tidy_expr(expr: &Expr) -> Expr {
    let built = match expr {
        Expr::Constant(_) | Expr::Variable(_) | Expr::Any(_) => return expr.clone(),
        Expr::Negate(inner) => Expr::Negate(Box::new(tidy_expr(inner))),
        Expr::Unary(op, inner) => {
            let inner = tidy_expr(inner);
            let known = match &inner {
                Expr::Constant(value) => concrete::apply_unary(*op, value),
                _ => None,
            };
            return known.map_or_else(|| Expr::Unary(*op, Box::new(inner)), Expr::Constant);
        }
        Expr::Binary(op, left, right) => return binary(*op, tidy_expr(left), tidy_expr(right)),
        Expr::Wrap(ty, inner) => match tidy_expr(inner) {
            Expr::Constant(value) => return Expr::Constant(ty.wrap(&value)),
            Expr::Wrap(own, inner) if own == *ty => return Expr::Wrap(own, inner),
            inner => return Expr::Wrap(*ty, Box::new(inner)),
        },
        Expr::IfThenElse(cond, yes, no) => match (tidy(cond), tidy_expr(yes), tidy_expr(no)) {
            (Cond::Literal(true), yes, _) => return yes,
            (Cond::Literal(false), _, no) => return no,
            (cond, yes, no) if yes == no && is_total_cond(&cond) => return yes,
            (cond, yes, no) => return Expr::IfThenElse(Box::new(cond), Box::new(yes), Box::new(no)),
        },
    };
    Sum::of(&built).map_or(built, |sum| sum.to_expr())
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Constant(a), Expr::Constant(b)) = (&left, &right)
        && let Some(value) = concrete::apply(op, a, b)
    {
        return Expr::Constant(value);
    }
    match (op, &right) {
        (BinaryOp::Div, Expr::Constant(by)) if by.is_one() => return left,
        (BinaryOp::Rem, Expr::Constant(by)) if by.abs().is_one() && is_total(&left) => {
            return Expr::constant(0);
        }
        (BinaryOp::Min | BinaryOp::Max, right) if left == *right => return left,
        _ => {}
    }
    let built = Expr::binary(op, left, right);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => Sum::of(&built).map_or(built, |sum| sum.to_expr()),
        _ => built,
    }
}

/// A comparison of a sum with 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normal {
    pub is: Is,
    pub sum: Sum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    Zero,
    NotZero,
    AtLeastZero,
}

impl Normal {
    /// In lowest terms. `None` for what is no comparison of sums.
    pub fn of(cond: &Cond) -> Option<Self> {
        let Cond::Compare(op, left, right) = cond else { return None };
        let difference = Sum::of(left)?.minus(&Sum::of(right)?)?;
        if difference.as_constant().is_some() {
            return None;
        }
        let below = |sum: &Sum| Sum { constant: &sum.constant - &Int::ONE, ..sum.clone() };
        let (is, sum) = match op {
            CompareOp::Equal => (Is::Zero, difference),
            CompareOp::NotEqual => (Is::NotZero, difference),
            CompareOp::GreaterEqual => (Is::AtLeastZero, difference),
            CompareOp::Greater => (Is::AtLeastZero, below(&difference)),
            CompareOp::LessEqual => (Is::AtLeastZero, difference.negated()),
            CompareOp::Less => (Is::AtLeastZero, below(&difference.negated())),
        };
        let divisor = sum.divisor();
        if is != Is::AtLeastZero && !divisor.divides(&sum.constant) {
            return Some(Self { is, sum });
        }
        let mut sum = sum.divided(&divisor);
        if is != Is::AtLeastZero && sum.terms.first().is_some_and(|(_, factor)| factor.is_negative()) {
            sum = sum.negated();
        }
        Some(Self { is, sum })
    }

    pub fn to_cond(&self) -> Cond {
        self.sum.compared(match self.is {
            Is::Zero => CompareOp::Equal,
            Is::NotZero => CompareOp::NotEqual,
            Is::AtLeastZero => CompareOp::GreaterEqual,
        })
    }

    /// No whole numbers make the sum 0.
    fn is_never_zero(&self) -> bool {
        !self.sum.divisor().divides(&self.sum.constant) && self.sum.is_total()
    }
}

fn compared(op: CompareOp, left: Expr, right: Expr) -> Cond {
    let difference = Sum::of(&left).and_then(|left| left.minus(&Sum::of(&right)?));
    let Some(difference) = difference else { return Cond::Compare(op, left, right) };
    if let Some(constant) = difference.as_constant() {
        return Cond::Literal(op.holds(constant, &Int::ZERO));
    }
    if let [(Expr::IfThenElse(cond, yes, no), factor)] = difference.terms.as_slice()
        && let (Expr::Constant(yes), Expr::Constant(no)) = (&**yes, &**no)
    {
        let holds = |value: &Int| op.holds(&(&(value * factor) + &difference.constant), &Int::ZERO);
        match (holds(yes), holds(no)) {
            (true, false) => return (**cond).clone(),
            (false, true) => return negated((**cond).clone()),
            (both, _) if is_total_cond(cond) => return Cond::Literal(both),
            _ => {}
        }
    }
    let Some(normal) = Normal::of(&Cond::Compare(op, left.clone(), right.clone())) else {
        return Cond::Compare(op, left, right);
    };
    match normal.is {
        Is::Zero if normal.is_never_zero() => Cond::Literal(false),
        Is::NotZero if normal.is_never_zero() => Cond::Literal(true),
        _ => normal.to_cond(),
    }
}

/// The opposite, with the negation at the comparisons.
fn negated(cond: Cond) -> Cond {
    match cond {
        Cond::Compare(op, left, right) => compared(op.negated(), left, right),
        Cond::And(left, right) => joined(Join::Or, negated(*left), negated(*right)),
        Cond::Or(left, right) => joined(Join::And, negated(*left), negated(*right)),
        other => other.negated(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    And,
    Or,
}

impl Join {
    fn other(self) -> Self {
        if self == Self::And { Self::Or } else { Self::And }
    }

    /// The value that decides the whole.
    fn decisive(self) -> bool {
        self == Self::Or
    }
}

/// The parts of nested conjunctions, or disjunctions, in order.
fn parts(join: Join, cond: Cond, found: &mut Vec<Cond>) {
    match cond {
        Cond::And(left, right) if join == Join::And => {
            parts(join, *left, found);
            parts(join, *right, found);
        }
        Cond::Or(left, right) if join == Join::Or => {
            parts(join, *left, found);
            parts(join, *right, found);
        }
        other => found.push(other),
    }
}

fn joined(join: Join, left: Cond, right: Cond) -> Cond {
    let mut all = Vec::new();
    parts(join, left, &mut all);
    parts(join, right, &mut all);
    let mut kept: Vec<Cond> = Vec::new();
    for part in all {
        if part == Cond::Literal(!join.decisive()) || kept.iter().any(|known| decides(join, known, &part)) {
            continue;
        }
        let opposite = negated(part.clone());
        let settled = part == Cond::Literal(join.decisive()) || kept.contains(&opposite);
        if settled && kept.iter().all(is_total_cond) {
            return Cond::Literal(join.decisive());
        }
        kept.push(part);
    }
    let both = |left: Cond, right: Cond| match join {
        Join::And => left.and(right),
        Join::Or => left.or(right),
    };
    kept.into_iter().reduce(both).unwrap_or(Cond::Literal(!join.decisive()))
}

/// Behind `known`, `part` has nothing to add: it is the same, or a choice that has it among its parts.
fn decides(join: Join, known: &Cond, part: &Cond) -> bool {
    let mut choices = Vec::new();
    parts(join.other(), part.clone(), &mut choices);
    known == part
        || choices.first() == Some(known)
        || (choices.contains(known) && choices.iter().all(is_total_cond))
}
