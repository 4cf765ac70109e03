//! Matching as rustc does it: all ways through a rule at once, token by token.
//!
//! A fragment is only taken where it is the one thing that can come next; several possibilities are an error,
//! and so is a fragment that does not parse. Errors end the matching: no later rule is tried.

use proc_macro2::{Delimiter, TokenTree};
use syn::parse::ParseBuffer;
use syn::parse::discouraged::AnyDelimiter;

use super::definition::{Repeated, Rule, Step};
use super::fragment::{self, Kind};
use super::token::{Token, first};

/// What a variable is bound to.
#[derive(Debug)]
pub enum Bound {
    Fragment(Kind, Vec<TokenTree>),
    List(Vec<Bound>),
}

#[derive(Debug)]
pub enum Outcome {
    Matched(Vec<Bound>),
    /// The next rule is to be tried.
    Other,
    Error(&'static str),
}

const AMBIGUOUS: &str = "a macro whose rule is ambiguous";
const NO_FRAGMENT: &str = "a macro whose arguments do not parse";

/// Steps of all ways through one rule.
const STEP_LIMIT: usize = 2_000_000;

/// A way through the rule: its next step, and the last thing it has done.
#[derive(Clone, Copy)]
struct Thread {
    step: usize,
    done: Option<usize>,
}

enum Deed {
    /// Lists for the variables of a repetition.
    Begin {
        first: usize,
        count: usize,
        depth: usize,
    },
    Bind {
        number: usize,
        depth: usize,
        kind: Kind,
        tokens: Vec<TokenTree>,
    },
}

/// How a level of brackets ended.
enum Level {
    Closed,
    /// The end of the input, with the rule.
    Ended(Thread),
    Other,
}

struct Matching<'r> {
    rule: &'r Rule,
    threads: Vec<Thread>,
    /// With what was done before each.
    deeds: Vec<(Deed, Option<usize>)>,
    steps: usize,
}

/// What comes of the threads at one token.
#[derive(Default)]
struct Ways {
    /// Behind the token.
    next: Vec<Thread>,
    /// Before a fragment that may begin here.
    fragments: Vec<Thread>,
    ended: Vec<Thread>,
}

pub fn matched(rule: &Rule, input: &ParseBuffer<'_>) -> Outcome {
    let threads = vec![Thread { step: 0, done: None }];
    let mut matching = Matching { rule, threads, deeds: Vec::new(), steps: 0 };
    match matching.run(input, None) {
        Ok(Level::Ended(end)) => Outcome::Matched(matching.bindings(end)),
        Ok(Level::Closed | Level::Other) => Outcome::Other,
        Err(reason) => Outcome::Error(reason),
    }
}

