//! The abstract value of one integer: interval set × congruence, reduced.
//!
//! After reduction equal sets of integers have equal representations, so `Eq` and `Hash` are those
//! of γ, and whatever is not bottom has a member. Singletons are inline, the rest is shared behind
//! one `Arc`. Knows nothing of other variables (`boxes`).

mod arithmetic;
mod bits;
mod guard;
mod inverse;
mod order;
mod reduce;

use std::fmt;
use std::sync::Arc;

use crate::congruence::Congruence;
use crate::int::Int;
use crate::interval::{Bound, Interval};
use crate::interval_set::IntervalSet;

/// A set of integers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Value(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Bottom,
    Constant(Int),
    Top,
    /// At least two members and not every integer.
    Many(Arc<Product>),
}

/// Invariant, set up by `reduce`: finite bounds are members of the congruence; every gap between
/// parts holds a member of it; the modulus is the greatest that fits all members.
#[derive(PartialEq, Eq, Hash)]
struct Product {
    set: IntervalSet,
    congruence: Congruence,
}

impl Product {
    fn as_interval(&self) -> Option<&Interval> {
        match self.set.parts() {
            [only] if self.congruence.is_top() => Some(only),
            _ => None,
        }
    }
}

use Repr::{Bottom, Constant, Many, Top};

impl Value {
    pub fn bottom() -> Self {
        Self(Bottom)
    }

    pub fn top() -> Self {
        Self(Top)
    }

    pub fn constant(value: impl Into<Int>) -> Self {
        Self(Constant(value.into()))
    }

    pub fn from_interval(interval: Interval) -> Self {
        match interval.as_constant() {
            Some(value) => Self(Constant(value.clone())),
            None if interval.is_top() => Self(Top),
            None => Self(Many(Arc::new(Product {
                set: IntervalSet::from_interval(interval),
                congruence: Congruence::TOP,
            }))),
        }
    }

    /// The union.
    pub fn from_intervals(intervals: impl IntoIterator<Item = Interval>) -> Self {
        reduce::reduce(intervals.into_iter().collect(), Congruence::TOP)
    }

    pub fn from_congruence(congruence: Congruence) -> Self {
        reduce::reduce(vec![Interval::TOP], congruence)
    }

    /// 0 and 1.
    pub fn boolean() -> Self {
        Self::from_interval(Interval::between(0, 1).expect("0 <= 1"))
    }

    pub fn is_bottom(&self) -> bool {
        matches!(self.0, Bottom)
    }

    pub fn is_top(&self) -> bool {
        matches!(self.0, Top)
    }

