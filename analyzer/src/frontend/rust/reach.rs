//! From where a name can be seen: a glob brings in what its module has for whoever asks.

use super::defs::Namespace;
use super::hir::ModuleId;
use super::items::Items;
use super::read::name_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    Everywhere,
    /// In this module and those inside of it.
    Within(ModuleId),
    Unknown,
}

impl Reach {
    pub fn is_everywhere(self) -> bool {
        self == Reach::Everywhere
    }
}

impl Items {
    /// Whether code of a module sees what reaches so far; `None`: it may.
    pub fn sees(&self, from: ModuleId, reach: Reach) -> Option<bool> {
        match reach {
            Reach::Everywhere => Some(true),
            Reach::Within(around) => Some(self.is_within(from, around)),
            Reach::Unknown => None,
        }
    }

    fn is_within(&self, module: ModuleId, around: ModuleId) -> bool {
        std::iter::successors(Some(module), |id| self.module(*id).parent).any(|at| at == around)
    }

    /// How far a name reaches that is brought on: as far as both do. What can be seen in one place reaches to modules
    /// around it, one inside the other.
    pub fn nearer(&self, one: Reach, other: Reach) -> Reach {
        match (one, other) {
            (Reach::Unknown, _) | (_, Reach::Unknown) => Reach::Unknown,
            (Reach::Everywhere, reach) | (reach, Reach::Everywhere) => reach,
            (Reach::Within(a), Reach::Within(b)) => Reach::Within(if self.is_within(a, b) { a } else { b }),
        }
    }

    /// How far a name reaches that a module declares: what is not said to be public is private.
    pub fn reach_of(&self, module: ModuleId, name: &str, namespace: Namespace) -> Reach {
        let reach = &self.module(module).reach;
        let private = || Reach::Within(self.enclosing(module));
        reach.get(&(namespace, name.to_string())).copied().unwrap_or_else(private)
    }

    /// What `pub(…)` says in a module.
    pub fn reach(&self, module: ModuleId, vis: &syn::Visibility) -> Reach {
        let own = self.enclosing(module);
        let path = match vis {
            syn::Visibility::Public(_) => return Reach::Everywhere,
            syn::Visibility::Inherited => return Reach::Within(own),
            syn::Visibility::Restricted(restricted) => &restricted.path,
        };
        let names: Vec<String> = path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        // It names modules around the one it stands in, so their number says which.
        let parent = |id: &ModuleId| self.module(*id).parent.map(|parent| self.enclosing(parent));
        let around: Vec<ModuleId> = std::iter::successors(Some(own), parent).collect();
        let up = names.iter().filter(|name| *name == "super").count();
        let root = around.len() - 1;
        let depth = match names.first().map(String::as_str) {
            Some("self" | "super") => {
                let down = names.iter().filter(|name| !matches!(name.as_str(), "self" | "super")).count();
                (root + down).checked_sub(up)
            }
            Some("crate") if names.len() == 1 => Some(0),
            // Where the given file stands in its crate is not known.
            _ if self.inner && self.is_own_module(own) => return Reach::Unknown,
            Some("crate") => Some(names.len() - 1),
            _ => Some(names.len()),
        };
        // Code around the given file sees what this file does not reach itself.
        Reach::Within(
            depth.and_then(|depth| around.get(root.checked_sub(depth)?)).copied().unwrap_or(around[root]),
        )
    }

    /// Keeps how far the names of an item reach.
    pub fn set_reach(&mut self, module: ModuleId, item: &syn::Item) {
        let (name, vis, namespaces): (_, _, &[Namespace]) = match item {
            syn::Item::Const(item) => (&item.ident, &item.vis, &[Namespace::Values]),
            syn::Item::Fn(item) => (&item.sig.ident, &item.vis, &[Namespace::Values]),
            syn::Item::Static(item) => (&item.ident, &item.vis, &[Namespace::Values]),
            syn::Item::Enum(item) => (&item.ident, &item.vis, &[Namespace::Types]),
            syn::Item::Mod(item) => (&item.ident, &item.vis, &[Namespace::Types]),
            syn::Item::Trait(item) => (&item.ident, &item.vis, &[Namespace::Types]),
            syn::Item::Type(item) => (&item.ident, &item.vis, &[Namespace::Types]),
            syn::Item::Union(item) => (&item.ident, &item.vis, &[Namespace::Types]),
            syn::Item::Struct(item) => {
                // What makes a structure reaches as far as all of its fields.
                if !matches!(item.fields, syn::Fields::Named(_)) {
                    let all = item.fields.iter().map(|field| &field.vis).chain([&item.vis]);
                    let reaches = all.map(|vis| self.reach(module, vis));
                    let reach = reaches.fold(Reach::Everywhere, |one, other| self.nearer(one, other));
                    self.keep_reach(module, &item.ident, Namespace::Values, reach);
                }
                (&item.ident, &item.vis, &[Namespace::Types])
            }
            syn::Item::ForeignMod(item) => {
                for item in &item.items {
                    let (name, vis) = match item {
                        syn::ForeignItem::Fn(item) => (&item.sig.ident, &item.vis),
                        syn::ForeignItem::Static(item) => (&item.ident, &item.vis),
                        _ => continue,
                    };
                    let reach = self.reach(module, vis);
                    self.keep_reach(module, name, Namespace::Values, reach);
                }
                return;
            }
            _ => return,
        };
        let reach = self.reach(module, vis);
        for namespace in namespaces {
            self.keep_reach(module, name, *namespace, reach);
        }
    }

    fn keep_reach(&mut self, module: ModuleId, name: &syn::Ident, namespace: Namespace, reach: Reach) {
        self.modules[module.index()].reach.insert((namespace, name_of(name)), reach);
    }
}
