//! Boxes with relations: a box of all variables, and a relation for each pack of them.
//!
//! The box keeps what relations cannot say (gaps, congruences) and the relations what a box cannot; each
//! tells the other its bounds after a condition or an assignment. A pack has no relation while the box says
//! everything: single states and products cost what a box costs.

mod linear;
mod shape;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use crate::boxes::BoxState;
use crate::expr::{CompareOp, Cond, Expr, Var};
use crate::int::Int;
use crate::interval::{Bound, Interval, Thresholds};
use crate::lattice::{Lattice, Widen};
use crate::linear::LinearExpr;
use crate::numeric::NumericState;
use crate::product::Value;
use crate::relation::{Constraint, Relation};
use linear::{Lineariser, within_bounds};
pub use shape::{Pack, Shape};

/// `None`: the box says it all. Sound for any pack, so that a relation may be dropped at any time.
type Known<R> = Option<Arc<R>>;

/// The points of the box that satisfy every relation.
#[derive(Clone)]
pub struct Packed<R> {
    boxes: BoxState,
    shape: Option<Arc<Shape<R>>>,
    /// One per pack of the shape.
    relations: SmallVec<[Known<R>; 1]>,
}

/// No point satisfies it.
struct Empty;

impl<R: Relation> Packed<R> {
    /// The relations that say more than the box, with the variables their dimensions stand for.
    pub fn relations(&self) -> impl Iterator<Item = (&[Var], &R)> {
        let packs = self.packs().iter().map(Pack::variables);
        packs.zip(&self.relations).filter_map(|(variables, known)| Some((variables, &**known.as_ref()?)))
    }

    /// Whether a relation gave up constraints for size.
    pub fn is_degraded(&self) -> bool {
        self.relations().any(|(_, relation)| relation.is_degraded())
    }

