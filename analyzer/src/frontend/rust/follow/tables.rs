//! `hashbrown::HashTable` as its own text has it: values beside the hashes that they were put in with.
//!
//! Which values a table compares, and in which order, hangs on what nobody says. What it finds does not, where one value alone is
//! sought and has the hash that is sought. An entry of a run knows more than its text: where the value is, or the table and
//! the hash.

use super::super::hir::FnId;
use super::super::items::Definition;
use super::super::types::Ty;
use super::value::{Place, Value};
use super::{Flow, Flowing, Follower};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    Find,
    FindIndex,
    FindEntry,
    Entry,
    Insert,
    InsertAlone,
    InsertThere,
    Look,
    Into,
    Remove,
    Retain,
    Reserve,
    Shrink,
    Capacity,
}

/// Operations on tables, by their paths in our own text.
pub const TABLES: &[(&str, Table)] = &[
    ("HashTable::find", Table::Find),
    ("HashTable::find_mut", Table::Find),
    ("HashTable::find_bucket_index", Table::FindIndex),
    ("HashTable::find_entry", Table::FindEntry),
    ("HashTable::entry", Table::Entry),
    ("HashTable::insert_unique", Table::Insert),
    ("HashTable::insert_alone", Table::InsertAlone),
    ("HashTable::retain", Table::Retain),
    ("HashTable::reserve", Table::Reserve),
    ("HashTable::shrink_to", Table::Shrink),
    ("HashTable::shrink_to_fit", Table::Shrink),
    ("HashTable::capacity", Table::Capacity),
    ("VacantEntry::insert", Table::InsertThere),
    ("OccupiedEntry::get", Table::Look),
    ("OccupiedEntry::get_mut", Table::Look),
    ("OccupiedEntry::into_mut", Table::Into),
    ("OccupiedEntry::remove", Table::Remove),
];

/// Fields of a table and of an entry.
const ITEMS: u32 = 0;
const HASHES: u32 = 1;
const ROOM: u32 = 2;
const PLACE: u32 = 1;

impl Follower<'_, '_> {
    pub(super) fn on_table(
        &mut self,
        operation: Table,
        generics: &[Ty],
        mut arguments: Vec<Value>,
    ) -> Flowing<Value> {
        match operation {
            Table::Look | Table::Into | Table::Remove => {
                let entry = match (&arguments[0], operation) {
                    (Value::Place(place), Table::Look) => self.memory.load(place)?,
                    (entry, _) => entry.clone(),
                };
                let place = entry.parts()?.list.get(PLACE as usize).cloned().ok_or("a part")?;
                match operation {
                    Table::Remove => self.removed(&referred(&place)?),
                    _ => Ok(place),
                }
            }
            Table::InsertThere => {
                let entry = arguments.swap_remove(0).into_parts()?;
                let [table, hash] = entry.list.as_slice() else { return Err(Flow::Stop("an entry")) };
                let table = referred(table)?;
                let at = self.put(&table, hash.clone(), arguments.swap_remove(0))?;
                Ok(occupied(at))
            }
            operation => {
                let table = referred(&arguments[0])?;
                arguments.remove(0);
                self.on_whole_table(operation, generics, &table, arguments)
            }
        }
    }

