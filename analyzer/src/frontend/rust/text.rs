//! Text forms of the stages between the text and the program, for tests and for people.

use std::fmt::Write;

use super::context::Context;
use super::hir::{FnId, ModuleId, Mutability};
use super::items::{AdtKind, Definition, Items, Owner};
use super::lower::ProgramLowerer;
use super::types::{Ty, shown};
use crate::source::SourceFile;

/// Modules and what they declare, in order of names.
pub fn items(items: &Items, file: &SourceFile) -> String {
    let mut out = String::new();
    for index in 0..items.modules.len() {
        let id = ModuleId(index as u32);
        if items.is_own_module(id) {
            module(items, id, &mut out);
        }
    }
    for owner in items.impls.iter().filter(|owner| items.is_own_module(owner.module)) {
        let mut names: Vec<&String> = owner.functions.keys().chain(owner.constants.keys()).collect();
        names.sort();
        let of_trait = owner.of_trait.as_ref().map_or(String::new(), |path| format!("{} for ", path.text()));
        let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
        let _ = writeln!(out, "impl {of_trait}{:?}: {}", target(&owner.target), names.join(", "));
    }
    for (reason, span) in &items.unknown {
        let (line, column) = file.place(*span);
        let _ = writeln!(out, "unknown {line}:{column}: {reason}");
    }
    out
}

fn target(ty: &super::hir::TypeRef) -> String {
    match ty {
        super::hir::TypeRef::Path(path) => path.text(),
        super::hir::TypeRef::Reference(_, inner) => format!("&{}", target(inner)),
        super::hir::TypeRef::Pointer(Mutability::Shared, inner) => format!("*const {}", target(inner)),
        super::hir::TypeRef::Pointer(Mutability::Mutable, inner) => format!("*mut {}", target(inner)),
        _ => "_".into(),
    }
}

fn module(items: &Items, id: ModuleId, out: &mut String) {
    let module = items.module(id);
    let path = items.module_path(id);
    let name = if path.is_empty() { "crate".into() } else { format!("crate::{}", path.join("::")) };
    let block = if module.block { " (block)" } else { "" };
    let _ = writeln!(out, "module {name}{block}");
    let mut names: Vec<(&String, &Definition)> = module.types.iter().chain(&module.values).collect();
    names.sort_by_key(|(name, definition)| ((*name).clone(), kind(items, definition)));
    for (name, definition) in names {
        let _ = writeln!(out, "  {} {name}", kind(items, definition));
    }
    for import in &module.uses {
        let _ = writeln!(out, "  use {} = {}", import.name, import.path.text());
    }
    for glob in &module.globs {
        let _ = writeln!(out, "  use {}::*", glob.path.text());
    }
}

fn kind(items: &Items, definition: &Definition) -> &'static str {
    match definition {
        Definition::Module(_) => "module",
        Definition::Function(_) => "function",
        Definition::Adt(id) if items.adt(*id).kind == AdtKind::Enum => "enum",
        Definition::Adt(_) => "struct",
        Definition::Variant(..) => "constructor",
        Definition::Constant(_) => "constant",
        Definition::Trait(_) => "trait",
        Definition::Alias(_) => "alias",
        Definition::Opaque => "unknown",
    }
}

/// The types of all locals and calls, function by function.
pub fn types(context: &Context<'_>, file: &SourceFile) -> String {
    let mut out = String::new();
    for index in 0..context.items.functions.len() {
        let id = FnId(index as u32);
        let function = context.items.function(id);
        let Some(body) = context.items.body(id).filter(|_| context.items.is_own_module(function.module))
        else {
            continue;
        };
        if matches!(function.owner, Owner::Trait(_)) {
            continue;
        }
        let generics = context.items.generics_of(function);
        let arguments = generics.iter().map(|generic| Ty::Parameter(generic.name.clone())).collect();
        let mut program = ProgramLowerer::new(context, function.span);
        let instance = (id, arguments);
        let signature = program.signature(&instance);
        let Some((typing, _)) = program.typing(&instance, &signature) else { continue };
        let _ = writeln!(out, "fn {}", context.items.function_path(id));
        for (local, ty) in body.locals.iter().zip(&typing.locals) {
            let (line, column) = file.place(local.span);
            let _ = writeln!(out, "  {line}:{column} {}: {}", local.name, shown(context, ty));
        }
        for (index, expr) in body.exprs.iter().enumerate() {
            if let super::hir::ExprKind::Integer(value, _) = &expr.kind {
                let (line, column) = file.place(expr.span);
                let _ = writeln!(out, "  {line}:{column} {value}: {}", shown(context, &typing.exprs[index]));
            }
        }
    }
    out
}
