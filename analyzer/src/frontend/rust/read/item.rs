//! Items: modules, functions, types, impls, constants, imports.

use std::sync::OnceLock;

use super::super::cfg::{self, Kept};
use super::super::hir::{
    AdtId, AliasId, ConstId, FnId, ImplId, ModuleId, Mutability, Path, Segment, TraitId, TypeRef,
};
use super::super::items::{
    Adt, AdtKind, Alias, Arrangement, Constant, ConstantKind, Definition, Field, Function, Generic,
    GenericKind, Glob, Impl, Owner, Shape, Trait, Use, Variant, Visibility, Written,
};
use super::super::reach::Reach;
use super::lifetimes::{has_lifetime_of_result, has_own_lifetime, is_brief, names_lifetime};
use super::types::name_of;
use super::{Reader, Text, bounds, new_module};

impl<'s> Reader<'_, 's> {
    pub(super) fn item_list(&mut self, items: &'s [syn::Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    pub(super) fn item(&mut self, item: &'s syn::Item) {
        let kept = self.configuration.keeps(attributes(item));
        if kept == Kept::Left {
            self.note_tests(item);
            return;
        }
        if matches!(kept, Kept::Rewritten | Kept::Undecided)
            && !matches!(item, syn::Item::Fn(_) | syn::Item::Struct(_) | syn::Item::Enum(_))
        {
            let span = self.places.of(item);
            self.unknown("an attribute of others on an item", span);
            self.unknown_macros(item);
            self.items.modules[self.module.index()].opaque = true;
            return;
        }
        if let Some((name, syn::Visibility::Public(_))) = declared(item) {
            self.items.modules[self.module.index()].exported.insert(name_of(name));
        }
        let module = self.module;
        self.items.set_reach(module, item);
        match item {
            syn::Item::Fn(item) => {
                let opaque = doubt(kept);
                let id = self.function(&item.sig, Some(&item.block), visibility(&item.vis), opaque);
                self.note_test(item, id);
                self.define_value(name_of(&item.sig.ident), Definition::Function(id));
            }
            syn::Item::Struct(item) => self.structure(item, kept),
            syn::Item::Enum(item) => self.enumeration(item, kept),
            syn::Item::Const(item) => {
                let name = name_of(&item.ident);
                let id = self.constant(&name, &item.ty, Some(&item.expr), ConstantKind::Constant);
                if name != "_" {
                    self.define_value(name, Definition::Constant(id));
                }
            }
            syn::Item::Static(item) => {
                let kind = match item.mutability {
                    syn::StaticMutability::None => ConstantKind::Static,
                    _ => ConstantKind::StaticMut,
                };
                let name = name_of(&item.ident);
                let id = self.constant(&name, &item.ty, Some(&item.expr), kind);
                self.define_value(name, Definition::Constant(id));
            }
            syn::Item::Mod(item) => self.module_item(item),
            syn::Item::Use(item) => {
                let reach = self.items.reach(self.module, &item.vis);
                let from = (item.leading_colon.is_some(), visibility(&item.vis), reach);
                self.use_tree(&item.tree, &mut Vec::new(), from);
            }
            syn::Item::Impl(item) => self.impl_item(item),
            syn::Item::Trait(item) => self.trait_item(item),
            syn::Item::Type(item) => {
                let (generics, ty) = (self.generics(&item.generics), self.type_ref(&item.ty));
                self.items.aliases.push(Alias { generics, ty });
                let id = AliasId(self.items.aliases.len() as u32 - 1);
                self.define_type(name_of(&item.ident), Definition::Alias(id));
            }
            syn::Item::Union(item) => self.union(item),
            // Nothing that compiles has one.
            syn::Item::Macro(item) if item.mac.path.is_ident("compile_error") => {}
            syn::Item::Macro(item) => self.macro_item(item),
            syn::Item::ExternCrate(item) => self.extern_crate(item),
            syn::Item::ForeignMod(item) => {
                for item in &item.items {
                    let name = match item {
                        syn::ForeignItem::Fn(function) => &function.sig.ident,
                        syn::ForeignItem::Static(found) => &found.ident,
                        _ => continue,
                    };
                    self.define_value(name_of(name), Definition::Opaque);
                }
            }
            other => {
                let span = self.places.of(other);
                self.unknown("an item of this kind", span);
                self.items.modules[self.module.index()].opaque = true;
            }
        }
    }

    fn macro_item(&mut self, item: &'s syn::ItemMacro) {
        if self.define_macro(item, true).is_none() {
            self.item_call(item);
        }
    }

    /// Macros that come from an item which is not looked into hide those of the same names.
    fn unknown_macros(&mut self, item: &syn::Item) {
        match item {
            syn::Item::Macro(item) => drop(self.define_macro(item, false)),
            syn::Item::Mod(item) if self.has_attribute(&item.attrs, "macro_use") => self.hide_macros(),
            _ => {}
        }
    }

    /// Any macro may be declared in what is not seen here.
    fn hide_macros(&mut self) {
        let unknown = self.macros.define(None);
        self.macros.declare(&mut self.standing, None, unknown);
    }

    fn define_type(&mut self, name: String, definition: Definition) {
        self.items.modules[self.module.index()].types.insert(name, definition);
    }

    fn define_value(&mut self, name: String, definition: Definition) {
        self.items.modules[self.module.index()].values.insert(name, definition);
    }

    fn module_item(&mut self, item: &'s syn::ItemMod) {
        let texts = self.texts;
        // Where its own text follows, nobody asks where it stands.
        let span = match item.content {
            Some(_) => self.places.span(item.mod_token.span),
            None => self.places.of(item),
        };
        let known = self.text_of_module(item, span.start).filter(|_| item.content.is_none());
        let text = known.unwrap_or(Err("a module in a file of its own"));
        let inner = text.ok().map(|text| &texts.list[text].syntax);
        let kept = inner.map_or(Kept::Plain, |syntax| self.configuration.keeps(&syntax.attrs));
        if item.content.is_none() && kept == Kept::Left {
            return;
        }
        let mut module = new_module(name_of(&item.ident), Some(self.module), self.krate());
        module.opaque = item.content.is_none() && (text.is_err() || kept != Kept::Plain);
        module.made = self.standing.is_expanded();
        module.end =
            item.content.as_ref().map(|(brace, _)| self.places.span(brace.span.close()).start as usize);
        self.items.modules.push(module);
        let id = ModuleId(self.items.modules.len() as u32 - 1);
        self.define_type(name_of(&item.ident), Definition::Module(id));
        let around = (std::mem::replace(&mut self.module, id), self.text, self.standing);
        match (&item.content, text, inner) {
            (Some((_, items)), ..) => self.item_list(items),
            (None, Ok(text), Some(syntax)) => {
                self.turn_to(text);
                self.item_list(&syntax.items);
            }
            (None, Err(reason), _) => self.unknown(reason, span),
            (None, Ok(_), None) => {}
        }
        let lets_macros_out = self.has_attribute(&item.attrs, "macro_use")
            || item.content.is_none() && inner.is_some_and(|it| self.has_attribute(&it.attrs, "macro_use"));
        self.module = around.0;
        self.turn_to(around.1);
        if !lets_macros_out {
            self.standing = around.2;
        } else if item.content.is_none() && inner.is_none() {
            self.hide_macros();
        }
    }

    /// `extern crate alloc;` is an import of a crate under its own name.
    fn extern_crate(&mut self, item: &'s syn::ItemExternCrate) {
        let name = name_of(&item.ident);
        let shown = item.rename.as_ref().map_or(name.clone(), |(_, rename)| name_of(rename));
        if shown == "_" {
            return;
        }
        if self.has_attribute(&item.attrs, "macro_use") {
            self.use_macros_of(&name);
        }
        let is_own = name == "self";
        let name = if is_own { "crate".into() } else { name };
        let segments = vec![Segment { name, arguments: Vec::new() }];
        let path = Path { module: self.module, global: !is_own, qself: None, segments };
        let reach = self.items.reach(self.module, &item.vis);
        let found = Use { name: shown, path, visibility: visibility(&item.vis), reach, only_module: true };
        self.items.modules[self.module.index()].uses.push(found);
    }

    fn use_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<Segment>, from: (bool, Visibility, Reach)) {
        let (global, visibility, reach) = from;
        let segment = |name: String| Segment { name, arguments: Vec::new() };
        let module = self.module;
        let at_root = self.items.crate_of(module).begins_at_root();
        let root = self.items.crate_of(module).root;
        let path = |segments: Vec<Segment>| {
            let relative =
                segments.first().is_some_and(|first| matches!(first.name.as_str(), "self" | "super"));
            let module = if at_root && !relative { root } else { module };
            Path { module, global, qself: None, segments }
        };
        match tree {
            syn::UseTree::Path(inner) => {
                before.push(segment(name_of(&inner.ident)));
                self.use_tree(&inner.tree, before, from);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, before, from);
                }
            }
            syn::UseTree::Glob(_) => {
                let path = path(before.clone());
                self.items.modules[module.index()].globs.push(Glob { path, reach });
            }
            syn::UseTree::Name(_) | syn::UseTree::Rename(_) => {
                let (last, name) = match tree {
                    syn::UseTree::Rename(renamed) => (name_of(&renamed.ident), name_of(&renamed.rename)),
                    syn::UseTree::Name(name) => (name_of(&name.ident), name_of(&name.ident)),
                    _ => return,
                };
                let mut segments = before.clone();
                let mut name = name;
                let only_module = last == "self" && !segments.is_empty();
                if last == "self" {
                    if let (syn::UseTree::Name(_), Some(inner)) = (tree, segments.last()) {
                        name = inner.name.clone();
                    }
                } else {
                    segments.push(segment(last));
                }
                let path = path(segments);
                if let Some(definition) =
                    path.single().and_then(|name| self.macros.in_scope(self.standing, name))
                {
                    self.macros.import(module, name.clone(), definition);
                }
                let found = Use { name, path, visibility, reach, only_module };
                self.items.modules[module.index()].uses.push(found);
            }
        }
    }

    pub(super) fn generics(&mut self, generics: &'s syn::Generics) -> Vec<Generic> {
        let mut found = Vec::new();
        for parameter in &generics.params {
            match parameter {
                syn::GenericParam::Type(ty) => {
                    let name = name_of(&ty.ident);
                    let bounds = bounds::of(&name, &ty.bounds, generics.where_clause.as_ref());
                    let default = ty.default.as_ref().map(|(_, ty)| self.type_ref(ty));
                    found.push(Generic { default, ..Generic::plain(name, bounds) });
                }
                syn::GenericParam::Const(constant) => {
                    let name = name_of(&constant.ident);
                    let ty = self.type_ref(&constant.ty);
                    let default = constant.default.as_ref();
                    let default =
                        default.map(|(_, expr)| TypeRef::Const(self.anonymous(expr, TypeRef::Infer)));
                    found.push(Generic {
                        name,
                        kind: GenericKind::Constant,
                        bounds: bounds::of_constant(&constant.ty),
                        constant: Some(ty),
                        default,
                    });
                }
                syn::GenericParam::Lifetime(_) => {}
            }
        }
        found
    }

    fn function(
        &mut self,
        sig: &'s syn::Signature,
        block: Option<&'s syn::Block>,
        visibility: Visibility,
        opaque: Option<&'static str>,
    ) -> FnId {
        // Items inside the body are numbered after this one, so its place is taken first.
        let id = FnId(self.items.functions.len() as u32);
        let mut generics = self.generics(&sig.generics);
        let mut predicates = self.predicates(&sig.generics);
        let opaque = opaque.or_else(|| {
            if sig.asyncness.is_some() {
                Some("an async function")
            } else if sig.variadic.is_some() {
                Some("a variadic function")
            } else {
                None
            }
        });
        let mut parameters = Vec::new();
        for input in &sig.inputs {
            let anonymous = match input {
                syn::FnArg::Typed(typed) => self.anonymous_type(&typed.ty, &mut generics, &mut predicates),
                syn::FnArg::Receiver(_) => None,
            };
            parameters.push(match anonymous {
                Some(ty) => ty,
                None => self.parameter_type(input),
            });
        }
        let result = match &sig.output {
            syn::ReturnType::Default => TypeRef::Tuple(Vec::new()),
            syn::ReturnType::Type(_, ty) => self.type_ref(ty),
        };
        let mut gives = Vec::new();
        if let syn::ReturnType::Type(_, ty) = &sig.output
            && let syn::Type::ImplTrait(unnamed) = &**ty
        {
            self.asked(&TypeRef::Opaque, &unnamed.bounds, &mut gives);
        }
        self.items.functions.push(Function {
            name: name_of(&sig.ident),
            module: self.module,
            owner: self.owner,
            generics,
            predicates,
            parameters,
            alone: sig.inputs.iter().map(has_own_lifetime).collect(),
            brief: sig.inputs.iter().map(|input| is_brief(input, &sig.generics)).collect(),
            kept: sig.inputs.iter().map(|input| has_lifetime_of_result(input, &sig.output)).collect(),
            takes_self: matches!(sig.inputs.first(), Some(syn::FnArg::Receiver(_))),
            result,
            gives,
            visibility,
            is_unsafe: matches!(sig.safety, syn::Safety::Unsafe(_)),
            opaque,
            written: Written::Nothing,
            span: self.places.of(sig),
        });
        if let (Some(block), None) = (block, opaque) {
            match self.late(sig, block) {
                Some(late) => self.items.functions[id.index()].written = late,
                None => self.later(Text::Function(id, sig, block)),
            }
        }
        id
    }

    /// A body that can wait until somebody asks for it.
    fn late(&self, sig: &syn::Signature, block: &syn::Block) -> Option<Written> {
        if self.left.is_empty() {
            return None;
        }
        let open = self.places.span(block.brace_token.span.open());
        let end = *self.left.get(&open.start)?;
        let text = self.places.of(sig).start as usize..end as usize;
        Some(Written::Late(text, OnceLock::new()))
    }

    fn parameter_type(&mut self, input: &'s syn::FnArg) -> TypeRef {
        match input {
            syn::FnArg::Typed(typed) => self.type_ref(&typed.ty),
            syn::FnArg::Receiver(receiver) => {
                let segment = Segment { name: "Self".into(), arguments: Vec::new() };
                let path = Path { module: self.module, global: false, qself: None, segments: vec![segment] };
                let own = TypeRef::Path(path);
                match &receiver.kind {
                    syn::ReceiverKind::Value => own,
                    syn::ReceiverKind::Reference(_, _, mutable) => {
                        let mutability =
                            if mutable.is_some() { Mutability::Mutable } else { Mutability::Shared };
                        TypeRef::Reference(mutability, Box::new(own))
                    }
                    syn::ReceiverKind::Typed(_, ty) => self.type_ref(ty),
                    _ => TypeRef::Opaque,
                }
            }
        }
    }

    fn constant(
        &mut self,
        name: &str,
        ty: &'s syn::Type,
        expr: Option<&'s syn::Expr>,
        kind: ConstantKind,
    ) -> ConstId {
        let ty_ref = self.type_ref(ty);
        let id = ConstId(self.items.constants.len() as u32);
        self.items.constants.push(Constant {
            name: name.to_string(),
            module: self.module,
            owner: self.owner,
            ty: ty_ref,
            kind,
            body: None,
            span: self.places.of(ty),
            is_public: false,
        });
        if let Some(expr) = expr {
            self.later(Text::Constant(id, expr));
        }
        id
    }

    fn structure(&mut self, item: &'s syn::ItemStruct, kept: Kept) {
        self.undecided.set(false);
        let variant = self.variant(name_of(&item.ident), &item.fields, None);
        let shape = variant.shape;
        let id = self.adt(
            &item.ident,
            AdtKind::Struct,
            &item.generics,
            vec![variant],
            (&item.attrs, kept, &item.vis),
        );
        let name = name_of(&item.ident);
        self.define_type(name.clone(), Definition::Adt(id));
        if shape != Shape::Named {
            self.define_value(name, Definition::Variant(id, 0));
        }
    }

    /// What is in a union nobody knows.
    fn union(&mut self, item: &'s syn::ItemUnion) {
        let name = name_of(&item.ident);
        let variant = Variant {
            name: name.clone(),
            fields: Vec::new(),
            shape: Shape::Named,
            discriminant: None,
            is_default: false,
            is_extensible: false,
        };
        let kept = (item.attrs.as_slice(), Kept::Rewritten, &item.vis);
        let id = self.adt(&item.ident, AdtKind::Struct, &item.generics, vec![variant], kept);
        self.define_type(name, Definition::Adt(id));
    }

    /// A structure around a value that nobody knows.
    pub(super) fn wrapper(&mut self, name: String) {
        let ty = TypeRef::Opaque;
        let fields = vec![Field { name: "bits".into(), ty, visibility: Visibility::Private }];
        let variants = vec![Variant {
            name: name.clone(),
            fields,
            shape: Shape::Named,
            discriminant: None,
            is_default: false,
            is_extensible: false,
        }];
        self.items.adts.push(Adt {
            name: name.clone(),
            module: self.module,
            kind: AdtKind::Struct,
            generics: Vec::new(),
            predicates: Vec::new(),
            variants,
            derives: Default::default(),
            opaque: false,
            is_extensible: false,
            alignment: 0,
            arranged: Arrangement::Free,
            visibility: Visibility::Public,
        });
        let id = AdtId(self.items.adts.len() as u32 - 1);
        self.define_type(name, Definition::Adt(id));
    }

    fn enumeration(&mut self, item: &'s syn::ItemEnum, kept: Kept) {
        self.undecided.set(false);
        let mut variants = Vec::new();
        for variant in &item.variants {
            if self.keeps(&variant.attrs) == Kept::Left {
                continue;
            }
            let discriminant = variant.discriminant.as_ref().map(|(_, expr)| expr);
            let found = self.variant(name_of(&variant.ident), &variant.fields, discriminant);
            let has = |name: &str| variant.attrs.iter().any(|attribute| attribute.path().is_ident(name));
            let (is_default, is_extensible) = (has("default"), has("non_exhaustive"));
            variants.push(Variant { is_default, is_extensible, ..found });
        }
        let id =
            self.adt(&item.ident, AdtKind::Enum, &item.generics, variants, (&item.attrs, kept, &item.vis));
        self.define_type(name_of(&item.ident), Definition::Adt(id));
    }

    fn adt(
        &mut self,
        ident: &syn::Ident,
        kind: AdtKind,
        generics: &'s syn::Generics,
        variants: Vec<Variant>,
        (attributes, kept, vis): (&[syn::Attribute], Kept, &syn::Visibility),
    ) -> AdtId {
        let predicates = self.predicates(generics);
        let generics = self.generics(generics);
        let derives = cfg::derives(self.configuration, attributes).into_iter().collect();
        self.items.adts.push(Adt {
            name: name_of(ident),
            module: self.module,
            kind,
            generics,
            predicates,
            variants,
            derives,
            opaque: kept != Kept::Plain || self.undecided.get(),
            is_extensible: attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive")),
            alignment: cfg::alignment(self.configuration, attributes),
            arranged: cfg::arrangement(self.configuration, attributes),
            visibility: visibility(vis),
        });
        AdtId(self.items.adts.len() as u32 - 1)
    }

    fn variant(
        &mut self,
        name: String,
        fields: &'s syn::Fields,
        discriminant: Option<&'s syn::Expr>,
    ) -> Variant {
        let shape = match fields {
            syn::Fields::Unit => Shape::Unit,
            syn::Fields::Unnamed(_) => Shape::Tuple,
            syn::Fields::Named(_) => Shape::Named,
        };
        let mut found = Vec::new();
        for field in fields {
            if self.keeps(&field.attrs) == Kept::Left {
                continue;
            }
            let name = field.ident.as_ref().map_or_else(|| found.len().to_string(), name_of);
            let ty = self.type_ref(&field.ty);
            found.push(Field { name, ty, visibility: visibility(&field.vis) });
        }
        let discriminant = discriminant.map(|expr| self.anonymous(expr, TypeRef::Infer));
        Variant { name, fields: found, shape, discriminant, is_default: false, is_extensible: false }
    }

    fn impl_item(&mut self, item: &'s syn::ItemImpl) {
        let generics = self.generics(&item.generics);
        let predicates = self.predicates(&item.generics);
        let target = self.type_ref(&item.self_ty);
        let of_trait = item.trait_.as_ref().map(|(path, _)| self.path(path));
        let id = ImplId(self.items.impls.len() as u32);
        self.items.impls.push(Impl {
            module: self.module,
            generics,
            predicates,
            target,
            of_trait,
            functions: Default::default(),
            constants: Default::default(),
            types: Default::default(),
            opaque: false,
        });
        let around = std::mem::replace(&mut self.owner, Owner::Impl(id));
        for item in &item.items {
            self.impl_member(id, item);
        }
        self.owner = around;
        for member in &item.items {
            if let syn::ImplItem::Fn(member) = member {
                self.kept_by_self(id, member, &item.self_ty);
            }
        }
    }

    /// `-> Self` names the lifetimes that the type of the impl names.
    fn kept_by_self(&mut self, id: ImplId, member: &syn::ImplItemFn, own: &syn::Type) {
        let is_self = match &member.sig.output {
            syn::ReturnType::Type(_, ty) => {
                matches!(&**ty, syn::Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self"))
            }
            syn::ReturnType::Default => false,
        };
        let named = self.items.impls[id.index()].functions.get(&name_of(&member.sig.ident)).copied();
        let (true, Some(function)) = (is_self && !self.leaves_out(&member.attrs), named) else { return };
        let is_named = |input: &syn::FnArg| match input {
            syn::FnArg::Typed(typed) => match &*typed.ty {
                syn::Type::Reference(lent) => {
                    lent.lifetime.as_ref().is_some_and(|found| names_lifetime(own, found))
                }
                _ => false,
            },
            syn::FnArg::Receiver(_) => false,
        };
        let kept = &mut self.items.functions[function.index()].kept;
        kept.iter_mut().zip(&member.sig.inputs).for_each(|(kept, input)| *kept |= is_named(input));
    }

    fn impl_member(&mut self, id: ImplId, item: &'s syn::ImplItem) {
        match item {
            syn::ImplItem::Fn(item) => {
                let kept = self.configuration.keeps(&item.attrs);
                if kept == Kept::Left {
                    return;
                }
                let opaque = doubt(kept);
                let function = self.function(&item.sig, Some(&item.block), visibility(&item.vis), opaque);
                let name = name_of(&item.sig.ident);
                self.items.impls[id.index()].functions.insert(name, function);
            }
            syn::ImplItem::Const(item) => {
                let kept = self.configuration.keeps(&item.attrs);
                self.items.impls[id.index()].opaque |= kept == Kept::Undecided;
                if matches!(kept, Kept::Plain | Kept::Rewritten) {
                    let name = name_of(&item.ident);
                    let constant = self.constant(&name, &item.ty, Some(&item.expr), ConstantKind::Constant);
                    self.items.constants[constant.index()].is_public =
                        visibility(&item.vis) == Visibility::Public;
                    self.items.impls[id.index()].constants.insert(name, constant);
                }
            }
            syn::ImplItem::Type(item) if self.configuration.keeps(&item.attrs) == Kept::Undecided => {
                self.unknown_member(id, item);
            }
            syn::ImplItem::Type(item) if self.leaves_out(&item.attrs) => {}
            syn::ImplItem::Type(item) => {
                let ty = self.type_ref(&item.ty);
                self.items.impls[id.index()].types.insert(name_of(&item.ident), ty);
            }
            syn::ImplItem::Macro(item) if self.leaves_out(&item.attrs) => {}
            syn::ImplItem::Macro(item) => match self.member_call(&item.mac) {
                Some((members, inside)) => {
                    let around = std::mem::replace(&mut self.standing, inside);
                    members.iter().for_each(|member| self.impl_member(id, member));
                    self.standing = around;
                }
                None => self.unknown_member(id, &item.mac),
            },
            other => self.unknown_member(id, other),
        }
    }

    fn unknown_member(&mut self, id: ImplId, member: &impl syn::spanned::Spanned) {
        let span = self.places.of(member);
        self.unknown("a macro inside an impl", span);
        self.items.impls[id.index()].opaque = true;
    }

    fn trait_item(&mut self, item: &'s syn::ItemTrait) {
        let id = TraitId(self.items.traits.len() as u32);
        let name = name_of(&item.ident);
        let own = Generic::plain("Self".into(), None);
        let generics = [own].into_iter().chain(self.generics(&item.generics)).collect();
        let mut predicates = self.predicates(&item.generics);
        let subject = self.named("Self".into());
        self.asked(&subject, &item.supertraits, &mut predicates);
        self.items.traits.push(Trait {
            name: name.clone(),
            module: self.module,
            generics,
            predicates,
            functions: Default::default(),
            constants: Default::default(),
            opaque: false,
        });
        self.define_type(name, Definition::Trait(id));
        let around = std::mem::replace(&mut self.owner, Owner::Trait(id));
        for item in &item.items {
            self.trait_member(id, item);
        }
        self.owner = around;
    }

    fn trait_member(&mut self, id: TraitId, item: &'s syn::TraitItem) {
        match self.configuration.keeps(member_attributes(item)) {
            Kept::Left => return,
            Kept::Undecided => {
                self.items.traits[id.index()].opaque = true;
                return;
            }
            Kept::Plain | Kept::Rewritten => {}
        }
        match item {
            syn::TraitItem::Fn(item) => {
                let function = self.function(&item.sig, item.default.as_ref(), Visibility::Private, None);
                self.items.traits[id.index()].functions.insert(name_of(&item.sig.ident), function);
            }
            syn::TraitItem::Const(item) => {
                let name = name_of(&item.ident);
                let default = item.default.as_ref().map(|(_, expr)| expr);
                let constant = self.constant(&name, &item.ty, default, ConstantKind::Constant);
                self.items.traits[id.index()].constants.insert(name, constant);
            }
            syn::TraitItem::Macro(item) => match self.trait_call(&item.mac) {
                Some((members, inside)) => {
                    let around = std::mem::replace(&mut self.standing, inside);
                    members.iter().for_each(|member| self.trait_member(id, member));
                    self.standing = around;
                }
                None => self.items.traits[id.index()].opaque = true,
            },
            syn::TraitItem::Verbatim(_) => self.items.traits[id.index()].opaque = true,
            _ => {}
        }
    }
}

