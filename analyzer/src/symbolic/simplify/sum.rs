//! Sums of multiples of what is not a sum itself.

use kleene_domains::{BinaryOp, CompareOp, Cond, Expr, Int, Var};

/// Σ factor·term + constant. No term comes twice and no factor is 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    pub terms: Vec<(Expr, Int)>,
    pub constant: Int,
}

impl Sum {
    fn constant(value: Int) -> Self {
        Self { terms: Vec::new(), constant: value }
    }

    /// The expression as a sum, with the same value wherever it has one. `None` if a term would vanish that
    /// may have no value.
    pub fn of(expr: &Expr) -> Option<Self> {
        Some(match expr {
            Expr::Constant(value) => Self::constant(value.clone()),
            Expr::Negate(inner) => Self::of(inner)?.scaled(&Int::MINUS_ONE)?,
            Expr::Binary(BinaryOp::Add, left, right) => Self::of(left)?.plus(&Self::of(right)?)?,
            Expr::Binary(BinaryOp::Sub, left, right) => Self::of(left)?.minus(&Self::of(right)?)?,
            Expr::Binary(BinaryOp::Mul, left, right) => {
                let (left, right) = (Self::of(left)?, Self::of(right)?);
                match (left.as_constant(), right.as_constant()) {
                    (Some(factor), _) => right.scaled(factor)?,
                    (_, Some(factor)) => left.scaled(factor)?,
                    _ => Self::term(expr),
                }
            }
            other => Self::term(other),
        })
    }

    fn term(expr: &Expr) -> Self {
        Self { terms: vec![(expr.clone(), Int::ONE)], constant: Int::ZERO }
    }

    pub fn as_constant(&self) -> Option<&Int> {
        self.terms.is_empty().then_some(&self.constant)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = &sum.constant + &other.constant;
        for (term, factor) in &other.terms {
            match sum.terms.iter().position(|(known, _)| known == term) {
                Some(at) => {
                    sum.terms[at].1 = &sum.terms[at].1 + factor;
                    if sum.terms[at].1.is_zero() {
                        sum.terms.remove(at);
                        is_total(term).then_some(())?;
                    }
                }
                None => sum.terms.push((term.clone(), factor.clone())),
            }
        }
        sum.terms.sort_by_key(|(term, _)| variable(term).map_or((1, Var(0)), |var| (0, var)));
        Some(sum)
    }

    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.scaled(&Int::MINUS_ONE)?)
    }

    fn scaled(&self, by: &Int) -> Option<Self> {
        if by.is_zero() {
            return self.is_total().then(|| Self::constant(Int::ZERO));
        }
        let terms = self.terms.iter().map(|(term, factor)| (term.clone(), factor * by)).collect();
        Some(Self { terms, constant: &self.constant * by })
    }

    /// With the opposite sign.
    pub fn negated(&self) -> Self {
        let terms = self.terms.iter().map(|(term, factor)| (term.clone(), -factor.clone())).collect();
        Self { terms, constant: -self.constant.clone() }
    }

    pub fn is_total(&self) -> bool {
        self.terms.iter().all(|(term, _)| is_total(term))
    }

    /// What divides all factors.
    pub fn divisor(&self) -> Int {
        self.terms.iter().fold(Int::ZERO, |divisor, (_, factor)| divisor.gcd(factor))
    }

    /// All factors divided by what divides them; the constant rounded down.
    pub fn divided(&self, divisor: &Int) -> Self {
        let floor = |value: &Int| value.div_floor(divisor).unwrap_or_else(|| value.clone());
        let terms = self.terms.iter().map(|(term, factor)| (term.clone(), floor(factor))).collect();
        Self { terms, constant: floor(&self.constant) }
    }

    pub fn to_expr(&self) -> Expr {
        let term = |(term, factor): &(Expr, Int)| match factor.is_one() {
            true => term.clone(),
            false => Expr::binary(BinaryOp::Mul, Expr::Constant(factor.clone()), term.clone()),
        };
        let constant = (!self.constant.is_zero()).then(|| Expr::Constant(self.constant.clone()));
        let sum = self.terms.iter().map(term).chain(constant);
        let sum = sum.reduce(|sum, term| Expr::binary(BinaryOp::Add, sum, term));
        sum.unwrap_or(Expr::Constant(Int::ZERO))
    }

    /// The comparison with 0, without minus signs where that is possible.
    pub fn compared(&self, op: CompareOp) -> Cond {
        let side = |keep: fn(&Int) -> bool| {
            let terms = self.terms.iter().filter(|(_, factor)| keep(factor));
            terms.map(|(term, factor)| (term.clone(), factor.abs())).collect::<Vec<_>>()
        };
        let (left, right) = (side(Int::is_positive), side(Int::is_negative));
        let at = |terms: Vec<(Expr, Int)>, constant: Int| Self { terms, constant }.to_expr();
        let (zero, constant) = (Int::ZERO, self.constant.clone());
        if left.is_empty() {
            return Cond::Compare(op.swapped(), at(right, zero), Expr::Constant(constant));
        }
        if right.is_empty() {
            return Cond::Compare(op, at(left, zero), Expr::Constant(-constant));
        }
        match (op, constant.signum()) {
            (CompareOp::GreaterEqual, _) if constant == Int::MINUS_ONE => {
                Cond::Compare(CompareOp::Greater, at(left, zero.clone()), at(right, zero))
            }
            (op, 1) => Cond::Compare(op, at(left, constant), at(right, zero)),
            (op, _) => Cond::Compare(op, at(left, zero), at(right, -constant)),
        }
    }
}

fn variable(term: &Expr) -> Option<Var> {
    match term {
        Expr::Variable(var) => Some(*var),
        _ => None,
    }
}

/// Has a value whatever the variables are.
pub fn is_total(expr: &Expr) -> bool {
    match expr {
        Expr::Constant(_) | Expr::Variable(_) => true,
        Expr::Any(_) => false,
        Expr::Negate(inner) | Expr::Wrap(_, inner) => is_total(inner),
        Expr::Unary(..) => false,
        Expr::Binary(op, left, right) => {
            let (of_left, of_right) = op.needs();
            let lacks = of_left.condition(left).is_some() || of_right.condition(right).is_some();
            !lacks && is_total(left) && is_total(right)
        }
        Expr::IfThenElse(cond, yes, no) => is_total_cond(cond) && is_total(yes) && is_total(no),
    }
}

pub fn is_total_cond(cond: &Cond) -> bool {
    let mut total = true;
    cond.for_each_comparison(&mut |_, left, right| total &= is_total(left) && is_total(right));
    total
}
