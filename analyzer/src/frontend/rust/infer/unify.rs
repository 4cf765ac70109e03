//! Type variables: unification, integer variables, taint.

use std::borrow::Cow;

use super::super::types::{Called, I32, Length, Ty};

#[derive(Clone, Debug)]
enum State {
    Unbound { kind: Kind, tainted: bool },
    Bound(Ty),
}

/// What a type can be that is not known yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Any,
    Integer,
    Float,
}

#[derive(Debug, Default)]
pub struct Variables {
    states: Vec<State>,
    /// Functions and closures that met another one: values of a type that all of them fit.
    pub clashed: Vec<Called>,
}

impl Variables {
    pub fn fresh(&mut self) -> Ty {
        self.states.push(State::Unbound { kind: Kind::Any, tainted: false });
        Ty::Variable(self.states.len() as u32 - 1)
    }

    pub fn fresh_float(&mut self) -> Ty {
        self.states.push(State::Unbound { kind: Kind::Float, tainted: false });
        Ty::Variable(self.states.len() as u32 - 1)
    }

    pub fn fresh_integer(&mut self) -> Ty {
        self.states.push(State::Unbound { kind: Kind::Integer, tainted: false });
        Ty::Variable(self.states.len() as u32 - 1)
    }

    /// The type with its outermost variable replaced by what is known of it.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        self.outer(ty).into_owned()
    }

    /// The same, for those who only look at it.
    pub fn outer<'t>(&'t self, mut ty: &'t Ty) -> Cow<'t, Ty> {
        while let Ty::Variable(index) = ty
            && let State::Bound(known) = &self.states[*index as usize]
        {
            ty = known;
        }
        match ty {
            Ty::Array(element, Length::Variable(index)) => {
                let length = Length::of(&self.outer(&Ty::Variable(*index)));
                Cow::Owned(Ty::Array(element.clone(), length))
            }
            known => Cow::Borrowed(known),
        }
    }

    /// The type with all variables replaced that something is known of.
    pub fn known(&self, ty: &Ty) -> Ty {
        ty.map(&mut |part| match part {
            Ty::Variable(_) => match self.shallow(part) {
                open @ Ty::Variable(_) => Some(open),
                found => Some(self.known(&found)),
            },
            _ => None,
        })
    }

    pub fn is_integer_variable(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Variable(index) => {
                matches!(self.states[index as usize], State::Unbound { kind: Kind::Integer, .. })
            }
            _ => false,
        }
    }

    /// Whether a literal says that it is a number of some kind.
    pub fn is_number(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Variable(index) => match self.states[index as usize] {
                State::Unbound { kind, .. } => kind != Kind::Any,
                State::Bound(_) => false,
            },
            _ => false,
        }
    }

    /// The type at the end of inference: nothing is left open.
    pub fn finished(&self, ty: &Ty) -> Ty {
        ty.map(&mut |part| match part {
            Ty::Callable(called, _) if self.clashed.contains(called) => Some(Ty::Opaque),
            Ty::Variable(_) => Some(match self.shallow(part) {
                Ty::Variable(index) => match self.states[index as usize] {
                    State::Unbound { kind: Kind::Integer, tainted: false } => I32,
                    State::Unbound { kind: Kind::Float, tainted: false } => Ty::Float(64),
                    _ => Ty::Opaque,
                },
                known => self.finished(&known),
            }),
            _ => None,
        })
    }

    /// A constraint on these types was not understood.
    pub fn taint(&mut self, ty: &Ty) {
        let mut found = Vec::new();
        self.shallow(ty).any(&mut |part| {
            if let Ty::Variable(index) = part {
                found.push(*index);
            }
            false
        });
        for index in found {
            match self.states[index as usize].clone() {
                State::Unbound { kind, .. } => {
                    self.states[index as usize] = State::Unbound { kind, tainted: true };
                }
                State::Bound(known) => self.taint(&known),
            }
        }
    }

    pub fn unify(&mut self, left: &Ty, right: &Ty) {
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Variable(a), Ty::Variable(b)) if a == b => {}
            (Ty::Variable(a), Ty::Variable(b)) => self.join(*a, *b),
            (Ty::Variable(index), ty) | (ty, Ty::Variable(index)) => self.bind(*index, ty),
            (Ty::Never, _) | (_, Ty::Never) => {}
            (Ty::Tuple(a), Ty::Tuple(b)) if a.len() == b.len() => self.unify_all(a, b),
            (Ty::Adt(a, first), Ty::Adt(b, second)) if a == b && first.len() == second.len() => {
                self.unify_all(first, second);
            }
            (Ty::Callable(a, first), Ty::Callable(b, second)) if a == b && first.len() == second.len() => {
                self.unify_all(first, second);
            }
            (Ty::Callable(a, first), Ty::Callable(b, second)) => {
                self.clashed.extend([*a, *b]);
                first.iter().chain(second).for_each(|part| self.taint(part));
            }
            (Ty::Array(a, first), Ty::Array(b, second))
                if first == second || !first.is_known() || !second.is_known() =>
            {
                self.unify_lengths(first, second);
                self.unify(a, b);
            }
            (Ty::Slice(a), Ty::Slice(b)) | (Ty::Range(a), Ty::Range(b)) => self.unify(a, b),
            (Ty::Reference(_, a), Ty::Reference(_, b)) => self.unify(a, b),
            (a, b) if a == b => {}
            // Coercions we do not know, or types we do not see: no constraint is lost silently.
            _ => {
                self.taint(&left);
                self.taint(&right);
            }
        }
    }

    /// A length that is to be inferred is the other one.
    fn unify_lengths(&mut self, left: &Length, right: &Length) {
        let inferred = matches!(left, Length::Variable(_)) || matches!(right, Length::Variable(_));
        if let (true, Some(left), Some(right)) = (inferred, left.as_type(), right.as_type()) {
            self.unify(&left, &right);
        }
    }

    fn unify_all(&mut self, left: &[Ty], right: &[Ty]) {
        left.iter().zip(right).for_each(|(left, right)| self.unify(left, right));
    }

    fn join(&mut self, a: u32, b: u32) {
        let (State::Unbound { kind: first, tainted: one }, State::Unbound { kind: second, tainted: two }) =
            (self.states[a as usize].clone(), self.states[b as usize].clone())
        else {
            return;
        };
        let kind = if second == Kind::Any { first } else { second };
        self.states[b as usize] = State::Unbound { kind, tainted: one || two };
        self.states[a as usize] = State::Bound(Ty::Variable(b));
    }

    fn bind(&mut self, index: u32, ty: &Ty) {
        let State::Unbound { kind, tainted } = self.states[index as usize].clone() else { return };
        let fits = match ty {
            Ty::Opaque | Ty::Never => false,
            Ty::Integer(_) => kind != Kind::Float,
            Ty::Float(_) => kind != Kind::Integer,
            _ => kind == Kind::Any,
        };
        let occurs = ty.any(&mut |part| *part == Ty::Variable(index));
        if fits && !occurs {
            self.states[index as usize] = State::Bound(ty.clone());
        } else if *ty != Ty::Never {
            self.states[index as usize] = State::Unbound { kind, tainted: true };
            self.taint(ty);
        } else {
            self.states[index as usize] = State::Unbound { kind, tainted };
        }
    }
}