    /// Changes the number of dimensions as [`NumericState::resize`] does, and the packs. What was known of
    /// variables that stay in one pack is kept.
    pub fn reshape(&mut self, dimensions: usize, shape: Option<&Arc<Shape<R>>>) {
        let kept = dimensions.min(self.boxes.dimensions()) as u32;
        let same = match (&self.shape, shape) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (old, new) => old.is_none() && new.is_none(),
        };
        if !same {
            let new = shape.map(|shape| shape.packs()).unwrap_or_default();
            let relations = new.iter().map(|pack| self.carried_over(pack, kept)).collect();
            self.relations = relations;
            self.shape = shape.cloned();
        }
        self.boxes.resize(dimensions);
    }

    /// What the old packs say of a new one: the old relation with the most variables in common.
    fn carried_over(&self, pack: &Pack<R>, kept: u32) -> Known<R> {
        let common = |variables: &[Var]| {
            let shared = |variable: &&Var| variable.0 < kept && pack.dimension(**variable).is_some();
            variables.iter().filter(shared).count()
        };
        let (variables, relation) = self.relations().max_by_key(|(variables, _)| common(variables))?;
        if common(variables) < 2 {
            return None;
        }
        let position = |variable: &Var| {
            let found = variables.binary_search(variable).ok().filter(|_| variable.0 < kept);
            found.map(|at| Var(at as u32))
        };
        let from: Vec<Option<Var>> = pack.variables().iter().map(position).collect();
        Some(Arc::new(relation.rearranged(&from)))
    }

    fn packs(&self) -> &[Pack<R>] {
        self.shape.as_ref().map(|shape| shape.packs()).unwrap_or_default()
    }

    fn become_bottom(&mut self) {
        self.boxes = BoxState::bottom(self.boxes.dimensions());
        self.relations.iter_mut().for_each(|known| *known = None);
    }

    /// The relation of a pack, made from the box if need be.
    fn relation(&self, index: usize) -> Arc<R> {
        match &self.relations[index] {
            Some(relation) => relation.clone(),
            None => Arc::new(from_box(&self.boxes, &self.packs()[index])),
        }
    }

    fn has_shape_of(&self, other: &Self) -> bool {
        match (&self.shape, &other.shape) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// Pack by pack; states of different shapes have no common relations.
    fn combined(&self, boxes: BoxState, mut operate: impl FnMut(usize) -> Known<R>) -> Self {
        let relations = (0..self.relations.len()).map(&mut operate).collect();
        let mut combined = Self { boxes, shape: self.shape.clone(), relations };
        if combined.boxes.is_bottom() {
            combined.become_bottom();
        }
        combined
    }

    /// Exchanges bounds between a pack's relation and the box.
    fn reduce(&mut self, index: usize) -> Result<(), Empty> {
        let (Some(shape), Some(relation)) = (self.shape.clone(), self.relations[index].clone()) else {
            return Ok(());
        };
        if relation.is_bottom() {
            return Err(Empty);
        }
        let pack = &shape.packs()[index];
        let mut tighter = Vec::new();
        for (dimension, variable) in pack.variables().iter().enumerate() {
            let form = LinearExpr::variable(Var(dimension as u32));
            let bounds = relation.bounds(&form).ok_or(Empty)?;
            let known = self.boxes.get(*variable);
            let value = known.meet_interval(&bounds);
            let hull = value.hull().ok_or(Empty)?;
            if hull != bounds && hull.leq(&bounds) {
                tighter.extend(within_bounds(&form, &hull));
            }
            if value != known {
                self.boxes.set(*variable, value);
            }
        }
        if !tighter.is_empty() {
            let mut relation = (*relation).clone();
            relation.constrain(&tighter);
            if relation.is_bottom() {
                return Err(Empty);
            }
            self.relations[index] = Some(Arc::new(relation));
        }
        self.drop_plain(index);
        Ok(())
    }

    /// Drops a relation of constants and at most one other value that says no more than the box does.
    fn drop_plain(&mut self, index: usize) {
        let Some(relation) = &self.relations[index] else { return };
        let pack = &self.packs()[index];
        let open = |variable: &&Var| self.boxes.get(**variable).as_constant().is_none();
        let plain = match pack.variables().iter().filter(open).take(2).count() {
            0 => true,
            1 => box_entails(&self.boxes, pack, relation),
            _ => false,
        };
        if plain {
            self.relations[index] = None;
        }
    }

    /// The relation of a pack where the condition is as expected.
    fn restricted(
        &self,
        index: usize,
        known: Known<R>,
        cond: &Cond,
        expected: bool,
    ) -> Result<Known<R>, Empty> {
        match cond {
            Cond::Literal(value) if *value == expected => Ok(known),
            Cond::Literal(_) => Err(Empty),
            Cond::Not(inner) => self.restricted(index, known, inner, !expected),
            Cond::Compare(op, left, right) => {
                let op = if expected { *op } else { op.negated() };
                self.compared(index, known, op, left, right)
            }
            Cond::And(left, right) | Cond::Or(left, right) => {
                if matches!(cond, Cond::And(..)) == expected {
                    let known = self.restricted(index, known, left, expected)?;
                    return self.restricted(index, known, right, expected);
                }
                let first = self.restricted(index, known.clone(), left, expected);
                let second = self
                    .restricted(index, known, left, !expected)
                    .and_then(|known| self.restricted(index, known, right, expected));
                match (first, second) {
                    (Err(Empty), other) | (other, Err(Empty)) => other,
                    // One side is only known by the box.
                    (Ok(None), _) | (_, Ok(None)) => Ok(None),
                    (Ok(Some(first)), Ok(Some(second))) => Ok(Some(Arc::new(first.join(&second)))),
                }
            }
        }
    }

    fn compared(
        &self,
        index: usize,
        known: Known<R>,
        op: CompareOp,
        left: &Expr,
        right: &Expr,
    ) -> Result<Known<R>, Empty> {
        let pack = &self.packs()[index];
        let mut linear = Lineariser::new(&self.boxes, pack);
        let Some((left, right)) = linear.form(left).zip(linear.form(right)) else { return Ok(known) };
        let difference = left.minus(&right);
        let own = pack.variables().len() as u32;
        let concerned = difference.terms().iter().filter(|(dimension, _)| {
            let variable = pack.variables().get(dimension.0 as usize);
            variable
                .is_none_or(|variable| known.is_some() || self.boxes.get(*variable).as_constant().is_none())
        });
        let mut concerned = concerned.map(|(dimension, _)| *dimension);
        match (concerned.next(), concerned.next()) {
            // No variable of this pack, or one alone: the box has seen to that.
            (None, _) => return Ok(known),
            (Some(only), None) if known.is_none() || only.0 >= own => return Ok(known),
            _ => {}
        }
        if op == CompareOp::NotEqual && known.is_none() {
            return Ok(known);
        }
        let before = match known {
            Some(known) => known,
            None => Arc::new(from_box(&self.boxes, pack)),
        };
        let mut relation = if linear.is_plain() { (*before).clone() } else { linear.extended(&before) };
        match Constraint::compare(op, &left, &right) {
            Some(constraint) => relation.constrain(&[constraint]),
            // Only an end can be cut off.
            None => {
                let bounds = relation.bounds(&difference).ok_or(Empty)?;
                let zero = Bound::Finite(Int::ZERO);
                let one = LinearExpr::constant(Int::ONE);
                if *bounds.low() == zero {
                    relation.constrain(&[Constraint::at_least_zero(difference.minus(&one))]);
                }
                if *bounds.high() == zero {
                    let below = difference.scaled(&Int::MINUS_ONE).minus(&one);
                    relation.constrain(&[Constraint::at_least_zero(below)]);
                }
            }
        }
        if relation.is_bottom() {
            return Err(Empty);
        }
        Ok(Some(Arc::new(if linear.is_plain() { relation } else { linear.projected(&relation) })))
    }

    /// The relation of a pack after an assignment to one of its variables, which the box has not seen yet.
    fn assigned(&self, index: usize, variable: Var, expr: &Expr) -> Known<R> {
        let pack = &self.packs()[index];
        let dimension = pack.dimension(variable).expect("a variable of the pack");
        let known = &self.relations[index];
        let mut linear = Lineariser::new(&self.boxes, pack);
        let Some(form) = linear.form(expr) else {
            return known.as_ref().map(|known| Arc::new(forgotten(&**known, dimension)));
        };
        if known.is_none() {
            let related = |(from, _): &(Var, Int)| {
                let variable = pack.variables().get(from.0 as usize);
                *from != dimension && variable.is_none_or(|v| self.boxes.get(*v).as_constant().is_none())
            };
            let own = |(from, _): &(Var, Int)| (from.0 as usize) < pack.variables().len();
            // Temporaries alone relate nothing, unless they are bounded by variables of the pack.
            let relates = form.terms().iter().any(|term| related(term) && own(term))
                || (!linear.is_plain() && linear.bounds_relate());
            if !relates {
                return None;
            }
        }
        let before = self.relation(index);
        let mut relation = if linear.is_plain() { (*before).clone() } else { linear.extended(&before) };
        relation.assign(dimension, &form);
        Some(Arc::new(if linear.is_plain() { relation } else { linear.projected(&relation) }))
    }

    /// The bounds a relation knows of a form over the state's variables.
    fn related_bounds(&self, form: &LinearExpr) -> Option<Interval> {
        let mut best: Option<Interval> = None;
        for (pack, known) in self.packs().iter().zip(&self.relations) {
            let Some(relation) = known else { continue };
            let mut inside = Vec::new();
            let mut outside = Vec::new();
            for (variable, factor) in form.terms() {
                match pack.dimension(*variable) {
                    Some(dimension) => inside.push((dimension, factor.clone())),
                    None => outside.push((*variable, factor.clone())),
                }
            }
            if inside.len() < 2 {
                continue;
            }
            let inside = LinearExpr::from_terms(inside, form.offset().clone());
            let bounds = plus_terms(relation.bounds(&inside)?, &self.boxes, &outside)?;
            best = match best {
                Some(known) => Some(known.meet(&bounds)?),
                None => Some(bounds),
            };
        }
        best
    }

    /// What the relations say of a comparison; the box was asked before.
    fn decide_related(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Literal(value) => Some(*value),
            Cond::Not(inner) => self.decide_part(inner).map(|truth| !truth),
            Cond::And(left, right) => match (self.decide_part(left), self.decide_part(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Cond::Or(left, right) => match (self.decide_part(left), self.decide_part(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Cond::Compare(op, left, right) => {
                let (left, right) = LinearExpr::of(left).zip(LinearExpr::of(right))?;
                let bounds = self.related_bounds(&left.minus(&right))?;
                Value::compare(*op, &Value::from_interval(bounds), &Value::constant(0))
            }
        }
    }

    fn decide_part(&self, cond: &Cond) -> Option<bool> {
        self.boxes.decide(cond).or_else(|| self.decide_related(cond))
    }
}

fn forgotten<R: Relation>(relation: &R, dimension: Var) -> R {
    let mut relation = relation.clone();
    relation.forget(dimension);
    relation
}

/// The box of a pack's variables as a relation.
fn from_box<R: Relation>(boxes: &BoxState, pack: &Pack<R>) -> R {
    let mut bounds = Vec::new();
    for (dimension, variable) in pack.variables().iter().enumerate() {
        let form = LinearExpr::variable(Var(dimension as u32));
        if let Some(constant) = boxes.get(*variable).as_constant() {
            bounds.push(Constraint::zero(form.minus(&LinearExpr::constant(constant.clone()))));
        } else if let Some(hull) = boxes.get(*variable).hull() {
            bounds.extend(within_bounds(&form, &hull));
        }
    }
    let mut relation = pack.top.clone();
    relation.constrain(&bounds);
    relation
}

/// An interval plus multiples of variables, as far as the box knows them.
fn plus_terms(start: Interval, boxes: &BoxState, terms: &[(Var, Int)]) -> Option<Interval> {
    terms.iter().try_fold(start, |sum, (variable, factor)| {
        let part = boxes.get(*variable).hull()?.mul(&Interval::constant(factor.clone()));
        Some(sum.add(&part))
    })
}

/// Whether a box satisfies every constraint of a relation.
fn box_entails<R: Relation>(boxes: &BoxState, pack: &Pack<R>, relation: &R) -> bool {
    relation.constraints().iter().all(|constraint| {
        let terms = constraint.form().terms().iter();
        let terms = terms.map(|(at, factor)| (pack.variables()[at.0 as usize], factor.clone()));
        let form = LinearExpr::from_terms(terms, constraint.form().offset().clone());
        let bounds = plus_terms(Interval::constant(form.offset().clone()), boxes, form.terms());
        bounds.is_some_and(|bounds| {
            let zero = Bound::Finite(Int::ZERO);
            *bounds.low() >= zero && (!constraint.is_equality() || *bounds.high() <= zero)
        })
    })
}

impl<R: Relation> PartialEq for Packed<R> {
    fn eq(&self, other: &Self) -> bool {
        self.boxes == other.boxes && self.relations == other.relations
    }
}

impl<R: Relation> Eq for Packed<R> {}

impl<R: Relation> Hash for Packed<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.boxes.hash(state);
        self.relations.iter().flatten().for_each(|relation| relation.hash(state));
    }
}

impl<R: Relation> Lattice for Packed<R> {
    fn is_bottom(&self) -> bool {
        self.boxes.is_bottom()
    }

    fn leq(&self, other: &Self) -> bool {
        if !self.boxes.leq(&other.boxes) {
            return false;
        }
        if self.is_bottom() {
            return true;
        }
        if !self.has_shape_of(other) {
            return other.relations.iter().all(Option::is_none);
        }
        (0..other.relations.len()).all(|index| match (&self.relations[index], &other.relations[index]) {
            (_, None) => true,
            (Some(left), Some(right)) => Arc::ptr_eq(left, right) || left.leq(right),
            (None, Some(right)) => box_entails(&self.boxes, &self.packs()[index], &**right),
        })
    }

    fn join(&self, other: &Self) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        let boxes = self.boxes.join(&other.boxes);
        if !self.has_shape_of(other) {
            return self.combined(boxes, |_| None);
        }
        self.combined(boxes, |index| match (&self.relations[index], &other.relations[index]) {
            (Some(left), Some(right)) if Arc::ptr_eq(left, right) => Some(left.clone()),
            (None, None) if joins_as_box(&self.boxes, &other.boxes, self.packs()[index].variables()) => None,
            _ => {
                let (left, right) = (self.relation(index), other.relation(index));
                Some(Arc::new(left.join(&right)))
            }
        })
    }

    fn meet(&self, other: &Self) -> Self {
        let boxes = self.boxes.meet(&other.boxes);
        if !self.has_shape_of(other) {
            return self.combined(boxes, |index| self.relations[index].clone());
        }
        let mut met = self.combined(boxes, |index| match (&self.relations[index], &other.relations[index]) {
            (known, None) | (None, known) => known.clone(),
            (Some(left), Some(right)) => Some(Arc::new(left.meet(right))),
        });
        if met.relations.iter().flatten().any(|relation| relation.is_bottom()) {
            met.become_bottom();
        }
        met
    }
}

