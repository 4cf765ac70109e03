//! Local `macro_rules!`: what they are, where they are in scope, and what calls of them expand to.
//!
//! Works on tokens; `read` parses what comes out in the position of the call, and asks again for the calls in it.
//! Nothing is known of items and modules here but their numbers. Limits make an expansion unknown, with a reason.

mod definition;
mod fragment;
mod hygiene;
mod matcher;
mod surface;
mod token;
mod transcribe;

use std::rc::Rc;

use proc_macro2::{Span, TokenStream};
use rustc_hash::{FxHashMap, FxHashSet};
use syn::parse::Parser;

use super::hir::ModuleId;
use super::items::KrateId;
use definition::Rule;
use fragment::Signs;
use matcher::{Bound, Outcome};
use transcribe::Transcriber;

pub use hygiene::{ORIGIN, SIGN, base, outermost};

/// As rustc has it unless a crate says otherwise.
const RECURSION_LIMIT: u32 = 128;
/// Tokens that one call, and all calls together, may come to.
const CALL_LIMIT: usize = 200_000;
const TOTAL_LIMIT: usize = 4_000_000;
/// What a call costs beside its tokens, and what one does that recurses too deeply: rustc gives up there.
const CALL_COST: usize = 50;
const RECURSION_COST: usize = TOTAL_LIMIT / 64;
/// How deep the parser may recurse over all expansions that stand inside each other.
const DEPTH_LIMIT: usize = 4_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DefinitionId(u32);

/// Where code stands: what is in textual scope, and inside of how many expansions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    scope: Option<u32>,
    expansions: u32,
    depth: usize,
}

impl Standing {
    /// Whether it is the text of an expansion.
    pub fn is_expanded(self) -> bool {
        self.expansions > 0
    }

    /// The same expansion, with what is in scope somewhere else.
    pub fn with_scope_of(self, other: Standing) -> Standing {
        Standing { scope: other.scope, ..self }
    }
}

/// A name in textual scope, and what was in scope before it.
struct Scoped {
    /// `None`: any name may be declared here, in a text that is not seen.
    name: Option<String>,
    definition: DefinitionId,
    before: Option<u32>,
}

pub struct Macros {
    /// The rules, unless they are not understood, and the crate that declares them.
    definitions: Vec<(Option<Rc<Vec<Rule>>>, KrateId)>,
    /// `#[macro_export(local_inner_macros)]`: macros that a plain name in their text means are their crate's own.
    among_themselves: FxHashSet<DefinitionId>,
    scopes: Vec<Scoped>,
    /// By mark: the macro whose text the names come from.
    marks: Vec<DefinitionId>,
    /// `#[macro_export]`: in the root of its crate.
    exported: FxHashMap<(KrateId, String), DefinitionId>,
    /// `#[macro_use] extern crate`: whose macros have their plain names in which crate.
    used: Vec<(KrateId, KrateId)>,
    /// `use name;` of a macro that is in textual scope there.
    imported: FxHashMap<(ModuleId, String), DefinitionId>,
    signs: Signs,
    left: usize,
    /// A source contains our sign: marks would not be told from names.
    refuses: bool,
    old: bool,
    /// The crate that is being read.
    krate: KrateId,
}

/// What a call comes to, to be parsed in its position.
pub struct Expanded {
    pub tokens: TokenStream,
    pub standing: Standing,
}

impl Default for Macros {
    fn default() -> Self {
        Self {
            definitions: Vec::new(),
            among_themselves: FxHashSet::default(),
            scopes: Vec::new(),
            marks: Vec::new(),
            exported: FxHashMap::default(),
            used: Vec::new(),
            imported: FxHashMap::default(),
            signs: Signs::new(),
            left: TOTAL_LIMIT,
            refuses: false,
            old: false,
            krate: KrateId::OWN,
        }
    }
}

impl Macros {
    /// Another crate is read from here on. `refuses`: its texts have our signs in them; `old`: its edition is one before
    /// 2021.
    pub fn enter(&mut self, krate: KrateId, refuses: bool, old: bool) {
        (self.krate, self.refuses, self.old, self.left) = (krate, refuses, old, TOTAL_LIMIT);
    }

    /// The macro with this text; `None`: not known, but it hides others of its name.
    pub fn define(&mut self, tokens: Option<TokenStream>) -> DefinitionId {
        let rules = tokens
            .filter(|_| !self.refuses)
            .and_then(|tokens| definition::rules(tokens, self.old))
            .map(Rc::new);
        self.definitions.push((rules, self.krate));
        DefinitionId(self.definitions.len() as u32 - 1)
    }

    /// From here on the name means this macro; without a name, any name may mean something unknown.
    pub fn declare(&mut self, standing: &mut Standing, name: Option<String>, definition: DefinitionId) {
        self.scopes.push(Scoped { name, definition, before: standing.scope });
        standing.scope = Some(self.scopes.len() as u32 - 1);
    }

