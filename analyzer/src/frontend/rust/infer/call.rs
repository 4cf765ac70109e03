//! Calls of paths.

use super::super::hir::{ExprId, ExprKind, FnId, Mutability, Path, TypeRef};
use super::super::std_table::{self, Meaning, SliceOp};
use super::super::types::{Length, Ty, U8, U32};
use super::method::COMPARING;
use super::path::Item;
use super::settle::Asking;
use super::traits::is_open;
use super::{Callee, Expected, Infer};

impl Infer<'_, '_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        callee: ExprId,
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let body = self.body;
        let item = match &body.expr(callee).kind {
            ExprKind::Path(path) => self.item(path),
            _ => {
                let ty = self.expr(callee, &Expected::Nothing);
                if let Some(ty) = self.call_value(id, &ty, arguments) {
                    return ty;
                }
                self.variables.taint(&ty);
                Item::Unknown
            }
        };
        match item {
            Item::Function(function, generics) => {
                if let Some(ty) = self.needs_drop(id, function, &generics) {
                    return ty;
                }
                self.call_function(id, function, generics, arguments, expected)
            }
            Item::Variant(adt, index, generics) => {
                self.typing.callees.insert(id, Callee::Variant(adt, index));
                let ty = Ty::Adt(adt, generics.clone());
                // What is expected of the whole says what its parts are, before they are looked at.
                if let Some(wanted) = expected.known().cloned() {
                    self.coerce(&ty, &wanted);
                }
                for (index_of, argument) in arguments.iter().enumerate() {
                    let wanted = self.part_type(adt, index, index_of, &generics);
                    self.check(*argument, &wanted);
                }
                self.settle(Asking::Type(adt), &generics);
                ty
            }
            Item::Several(candidates, otherwise) => {
                self.call_one_of(id, &candidates, otherwise, arguments, expected)
            }
            Item::OfTrait(seen, name) => self.call_of_trait(id, seen, &name, arguments, expected),
            Item::Associated(ty, name) => {
                match self.by_trait_of_std(id, callee, (&ty, &name), (arguments, expected)) {
                    Some(found) => found,
                    None => self.call_associated(id, &ty, &name, arguments),
                }
            }
            Item::Size(bytes) => {
                let usize = self.context.usize();
                self.typing.callees.insert(id, Callee::Number(bytes, usize.clone()));
                usize
            }
            Item::Standard(path) => {
                if let ExprKind::Path(written) = &body.expr(callee).kind {
                    if path == "mem::size_of"
                        && let Some(ty) = self.size_of(id, written)
                    {
                        return ty;
                    }
                    if path == "mem::align_of"
                        && let Some(ty) = self.align_of(id, written)
                    {
                        return ty;
                    }
                    if path == "kleene::about_bytes"
                        && let Some(ty) = self.about_bytes(id, written)
                    {
                        return ty;
                    }
                    if let ("mem::size_of_val", [only]) = (path.as_str(), arguments)
                        && let Some(ty) = self.size_of_value(id, *only)
                    {
                        return ty;
                    }
                    let named = (written.module, path.as_str());
                    if let Some(ty) = self.call_standard_trait(id, named, arguments, expected) {
                        return ty;
                    }
                }
                self.call_standard(id, &path, arguments, expected)
            }
            _ => self.call_unknown(id, "a function that is not in this file", arguments),
        }
    }

    pub(super) fn call_unknown(&mut self, id: ExprId, reason: &'static str, arguments: &[ExprId]) -> Ty {
        self.typing.callees.insert(id, Callee::Unknown(reason));
        for argument in arguments {
            let ty = self.expr(*argument, &Expected::Nothing);
            self.variables.taint(&ty);
        }
        Ty::Opaque
    }

    /// Types that a function's signature is read with, given those of its generic parameters.
    pub(super) fn signature(&mut self, function: FnId, generics: &[Ty]) -> (Vec<Ty>, Ty) {
        let found = self.context.items.function(function);
        let environment = self.context.environment_of(function, generics);
        let parameters = found.parameters.iter().map(|ty| self.context.type_of(ty, &environment)).collect();
        (parameters, self.context.type_of(&found.result, &environment))
    }

    /// What is expected of the result says what generic parameters are, as far as it is no coercion.
    pub(super) fn expect_result(
        &mut self,
        (function, generics): (FnId, &[Ty]),
        result: &Ty,
        expected: &Expected,
    ) {
        if let Some(wanted) = expected.known().map(|ty| self.resolved(ty))
            && !generics.is_empty()
            && !matches!(wanted, Ty::Never | Ty::Opaque | Ty::Reference(..))
        {
            self.variables.unify(result, &wanted);
            self.length((function, generics), &self.context.items.function(function).result, &wanted);
        }
    }

    /// Arrays among the arguments say what constant parameters are.
    pub(super) fn lengths(&mut self, function: FnId, generics: &[Ty], arguments: &[ExprId]) {
        let found = self.context.items.function(function);
        let skipped = found.parameters.len().saturating_sub(arguments.len());
        for (declared, argument) in found.parameters.iter().skip(skipped).zip(arguments) {
            let mut given = self.variables.known(&self.typing.exprs[argument.index()]);
            let mut declared = declared;
            while let TypeRef::Reference(_, inner) = declared {
                declared = inner;
                given = self.context.behind(&given);
            }
            self.length((function, generics), declared, &given);
        }
    }

    /// An array says what a constant parameter is that is its length where it is declared: `[T; N]`.
    fn length(&mut self, (function, generics): (FnId, &[Ty]), declared: &TypeRef, given: &Ty) {
        let (TypeRef::Array(_, length), Ty::Array(_, Length::Known(count))) = (declared, given) else {
            return;
        };
        let found = self.context.items.function(function);
        let root = self.context.items.constant(*length).body.as_ref();
        let named = root.and_then(|body| match &body.expr(body.root?).kind {
            ExprKind::Path(path) => path.single(),
            _ => None,
        });
        let own = generics.len() - found.generics.len();
        let at = found.generics.iter().position(|generic| Some(generic.name.as_str()) == named);
        if let Some(at) = at {
            self.variables.unify(&generics[own + at], &Ty::Constant(i128::from(*count)));
        }
    }

    /// The result of a call once its arguments have said what its generic parameters are: `T::Item`.
    pub(super) fn late_result(&mut self, function: FnId, generics: &[Ty], result: Ty) -> Ty {
        let is_open = |part: &Ty| match part {
            Ty::Array(_, length) => !length.is_known(),
            part => *part == Ty::Opaque,
        };
        if !result.any(&mut |part| is_open(part)) {
            return result;
        }
        let known: Vec<Ty> = generics.iter().map(|ty| self.variables.known(ty)).collect();
        self.context.unnamed(function, &known).unwrap_or_else(|| self.signature(function, &known).1)
    }

    /// What a function gives that stands for any value: what it declares, what is written, or what is expected.
    pub(super) fn any_value(&mut self, path: Option<&Path>, expected: &Expected) -> Ty {
        let declared = match path.map(|path| self.item(path)) {
            Some(Item::Function(function, generics)) => Some(self.signature(function, &generics).1),
            _ => None,
        };
        let written = path.and_then(|path| path.segments.last()).map(|last| last.arguments.clone());
        let ty = match (declared, written.as_deref()) {
            (Some(ty), _) => ty,
            (None, Some([written])) => self.ty(written),
            _ => self.variables.fresh(),
        };
        if let Some(wanted) = expected.known().cloned() {
            self.coerce(&ty, &wanted);
        }
        // A function of others that may say more about its result than we see.
        self.variables.taint(&ty);
        ty
    }

    pub(super) fn call_function(
        &mut self,
        id: ExprId,
        function: FnId,
        generics: Vec<Ty>,
        arguments: &[ExprId],
        expected: &Expected,
    ) -> Ty {
        let (parameters, result) = self.signature(function, &generics);
        if parameters.len() != arguments.len() {
            return self.call_unknown(id, "a call with another number of arguments", arguments);
        }
        self.expect_result((function, &generics), &result, expected);
        let asked = self.asked(function, &generics);
        let seen = match arguments {
            [before @ .., last] if self.takes_iterated(function, *last, &parameters) => before,
            all => all,
        };
        self.check_arguments(seen, &parameters, &asked);
        self.lengths(function, &generics, arguments);
        self.settle(Asking::Function(function), &generics);
        let result = self.late_result(function, &generics, result);
        self.typing.callees.insert(id, Callee::Function(function, generics));
        result
    }

    /// `u8::from(x)`, `i32::pow(a, b)`: operations of primitive types written as functions.
    pub(super) fn call_associated(&mut self, id: ExprId, ty: &Ty, name: &str, arguments: &[ExprId]) -> Ty {
        if let (Ty::Integer(integer), Some(method)) = (ty, std_table::find(ty, name)) {
            let expected = method.parameters.len() + usize::from(method.takes_self);
            if arguments.len() == expected {
                let mut wanted = Vec::new();
                if method.takes_self {
                    wanted.push(ty.clone());
                }
                wanted.extend(method.parameters.iter().map(|kind| kind.ty(*integer, self.context)));
                for (argument, wanted) in arguments.iter().zip(wanted) {
                    self.check(*argument, &wanted);
                }
                self.typing.callees.insert(id, Callee::Standard(method.meaning, ty.clone()));
                return method.result.ty(*integer, self.context);
            }
        }
        if let [one, _] = arguments
            && COMPARING.contains(&name)
        {
            self.check(*one, &Ty::Reference(Mutability::Shared, Box::new(ty.clone())));
            if let Some(result) = self.derived_method(id, ty, name, &arguments[1..]) {
                return result;
            }
        }
        if let ("from", [argument]) = (name, arguments)
            && let Some(ty) = self.made_of(id, ty, *argument)
        {
            return ty;
        }
        if let ("default", []) = (name, arguments) {
            self.typing.callees.insert(id, Callee::Standard(Meaning::Default, ty.clone()));
            return ty.clone();
        }
        if let ("from", [argument]) = (name, arguments) {
            let from = self.expr(*argument, &Expected::Nothing);
            let from = self.resolved(&from);
            let known = match (&from, ty) {
                (Ty::Integer(from), Ty::Integer(to)) => {
                    to.ty.contains(&from.ty.min()) && to.ty.contains(&from.ty.max())
                }
                (Ty::Bool, Ty::Integer(_)) => true,
                (Ty::Char, Ty::Integer(to)) => !to.ty.signed && to.ty.bits >= 32,
                (Ty::Integer(from), Ty::Char) => from.ty.bits == 8 && !from.ty.signed,
                (Ty::Integer(from), Ty::Float(bits)) => from.ty.bits <= bits / 2,
                (Ty::Float(32), Ty::Float(64)) => true,
                // What it is made of shows later.
                (Ty::Variable(_), Ty::Integer(_)) => true,
                _ => false,
            };
            if known {
                self.typing.callees.insert(id, Callee::Standard(Meaning::From, ty.clone()));
                return ty.clone();
            }
        }
        if let ("try_from", [argument], Ty::Array(..)) = (name, arguments, ty) {
            let from = self.expr(*argument, &Expected::Nothing);
            if matches!(self.indexed(&from), Ty::Slice(_)) {
                self.typing.callees.insert(id, Callee::Standard(Meaning::TryFrom, ty.clone()));
                let error = self.context.standard_adt("array::TryFromSliceError", Vec::new());
                return self.context.result_of(ty.clone(), error);
            }
        }
        if let ("try_from", [argument], Ty::Integer(_)) = (name, arguments, ty) {
            let from = self.expr(*argument, &Expected::Nothing);
            if let Ty::Integer(_) = self.resolved(&from) {
                self.typing.callees.insert(id, Callee::Standard(Meaning::TryFrom, ty.clone()));
                return self.context.result_of(ty.clone(), Ty::Opaque);
            }
        }
        self.call_unknown(id, "an associated function that is not known", arguments);
        // Many constructors give their own type; the table does not say so, so nobody knows.
        Ty::Opaque
    }

    /// `Type::from(value)`, where not all of the type is known and only one impl makes such a type of such a value.
    fn made_of(&mut self, id: ExprId, ty: &Ty, argument: ExprId) -> Option<Ty> {
        let known = self.variables.known(ty);
        let Ty::Adt(adt, _) = &known else { return None };
        if !is_open(&known) {
            return None;
        }
        let from = self.expr(argument, &Expected::Nothing);
        let from = self.variables.known(&from);
        let (function, generics) = self.by_only_target(&from, *adt, &known)?;
        Some(self.call_function(id, function, generics, &[argument], &Expected::Nothing))
    }

    fn call_standard(&mut self, id: ExprId, path: &str, arguments: &[ExprId], expected: &Expected) -> Ty {
        match (path, arguments) {
            ("cmp::min" | "cmp::max", [left, right]) => {
                let ty = self.expr(*left, expected);
                self.check(*right, &ty);
                let ty = self.resolved(&ty);
                let meaning = if path.ends_with("min") { Meaning::Min } else { Meaning::Max };
                let known = self.variables.known(&ty);
                if self.variables.is_integer_variable(&ty) || self.has_derived(&known, "Ord") {
                    self.typing.callees.insert(id, Callee::Standard(meaning, ty.clone()));
                    return ty;
                }
                self.variables.taint(&ty);
                self.typing.callees.insert(id, Callee::Unknown("a comparison of values of this type"));
                ty
            }
            (path, _) if path.starts_with("kleene::") => self.call_own(id, path, arguments, expected),
            ("process::exit" | "process::abort", _) => {
                self.call_unknown(id, "the end of the process", arguments);
                self.typing.callees.insert(id, Callee::Standard(Meaning::Exit, Ty::Never));
                Ty::Never
            }
            ("hint::black_box" | "convert::identity", [only]) => {
                let ty = self.expr(*only, expected);
                self.typing.callees.insert(id, Callee::Standard(Meaning::Identity, ty.clone()));
                ty
            }
            ("default::Default::default", []) => {
                let ty = expected.known().cloned().unwrap_or_else(|| self.variables.fresh());
                self.typing.callees.insert(id, Callee::Standard(Meaning::Default, ty.clone()));
                ty
            }
            ("mem::drop", [only]) => {
                let ty = self.expr(*only, &Expected::Nothing);
                self.typing.callees.insert(id, Callee::Standard(Meaning::Drop, ty));
                Ty::UNIT
            }
            _ => self.call_unknown(
                id,
                "a function of the standard library that is not in the table",
                arguments,
            ),
        }
    }

    /// What our own text of std is made of.
    fn call_own(&mut self, id: ExprId, path: &str, arguments: &[ExprId], expected: &Expected) -> Ty {
        let name = path.trim_start_matches("kleene::");
        let Some(op) = SliceOp::named(name) else {
            return self.call_unknown(id, "an operation that is not in the table", arguments);
        };
        let usize = self.context.usize();
        let wanted = expected.known().cloned();
        let first = arguments.first().map(|first| match op {
            SliceOp::Add | SliceOp::Sub => {
                self.check(*first, &usize);
                usize.clone()
            }
            SliceOp::Vector => {
                let items = wanted.as_ref().and_then(|wanted| self.elements(wanted));
                let items = items.map(|element| Ty::Array(Box::new(element), Length::Unknown));
                self.expr(*first, &items.map_or(Expected::Nothing, Expected::Has))
            }
            _ => self.expr(*first, &Expected::Nothing),
        });
        let first = first.map_or(Ty::Opaque, |first| self.resolved(&first));
        let element = self.elements(&first).unwrap_or(Ty::Opaque);
        for (index, argument) in arguments.iter().enumerate().skip(1) {
            let compares = matches!(
                op,
                SliceOp::Ordered | SliceOp::Equals | SliceOp::OrdersPlainly | SliceOp::HashesPlainly
            );
            if compares {
                self.expr(*argument, &Expected::Nothing);
                continue;
            }
            let ty = if op == SliceOp::Put && index == 2 { element.clone() } else { usize.clone() };
            self.check(*argument, &ty);
        }
        let ty = match op {
            SliceOp::Empty => Ty::Slice(Box::new(self.variables.fresh())),
            SliceOp::Vector => self.context.vec_of(element),
            SliceOp::Repeat => Ty::Slice(Box::new(first)),
            SliceOp::Get => element,
            SliceOp::Part => first,
            SliceOp::Unseen | SliceOp::Chosen | SliceOp::Transmute => self.variables.fresh(),
            SliceOp::Add | SliceOp::Sub | SliceOp::Fresh | SliceOp::Sight => usize,
            SliceOp::Retype if name == "lent" => Ty::Reference(Mutability::Mutable, Box::new(first)),
            SliceOp::Retype if name == "letter" => Ty::Char,
            SliceOp::Retype if name == "bits32" => U32,
            SliceOp::Retype if name == "bits64" => self.context.primitive("u64"),
            SliceOp::Retype if name.starts_with("float") => {
                self.context.primitive(if name == "float32" { "f32" } else { "f64" })
            }
            SliceOp::Retype if name == "text" => Ty::Reference(Mutability::Shared, Box::new(Ty::Str)),
            SliceOp::Retype => Ty::Reference(Mutability::Shared, Box::new(Ty::Slice(Box::new(U8)))),
            SliceOp::Boundary | SliceOp::Contains | SliceOp::Writes | SliceOp::ClonesPlainly => Ty::Bool,
            SliceOp::Cloned => first,
            SliceOp::Equals | SliceOp::OrdersPlainly | SliceOp::HashesPlainly => Ty::Bool,
            SliceOp::Ordered => self.context.ordering(),
            _ => Ty::UNIT,
        };
        if let Some(wanted) = wanted {
            self.coerce(&ty, &wanted);
        }
        self.typing.callees.insert(id, Callee::Standard(Meaning::Slice(op), ty.clone()));
        ty
    }
}