/// Whether the box of two boxes has no point between them that a relation could exclude: they differ in one
/// variable at most, or one includes the other.
fn joins_as_box(left: &BoxState, right: &BoxState, variables: &[Var]) -> bool {
    let (mut different, mut below, mut above) = (0, true, true);
    for variable in variables {
        let (a, b) = (left.get(*variable), right.get(*variable));
        if a != b {
            different += 1;
            below = below && a.leq(&b);
            above = above && b.leq(&a);
        }
    }
    different < 2 || below || above
}

impl<R: Relation> Widen for Packed<R> {
    /// The box and each relation by themselves: exchanging bounds here could undo what widening did.
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        let boxes = self.boxes.widen(&other.boxes, thresholds);
        if !self.has_shape_of(other) {
            return self.combined(boxes, |_| None);
        }
        self.combined(boxes, |index| match (&self.relations[index], &other.relations[index]) {
            (None, None) => None,
            _ => {
                let (left, right) = (self.relation(index), other.relation(index));
                Some(Arc::new(left.widen(&right, &self.packs()[index].thresholds)))
            }
        })
    }

    fn narrow(&self, other: &Self) -> Self {
        let boxes = self.boxes.narrow(&other.boxes);
        if !self.has_shape_of(other) {
            return self.combined(boxes, |index| self.relations[index].clone());
        }
        self.combined(boxes, |index| {
            let left = self.relations[index].as_ref()?;
            match &other.relations[index] {
                Some(right) => Some(Arc::new(left.narrow(right))),
                None => Some(left.clone()),
            }
        })
    }
}

