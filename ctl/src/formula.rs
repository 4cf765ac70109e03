//! CTL formulas over atoms of any kind.
//!
//! The tree says nothing about what an atom is: the parser fills it with [`crate::syntax::Atom`], the
//! checker reads it with [`crate::kripke::AtomId`].

/// Over all or over some of the runs from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    All,
    Exists,
}

impl Quantifier {
    pub fn dual(self) -> Quantifier {
        match self {
            Quantifier::All => Quantifier::Exists,
            Quantifier::Exists => Quantifier::All,
        }
    }

    pub fn letter(self) -> char {
        match self {
            Quantifier::All => 'A',
            Quantifier::Exists => 'E',
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<A> {
    Literal(bool),
    Atom(A),
    Not(Box<Formula<A>>),
    And(Box<Formula<A>>, Box<Formula<A>>),
    Or(Box<Formula<A>>, Box<Formula<A>>),
    Implies(Box<Formula<A>>, Box<Formula<A>>),
    Iff(Box<Formula<A>>, Box<Formula<A>>),
    Next(Quantifier, Box<Formula<A>>),
    Future(Quantifier, Box<Formula<A>>),
    Globally(Quantifier, Box<Formula<A>>),
    Until(Quantifier, Box<Formula<A>>, Box<Formula<A>>),
    Release(Quantifier, Box<Formula<A>>, Box<Formula<A>>),
    WeakUntil(Quantifier, Box<Formula<A>>, Box<Formula<A>>),
}

use Formula::*;

impl<A> Formula<A> {
    /// The same tree over other atoms.
    pub fn map_atoms<B>(&self, f: &mut impl FnMut(&A) -> B) -> Formula<B> {
        let mapped: Result<Formula<B>, std::convert::Infallible> = self.try_map(&mut |atom| Ok(f(atom)));
        match mapped {
            Ok(formula) => formula,
        }
    }

    /// Like [`Formula::map_atoms`], stopping at the first atom (in reading order) that cannot be mapped.
    pub fn try_map<B, E>(&self, f: &mut impl FnMut(&A) -> Result<B, E>) -> Result<Formula<B>, E> {
        let mut atom = None;
        if let Atom(name) = self {
            atom = Some(f(name)?);
        }
        let [left, right] = self.operands();
        let left = left.map(|operand| operand.try_map(f)).transpose()?;
        let right = right.map(|operand| operand.try_map(f)).transpose()?;
        Ok(self.rebuild(atom, left, right))
    }

    /// Up to two direct subformulas, in reading order.
    pub fn operands(&self) -> [Option<&Formula<A>>; 2] {
        match self {
            Literal(_) | Atom(_) => [None, None],
            Not(f) | Next(_, f) | Future(_, f) | Globally(_, f) => [Some(f), None],
            And(f, g) | Or(f, g) | Implies(f, g) | Iff(f, g) => [Some(f), Some(g)],
            Until(_, f, g) | Release(_, f, g) | WeakUntil(_, f, g) => [Some(f), Some(g)],
        }
    }

    /// The same top operator with other operands. The caller passes as many as the operator has.
    fn rebuild<B>(&self, atom: Option<B>, left: Option<Formula<B>>, right: Option<Formula<B>>) -> Formula<B> {
        let one = || Box::new(left.expect("the operator has a first operand"));
        let two = || Box::new(right.expect("the operator has a second operand"));
        match self {
            Literal(value) => Literal(*value),
            Atom(_) => Atom(atom.expect("an atom stays an atom")),
            Not(_) => Not(one()),
            And(..) => And(one(), two()),
            Or(..) => Or(one(), two()),
            Implies(..) => Implies(one(), two()),
            Iff(..) => Iff(one(), two()),
            Next(q, _) => Next(*q, one()),
            Future(q, _) => Future(*q, one()),
            Globally(q, _) => Globally(*q, one()),
            Until(q, ..) => Until(*q, one(), two()),
            Release(q, ..) => Release(*q, one(), two()),
            WeakUntil(q, ..) => WeakUntil(*q, one(), two()),
        }
    }

    /// The same top operator over the given operands.
    pub(crate) fn with_operands(&self, left: Option<Formula<A>>, right: Option<Formula<A>>) -> Formula<A>
    where
        A: Clone,
    {
        let atom = if let Atom(name) = self { Some(name.clone()) } else { None };
        self.rebuild(atom, left, right)
    }

    /// No temporal operator anywhere: the formula speaks of one state only.
    pub fn is_propositional(&self) -> bool {
        let mut answer = true;
        self.for_each(&mut |sub| {
            answer &= !matches!(
                sub,
                Next(..) | Future(..) | Globally(..) | Until(..) | Release(..) | WeakUntil(..)
            );
        });
        answer
    }

    /// The value of a propositional formula where the atoms have these; `None` if an atom without a value
    /// matters, or a temporal operator is met.
    pub fn decide(&self, atom: &mut impl FnMut(&A) -> Option<bool>) -> Option<bool> {
        match self {
            Literal(value) => Some(*value),
            Atom(inner) => atom(inner),
            Not(inner) => Some(!inner.decide(atom)?),
            And(left, right) => Some(left.decide(atom)? && right.decide(atom)?),
            Or(left, right) => Some(left.decide(atom)? || right.decide(atom)?),
            Implies(left, right) => Some(!left.decide(atom)? || right.decide(atom)?),
            Iff(left, right) => Some(left.decide(atom)? == right.decide(atom)?),
            Next(..) | Future(..) | Globally(..) | Until(..) | Release(..) | WeakUntil(..) => None,
        }
    }

    /// Calls `f` on every atom, in reading order.
    pub fn for_each_atom<'a>(&'a self, f: &mut impl FnMut(&'a A)) {
        self.for_each(&mut |sub| {
            if let Atom(atom) = sub {
                f(atom);
            }
        });
    }

    /// Calls `f` on every subformula, each before its operands, in reading order.
    pub fn for_each<'a>(&'a self, f: &mut impl FnMut(&'a Formula<A>)) {
        let mut pending = vec![self];
        while let Some(sub) = pending.pop() {
            f(sub);
            pending.extend(sub.operands().into_iter().rev().flatten());
        }
    }

    /// The number of operators, atoms and literals.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.for_each(&mut |_| count += 1);
        count
    }

    /// The subformula reached by taking the operands numbered in `path` one after the other.
    pub fn at_path(&self, path: &[usize]) -> Option<&Formula<A>> {
        let mut current = self;
        for step in path {
            current = (*current.operands().get(*step)?)?;
        }
        Some(current)
    }

    #[allow(clippy::should_implement_trait)] // builds a formula, like the other constructors
    pub fn not(self) -> Formula<A> {
        Not(Box::new(self))
    }

    pub fn and(self, other: Formula<A>) -> Formula<A> {
        And(Box::new(self), Box::new(other))
    }

    pub fn or(self, other: Formula<A>) -> Formula<A> {
        Or(Box::new(self), Box::new(other))
    }

    pub fn implies(self, other: Formula<A>) -> Formula<A> {
        Implies(Box::new(self), Box::new(other))
    }

    pub fn next(self, q: Quantifier) -> Formula<A> {
        Next(q, Box::new(self))
    }

    pub fn future(self, q: Quantifier) -> Formula<A> {
        Future(q, Box::new(self))
    }

    pub fn globally(self, q: Quantifier) -> Formula<A> {
        Globally(q, Box::new(self))
    }

    pub fn until(self, q: Quantifier, goal: Formula<A>) -> Formula<A> {
        Until(q, Box::new(self), Box::new(goal))
    }

    pub fn release(self, q: Quantifier, kept: Formula<A>) -> Formula<A> {
        Release(q, Box::new(self), Box::new(kept))
    }

    pub fn weak_until(self, q: Quantifier, goal: Formula<A>) -> Formula<A> {
        WeakUntil(q, Box::new(self), Box::new(goal))
    }
}
