//! Which of several methods is meant: the one that takes what is given, or that gives what is expected.

use super::super::hir::{ExprId, FnId};
use super::super::items::Owner;
use super::super::types::Ty;
use super::method::Candidate;
use super::traits::is_open;
use super::{Expected, Infer};

impl Infer<'_, '_> {
    /// Whether methods are those of one trait, for one type: `Sub<&T>` and `Sub<T>`.
    pub(super) fn are_of_one_trait(&self, candidates: &[Candidate]) -> bool {
        let trait_of = |candidate: &Candidate| match self.context.items.function(candidate.function).owner {
            Owner::Impl(id) => self.context.trait_of(id),
            _ => None,
        };
        let first = candidates.first().and_then(trait_of);
        first.is_some() && candidates.iter().all(|candidate| trait_of(candidate) == first)
    }

    /// The only one of several methods that takes such arguments.
    pub(super) fn the_taking(
        &mut self,
        candidates: &[Candidate],
        arguments: &[ExprId],
    ) -> Option<(FnId, Vec<Ty>)> {
        let mut fitting = Vec::new();
        for candidate in candidates {
            let outer = self.taking(candidate.function, &candidate.generics, arguments, 1);
            fitting.extend(outer.map(|outer| (candidate.function, outer)));
        }
        // Where not all is known of what is given, the only one that it may be given to is meant.
        if fitting.is_empty() && candidates.iter().all(|candidate| !candidate.has_others) {
            for candidate in candidates {
                if self.may_take(candidate.function, &candidate.generics, arguments, 1) {
                    fitting.push((candidate.function, candidate.generics.clone()));
                }
            }
        }
        match fitting.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// The only one of several methods without arguments that gives what is expected.
    pub(super) fn the_giving(
        &mut self,
        candidates: &[Candidate],
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Option<(FnId, Vec<Ty>)> {
        let wanted = expected.known().map(|ty| self.variables.known(ty)).filter(|ty| !is_open(ty))?;
        let mut giving = Vec::new();
        for candidate in candidates {
            if candidate.has_others || !arguments.is_empty() {
                return None;
            }
            let result = self.signature(candidate.function, &candidate.generics).1;
            if self.variables.known(&result) == wanted {
                giving.push((candidate.function, candidate.generics.clone()));
            }
        }
        match giving.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }
}