impl<R: Relation> NumericState for Packed<R> {
    fn top(dimensions: usize) -> Self {
        Self { boxes: BoxState::top(dimensions), shape: None, relations: SmallVec::new() }
    }

    fn bottom(dimensions: usize) -> Self {
        Self { boxes: BoxState::bottom(dimensions), shape: None, relations: SmallVec::new() }
    }

    fn dimensions(&self) -> usize {
        self.boxes.dimensions()
    }

    fn value(&self, expr: &Expr) -> Value {
        let value = self.boxes.value(expr);
        if self.relations.iter().all(Option::is_none) || value.as_constant().is_some() {
            return value;
        }
        match LinearExpr::of(expr).and_then(|form| self.related_bounds(&form)) {
            Some(bounds) => value.meet_interval(&bounds),
            None => value,
        }
    }

    fn get(&self, variable: Var) -> Value {
        self.boxes.get(variable)
    }

    fn is_within(&self, other: &Self, variable: Var) -> bool {
        self.boxes.is_within(&other.boxes, variable)
    }

    fn set(&mut self, variable: Var, value: Value) {
        for index in 0..self.relations.len() {
            let Some(dimension) = self.packs()[index].dimension(variable) else { continue };
            if let Some(relation) = &mut self.relations[index] {
                let relation = Arc::make_mut(relation);
                relation.forget(dimension);
                if let Some(hull) = value.hull() {
                    let bounds: Vec<_> = within_bounds(&LinearExpr::variable(dimension), &hull).collect();
                    relation.constrain(&bounds);
                }
            }
        }
        self.boxes.set(variable, value);
        if self.boxes.is_bottom() {
            self.become_bottom();
        }
        (0..self.relations.len()).for_each(|index| self.drop_plain(index));
    }