    fn on_whole_table(
        &mut self,
        operation: Table,
        generics: &[Ty],
        table: &Place,
        mut arguments: Vec<Value>,
    ) -> Flowing<Value> {
        let of = |at: usize| {
            generics.get(at).cloned().ok_or(Flow::Stop("a function for types that are not known"))
        };
        match operation {
            Table::Find | Table::FindIndex | Table::FindEntry | Table::Entry => {
                let hash = arguments[0].clone();
                let found = self.sought(table, &hash, &arguments[1], &[of(0)?, of(1)?])?;
                let vacant = || Value::list(vec![Value::Place(table.clone().into()), hash.clone()]);
                Ok(match (operation, found) {
                    (Table::Find, at) => Value::option(at.map(|at| Value::Place(at.into()))),
                    (Table::FindIndex, at) => Value::option(at.map(|_| Value::Unseen)),
                    (Table::FindEntry, Some(at)) => Value::result(Ok(occupied(at))),
                    (Table::FindEntry, None) => Value::result(Err(vacant())),
                    (_, Some(at)) => Value::variant(0, vec![occupied(at)]),
                    (_, None) => {
                        self.moved_for(table, 1, &arguments[2], &[of(0)?, of(2)?])?;
                        Value::variant(1, vec![vacant()])
                    }
                })
            }
            Table::Insert | Table::InsertAlone => {
                self.moved_for(table, 1, &arguments[2], &[of(0)?, of(1)?])?;
                let item = arguments.swap_remove(1);
                let at = self.put(table, arguments.swap_remove(0), item)?;
                Ok(if operation == Table::Insert { occupied(at) } else { Value::unit() })
            }
            Table::Retain => self.retained(table, generics, arguments).map(|()| Value::unit()),
            Table::Reserve => {
                let more = self.size(&arguments[0])?;
                self.moved_for(table, more, &arguments[1], &[of(0)?, of(1)?])?;
                if more > 1 << 20 {
                    return Err(Flow::Stop("a list that is too long"));
                }
                let wanted = self.count_of(table)? + more;
                self.has_room(table, wanted)?;
                Ok(Value::unit())
            }
            Table::Shrink => {
                let hasher = arguments.pop().ok_or("a call with other arguments")?;
                self.hashed_again(table, &hasher, &[of(0)?, of(1)?])?;
                self.memory.store(&table.at(ROOM), Value::size(0))?;
                Ok(Value::unit())
            }
            _ => {
                let count = self.count_of(table)?;
                let room = self.memory.load(&table.at(ROOM))?;
                Ok(Value::room(self.size(&room)?.max(count)))
            }
        }
    }

    fn count_of(&self, table: &Place) -> Flowing<usize> {
        Ok(self.memory.length(&table.at(ITEMS).at(0))?)
    }

    fn has_room(&mut self, table: &Place, wanted: usize) -> Flowing<()> {
        let room = self.memory.load(&table.at(ROOM))?;
        match self.size(&room)? < wanted {
            true => Ok(self.memory.store(&table.at(ROOM), Value::size(wanted))?),
            false => Ok(()),
        }
    }

    fn put(&mut self, table: &Place, hash: Value, item: Value) -> Flowing<Place> {
        let at = self.count_of(table)?;
        for (field, value) in [(ITEMS, item), (HASHES, hash)] {
            let list = table.at(field).at(0);
            let mut parts = self.memory.load(&list)?.into_parts()?;
            parts.list.push(value);
            self.memory.store(&list, Value::list(parts.list))?;
        }
        self.has_room(table, at + 1)?;
        Ok(table.at(ITEMS).at(0).at(at as u32))
    }

    /// What is removed leaves its hash and the table for another one. How much room that makes nobody knows.
    fn removed(&mut self, item: &Place) -> Flowing<Value> {
        let mut table = item.clone();
        let at = table.path.pop().ok_or("a part that is not there")? as usize;
        table.path.truncate(table.path.len() - 2);
        let mut gone = Vec::new();
        for field in [ITEMS, HASHES] {
            let list = table.at(field).at(0);
            let mut parts = self.memory.load(&list)?.into_parts()?;
            gone.push(parts.list.swap_remove(at));
            self.memory.store(&list, Value::list(parts.list))?;
        }
        self.memory.store(&table.at(ROOM), Value::size(0))?;
        let hash = gone.pop().ok_or("a part")?;
        let item = gone.pop().ok_or("a part")?;
        Ok(Value::list(vec![item, Value::list(vec![Value::Place(table.into()), hash])]))
    }

    /// The place of the one value that is sought. All are asked, in no order: those of the same hash would be.
    fn sought(
        &mut self,
        table: &Place,
        hash: &Value,
        test: &Value,
        generics: &[Ty],
    ) -> Flowing<Option<Place>> {
        let mut found = None;
        let mut asked = Vec::new();
        for at in 0..self.count_of(table)? {
            let item = table.at(ITEMS).at(0).at(at as u32);
            let same = self.memory.whole(&table.at(HASHES).at(0).at(at as u32))?.is_same(hash);
            let holds = self.answered(("tested", generics), test, &item, true)?;
            if same {
                asked.push(item.clone());
            }
            if self.number(&holds)? != 0 && (!same || found.replace(item).is_some()) {
                return Err(Flow::Stop("a value that a table may find or not"));
            }
        }
        // With one found others need not be asked.
        if found.is_none() || asked.len() == 1 {
            for item in asked {
                self.answered(("tested", generics), test, &item, false)?;
            }
        }
        Ok(found)
    }

