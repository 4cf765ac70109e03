//! Maps, sets and heaps of std: what going through one gives, what an index of a map means, and entries whose value is
//! put in at once.

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, Statement};
use super::super::items::{Definition, Owner};
use super::super::types::Ty;
use super::{Callee, Infer};

/// Calls behind `entry` that leave a value in the map.
const FILLING: [&str; 4] = ["or_insert", "or_insert_with", "or_insert_with_key", "or_default"];
const DEPTH_LIMIT: u32 = 12;

impl Infer<'_, '_> {
    /// The name of a collection of std that a type is, and its arguments.
    pub(super) fn collection<'t>(&self, ty: &'t Ty) -> Option<(&str, &'t [Ty])> {
        let Ty::Adt(id, arguments) = ty else { return None };
        let adt = self.context.items.adt(*id);
        let known = ["BTreeMap", "HashMap", "BTreeSet", "HashSet", "BinaryHeap", "HashTable"];
        (self.context.items.is_std_module(adt.module) && known.contains(&adt.name.as_str()))
            .then_some((adt.name.as_str(), arguments.as_slice()))
    }

    /// The iterator of our own text that goes through a collection and has the same scalars.
    pub(super) fn through_collection(&self, ty: &Ty) -> Option<Ty> {
        let (lent, whole) = match ty {
            Ty::Reference(mutability, inner) => (Some(*mutability), &**inner),
            ty => (None, ty),
        };
        let (name, arguments) = self.collection(whole)?;
        let (path, count) = match (name, lent) {
            ("BTreeMap", None) => ("collections::OwnedPairs", 2),
            ("BTreeMap", Some(Mutability::Shared)) => ("collections::Pairs", 2),
            ("BTreeMap", Some(Mutability::Mutable)) => ("collections::PairsOfPlaces", 2),
            ("HashMap", None) => ("collections::OwnedScatteredPairs", 2),
            ("HashMap", Some(Mutability::Shared)) => ("collections::ScatteredPairs", 2),
            ("HashMap", Some(Mutability::Mutable)) => ("collections::ScatteredPairsOfPlaces", 2),
            ("BTreeSet", None) => ("vec::IntoIter", 1),
            ("BTreeSet", Some(Mutability::Shared)) => ("slice::Iter", 1),
            (_, None) => ("collections::OwnedScattered", 1),
            (_, Some(Mutability::Shared)) => ("collections::Scattered", 1),
            ("HashTable", Some(Mutability::Mutable)) => ("collections::ScatteredPlaces", 1),
            _ => return None,
        };
        Some(self.context.standard_adt(path, arguments.get(..count)?.to_vec()))
    }

    /// `map[&key]`: a call that fails where the key is missing.
    pub(super) fn map_index(&mut self, id: ExprId, base: &Ty, at: &Ty) -> Option<Ty> {
        let base = self.variables.known(base);
        let (name, arguments) = self.collection(base.behind())?;
        let (path, [key, value, ..]) = (format!("collections::{name}"), arguments) else { return None };
        let Some(Definition::Adt(adt)) = self.context.items.standard(&path) else { return None };
        let Ty::Reference(Mutability::Shared, sought) = self.variables.known(at) else { return None };
        let of_it = |target: &Ty| matches!(target, Ty::Adt(id, _) if *id == adt);
        let mut impls = self.context.impls.iter().filter(|(_, target)| of_it(target));
        let function =
            impls.find_map(|(owner, _)| self.context.items.impls[owner.index()].functions.get("indexed"))?;
        let generics = vec![key.clone(), value.clone(), *sought];
        let value = value.clone();
        self.sought_key(*function, &generics);
        self.typing.callees.insert(id, Callee::Function(*function, generics));
        Some(value)
    }

    /// A key that is looked for is one of the map where nothing else says of which type its numbers are.
    pub(super) fn sought_key(&mut self, function: FnId, generics: &[Ty]) {
        let items = self.context.items;
        let found = items.function(function);
        let looks = items.is_std_module(found.module) && found.generics.iter().any(|it| it.name == "Q");
        let [key, .., sought] = generics else { return };
        let known = self.variables.known(sought);
        if looks && known.any(&mut |part| self.variables.is_number(part)) {
            self.variables.unify(sought, key);
        }
    }

    /// `map.entry(key).or_insert(value)` puts the key in on every way that goes on: the call that prepares that.
    pub(super) fn prepared(&self, id: ExprId, function: FnId) -> FnId {
        let items = self.context.items;
        let found = items.function(function);
        let Owner::Impl(owner) = found.owner else { return function };
        if found.name == "insert_unique" && items.is_std_module(found.module) && self.is_dropped(id) {
            return items.impls[owner.index()].functions.get("insert_alone").copied().unwrap_or(function);
        }
        if found.name != "entry" || !items.is_std_module(found.module) || !self.is_filled(id) {
            return function;
        }
        items.impls[owner.index()].functions.get("prepared_entry").copied().unwrap_or(function)
    }

    /// Whether nobody takes the value of an expression: it is a statement, or one that ends with `;`.
    fn is_dropped(&self, id: ExprId) -> bool {
        self.body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Block { statements, .. } => {
                statements.iter().any(|statement| matches!(statement, Statement::Expr(of) if *of == id))
            }
            _ => false,
        })
    }

    /// Whether a value for an entry follows at once, and nothing leaves before it is there.
    fn is_filled(&self, entry: ExprId) -> bool {
        self.body.exprs.iter().any(|expr| {
            let ExprKind::Method { receiver, name, arguments, .. } = &expr.kind else { return false };
            let mut from = *receiver;
            while let ExprKind::Method { receiver, name, .. } = &self.body.expr(from).kind
                && name == "and_modify"
                && from != entry
            {
                from = *receiver;
            }
            from == entry
                && FILLING.contains(&name.as_str())
                && arguments.iter().all(|argument| self.goes_on(*argument, 0))
        })
    }

    /// Whether the value of an expression is the only way out of it, besides failures.
    fn goes_on(&self, id: ExprId, depth: u32) -> bool {
        let all = |ids: &[ExprId]| ids.iter().all(|id| self.goes_on(*id, depth + 1));
        match &self.body.expr(id).kind {
            _ if depth > DEPTH_LIMIT => false,
            ExprKind::Integer(..)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::Text(_)
            | ExprKind::Bytes(_)
            | ExprKind::Float(..)
            | ExprKind::Local(_)
            | ExprKind::Path(_)
            | ExprKind::Closure(_) => true,
            ExprKind::Not(inner)
            | ExprKind::Negate(inner)
            | ExprKind::Deref(inner)
            | ExprKind::Reference(_, inner)
            | ExprKind::Cast(inner, _)
            | ExprKind::Field(inner, _) => all(&[*inner]),
            ExprKind::Binary(_, left, right)
            | ExprKind::Lazy(_, left, right)
            | ExprKind::Index(left, right) => all(&[*left, *right]),
            ExprKind::Call(callee, arguments) => all(&[*callee]) && all(arguments),
            ExprKind::Method { receiver, arguments, .. } => all(&[*receiver]) && all(arguments),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => all(parts),
            ExprKind::Struct { fields, base: None, .. } => {
                fields.iter().all(|(_, value)| self.goes_on(*value, depth + 1))
            }
            _ => false,
        }
    }
}