    fn assign(&mut self, variable: Var, expr: &Expr) {
        if self.relations.is_empty() {
            self.boxes.assign(variable, expr);
            return;
        }
        let concerned: SmallVec<[usize; 2]> = (0..self.relations.len())
            .filter(|index| self.packs()[*index].dimension(variable).is_some())
            .collect();
        if concerned.is_empty() {
            self.boxes.assign(variable, expr);
            if self.boxes.is_bottom() {
                self.become_bottom();
            }
            return;
        }
        if let Expr::IfThenElse(cond, yes, no) = expr {
            let mut other = self.clone();
            self.assume(cond);
            self.assign(variable, yes);
            other.assume(&(**cond).clone().negated());
            other.assign(variable, no);
            *self = self.join(&other);
            return;
        }
        let assigned: SmallVec<[Known<R>; 2]> =
            concerned.iter().map(|index| self.assigned(*index, variable, expr)).collect();
        self.boxes.assign(variable, expr);
        for (index, known) in concerned.into_iter().zip(assigned) {
            self.relations[index] = known;
            if !self.boxes.is_bottom() && self.reduce(index).is_err() {
                self.boxes = BoxState::bottom(self.boxes.dimensions());
            }
        }
        if self.boxes.is_bottom() {
            self.become_bottom();
        }
    }