    pub fn export(&mut self, name: String, definition: DefinitionId) {
        self.exported.insert((self.krate, name), definition);
    }

    /// All macros of another crate have their plain names in this one.
    pub fn use_all(&mut self, of: KrateId) {
        self.used.push((self.krate, of));
    }

    /// What a name means that nothing else gives a meaning.
    pub fn used(&self, name: &str) -> Option<DefinitionId> {
        let own = self.used.iter().filter(|(krate, _)| *krate == self.krate);
        own.into_iter().find_map(|(_, of)| self.exported(*of, name))
    }

    pub fn import(&mut self, module: ModuleId, name: String, definition: DefinitionId) {
        self.imported.insert((module, name), definition);
    }

    /// What a name means in textual scope.
    pub fn in_scope(&self, standing: Standing, name: &str) -> Option<DefinitionId> {
        let mut at = standing.scope;
        while let Some(index) = at {
            let scoped = &self.scopes[index as usize];
            if scoped.name.as_deref().is_none_or(|known| known == name) {
                return Some(scoped.definition);
            }
            at = scoped.before;
        }
        None
    }

    pub fn exported(&self, krate: KrateId, name: &str) -> Option<DefinitionId> {
        self.exported.get(&(krate, name.to_string())).copied()
    }

    pub fn imported(&self, module: ModuleId, name: &str) -> Option<DefinitionId> {
        self.imported.get(&(module, name.to_string())).copied()
    }

    /// In the text of this macro plain names of macros mean those in the root of its crate.
    pub fn keep_among_themselves(&mut self, definition: DefinitionId) {
        self.among_themselves.insert(definition);
    }

    /// The crate whose macro is meant by a name that the text of such a macro brought.
    pub fn meant_among_themselves(&self, marked: &str) -> Option<KrateId> {
        let (_, mark) = hygiene::outermost(marked)?;
        let definition = self.origin(mark).filter(|it| self.among_themselves.contains(it))?;
        Some(self.definitions[definition.0 as usize].1)
    }

    /// The macro whose text brought a name with this mark.
    pub fn origin(&self, mark: u32) -> Option<DefinitionId> {
        self.marks.get(mark as usize).copied()
    }

    /// `span` is the place of the call: everything that the macro's own text brings stands there.
    pub fn expand(
        &mut self,
        id: DefinitionId,
        tokens: TokenStream,
        span: Span,
        standing: Standing,
    ) -> Result<Expanded, &'static str> {
        if standing.expansions >= RECURSION_LIMIT {
            self.left = self.left.saturating_sub(RECURSION_COST);
            return Err("a macro that recurses too deeply");
        }
        self.left = self.left.checked_sub(CALL_COST).ok_or(transcribe::TOO_MANY)?;
        let (rules, krate) = self.definitions[id.0 as usize].clone();
        let rules = rules.ok_or("a macro that is not understood")?;
        let (rule, bound) = chosen(&rules, tokens)?;
        let mark = self.marks.len() as u32;
        self.marks.push(id);
        let left = self.left.min(CALL_LIMIT);
        let origin = Some(krate).filter(|krate| *krate != self.krate);
        let mut transcriber = Transcriber { signs: &self.signs, mark, span, left, origin };
        let made = transcriber.transcribed(&rule.body, &bound.iter().collect::<Vec<_>>());
        self.left -= left - transcriber.left;
        self.surface(made?, span, Standing { expansions: standing.expansions + 1, ..standing })
    }

    /// Tokens of a call that is no expansion of ours, as the parser takes them.
    pub fn surface(
        &self,
        tokens: TokenStream,
        span: Span,
        standing: Standing,
    ) -> Result<Expanded, &'static str> {
        if standing.expansions == 0 {
            return Ok(Expanded { tokens, standing });
        }
        let surface::Surface { tokens, depth } = surface::surface(tokens, span);
        let depth = standing.depth + depth;
        match depth > DEPTH_LIMIT {
            true => Err("macros that nest too deeply"),
            false => Ok(Expanded { tokens, standing: Standing { depth, ..standing } }),
        }
    }
}

/// The first rule that matches, with what its variables are bound to.
fn chosen(rules: &[Rule], tokens: TokenStream) -> Result<(&Rule, Vec<Bound>), &'static str> {
    let mut outcome = Err("a macro without a rule for this");
    let choose = |input: syn::parse::ParseStream<'_>| {
        for rule in rules {
            match matcher::matched(rule, &input.fork()) {
                Outcome::Other => continue,
                Outcome::Matched(bound) => outcome = Ok((rule, bound)),
                Outcome::Error(reason) => outcome = Err(reason),
            }
            break;
        }
        Ok(())
    };
    // What the parser thinks of tokens that are left over does not matter.
    let _ = choose.parse2(tokens);
    outcome
}