impl Matching<'_> {
    /// Goes through one level of brackets.
    fn run(&mut self, input: &ParseBuffer<'_>, bracket: Option<Delimiter>) -> Result<Level, &'static str> {
        loop {
            let token = current(input, bracket);
            let ways = self.ways(&token)?;
            if token == Token::End {
                return match ways.ended.as_slice() {
                    [] => Ok(Level::Other),
                    [only] => Ok(Level::Ended(*only)),
                    _ => Err(AMBIGUOUS),
                };
            }
            match (ways.fragments.as_slice(), ways.next.is_empty()) {
                ([], true) => return Ok(Level::Other),
                ([only], true) => self.fragment(*only, input)?,
                ([], false) => {
                    self.threads = ways.next;
                    match token {
                        Token::Close(_) => return Ok(Level::Closed),
                        Token::Open(bracket) => {
                            let (_, _, inside) = input.parse_any_delimiter().map_err(|_| NO_FRAGMENT)?;
                            if !matches!(self.run(&inside, Some(bracket))?, Level::Closed) {
                                return Ok(Level::Other);
                            }
                        }
                        _ => fragment::skip(input).map_err(|_| NO_FRAGMENT)?,
                    }
                }
                _ => return Err(AMBIGUOUS),
            }
        }
    }

    fn ways(&mut self, token: &Token) -> Result<Ways, &'static str> {
        let mut ways = Ways::default();
        let mut work = std::mem::take(&mut self.threads);
        while let Some(Thread { step, done }) = work.pop() {
            self.steps += 1;
            if self.steps > STEP_LIMIT {
                return Err("a macro that takes too long to match");
            }
            let at = |step: usize| Thread { step, done };
            match &self.rule.steps[step] {
                Step::Token(expected) if expected == token => ways.next.push(at(step + 1)),
                Step::Token(_) => {}
                Step::Variable { kind, .. } => match fragment::may_start(*kind, token) {
                    Some(true) => ways.fragments.push(at(step)),
                    Some(false) => {}
                    None => return Err("a macro that the edition decides"),
                },
                Step::Repetition { operator, first, count, depth, after } => {
                    let begin = Deed::Begin { first: *first, count: *count, depth: *depth };
                    self.deeds.push((begin, done));
                    let done = Some(self.deeds.len() - 1);
                    if *operator != Repeated::Some {
                        work.push(Thread { step: *after, done });
                    }
                    work.push(Thread { step: step + 1, done });
                }
                Step::Again { operator, start } => {
                    work.push(at(step + 1));
                    if *operator != Repeated::Optional {
                        work.push(at(*start));
                    }
                }
                Step::Separator(separator) => {
                    work.push(at(step + 2));
                    if separator == token {
                        ways.next.push(at(step + 1));
                    }
                }
                Step::Next { start } => work.push(at(*start)),
                Step::End if *token == Token::End => ways.ended.push(at(step)),
                Step::End => {}
            }
        }
        Ok(ways)
    }

    fn fragment(&mut self, thread: Thread, input: &ParseBuffer<'_>) -> Result<(), &'static str> {
        let Step::Variable { number, kind, depth } = self.rule.steps[thread.step] else {
            return Err(AMBIGUOUS);
        };
        let tokens = fragment::take(kind, input).map_err(|_| NO_FRAGMENT)?;
        self.deeds.push((Deed::Bind { number, depth, kind, tokens }, thread.done));
        self.threads = vec![Thread { step: thread.step + 1, done: Some(self.deeds.len() - 1) }];
        Ok(())
    }

    /// What the way to the end has bound.
    fn bindings(self, end: Thread) -> Vec<Bound> {
        let mut order = Vec::new();
        let mut at = end.done;
        while let Some(index) = at {
            order.push(index);
            at = self.deeds[index].1;
        }
        let mut deeds: Vec<Option<Deed>> = self.deeds.into_iter().map(|(deed, _)| Some(deed)).collect();
        // A list around each variable, taken away in the end.
        let mut bound: Vec<Vec<Bound>> = self.rule.variables.iter().map(|_| Vec::new()).collect();
        for index in order.into_iter().rev() {
            match deeds[index].take() {
                Some(Deed::Begin { first, count, depth }) => {
                    for list in &mut bound[first..first + count] {
                        inner(list, depth).push(Bound::List(Vec::new()));
                    }
                }
                Some(Deed::Bind { number, depth, kind, tokens }) => {
                    inner(&mut bound[number], depth).push(Bound::Fragment(kind, tokens));
                }
                None => {}
            }
        }
        bound.into_iter().map(|mut list| list.pop().unwrap_or(Bound::List(Vec::new()))).collect()
    }
}

fn inner(list: &mut Vec<Bound>, depth: usize) -> &mut Vec<Bound> {
    let mut at = list;
    for _ in 0..depth {
        if !matches!(at.last(), Some(Bound::List(_))) {
            at.push(Bound::List(Vec::new()));
        }
        match at.last_mut() {
            Some(Bound::List(next)) => at = next,
            _ => unreachable!("a list was just pushed"),
        }
    }
    at
}

fn current(input: &ParseBuffer<'_>, bracket: Option<Delimiter>) -> Token {
    let mut ahead = input.cursor();
    let trees = std::iter::from_fn(|| {
        let (tree, next) = ahead.token_tree()?;
        ahead = next;
        Some(tree)
    });
    match (first(trees).0, bracket) {
        (Token::End, Some(bracket)) => Token::Close(bracket),
        (token, _) => token,
    }
}