    fn forget(&mut self, variable: Var) {
        self.boxes.forget(variable);
        for index in 0..self.relations.len() {
            if self.relations[index].is_none() {
                continue;
            }
            let Some(dimension) = self.packs()[index].dimension(variable) else { continue };
            if let Some(relation) = &mut self.relations[index] {
                Arc::make_mut(relation).forget(dimension);
            }
            self.drop_plain(index);
        }
    }

    fn forget_all(&mut self, variables: &[Var]) {
        match self.relations.iter().all(Option::is_none) {
            true => self.boxes.forget_all(variables),
            false => variables.iter().for_each(|variable| self.forget(*variable)),
        }
    }

    fn assume(&mut self, cond: &Cond) {
        self.boxes.assume(cond);
        for index in 0..self.relations.len() {
            if self.boxes.is_bottom() {
                break;
            }
            let mut mentioned = false;
            cond.for_each_variable(&mut |variable| {
                mentioned |= self.packs()[index].dimension(*variable).is_some();
            });
            if !mentioned {
                continue;
            }
            let known = self.relations[index].clone();
            let reduced = match self.restricted(index, known, cond, true) {
                Ok(known) => {
                    self.relations[index] = known;
                    self.reduce(index)
                }
                Err(Empty) => Err(Empty),
            };
            if reduced.is_err() {
                self.boxes = BoxState::bottom(self.boxes.dimensions());
            }
        }
        if self.boxes.is_bottom() {
            self.become_bottom();
        }
    }

    fn decide(&self, cond: &Cond) -> Option<bool> {
        let answer = self.boxes.decide(cond);
        if answer.is_some() || self.relations.iter().all(Option::is_none) || self.is_bottom() {
            return answer;
        }
        if self.boxes.may_be_undefined(cond) {
            return None;
        }
        self.decide_related(cond)
    }

    fn may_be_undefined(&self, cond: &Cond) -> bool {
        self.boxes.may_be_undefined(cond)
    }

    fn resize(&mut self, dimensions: usize) {
        if dimensions != self.boxes.dimensions() {
            self.reshape(dimensions, None);
        }
    }

    fn sample(&self) -> Option<Vec<Int>> {
        self.boxes.sample().filter(|point| self.contains(point))
    }

    fn contains(&self, point: &[Int]) -> bool {
        self.boxes.contains(point)
            && self.relations().all(|(variables, relation)| {
                let own: Vec<Int> =
                    variables.iter().map(|variable| point[variable.0 as usize].clone()).collect();
                relation.contains(&own)
            })
    }
}

impl<R: Relation> fmt::Display for Packed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.boxes)?;
        for (variables, relation) in self.relations() {
            for constraint in relation.constraints() {
                write!(f, ", {}", constraint.renamed(|at| variables[at.0 as usize]))?;
            }
        }
        Ok(())
    }
}

impl<R: Relation> fmt::Debug for Packed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
