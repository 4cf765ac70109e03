//! Which tests keep to what everybody can use: a run of one is a run that somebody outside could have written.
//!
//! Tests inside of a library see what the modules around them see. Whatever one of them may come to by name must be
//! something that paths of public names lead to, else nobody else could make that run. Bodies and signatures are walked,
//! no type is asked: a name that means something private in either namespace counts, and so does any method of a trait
//! that nobody else can name. (Private methods and fields are not found from another crate anyway.)

use rustc_hash::FxHashSet;

use super::defs::{Namespace, Resolved};
use super::hir::{
    AdtId, Body, ConstId, Expr, ExprKind, FnId, ModuleId, Pat, PatKind, Path, Statement, TypeRef,
};
use super::items::{Adt, Bound, Definition, Impl, Items, Predicate, Visibility};
use super::outside::Exposed;

/// Something that stands among tests.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Function(FnId),
    Constant(ConstId),
    Adt(AdtId),
}

struct Uses<'i> {
    items: &'i Items,
    exposed: Exposed,
    /// Methods of traits of the crate that nobody else can name.
    hidden: FxHashSet<&'i str>,
    met: FxHashSet<Item>,
    work: Vec<Item>,
    keeps_out: bool,
}

impl Items {
    /// The tests that everybody could have written, in order.
    pub fn tests_of_anybody(&self) -> Vec<FnId> {
        if self.tests.is_empty() {
            return Vec::new();
        }
        let exposed = self.exposed(ModuleId(0));
        let closed = self.traits.iter().enumerate().filter(|(number, found)| {
            self.is_own_module(found.module) && !exposed.traits.iter().any(|id| id.index() == *number)
        });
        let hidden = closed.flat_map(|(_, found)| found.functions.keys().map(String::as_str)).collect();
        let (met, work) = (FxHashSet::default(), Vec::new());
        let mut uses = Uses { items: self, exposed, hidden, met, work, keeps_out: true };
        let foreign = uses.modules_that_reach_in();
        let anybody = |id: &&FnId| {
            let around = self.module_among_tests(self.function(**id).module);
            !foreign.contains(&around) && uses.keeps_out(Item::Function(**id))
        };
        self.tests.iter().filter(anybody).copied().collect()
    }

    /// The outermost of the modules that only tests have around one of them.
    fn module_among_tests(&self, module: ModuleId) -> ModuleId {
        let mut at = module;
        while let Some(parent) = self.module(at).parent.filter(|parent| !self.is_own_module(*parent)) {
            at = parent;
        }
        at
    }
}

impl<'i> Uses<'i> {
    /// Modules with an impl that no other crate could have, or that is about something private.
    fn modules_that_reach_in(&mut self) -> FxHashSet<ModuleId> {
        let items = self.items;
        let own = items.impls.iter().filter(|found| items.is_in_use(found.module));
        let reaching = own.filter(|found| !self.could_stand_elsewhere(found));
        reaching.map(|found| items.module_among_tests(found.module)).collect()
    }

    fn could_stand_elsewhere(&mut self, found: &'i Impl) -> bool {
        let is_of_tests = |path: &Path, namespace| match self.items.resolve(path, namespace).found {
            Resolved::Definition(Definition::Adt(id)) => self.items.is_in_use(self.items.adt(id).module),
            Resolved::Definition(Definition::Trait(id)) => {
                self.items.is_in_use(self.items.traits[id.index()].module)
            }
            _ => false,
        };
        let target = match &found.target {
            TypeRef::Path(path) => is_of_tests(path, Namespace::Types),
            _ => false,
        };
        let of_trait = found.of_trait.as_ref().is_some_and(|path| is_of_tests(path, Namespace::Types));
        if found.opaque || !target && !of_trait {
            return false;
        }
        self.begin();
        self.ty(&found.target);
        found.of_trait.iter().for_each(|path| self.path(path));
        self.predicates(&found.predicates);
        found.types.values().for_each(|ty| self.ty(ty));
        self.work.extend(found.functions.values().map(|id| Item::Function(*id)));
        self.work.extend(found.constants.values().map(|id| Item::Constant(*id)));
        self.finish()
    }

    fn begin(&mut self) {
        self.met.clear();
        self.work.clear();
        self.keeps_out = true;
    }

    fn keeps_out(&mut self, item: Item) -> bool {
        self.begin();
        self.work.push(item);
        self.finish()
    }

    /// Whether all that is left to look at, and what that names, is for everybody.
    fn finish(&mut self) -> bool {
        while let Some(next) = self.work.pop() {
            if !self.keeps_out {
                return false;
            }
            if self.met.insert(next) {
                self.item(next);
            }
        }
        self.keeps_out
    }

    fn item(&mut self, item: Item) {
        let items = self.items;
        match item {
            Item::Function(id) => {
                let function = items.function(id);
                function.parameters.iter().chain([&function.result]).for_each(|ty| self.ty(ty));
                self.predicates(&function.predicates);
                items.body(id).into_iter().for_each(|body| self.body(body));
            }
            Item::Constant(id) => {
                let constant = items.constant(id);
                self.ty(&constant.ty);
                constant.body.iter().for_each(|body| self.body(body));
            }
            Item::Adt(id) => {
                let adt = items.adt(id);
                self.predicates(&adt.predicates);
                adt.variants.iter().flat_map(|variant| &variant.fields).for_each(|field| self.ty(&field.ty));
            }
        }
    }