fn member_attributes(member: &syn::TraitItem) -> &[syn::Attribute] {
    match member {
        syn::TraitItem::Const(item) => &item.attrs,
        syn::TraitItem::Fn(item) => &item.attrs,
        syn::TraitItem::Type(item) => &item.attrs,
        syn::TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// Why a function is not looked into.
fn doubt(kept: Kept) -> Option<&'static str> {
    match kept {
        Kept::Rewritten => Some("an attribute of others on a function"),
        Kept::Undecided => Some(super::UNDECIDED),
        Kept::Left | Kept::Plain => None,
    }
}

pub(super) fn visibility(vis: &syn::Visibility) -> Visibility {
    match vis {
        syn::Visibility::Public(_) => Visibility::Public,
        syn::Visibility::Inherited => Visibility::Private,
        _ => Visibility::Restricted,
    }
}

/// The name that an item declares, and who may use it.
fn declared(item: &syn::Item) -> Option<(&syn::Ident, &syn::Visibility)> {
    Some(match item {
        syn::Item::Const(item) => (&item.ident, &item.vis),
        syn::Item::Enum(item) => (&item.ident, &item.vis),
        syn::Item::Fn(item) => (&item.sig.ident, &item.vis),
        syn::Item::Mod(item) => (&item.ident, &item.vis),
        syn::Item::Static(item) => (&item.ident, &item.vis),
        syn::Item::Struct(item) => (&item.ident, &item.vis),
        syn::Item::Trait(item) => (&item.ident, &item.vis),
        syn::Item::Type(item) => (&item.ident, &item.vis),
        syn::Item::Union(item) => (&item.ident, &item.vis),
        _ => return None,
    })
}

pub fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::ExternCrate(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::ForeignMod(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::TraitAlias(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Union(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
