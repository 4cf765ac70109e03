//! Expressions.

use super::super::defs::{Namespace, Resolved};
use super::super::hir::{AdtId, Arm, ExprId, ExprKind, Formatted, Operator, Statement};
use super::super::items::Field;
use super::super::traits::TraitName;
use super::super::types::{Integer, Length, Ty, U8};
use super::traits::method_of;
use super::{Expected, Indexing, Infer};
use kleene_domains::expr::CompareOp;

impl Infer<'_, '_> {
    pub(super) fn expr(&mut self, id: ExprId, expected: &Expected) -> Ty {
        let ty = self.expr_kind(id, expected);
        self.typing.exprs[id.index()] = ty.clone();
        ty
    }

    pub(super) fn value(&mut self, id: ExprId) -> Ty {
        self.expr(id, &Expected::Nothing)
    }

    /// Checks an expression against a type.
    pub(super) fn check(&mut self, id: ExprId, wanted: &Ty) {
        let found = self.expr(id, &Expected::Has(wanted.clone()));
        self.coerce(&found, wanted);
    }

    fn expr_kind(&mut self, id: ExprId, expected: &Expected) -> Ty {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Integer(_, suffix) => self.integer(suffix, expected),
            ExprKind::Bool(_) => Ty::Bool,
            ExprKind::Char(_) => Ty::Char,
            ExprKind::Text(_) => shared(Ty::Str),
            ExprKind::Bytes(bytes) => shared(Ty::Array(Box::new(U8), Length::Known(bytes.len() as u64))),
            ExprKind::Float(_, suffix) => self.float(suffix, expected),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Path(path) => self.path_value(id, path),
            ExprKind::Underscore => self.variables.fresh(),
            ExprKind::Not(inner) => match self.expr(*inner, expected) {
                ty if matches!(self.resolved(&ty).behind(), Ty::Adt(..)) => {
                    self.overloaded(id, "not", &[ty]).unwrap_or(Ty::Opaque)
                }
                ty => self.behind(&ty),
            },
            ExprKind::Negate(inner) => match self.expr(*inner, expected) {
                ty if matches!(self.resolved(&ty).behind(), Ty::Adt(..)) => {
                    self.overloaded(id, "neg", &[ty]).unwrap_or(Ty::Opaque)
                }
                ty => self.behind(&ty),
            },
            ExprKind::Deref(inner) => {
                let ty = self.value(*inner);
                let ty = self.resolved(&ty);
                let pointed = || self.context.pointed_to(&ty).or(self.context.unfollowed(&ty)).cloned();
                let known = self.context.dereferenced(&ty).or_else(pointed);
                let known = known.or_else(|| self.context.dereferenced(&self.place_behind(*inner, &ty)?));
                match known {
                    Some(inner) => inner,
                    None => {
                        self.variables.taint(&ty);
                        Ty::Opaque
                    }
                }
            }
            ExprKind::Reference(mutability, of) => {
                let wanted = match expected.known().map(|ty| self.resolved(ty)) {
                    Some(Ty::Reference(_, inner)) => match self.resolved(&inner) {
                        // `&[…]` where a slice is wanted is still an array, of the slice's elements.
                        inner @ Ty::Slice(_) if self.is_list(*of) => Expected::Has(inner),
                        Ty::Slice(_) => Expected::Nothing,
                        inner => Expected::Has(inner),
                    },
                    _ => Expected::Nothing,
                };
                Ty::Reference(*mutability, Box::new(self.expr(*of, &wanted)))
            }
            ExprKind::Binary(operator, left, right) => self.binary(id, *operator, *left, *right),
            ExprKind::Lazy(_, left, right) => {
                self.check(*left, &Ty::Bool);
                self.check(*right, &Ty::Bool);
                Ty::Bool
            }
            ExprKind::Assign(left, right) => self.assign(*left, *right),
            ExprKind::Update(operator, left, right) => {
                let left = self.value(*left);
                let right = self.value(*right);
                let name = method_of(*operator).map(|name| format!("{name}_assign"));
                let overloaded =
                    name.and_then(|name| self.overloaded(id, &name, &[left.clone(), right.clone()]));
                if overloaded.is_none() {
                    self.operands(*operator, &left, &right);
                }
                Ty::UNIT
            }
            ExprKind::Cast(inner, ty) => {
                let ty = self.ty(ty);
                self.expr(*inner, &Expected::Cast(ty.clone()));
                ty
            }
            ExprKind::Call(callee, arguments) => self.call(id, *callee, arguments, expected),
            ExprKind::Method { module, receiver, name, generics, arguments, .. } => {
                self.method((id, *module), *receiver, (name, generics), arguments, expected)
            }
            ExprKind::Field(base, name) => {
                let base = self.value(*base);
                self.field(&base, name)
            }
            ExprKind::Index(base, index) => self.index(id, *base, *index),
            ExprKind::Tuple(parts) => {
                let wanted = match expected.known().map(|ty| self.resolved(ty)) {
                    Some(Ty::Tuple(wanted)) if wanted.len() == parts.len() => Some(wanted),
                    _ => None,
                };
                let part = |this: &mut Self, index: usize, id: ExprId| {
                    let wanted = match &wanted {
                        Some(wanted) => Expected::Has(wanted[index].clone()),
                        None => this.kept_range(id),
                    };
                    let found = this.expr(id, &wanted);
                    match &wanted {
                        Expected::Has(ty) => {
                            this.coerce(&found, ty);
                            ty.clone()
                        }
                        _ => found,
                    }
                };
                Ty::Tuple(parts.iter().enumerate().map(|(index, id)| part(self, index, *id)).collect())
            }
            ExprKind::Array(elements) => {
                let element = self.element(expected);
                elements.iter().for_each(|id| self.check(*id, &element));
                Ty::Array(Box::new(element), Length::Known(elements.len() as u64))
            }
            ExprKind::Table(length, first) => {
                let element = self.element(expected);
                self.check(*first, &element);
                Ty::Array(Box::new(element), Length::Known(*length))
            }
            ExprKind::Repeat(inner, length) => {
                let element = self.element(expected);
                self.check(*inner, &element);
                Ty::Array(Box::new(element), self.context.length(*length, self.environment))
            }
            ExprKind::Struct { path, fields, base } => self.structure(id, path, fields, *base, expected),
            ExprKind::Range { low, high, inclusive } => {
                let wanted = expected.known().map(|ty| self.resolved(ty));
                let name = match (low, high, inclusive) {
                    (Some(_), Some(_), false) => "Range",
                    (Some(_), Some(_), true) => "CountedInclusive",
                    (Some(_), None, _) => "RangeFrom",
                    (None, Some(_), false) => "RangeTo",
                    _ => "",
                };
                let (bound, value) = match wanted {
                    Some(Ty::Range(inner)) => (*inner, None),
                    Some(Ty::Adt(id, arguments)) if self.context.items.is_standard(id, name) => {
                        (arguments[0].clone(), Some(Ty::Adt(id, arguments)))
                    }
                    _ => (self.variables.fresh(), None),
                };
                // As in a structure with two fields of one type.
                for id in [low, high].into_iter().flatten() {
                    self.check(*id, &bound);
                }
                value.unwrap_or(Ty::Range(Box::new(bound)))
            }
            ExprKind::Closure(closure) => self.closure(id, closure, expected),
            ExprKind::Opaque(opaque) => {
                opaque.operands.iter().for_each(|id| {
                    let ty = self.value(*id);
                    self.variables.taint(&ty);
                });
                for local in &opaque.mentions {
                    let ty = self.local(*local);
                    self.variables.taint(&ty);
                }
                Ty::Opaque
            }
            _ => self.control(id, expected),
        }
    }

    fn control(&mut self, id: ExprId, expected: &Expected) -> Ty {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Block { statements, tail, labelled } => {
                if *labelled {
                    self.breaks.insert(id, None);
                }
                let ty = self.block(statements, *tail, expected);
                match self.breaks.remove(&id).flatten() {
                    Some(left) => {
                        self.coerce(&ty, &left);
                        left
                    }
                    None => ty,
                }
            }
            ExprKind::If { cond, then, otherwise } => {
                self.check(*cond, &Ty::Bool);
                let expected = self.for_branches(expected);
                let then = self.expr(*then, &expected);
                match otherwise {
                    Some(otherwise) => {
                        let otherwise = self.expr(*otherwise, &expected);
                        self.common(&then, &otherwise, &expected)
                    }
                    None => {
                        self.coerce(&then, &Ty::UNIT);
                        Ty::UNIT
                    }
                }
            }
            ExprKind::Let(pat, value) => {
                let ty = self.value(*value);
                self.pattern(*pat, ty);
                Ty::Bool
            }
            ExprKind::Match(scrutinee, arms) => self.match_expr(*scrutinee, arms, expected),
            ExprKind::Loop { body, .. } => {
                self.breaks.insert(id, None);
                self.check(*body, &Ty::UNIT);
                self.breaks.remove(&id).flatten().unwrap_or(Ty::Never)
            }
            ExprKind::While { cond, body, .. } => {
                self.breaks.insert(id, None);
                self.check(*cond, &Ty::Bool);
                self.check(*body, &Ty::UNIT);
                Ty::UNIT
            }
            ExprKind::For { pat, iterated, body, .. } => {
                let item = match self.walked(*pat, *iterated) {
                    Some(item) => item,
                    None => {
                        self.looped = Some(*iterated);
                        let ty = self.value(*iterated);
                        let iterated = self.endless(*iterated).unwrap_or(ty);
                        let drawn = self.drawn(id, &iterated).or_else(|| self.entered(id, &iterated));
                        drawn.unwrap_or_else(|| self.iterated(&iterated))
                    }
                };
                self.pattern(*pat, item);
                self.breaks.insert(id, None);
                self.check(*body, &Ty::UNIT);
                Ty::UNIT
            }
            ExprKind::Break(target, value) => {
                let known = self.breaks.get(target).cloned().flatten();
                let found = match (value, &known) {
                    (Some(value), Some(known)) => self.expr(*value, &Expected::Has(known.clone())),
                    (Some(value), None) => self.value(*value),
                    (None, _) => Ty::UNIT,
                };
                match known {
                    Some(known) => self.coerce(&found, &known),
                    None => {
                        let ty = self.opened(&found);
                        self.breaks.insert(*target, Some(ty));
                    }
                }
                Ty::Never
            }
            ExprKind::Return(value) => {
                let result = self.result.clone();
                match value {
                    Some(value) => self.check(*value, &result),
                    None => self.variables.unify(&Ty::UNIT, &result),
                }
                Ty::Never
            }
            ExprKind::Try(inner) => self.question(*inner),
            ExprKind::Assert(cond) | ExprKind::Assume(cond) => {
                self.check(*cond, &Ty::Bool);
                Ty::UNIT
            }
            ExprKind::AssertCompare { left, right, .. } => {
                let left = self.value(*left);
                let right = self.value(*right);
                if !self.by_only_equality(&left, &right) {
                    self.compared(&left, &right);
                }
                Ty::UNIT
            }
            ExprKind::Panic(arguments) => {
                arguments.iter().for_each(|id| {
                    self.value(*id);
                });
                Ty::Never
            }
            ExprKind::Format { arguments, gives, .. } => {
                arguments.iter().for_each(|id| {
                    self.value(*id);
                });
                match gives {
                    Formatted::Nothing | Formatted::Line => Ty::UNIT,
                    Formatted::Text => self.context.string(),
                    Formatted::Arguments => self.context.standard_adt("fmt::Arguments", Vec::new()),
                }
            }
            ExprKind::Any(path) => self.any_value(path.as_ref(), expected),
            ExprKind::Continue(_) => Ty::Never,
            _ => Ty::Opaque,
        }
    }

    fn integer(&mut self, suffix: &str, expected: &Expected) -> Ty {
        if let Some(integer) = Integer::named(suffix, self.context.configuration.pointer_width) {
            return Ty::Integer(integer);
        }
        let hint = match expected {
            Expected::Has(ty) => self.resolved(ty),
            Expected::Cast(ty) => match self.resolved(ty) {
                Ty::Char => U8,
                ty => ty,
            },
            Expected::Nothing | Expected::Callable(..) => Ty::Opaque,
        };
        match hint {
            Ty::Integer(integer) => Ty::Integer(integer),
            _ => self.variables.fresh_integer(),
        }
    }

    fn float(&mut self, suffix: &str, expected: &Expected) -> Ty {
        match (suffix, expected) {
            ("f32" | "f64", _) => self.context.primitive(suffix),
            (_, Expected::Has(ty)) if matches!(self.resolved(ty), Ty::Float(_)) => self.resolved(ty),
            _ => self.variables.fresh_float(),
        }
    }

    fn behind(&self, ty: &Ty) -> Ty {
        let mut ty = self.resolved(ty);
        while let Ty::Reference(_, inner) = ty {
            ty = self.resolved(&inner);
        }
        ty
    }

    fn is_scalar(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Integer(_) | Ty::Bool | Ty::Char | Ty::Float(_)) || self.variables.is_number(ty)
    }

    fn binary(&mut self, id: ExprId, operator: Operator, left: ExprId, right: ExprId) -> Ty {
        let left = self.value(left);
        let converted = self.is_converted(right);
        // A default value is one of the other side's type.
        let right = match (operator, self.is_default(right)) {
            (Operator::Compare(_), true) => self.expr(right, &Expected::Has(left.clone())),
            _ => self.value(right),
        };
        // Nothing else says into what: were there two types that numbers can be compared with, neither would be meant.
        if let (Operator::Compare(_), true, Ty::Integer(_), Ty::Variable(_)) =
            (operator, converted, self.resolved(&left), self.resolved(&right))
        {
            self.variables.unify(&left, &right);
        }
        if let (Operator::Compare(_), number @ Ty::Integer(_), open @ Ty::Variable(_)) =
            (operator, self.resolved(&left), self.resolved(&right))
            && !self.variables.is_integer_variable(&open)
            && self.is_compared_with_itself(&number)
        {
            self.variables.unify(&number, &open);
        }
        let overloaded =
            method_of(operator).and_then(|name| self.overloaded(id, name, &[left.clone(), right.clone()]));
        if let Some(ty) = overloaded {
            return ty;
        }
        self.operands(operator, &left, &right)
    }

    /// Whether no impl that is seen compares a number with something else: the standard library has none, and with one
    /// more the compiler would ask for the type.
    fn is_compared_with_itself(&self, number: &Ty) -> bool {
        let orders = ["cmp::PartialEq", "cmp::PartialOrd"];
        !self.context.impls.iter().any(|(id, target)| {
            target == number
                && matches!(self.context.trait_of(*id), Some(TraitName::Standard(path)) if orders.contains(&path.as_str()))
        })
    }

    fn is_converted(&self, id: ExprId) -> bool {
        matches!(&self.body.expr(id).kind, ExprKind::Method { name, arguments, .. } if name == "into" && arguments.is_empty())
    }

    fn is_default(&self, id: ExprId) -> bool {
        let ExprKind::Call(callee, arguments) = &self.body.expr(id).kind else { return false };
        match &self.body.expr(*callee).kind {
            ExprKind::Path(path) => {
                let target = self.context.items.resolve(path, Namespace::Values);
                let found = Resolved::Standard("default::Default::default".into());
                arguments.is_empty() && target.found == found
            }
            _ => false,
        }
    }

    /// Relates the operands of an operator; gives the type of its value.
    fn operands(&mut self, operator: Operator, left: &Ty, right: &Ty) -> Ty {
        let (one, other) = (self.resolved(left), self.resolved(right));
        if matches!(one, Ty::Variable(_)) && !self.is_scalar(&one) && self.is_scalar(&other) {
            // What the left one is may show later.
            let result = match operator {
                Operator::Compare(_) => Ty::Bool,
                _ => self.variables.fresh(),
            };
            self.waiting.push((operator, left.clone(), right.clone(), result.clone()));
            return result;
        }
        self.operands_now(operator, left, right)
    }

    /// Operators that waited for what their left operands are.
    pub(super) fn settle_operators(&mut self) {
        for (operator, left, right, result) in std::mem::take(&mut self.waiting) {
            match self.is_scalar(&self.resolved(&left)) {
                true => {
                    let ty = self.operands_now(operator, &left, &right);
                    self.variables.unify(&ty, &result);
                }
                false => [left, right, result].iter().for_each(|ty| self.variables.taint(ty)),
            }
        }
    }

    fn operands_now(&mut self, operator: Operator, left: &Ty, right: &Ty) -> Ty {
        if let Operator::Compare(comparison) = operator {
            let equality = matches!(comparison, CompareOp::Equal | CompareOp::NotEqual);
            if !equality || !self.by_only_equality(left, right) {
                self.compared(left, right);
            }
            return Ty::Bool;
        }
        let (left, right) = (self.behind(left), self.behind(right));
        let builtin = self.is_scalar(&left) && self.is_scalar(&right);
        match (builtin, operator) {
            (true, Operator::ShiftLeft | Operator::ShiftRight) => left,
            (true, _) => {
                self.variables.unify(&left, &right);
                left
            }
            (false, _) => {
                self.variables.taint(&left);
                self.variables.taint(&right);
                Ty::Opaque
            }
        }
    }

    fn compared(&mut self, left: &Ty, right: &Ty) {
        let (left, right) = (self.behind(left), self.behind(right));
        if let (Some(one), Some(other)) = (self.elements(&left), self.elements(&right)) {
            self.variables.unify(&one, &other);
            return;
        }
        if self.is_scalar(&left) && self.is_scalar(&right) || self.same_kind(&left, &right) {
            self.variables.unify(&left, &right);
        } else {
            self.variables.taint(&left);
            self.variables.taint(&right);
        }
    }

    /// The type of the elements of an array, a slice or what stands for one.
    pub(super) fn elements(&self, ty: &Ty) -> Option<Ty> {
        match self.indexed(ty) {
            Ty::Array(element, _) | Ty::Slice(element) => Some(*element),
            Ty::Str => Some(U8),
            _ => None,
        }
    }

    /// Types whose comparison is derived or built in: both sides are the same.
    fn same_kind(&self, left: &Ty, right: &Ty) -> bool {
        match (left, right) {
            (Ty::Adt(a, _), Ty::Adt(b, _)) => a == b,
            (Ty::Tuple(a), Ty::Tuple(b)) => a.len() == b.len(),
            (Ty::Array(..), Ty::Array(..)) | (Ty::Slice(_), Ty::Slice(_)) | (Ty::Str, Ty::Str) => true,
            _ => false,
        }
    }

    fn assign(&mut self, left: ExprId, right: ExprId) -> Ty {
        let body = self.body;
        let target = match &body.expr(left).kind {
            ExprKind::Underscore => {
                self.value(right);
                return Ty::UNIT;
            }
            _ => self.value(left),
        };
        self.check(right, &target);
        Ty::UNIT
    }

    fn is_list(&self, id: ExprId) -> bool {
        matches!(self.body.expr(id).kind, ExprKind::Array(_) | ExprKind::Table(..) | ExprKind::Repeat(..))
    }

    fn element(&mut self, expected: &Expected) -> Ty {
        match expected.known().map(|ty| self.resolved(ty)) {
            Some(Ty::Array(element, _) | Ty::Slice(element)) => *element,
            _ => self.variables.fresh(),
        }
    }

    /// The field of a structure that a name means in this body: what another crate keeps to itself is passed over.
    pub(super) fn meant_field(&self, id: AdtId, name: &str) -> Option<usize> {
        let items = self.context.items;
        let [only] = items.adt(id).variants.as_slice() else { return None };
        let (krate, module) = (self.krate(), items.adt(id).module);
        let is_meant = |field: &Field| field.name == name && items.can_use(krate, module, field.visibility);
        only.fields.iter().position(is_meant)
    }

    pub(super) fn field(&mut self, base: &Ty, name: &str) -> Ty {
        match self.behind_boxes(base) {
            Ty::Tuple(parts) => {
                name.parse::<usize>().ok().and_then(|index| parts.get(index).cloned()).unwrap_or(Ty::Opaque)
            }
            Ty::Adt(id, arguments) => match self.meant_field(id, name) {
                Some(index) => self.part_type(id, 0, index, &arguments),
                None => Ty::Opaque,
            },
            other => {
                self.variables.taint(&other);
                Ty::Opaque
            }
        }
    }

    /// What is behind references and boxes.
    fn behind_boxes(&self, ty: &Ty) -> Ty {
        match self.behind(ty) {
            Ty::Adt(id, arguments) if self.context.items.is_standard(id, "Box") => {
                arguments.first().map_or(Ty::Opaque, |inner| self.behind_boxes(inner))
            }
            ty => ty,
        }
    }

    /// What an index is applied to: an array, a slice or a text, behind all that stands for them.
    pub(super) fn indexed(&self, ty: &Ty) -> Ty {
        let mut ty = self.resolved(ty);
        while let Some(inner) = self.context.dereferenced(&ty) {
            ty = self.resolved(&inner);
        }
        ty
    }

    /// The type of the bounds of a range.
    fn bound_of(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Range(bound) => Some((**bound).clone()),
            Ty::Adt(_, arguments) if self.context.is_range(ty) => arguments.first().cloned(),
            _ => None,
        }
    }

    fn index(&mut self, id: ExprId, base: ExprId, index: ExprId) -> Ty {
        let place = base;
        let base = self.value(base);
        let base = match self.indexed(&base) {
            own @ Ty::Adt(..) if !self.may_be_indexed(&own) => {
                self.place_behind(place, &base).unwrap_or(base)
            }
            _ => base,
        };
        let at = self.value(index);
        let at = self.resolved(&at);
        if let Some(value) = self.map_index(id, &base, &at) {
            return value;
        }
        let usize = self.context.usize();
        match self.indexed(&base) {
            Ty::Str => match self.bound_of(&at) {
                Some(bound) => {
                    self.variables.unify(&bound, &usize);
                    Ty::Str
                }
                None => {
                    self.variables.taint(&at);
                    Ty::Opaque
                }
            },
            Ty::Array(element, _) | Ty::Slice(element) => {
                if at == usize || self.variables.is_integer_variable(&at) {
                    self.variables.unify(&at, &usize);
                    return *element;
                }
                if let Some(bound) = self.bound_of(&at) {
                    self.variables.unify(&bound, &usize);
                    return Ty::Slice(element);
                }
                if let Ty::Variable(_) = at {
                    let found = self.variables.fresh();
                    self.indexing.push(Indexing { at, element: *element, found: found.clone() });
                    return found;
                }
                self.variables.taint(&at);
                Ty::Opaque
            }
            _ => {
                self.variables.taint(&at);
                Ty::Opaque
            }
        }
    }

    /// What is indexed with something that nobody had said the type of is an element, or a part, as soon as somebody does.
    pub(super) fn settle_indices(&mut self) {
        let usize = self.context.usize();
        for indexing in std::mem::take(&mut self.indexing) {
            let at = self.resolved(&indexing.at);
            if at == usize || self.variables.is_integer_variable(&at) {
                self.variables.unify(&at, &usize);
                self.variables.unify(&indexing.found, &indexing.element);
            } else if let Some(bound) = self.bound_of(&at) {
                self.variables.unify(&bound, &usize);
                self.variables.unify(&indexing.found, &Ty::Slice(Box::new(indexing.element)));
            } else if let Ty::Variable(_) = at {
                self.indexing.push(indexing);
            } else {
                self.variables.taint(&indexing.found);
            }
        }
    }

    /// What is still open at the end is not understood.
    pub(super) fn doubt_indices(&mut self) {
        for indexing in std::mem::take(&mut self.indexing) {
            self.variables.taint(&indexing.at);
            self.variables.taint(&indexing.found);
        }
    }

    fn block(&mut self, statements: &[Statement], tail: Option<ExprId>, expected: &Expected) -> Ty {
        let mut diverges = false;
        for statement in statements {
            diverges |= self.statement(statement);
            self.settle_conversions();
            self.settle_indices();
        }
        match tail {
            Some(tail) => match self.expr(tail, expected) {
                _ if diverges => Ty::Never,
                ty => ty,
            },
            None if diverges => Ty::Never,
            None => Ty::UNIT,
        }
    }

    /// Whether control does not go on behind it.
    fn statement(&mut self, statement: &Statement) -> bool {
        match statement {
            Statement::Expr(id) => {
                let ty = self.value(*id);
                self.resolved(&ty) == Ty::Never
            }
            Statement::Let { pat, ty, init, otherwise, .. } => {
                let declared = ty.as_ref().map(|ty| self.ty(ty));
                let mut never = false;
                let ty = match (&declared, init) {
                    (Some(declared), Some(init)) => {
                        let found = self.expr(*init, &Expected::Has(declared.clone()));
                        self.coerce(&found, declared);
                        never = self.resolved(&found) == Ty::Never;
                        declared.clone()
                    }
                    (Some(declared), None) => declared.clone(),
                    (None, Some(init)) => {
                        let kept = self.kept_range(*init);
                        let found = self.expr(*init, &kept);
                        never = self.resolved(&found) == Ty::Never;
                        self.opened(&found)
                    }
                    (None, None) => self.variables.fresh(),
                };
                if let Some(otherwise) = otherwise {
                    self.value(*otherwise);
                }
                self.pattern(*pat, ty);
                never
            }
        }
    }

    /// A range that is kept, by a name or as a part of something, is a value with two fields.
    fn kept_range(&mut self, id: ExprId) -> Expected {
        let ExprKind::Range { low: Some(_), high, inclusive: false } = self.body.expr(id).kind else {
            return Expected::Nothing;
        };
        let bound = vec![self.variables.fresh()];
        let name = if high.is_some() { "ops::Range" } else { "ops::RangeFrom" };
        Expected::Has(self.context.standard_adt(name, bound))
    }

    /// A type that others may be unified with: `!` says nothing about it.
    fn opened(&mut self, ty: &Ty) -> Ty {
        match self.resolved(ty) {
            Ty::Never => self.variables.fresh(),
            ty => ty,
        }
    }

    fn for_branches(&self, expected: &Expected) -> Expected {
        match expected.known().map(|ty| self.resolved(ty)) {
            Some(Ty::Variable(_)) | None => Expected::Nothing,
            Some(ty) => Expected::Has(ty),
        }
    }

    /// The type of a choice between two values.
    fn common(&mut self, one: &Ty, other: &Ty, expected: &Expected) -> Ty {
        if let Expected::Has(ty) = expected {
            self.coerce(one, ty);
            self.coerce(other, ty);
            if self.resolved(one) == Ty::Never && self.resolved(other) == Ty::Never {
                return Ty::Never;
            }
            return ty.clone();
        }
        match (self.resolved(one), self.resolved(other)) {
            (Ty::Never, other) => other,
            (one, Ty::Never) => one,
            (one, other) => {
                self.variables.unify(&one, &other);
                one
            }
        }
    }

    fn match_expr(&mut self, scrutinee: ExprId, arms: &[Arm], expected: &Expected) -> Ty {
        let matched = self.value(scrutinee);
        let expected = self.for_branches(expected);
        let mut result = Ty::Never;
        for arm in arms {
            self.pattern(arm.pat, matched.clone());
            if let Some(guard) = arm.guard {
                self.check(guard, &Ty::Bool);
            }
            let found = self.expr(arm.body, &expected);
            result = self.common(&result, &found, &expected);
        }
        result
    }

    /// The type of what `for` draws from a value.
    pub(super) fn iterated(&mut self, ty: &Ty) -> Ty {
        match self.resolved(ty) {
            Ty::Range(bound) => *bound,
            Ty::Array(element, _) => *element,
            Ty::Reference(mutability, inner) => match self.indexed(&inner) {
                Ty::Array(element, _) | Ty::Slice(element) => Ty::Reference(mutability, element),
                _ => Ty::Opaque,
            },
            ty @ Ty::Adt(..) => match self.indexed(&ty) {
                Ty::Slice(element) => *element,
                _ => Ty::Opaque,
            },
            _ => Ty::Opaque,
        }
    }

    fn question(&mut self, inner: ExprId) -> Ty {
        let ty = self.value(inner);
        let items = self.context.items;
        match self.resolved(&ty) {
            Ty::Adt(id, arguments) if items.is_standard(id, "Option") || items.is_standard(id, "Result") => {
                arguments.first().cloned().unwrap_or(Ty::Opaque)
            }
            other => {
                self.variables.taint(&other);
                Ty::Opaque
            }
        }
    }
}

fn shared(ty: Ty) -> Ty {
    Ty::Reference(super::super::hir::Mutability::Shared, Box::new(ty))
}