    fn body(&mut self, body: &'i Body) {
        body.exprs.iter().for_each(|expr| self.expr(expr));
        body.pats.iter().for_each(|pat| self.pat(pat));
    }

    fn expr(&mut self, expr: &'i Expr) {
        match &expr.kind {
            ExprKind::Path(path) => {
                self.path(path);
                self.written(path);
            }
            ExprKind::Struct { path, .. } => {
                self.path(path);
                self.written(path);
            }
            ExprKind::Any(Some(path)) => self.path(path),
            ExprKind::Cast(_, ty) => self.ty(ty),
            ExprKind::Method { name, generics, .. } => {
                self.keeps_out &= !self.hidden.contains(name.as_str());
                generics.iter().for_each(|ty| self.ty(ty));
            }
            ExprKind::Closure(closure) => {
                let given = closure.parameters.iter().filter_map(|(_, ty)| ty.as_ref());
                given.chain(&closure.result).for_each(|ty| self.ty(ty));
            }
            ExprKind::Block { statements, .. } => {
                for statement in statements {
                    if let Statement::Let { ty: Some(ty), .. } = statement {
                        self.ty(ty);
                    }
                }
            }
            ExprKind::Repeat(_, length) => self.work.push(Item::Constant(*length)),
            _ => {}
        }
    }

    fn pat(&mut self, pat: &'i Pat) {
        match &pat.kind {
            PatKind::TupleStruct(path, ..) | PatKind::Struct(path, _) => {
                self.path(path);
                self.written(path);
            }
            _ => {}
        }
    }

    /// What a path leads to, as a type and as a value.
    fn path(&mut self, path: &'i Path) {
        path.segments.iter().flat_map(|segment| &segment.arguments).for_each(|ty| self.ty(ty));
        if let Some(qualified) = &path.qself {
            self.ty(&qualified.ty);
            qualified.of_trait.iter().for_each(|path| self.path(path));
        }
        for namespace in [Namespace::Types, Namespace::Values] {
            let target = self.items.resolve(path, namespace);
            let hidden = target.rest.iter().any(|segment| self.hidden.contains(segment.name.as_str()));
            self.keeps_out &= !hidden;
            if let Resolved::Definition(definition) = target.found {
                self.definition(definition);
            }
        }
    }

    fn definition(&mut self, definition: Definition) {
        let items = self.items;
        let (module, exposed, item) = match definition {
            Definition::Function(id) => {
                (items.function(id).module, self.exposed.functions.contains(&id), Some(Item::Function(id)))
            }
            Definition::Constant(id) => {
                (items.constant(id).module, self.exposed.constants.contains(&id), Some(Item::Constant(id)))
            }
            Definition::Adt(id) | Definition::Variant(id, _) => {
                (items.adt(id).module, self.exposed.adts.contains(&id), Some(Item::Adt(id)))
            }
            Definition::Trait(id) => {
                (items.traits[id.index()].module, self.exposed.traits.contains(&id), None)
            }
            Definition::Alias(id) => return self.ty(&items.aliases[id.index()].ty),
            // Where a module stands says nothing of what is in it.
            Definition::Module(_) | Definition::Opaque => return,
        };
        if items.is_own_module(module) {
            self.keeps_out &= exposed;
        } else if items.is_in_use(module) {
            self.work.extend(item);
        }
    }

    /// What is made or taken apart where all of it is written down.
    fn written(&mut self, path: &Path) {
        for namespace in [Namespace::Types, Namespace::Values] {
            let target = self.items.resolve(path, namespace);
            match target.found {
                Resolved::Definition(Definition::Adt(id)) if target.rest.is_empty() => {
                    self.keeps_out &= self.is_for_everybody(self.items.adt(id), 0);
                }
                Resolved::Definition(Definition::Variant(id, number)) => {
                    self.keeps_out &= self.is_for_everybody(self.items.adt(id), number as usize);
                }
                _ => {}
            }
        }
    }

    fn is_for_everybody(&self, adt: &Adt, number: usize) -> bool {
        if !self.items.is_own_module(adt.module) {
            return true;
        }
        let Some(variant) = adt.variants.get(number) else { return true };
        let is_open = adt.kind == super::items::AdtKind::Enum
            || variant.fields.iter().all(|field| field.visibility == Visibility::Public);
        is_open && !adt.is_extensible && !variant.is_extensible
    }

    fn predicates(&mut self, predicates: &'i [Predicate]) {
        for predicate in predicates {
            self.ty(&predicate.subject);
            match &predicate.bound {
                Bound::Callable(inputs, output) => {
                    inputs.iter().chain([output]).for_each(|ty| self.ty(ty));
                }
                Bound::Trait(path, types) => {
                    self.path(path);
                    types.iter().for_each(|(_, ty)| self.ty(ty));
                }
            }
        }
    }

    fn ty(&mut self, ty: &'i TypeRef) {
        match ty {
            TypeRef::Path(path) => self.path(path),
            TypeRef::Tuple(parts) => parts.iter().for_each(|part| self.ty(part)),
            TypeRef::Array(inner, length) => {
                self.ty(inner);
                self.work.push(Item::Constant(*length));
            }
            TypeRef::Slice(inner) | TypeRef::Reference(_, inner) | TypeRef::Pointer(_, inner) => {
                self.ty(inner);
            }
            TypeRef::Const(constant) => self.work.push(Item::Constant(*constant)),
            TypeRef::Never | TypeRef::Infer | TypeRef::Opaque => {}
        }
    }
}