    /// There is room for so many more: the values may move for it.
    fn moved_for(&mut self, table: &Place, more: usize, hasher: &Value, generics: &[Ty]) -> Flowing<()> {
        let room = self.memory.load(&table.at(ROOM))?;
        match self.size(&room)?.checked_sub(more) >= Some(self.count_of(table)?) {
            true => Ok(()),
            false => self.hashed_again(table, hasher, generics),
        }
    }

    /// Whoever moves values asks for their hashes, which must be what they were.
    fn hashed_again(&mut self, table: &Place, hasher: &Value, generics: &[Ty]) -> Flowing<()> {
        for at in 0..self.count_of(table)? {
            let item = table.at(ITEMS).at(0).at(at as u32);
            let hash = self.answered(("hashed", generics), hasher, &item, true)?;
            if !self.memory.whole(&table.at(HASHES).at(0).at(at as u32))?.is_same(&hash) {
                return Err(Flow::Stop("a hash that changes"));
            }
        }
        Ok(())
    }

    /// What a closure answers for an item: by itself, where its type has no name, or by a function of our own text.
    fn answered(
        &mut self,
        (name, generics): (&str, &[Ty]),
        closure: &Value,
        item: &Place,
        quiet: bool,
    ) -> Flowing<Value> {
        let function = self.exactly(name)?;
        let item = Value::Place(item.clone().into());
        let Value::Closure(made) = closure else {
            let arguments = vec![item, closure.clone()];
            return match quiet {
                true => self.asked_otherwise(function, generics, arguments),
                false => self.call(function, generics, arguments),
            };
        };
        let ty = made.typing.exprs[made.expr.index()].clone();
        let Some((_, _, result)) = ty.called() else { return Err(Flow::Stop("a closure of unknown type")) };
        if self.writes(&ty) {
            return Err(Flow::Stop("a closure that std asks in its own order"));
        }
        let at = self.placed(closure.clone())?;
        match quiet {
            true => self.quietly(function, |this| this.run_closure(made, &at, vec![item], result)),
            false => self.run_closure(made, &at, vec![item], result),
        }
    }

    fn retained(&mut self, table: &Place, generics: &[Ty], mut arguments: Vec<Value>) -> Flowing<()> {
        let function = self.exactly("kept")?;
        let element = generics.first().cloned().unwrap_or(Ty::Opaque);
        if self.ends(&element) {
            return Err(Flow::Stop("the end of a value in code of std"));
        }
        let items = table.at(ITEMS).at(0);
        let test = arguments.swap_remove(0);
        let list = Value::Place(items.clone().into());
        let kept =
            self.scattered(Some(function), &items, |this| this.call(function, generics, vec![list, test]))?;
        let kept = kept.into_parts()?.list.swap_remove(0).into_parts()?;
        for field in [ITEMS, HASHES] {
            let list = table.at(field).at(0);
            let parts = self.memory.load(&list)?.into_parts()?;
            let mut left = Vec::new();
            for (value, kept) in parts.list.into_iter().zip(&kept.list) {
                if self.number(kept)? != 0 {
                    left.push(value);
                }
            }
            self.memory.store(&list, Value::list(left))?;
        }
        Ok(self.memory.store(&table.at(ROOM), Value::size(0))?)
    }

    /// Something that goes through elements in an order that nobody knows: it may write each of them and nothing else.
    pub(super) fn scattered<T>(
        &mut self,
        asking: Option<FnId>,
        items: &Place,
        follow: impl FnOnce(&mut Self) -> Flowing<T>,
    ) -> Flowing<T> {
        let (before, around) = (self.memory.seal(), std::mem::replace(&mut self.asking, asking));
        let open = self.memory.open(Some(items.clone()));
        let value = follow(self);
        self.memory.open(open);
        self.memory.unseal(before);
        self.asking = around;
        match value {
            Ok(value) => Ok(value),
            Err(Flow::Stop(reason)) => Err(Flow::Stop(reason)),
            Err(_) => Err(Flow::Stop("an order that nobody knows")),
        }
    }

    fn exactly(&self, name: &str) -> Flowing<FnId> {
        match self.context.items.standard(&format!("exact::{name}")) {
            Some(Definition::Function(id)) => Ok(id),
            _ => Err(Flow::Stop("a function of std")),
        }
    }
}

fn occupied(at: Place) -> Value {
    Value::list(vec![Value::Unseen, Value::Place(at.into())])
}

fn referred(value: &Value) -> Flowing<Place> {
    match value {
        Value::Place(place) => Ok((**place).clone()),
        _ => Err(Flow::Stop("a table that nobody knows")),
    }
}
