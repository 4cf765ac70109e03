//! What happens at the end of a value: whether its type, or a part of it, has an `impl Drop`.
//!
//! Only code of the file counts. Types of others are values nobody sees; what ends them is unknown code like
//! what made them.

use super::context::Context;
use super::hir::{AdtId, ExprKind, FnId, ImplId, PatKind, TypeRef};
use super::items::{AdtKind, Bound, Impl};
use super::traits::TraitName;
use super::types::Ty;

/// What the end of a value of a type does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Glue {
    Nothing,
    /// Calls that are known, one after the other.
    Known,
    /// Calls that depend on the value, or that are not seen.
    Unsure,
}

/// The `drop` of a type: the function, with the types of its impl's parameters.
pub type Dropper = (FnId, Vec<Ty>);

const DEPTH_LIMIT: usize = 12;

/// Derives that add no `impl Drop`.
const OF_STD: &[&str] =
    &["Debug", "Clone", "Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];

impl Context<'_> {
    pub fn glue(&self, ty: &Ty) -> Glue {
        if let Some(known) = self.glues.borrow().get(ty) {
            return *known;
        }
        let glue = self.glue_at(ty, &mut Vec::new());
        self.glues.borrow_mut().insert(ty.clone(), glue);
        glue
    }

    /// `around`: the types it is a part of. What a type has in itself once more adds nothing to it.
    fn glue_at(&self, ty: &Ty, around: &mut Vec<Ty>) -> Glue {
        match ty {
            _ if around.len() > DEPTH_LIMIT => Glue::Unsure,
            Ty::Tuple(parts) => self.glue_of_all(parts.iter().cloned(), around),
            // One call for each element: not followed one by one.
            Ty::Array(inner, _) | Ty::Slice(inner) => match self.glue_at(inner, around) {
                Glue::Nothing => Glue::Nothing,
                _ => Glue::Unsure,
            },
            Ty::Adt(..) if around.contains(ty) => Glue::Nothing,
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                let own = match self.is_copy(*id) {
                    // All parts of what can be copied can be copied; which impl it is depends on arguments only.
                    true if arguments.is_empty() => return Glue::Nothing,
                    true => Glue::Nothing,
                    false if adt.opaque => return Glue::Unsure,
                    false => self.own_glue(*id, arguments),
                };
                around.push(ty.clone());
                let fields = self.glue_of_all(self.ending_parts(*id, arguments).into_iter(), around);
                around.pop();
                match (adt.kind, fields) {
                    (_, Glue::Known) if self.is_unsafe_cell(*id) => Glue::Unsure,
                    (AdtKind::Struct, fields) => own.max(fields),
                    (AdtKind::Enum, Glue::Nothing) => own,
                    (AdtKind::Enum, _) => Glue::Unsure,
                }
            }
            _ => Glue::Nothing,
        }
    }

    /// Whether nothing at all happens at the end of a value: numbers, borrows and what is made of such.
    pub fn ends_quietly(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_) | Ty::Reference(..) => true,
            Ty::Tuple(parts) => parts.iter().all(|part| self.ends_quietly(part)),
            Ty::Array(inner, _) | Ty::Slice(inner) => self.ends_quietly(inner),
            Ty::Adt(id, arguments) => {
                let adt = self.items.adt(*id);
                // Our own text of std does not say what its types do at their end.
                let seen = !self.items.is_std_module(adt.module) && !adt.opaque;
                seen && self.glue(ty) == Glue::Nothing
                    && self.field_types(*id, arguments).iter().all(|part| self.ends_quietly(part))
            }
            _ => false,
        }
    }

    fn glue_of_all(&self, parts: impl Iterator<Item = Ty>, around: &mut Vec<Ty>) -> Glue {
        parts.map(|part| self.glue_at(&part, around)).max().unwrap_or(Glue::Nothing)
    }

    fn own_glue(&self, id: AdtId, arguments: &[Ty]) -> Glue {
        match self.dropper(id, arguments) {
            Some(Ok(_)) => Glue::Known,
            Some(Err(())) => Glue::Unsure,
            None if self.may_have_unseen_drop(id) => Glue::Unsure,
            None => Glue::Nothing,
        }
    }

    pub fn field_types(&self, id: AdtId, arguments: &[Ty]) -> Vec<Ty> {
        let variants = self.items.adt(id).variants.iter().enumerate();
        variants
            .flat_map(|(index, variant)| (0..variant.fields.len()).map(move |field| (index as u32, field)))
            .map(|(variant, field)| self.field_type(id, variant, field, arguments))
            .collect()
    }

    /// What ends with a value: its fields, and what a cell holds that nobody keeps track of.
    fn ending_parts(&self, id: AdtId, arguments: &[Ty]) -> Vec<Ty> {
        match self.items.is_standard(id, "ManuallyDrop") {
            true => Vec::new(),
            false if self.is_unsafe_cell(id) => arguments.to_vec(),
            false => self.field_types(id, arguments),
        }
    }

    fn is_unsafe_cell(&self, id: AdtId) -> bool {
        self.items.is_standard(id, "UnsafeCell")
    }

    /// The type's own `drop`, if it has one; `Err` where it is not understood.
    pub fn dropper(&self, id: AdtId, arguments: &[Ty]) -> Option<Result<Dropper, ()>> {
        let of_it = || self.impls.iter().filter(|(_, target)| matches!(target, Ty::Adt(of, _) if *of == id));
        let Some((owner, target)) = of_it().find(|(owner, _)| self.is_drop(*owner) == Some(true)) else {
            return of_it().any(|(owner, _)| self.is_drop(*owner).is_none()).then_some(Err(()));
        };
        let found = &self.items.impls[owner.index()];
        let Some(function) = found.functions.get("drop").copied() else { return Some(Err(())) };
        let is_read = self.items.function(function).has_body();
        let Ty::Adt(_, parameters) = target else { return Some(Err(())) };
        let generics: Option<Vec<Ty>> = found
            .generics
            .iter()
            .map(|generic| {
                let named = |ty: &Ty| matches!(ty, Ty::Parameter(name) if *name == generic.name);
                parameters.iter().position(named).and_then(|at| arguments.get(at).cloned())
            })
            .collect();
        Some(generics.filter(|_| is_read).map(|generics| (function, generics)).ok_or(()))
    }

    /// Every `drop` that the end of a value of this type may call.
    pub fn droppers(&self, ty: &Ty) -> Vec<(Ty, Dropper)> {
        let mut found = Vec::new();
        let mut work = vec![(ty.clone(), 0)];
        while let Some((ty, depth)) = work.pop() {
            if depth > DEPTH_LIMIT || self.glue(&ty) == Glue::Nothing {
                continue;
            }
            match &ty {
                Ty::Tuple(parts) => work.extend(parts.iter().map(|part| (part.clone(), depth + 1))),
                Ty::Array(inner, _) | Ty::Slice(inner) => work.push(((**inner).clone(), depth + 1)),
                Ty::Adt(id, arguments) => {
                    if let Some(Ok(dropper)) = self.dropper(*id, arguments) {
                        if found.iter().any(|(known, _)| *known == ty) {
                            continue;
                        }
                        found.push((ty.clone(), dropper));
                    }
                    work.extend(self.ending_parts(*id, arguments).into_iter().map(|part| (part, depth + 1)));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether an impl says what happens at the end of a value, by whatever name; `None`: nobody knows.
    pub fn is_drop(&self, id: ImplId) -> Option<bool> {
        let found = &self.items.impls[id.index()];
        let of_trait = self.trait_of(id);
        match of_trait {
            Some(TraitName::Standard(it)) if it == "ops::Drop" => Some(true),
            None | Some(TraitName::Seen(_)) => Some(false),
            // No other trait of std has a function of this name; those of others may be `Drop` once more.
            Some(_) if found.opaque || found.functions.contains_key("drop") => None,
            Some(_) => Some(false),
        }
    }

    /// Types that can be copied have no `drop` of their own; those with parameters may have parts that do.
    pub fn is_copy(&self, id: AdtId) -> bool {
        let of_copy =
            |owner| matches!(self.trait_of(owner), Some(TraitName::Standard(it)) if it == "marker::Copy");
        self.items.adt(id).derives.contains("Copy")
            || self
                .impls
                .iter()
                .any(|(owner, target)| matches!(target, Ty::Adt(of, _) if *of == id) && of_copy(*owner))
    }

    /// Code of the crate that is not seen may say what its types do at their end.
    fn may_have_unseen_drop(&self, id: AdtId) -> bool {
        let adt = self.items.adt(id);
        if self.items.is_std_module(adt.module) {
            return false;
        }
        adt.derives.iter().any(|derive| !OF_STD.contains(&derive.as_str()))
            || self.hides_impls_for(&Ty::Adt(id, Vec::new())) && !self.is_taken_apart(id)
    }

    /// Whether a function gives a field of a type away that it has taken whole, `self.field`, where the field is of a type
    /// parameter that nobody says can be copied. Rust forbids that for types with a `drop` of their own (E0509).
    fn is_taken_apart(&self, id: AdtId) -> bool {
        // In an impl for one type in the place of the parameter the field may be one that can be copied.
        let is_plain = |ty: &Ty| matches!(ty, Ty::Parameter(_));
        let of_it = |target: &Ty| matches!(target, Ty::Adt(of, arguments) if *of == id && arguments.iter().all(is_plain));
        self.impls.iter().filter(|(_, target)| of_it(target)).any(|(owner, _)| {
            let found = &self.items.impls[owner.index()];
            found.functions.values().any(|function| self.gives_field(*function, found, id))
        })
    }

    fn gives_field(&self, of: FnId, owner: &Impl, id: AdtId) -> bool {
        let function = self.items.function(of);
        let by_value =
            matches!(function.parameters.first(), Some(TypeRef::Path(path)) if path.single() == Some("Self"));
        if !by_value || !function.takes_self {
            return false;
        }
        let Some(body) = self.body(of) else { return false };
        let mut root = body.root;
        while let Some(ExprKind::Block { statements, tail, labelled: false }) =
            root.map(|it| &body.expr(it).kind)
            && statements.is_empty()
        {
            root = *tail;
        }
        let Some(ExprKind::Field(base, name)) = root.map(|root| &body.expr(root).kind) else { return false };
        let (ExprKind::Local(local), Some(first)) = (&body.expr(*base).kind, body.parameters.first()) else {
            return false;
        };
        let is_self = matches!(body.pat(*first).kind, PatKind::Bind { local: bound, .. } if bound == *local);
        let fields = self.items.adt(id).variants.iter().flat_map(|variant| &variant.fields);
        let of_parameter = fields.filter(|field| field.name == *name).any(|field| match &field.ty {
            TypeRef::Path(path) => path
                .single()
                .is_some_and(|it| self.items.adt(id).generics.iter().any(|generic| generic.name == it)),
            _ => false,
        });
        // Any bound on a trait of others, or one that includes `Copy`, may say that it can be copied.
        let mut asked = owner.predicates.iter().chain(&function.predicates);
        let plain = asked.all(|predicate| match &predicate.bound {
            Bound::Trait(path, _) => {
                matches!(self.trait_named(path), TraitName::Standard(it) if it != "marker::Copy")
            }
            Bound::Callable(..) => true,
        });
        is_self && of_parameter && plain
    }
}
