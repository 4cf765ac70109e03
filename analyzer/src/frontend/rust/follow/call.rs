//! Calls: of functions, closures, variants, and of what the table of std knows.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, PatKind};
use super::super::infer::Callee;
use super::super::items::{Definition, Owner};
use super::super::types::{Called, Ty};
use super::ends::Waiting;
use super::marks::BEGUN;
use super::value::{Made, Place, Value};
use super::{Code, Flow, Flowing, Follower, Frame};

/// The types of a function.
pub(super) struct Signature {
    pub parameters: Vec<Ty>,
    pub result: Ty,
    /// What stands in the place of its parameters is not all known.
    open: bool,
}

/// Of each function those for the types that it is called with.
pub(super) type Signatures = FxHashMap<FnId, Vec<(Vec<Ty>, Rc<Signature>)>>;

impl<'f> Follower<'f, '_> {
    /// A call, a call of a method, or an operator that is one.
    pub(super) fn called(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Value> {
        let typing = frame.typing.clone();
        let operands = operands(&frame.body.expr(id).kind);
        let ty = &typing.exprs[id.index()];
        match typing.callees.get(&id) {
            Some(Callee::Number(value, _)) => Ok(Value::Number(i128::from(*value))),
            Some(Callee::Variant(adt, variant)) => {
                let Ty::Adt(_, generics) = ty else { return Err(Flow::Stop("a variant of unknown type")) };
                let mut list = Vec::with_capacity(operands.len());
                let mut waiting = Waiting::default();
                for (index, operand) in operands.iter().enumerate() {
                    let wanted = self.context.field_type(*adt, *variant, index, generics);
                    let value = self.fitting(frame, *operand, &wanted);
                    list.push(waiting.with(self.ends(&wanted), value)?);
                }
                self.mark(frame, id, BEGUN);
                Ok(Value::variant(*variant, list))
            }
            Some(Callee::Standard(meaning, own)) => self.standard(frame, id, (*meaning, own), &operands, ty),
            Some(Callee::Function(function, generics)) => {
                let items = self.context.items;
                let found = items.function(*function);
                if let Some(reason) = found.opaque {
                    return Err(Flow::Stop(reason));
                }
                let arguments = self.arguments(frame, *function, generics, &operands)?;
                if frame.standard {
                    self.drives(*function, generics, &arguments)?;
                }
                self.mark(frame, id, BEGUN);
                let value = self.call(*function, generics, arguments)?;
                let signature = self.signature(*function, generics);
                self.fitted(value, &signature.result, ty)
            }
            Some(Callee::Closure(_)) => {
                let ExprKind::Call(callee, _) = frame.body.expr(id).kind else {
                    return Err(Flow::Stop("a call"));
                };
                self.call_closure(frame, id, callee, &operands)
            }
            Some(Callee::Unknown(reason)) => match self.held_closure(frame, id)? {
                Some((made, at)) => self.call_held(frame, &made, &at, &operands),
                None => Err(Flow::Stop(reason)),
            },
            None => Err(Flow::Stop("a call")),
        }
    }

    /// Code of std draws from an iterator of the crate: it may also ask for its size, and use what else its type says.
    fn drives(&mut self, function: FnId, generics: &[Ty], arguments: &[Value]) -> Flowing<()> {
        let items = self.context.items;
        let found = items.function(function);
        let Owner::Impl(owner) = found.owner else { return Ok(()) };
        if items.is_std_module(found.module) || !["next", "next_back"].contains(&found.name.as_str()) {
            return Ok(());
        }
        let functions = &items.impls[owner.index()].functions;
        if functions.keys().any(|name| !["next", "next_back", "size_hint"].contains(&name.as_str())) {
            return Err(Flow::Stop("an iterator that says itself what std does with it"));
        }
        match functions.get("size_hint") {
            Some(size) => self.asked_otherwise(*size, generics, arguments.to_vec()).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The types that a function has for these types in the place of its parameters.
    pub(super) fn signature(&self, function: FnId, generics: &[Ty]) -> Rc<Signature> {
        let mut known = self.signatures.borrow_mut();
        let instances = known.entry(function).or_default();
        if let Some((_, found)) = instances.iter().find(|(known, _)| known == generics) {
            return found.clone();
        }
        let environment = self.context.environment_of(function, generics);
        let declared = self.context.items.function(function);
        let ty = |written| self.context.type_of(written, &environment);
        let parameters = declared.parameters.iter().map(ty).collect();
        let open = |part: &Ty| matches!(part, Ty::Parameter(_) | Ty::Variable(_));
        let found = Rc::new(Signature {
            parameters,
            result: self.context.unnamed(function, generics).unwrap_or_else(|| ty(&declared.result)),
            open: generics.iter().any(|ty| ty.any(&mut |part| open(part))),
        });
        instances.push((generics.to_vec(), found.clone()));
        found
    }

    pub(super) fn parameters(&self, function: FnId, generics: &[Ty]) -> Vec<Ty> {
        self.signature(function, generics).parameters.clone()
    }

    /// The values that a function is given.
    pub(super) fn arguments(
        &mut self,
        frame: &mut Frame<'f>,
        function: FnId,
        generics: &[Ty],
        operands: &[ExprId],
    ) -> Flowing<Vec<Value>> {
        let signature = self.signature(function, generics);
        let wanted = &signature.parameters;
        if wanted.len() != operands.len() {
            return Err(Flow::Stop("a call with other arguments"));
        }
        let mut values = Vec::with_capacity(operands.len());
        let mut waiting = Waiting::default();
        for (operand, wanted) in operands.iter().zip(wanted) {
            let value = self.passed_as(frame, *operand, wanted);
            values.push(waiting.with(self.ends(wanted), value)?);
        }
        Ok(values)
    }

    /// An argument as a parameter of this type takes it: a receiver may be borrowed without a sign.
    pub(super) fn passed_as(&mut self, frame: &mut Frame<'f>, id: ExprId, wanted: &Ty) -> Flowing<Value> {
        let typing = frame.typing.clone();
        let have = &typing.exprs[id.index()];
        let Ty::Reference(mutability, inner) = wanted else { return self.fitting(frame, id, wanted) };
        let borrows = match have {
            Ty::Reference(_, _) => **inner == *have,
            Ty::Opaque | Ty::Never => false,
            _ => true,
        };
        if !borrows || typing.behind.contains_key(&id) {
            return self.fitting(frame, id, wanted);
        }
        let place = self.place(frame, id)?;
        let lent = Ty::Reference(*mutability, Box::new(have.clone()));
        self.fitted(Value::Place(place.into()), &lent, wanted)
    }

    /// Follows the body of a function.
    pub(super) fn call(&mut self, function: FnId, generics: &[Ty], arguments: Vec<Value>) -> Flowing<Value> {
        let items = self.context.items;
        let found = items.function(function);
        if let Some(reason) = found.opaque {
            return Err(Flow::Stop(reason));
        }
        let signature = self.signature(function, generics);
        if signature.open {
            return Err(Flow::Stop("a function for types that are not known"));
        }
        if items.is_std_module(found.module)
            && let Some(native) = self.native(function)
        {
            return self.natively(native, generics, arguments, &signature.result);
        }
        self.follow_body(function, generics, arguments)
    }

    pub(super) fn follow_body(
        &mut self,
        function: FnId,
        generics: &[Ty],
        arguments: Vec<Value>,
    ) -> Flowing<Value> {
        // What is moved there is not copied for another try.
        if arguments.iter().any(|value| matches!(value, Value::Parts(_) | Value::Closure(_))) {
            return self.follow_once(function, generics, arguments);
        }
        self.whichever(|this| this.follow_once(function, generics, arguments.clone()))
    }

    fn follow_once(&mut self, function: FnId, generics: &[Ty], arguments: Vec<Value>) -> Flowing<Value> {
        let Some((body, root)) =
            self.body(Code::Function(function)).and_then(|body| Some((body, body.root?)))
        else {
            return Err(Flow::Stop("a function without a body"));
        };
        let typing = self.context.typed(function, generics, body);
        let signature = self.signature(function, generics);
        let Signature { parameters, result, .. } = &*signature;
        if parameters.len() != arguments.len() {
            return Err(Flow::Stop("a call with other arguments"));
        }
        let mut frame = self.frame(Code::Function(function), body, typing, result.clone());
        self.enter()?;
        for ((pat, value), ty) in body.parameters.iter().zip(arguments).zip(parameters) {
            self.parameter(&mut frame, *pat, value, ty)?;
        }
        frame.ending = Some(root);
        let value = self.fitting(&mut frame, root, result);
        self.left_with(&mut frame, value)
    }

    fn parameter(
        &mut self,
        frame: &mut Frame<'f>,
        pat: super::super::hir::PatId,
        value: Value,
        ty: &Ty,
    ) -> Flowing<()> {
        if let PatKind::Bind { local, inner: None, .. } = frame.body.pat(pat).kind
            && !frame.typing.references.contains_key(&pat)
        {
            return self.bound(frame, local, value);
        }
        let place = self.placed(value)?;
        self.owns(frame, place.slot, ty, true);
        match self.binds(frame, pat, &place)? {
            true => Ok(()),
            false => Err(Flow::Stop("a pattern that is not understood")),
        }
    }

    /// A body is left: with its value, or by `return`.
    fn left_with(&mut self, frame: &mut Frame<'f>, value: Flowing<Value>) -> Flowing<Value> {
        self.leave();
        let value = match value {
            Err(Flow::Return(value)) => Ok(value),
            // A loop can be left from its condition: nodes of other bodies have the same numbers.
            Err(Flow::Break(..) | Flow::Continue(_)) => Err(Flow::Stop("a loop that is left from elsewhere")),
            other => other,
        };
        self.left(frame, 0, value)
    }

    fn call_closure(
        &mut self,
        frame: &mut Frame<'f>,
        id: ExprId,
        callee: ExprId,
        operands: &[ExprId],
    ) -> Flowing<Value> {
        let ty = frame.typing.exprs[callee.index()].behind().clone();
        let mut at = match self.is_place(frame, callee) {
            true => self.place(frame, callee)?,
            false => {
                let (value, _) = self.looked_at(frame, callee)?;
                self.placed(value)?
            }
        };
        let made = loop {
            match self.memory.load(&at)? {
                Value::Place(inner) => at = (*inner).clone(),
                Value::Closure(made) => break made,
                _ => return Err(Flow::Stop("a closure that nobody knows")),
            }
        };
        let Some((Called::Closure(_), parameters, result)) = ty.called() else {
            return Err(Flow::Stop("a closure of unknown type"));
        };
        let mut values = Vec::with_capacity(operands.len());
        let mut waiting = Waiting::default();
        for (index, operand) in operands.iter().enumerate() {
            let wanted = parameters.get(index).cloned().unwrap_or(Ty::Opaque);
            let value = self.fitting(frame, *operand, &wanted);
            values.push(waiting.with(self.ends(&wanted), value)?);
        }
        self.mark(frame, id, BEGUN);
        self.run_closure(&made, &at, values, result)
    }

    /// The closure in a local whose type has no name: what a function gives as `impl Fn`.
    fn held_closure(&mut self, frame: &mut Frame<'f>, id: ExprId) -> Flowing<Option<(Rc<Made>, Place)>> {
        let ExprKind::Call(callee, _) = frame.body.expr(id).kind else { return Ok(None) };
        let ExprKind::Local(local) = frame.body.expr(callee).kind else { return Ok(None) };
        let at = self.local(frame, local)?;
        Ok(match self.memory.whole(&at)? {
            Value::Closure(made) => Some((made.clone(), at)),
            _ => None,
        })
    }

    fn call_held(
        &mut self,
        frame: &mut Frame<'f>,
        made: &Made,
        at: &Place,
        operands: &[ExprId],
    ) -> Flowing<Value> {
        let ty = made.typing.exprs[made.expr.index()].clone();
        let Some((_, parameters, result)) = ty.called() else {
            return Err(Flow::Stop("a closure of unknown type"));
        };
        if operands.len() != parameters.len() {
            return Err(Flow::Stop("a call with other arguments"));
        }
        let mut values = Vec::with_capacity(operands.len());
        let mut waiting = Waiting::default();
        for (operand, wanted) in operands.iter().zip(parameters) {
            let value = self.fitting(frame, *operand, wanted);
            values.push(waiting.with(self.ends(wanted), value)?);
        }
        self.run_closure(made, at, values, result)
    }

    /// Follows the body of a closure that is in a place.
    pub(super) fn run_closure(
        &mut self,
        made: &Made,
        at: &Place,
        values: Vec<Value>,
        result: &Ty,
    ) -> Flowing<Value> {
        let body = self.body(made.code).ok_or("a closure without a body")?;
        let ExprKind::Closure(closure) = &body.expr(made.expr).kind else {
            return Err(Flow::Stop("a closure without a body"));
        };
        let mut inner = self.frame(made.code, body, made.typing.clone(), result.clone());
        for (local, slot) in &made.names {
            inner.locals[local.index()] = Some(*slot);
        }
        for (local, value) in &made.held {
            inner.locals[local.index()] = Some(self.memory.new_slot(value.clone())?);
        }
        if closure.parameters.len() != values.len() {
            return Err(Flow::Stop("a call with other arguments"));
        }
        self.enter()?;
        for ((pat, _), value) in closure.parameters.iter().zip(values) {
            let ty = made.typing.pats[pat.index()].clone();
            self.parameter(&mut inner, *pat, value, &ty)?;
        }
        inner.ending = Some(closure.body);
        let value = self.fitting(&mut inner, closure.body, result);
        let value = self.left_with(&mut inner, value)?;
        self.holds_on(made, &inner, at)?;
        Ok(value)
    }

    /// What a closure holds is from now on what a call has made of it.
    fn holds_on(&mut self, made: &Made, inner: &Frame<'f>, at: &Place) -> Flowing<()> {
        let mut held = Vec::with_capacity(made.held.len());
        let mut same = true;
        for (local, before) in &made.held {
            let place = self.local(inner, *local)?;
            let value = self.memory.whole(&place)?.clone();
            same &= value.is_same(before);
            held.push((*local, value));
        }
        match same {
            true => Ok(()),
            false if self.asking.is_some() => Err(Flow::Stop("a closure that std asks in its own order")),
            false => Ok(self.memory.store(at, Value::Closure(Made { held, ..made.clone() }.into()))?),
        }
    }

    /// Whether the impl of a method has this one, too.
    pub(super) fn says(&self, function: FnId, name: &str) -> bool {
        let items = self.context.items;
        match items.function(function).owner {
            Owner::Impl(owner) => items.impls[owner.index()].functions.contains_key(name),
            Owner::Module | Owner::Trait(_) => false,
        }
    }

    /// A method of a type of std, of no trait.
    pub(super) fn inherent(&self, ty: &Ty, name: &str) -> Option<(FnId, Vec<Ty>)> {
        use super::super::traits::matches;
        let items = self.context.items;
        self.context.impls_with(name).iter().find_map(|(id, function)| {
            let owner = &items.impls[id.index()];
            let mut bound = Vec::new();
            let own = owner.of_trait.is_none() && items.is_std_module(items.function(*function).module);
            if !own || !matches(&self.context.impls[id.index()].1, ty, &mut bound) {
                return None;
            }
            let named = |name: &str| bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone());
            let generics: Option<Vec<Ty>> = owner.generics.iter().map(|it| named(&it.name)).collect();
            Some((*function, generics?))
        })
    }

    /// What an impl of a trait of std for this type says, and for which types of its parameters.
    pub(super) fn own_method(
        &self,
        ty: &Ty,
        of_trait: &str,
        name: &str,
        other: Option<&Ty>,
    ) -> Option<(FnId, Vec<Ty>)> {
        use super::super::traits::{TraitName, matches};
        let wanted = match self.context.items.standard(of_trait) {
            Some(Definition::Trait(id)) => TraitName::Seen(id),
            _ => TraitName::Standard(of_trait.into()),
        };
        let mut found = None;
        for (id, target) in self.context.impls_of(&wanted) {
            let owner = &self.context.items.impls[id.index()];
            let mut bound = Vec::new();
            if !matches(target, ty, &mut bound) || !self.context.allows(*id, &bound, self.context.fuel()) {
                continue;
            }
            let function = owner.functions.get(name).copied()?;
            let named = |name: &str| bound.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone());
            let generics: Option<Vec<Ty>> = owner.generics.iter().map(|it| named(&it.name)).collect();
            let generics = generics?;
            if let Some(other) = other {
                let parameters = self.parameters(function, &generics);
                let second = parameters.get(1).map(|ty| match ty {
                    Ty::Reference(Mutability::Shared, inner) => (**inner).clone(),
                    ty => ty.clone(),
                });
                if second.as_ref() != Some(other) {
                    continue;
                }
            }
            if found.replace((function, generics)).is_some() {
                return None;
            }
        }
        found
    }
}

/// What a call is given, the receiver first.
fn operands(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Call(_, arguments) => arguments.clone(),
        ExprKind::Method { receiver, arguments, .. } => {
            std::iter::once(*receiver).chain(arguments.iter().copied()).collect()
        }
        ExprKind::Binary(_, left, right) | ExprKind::Update(_, left, right) => vec![*left, *right],
        ExprKind::Not(inner) | ExprKind::Negate(inner) => vec![*inner],
        _ => Vec::new(),
    }
}