    pub fn as_constant(&self) -> Option<&Int> {
        match &self.0 {
            Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The least member, or minus infinity; plus infinity for bottom.
    pub fn low(&self) -> Bound {
        match &self.0 {
            Bottom => Bound::PosInfinity,
            Constant(value) => Bound::Finite(value.clone()),
            Top => Bound::NegInfinity,
            Many(product) => product.set.parts()[0].low().clone(),
        }
    }

    /// The greatest member, or plus infinity; minus infinity for bottom.
    pub fn high(&self) -> Bound {
        match &self.0 {
            Bottom => Bound::NegInfinity,
            Constant(value) => Bound::Finite(value.clone()),
            Top => Bound::PosInfinity,
            Many(product) => {
                let parts = product.set.parts();
                parts[parts.len() - 1].high().clone()
            }
        }
    }

    pub fn hull(&self) -> Option<Interval> {
        Interval::new(self.low(), self.high())
    }

    pub fn contains(&self, value: &Int) -> bool {
        match &self.0 {
            Bottom => false,
            Constant(constant) => constant == value,
            Top => true,
            Many(product) => product.set.contains(value) && product.congruence.contains(value),
        }
    }

    /// The intervals of the set part; γ is what of them the congruence contains.
    pub fn parts(&self) -> Vec<Interval> {
        match &self.0 {
            Bottom => Vec::new(),
            Constant(value) => vec![Interval::constant(value.clone())],
            Top => vec![Interval::TOP],
            Many(product) => product.set.parts().to_vec(),
        }
    }

    /// The interval, if γ is exactly one. The cheap case of most operations.
    fn as_interval(&self) -> Option<Interval> {
        match &self.0 {
            Bottom => None,
            Constant(value) => Some(Interval::constant(value.clone())),
            Top => Some(Interval::TOP),
            Many(product) => product.as_interval().cloned(),
        }
    }

    /// The finest congruence that holds all members; top for bottom.
    pub fn congruence(&self) -> Congruence {
        match &self.0 {
            Bottom | Top => Congruence::TOP,
            Constant(value) => Congruence::constant(value.clone()),
            Many(product) => product.congruence.clone(),
        }
    }

    /// The number of members, if finite and within 64 bits.
    pub fn size(&self) -> Option<u64> {
        match &self.0 {
            Bottom => Some(0),
            Constant(_) => Some(1),
            Top => None,
            Many(product) => {
                let mut total = 0u64;
                for part in product.set.parts() {
                    let steps = (part.width()? - Int::ONE).div_trunc(product.congruence.modulus())?;
                    let members = u64::try_from(steps.to_i128()?).ok()?.checked_add(1)?;
                    total = total.checked_add(members)?;
                }
                Some(total)
            }
        }
    }

    /// All members in order, if there are at most `limit`.
    pub fn members(&self, limit: usize) -> Option<Vec<Int>> {
        let size = self.size().and_then(|size| usize::try_from(size).ok())?;
        if size > limit {
            return None;
        }
        let Many(product) = &self.0 else {
            return Some(self.as_constant().cloned().into_iter().collect());
        };
        let mut members = Vec::with_capacity(size);
        for part in product.set.parts() {
            let (Bound::Finite(low), Bound::Finite(high)) = (part.low(), part.high()) else {
                return None;
            };
            let mut member = low.clone();
            while member <= *high {
                let next = &member + product.congruence.modulus();
                members.push(member);
                member = next;
            }
        }
        Some(members)
    }

    /// A member of smallest magnitude; `None` for bottom only.
    pub fn witness(&self) -> Option<Int> {
        match &self.0 {
            Bottom => None,
            Constant(value) => Some(value.clone()),
            Top => Some(Int::ZERO),
            Many(product) if product.congruence.is_top() => {
                product.set.parts().iter().map(Interval::nearest_to_zero).min_by_key(Int::abs)
            }
            Many(product) => product
                .set
                .parts()
                .iter()
                .flat_map(|part| {
                    let near = part.nearest_to_zero();
                    let (below, above) =
                        (product.congruence.next_down(&near), product.congruence.next_up(&near));
                    let candidates = [above, below].into_iter().flatten();
                    candidates.filter(|candidate| part.contains(candidate))
                })
                .min_by_key(Int::abs),
        }
    }
}

/// Sets of up to this size are shown by their members unless they are one interval.
const SHOWN_MEMBERS: usize = 4;

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let product = match &self.0 {
            Bottom => return f.write_str("⊥"),
            Top => return f.write_str("any"),
            Constant(value) => return value.fmt(f),
            Many(product) => product,
        };
        if product.congruence.is_top() {
            return product.set.fmt(f);
        }
        if let Some(members) = self.members(SHOWN_MEMBERS) {
            let shown: Vec<String> = members.iter().map(Int::to_string).collect();
            return write!(f, "{{{}}}", shown.join(", "));
        }
        write!(f, "{} ≡ {}", product.set, product.congruence)
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Int> for Value {
    fn from(value: Int) -> Self {
        Self::constant(value)
    }
}

impl From<Interval> for Value {
    fn from(interval: Interval) -> Self {
        Self::from_interval(interval)
    }
}
