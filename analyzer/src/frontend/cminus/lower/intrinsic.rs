//! Functions with a meaning of their own: inputs, asserts, assumptions, output.

use kleene_domains::machine::IntType;

use super::super::super::Integers;
use super::super::ast::CHOICE;
use super::super::types::{INT, Scalar};
use super::{Language, Lowerer, scalar};
use crate::ir::FunctionId;

/// What a called name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    User(FunctionId),
    /// Any value of the type; with two arguments, any between them.
    Nondet(Scalar),
    /// Reads its arguments; the file argument, if any, comes first.
    Scan {
        skipped: usize,
    },
    /// No effect beyond evaluating the arguments.
    Quiet {
        skipped: usize,
    },
    Assert,
    Assume,
    Tick,
    /// The error location of verification tasks.
    Error,
    Abort,
    Exit,
    /// Declared, but its body is not in the file.
    Opaque(Option<Scalar>),
    /// An input of a type we do not have.
    Unsupported,
    Missing,
}

/// For suggestions.
pub const NAMES: [&str; 10] =
    ["nondet", "scanf", "fscanf", "print", "printf", "fopen", "assert", "assume", "tick", "exit"];

impl Lowerer<'_, '_> {
    /// Definitions of these names in a file only spell out what they mean.
    pub(super) fn is_builtin_definition(&self, name: &str) -> bool {
        self.language == Language::C
            && [
                "__VERIFIER_assert",
                "reach_error",
                "assume_abort_if_not",
                "__VERIFIER_assume",
                "__VERIFIER_error",
            ]
            .contains(&name)
    }

    pub(super) fn callee(&self, name: &str) -> Callee {
        if let Some(signature) = self.signatures.get(name) {
            return Callee::User(signature.id);
        }
        match name {
            "nondet" | CHOICE => Callee::Nondet(INT),
            "scanf" | "scan" => Callee::Scan { skipped: 0 },
            "fscanf" | "fscan" => Callee::Scan { skipped: 1 },
            "print" | "printf" | "puts" | "putchar" => Callee::Quiet { skipped: 0 },
            "fopen" | "fclose" | "fflush" | "fprintf" | "fprint" => Callee::Quiet { skipped: 1 },
            "assert" => Callee::Assert,
            "assume" => Callee::Assume,
            "tick" => Callee::Tick,
            _ if self.language == Language::C => self.c_callee(name),
            _ if self.declared.contains_key(name) => Callee::Opaque(self.declared_result(name)),
            _ => Callee::Missing,
        }
    }

    fn c_callee(&self, name: &str) -> Callee {
        match name {
            "__VERIFIER_assert" => return Callee::Assert,
            "__VERIFIER_assume" | "assume_abort_if_not" => return Callee::Assume,
            "__VERIFIER_error" | "reach_error" | "__assert_fail" => return Callee::Error,
            "abort" => return Callee::Abort,
            "exit" | "_Exit" => return Callee::Exit,
            "srand" => return Callee::Quiet { skipped: 0 },
            "rand" => return Callee::Nondet(INT),
            _ => {}
        }
        let suffix = name.strip_prefix("__VERIFIER_nondet_").or_else(|| name.strip_prefix("nondet_"));
        if let Some(suffix) = suffix {
            return match input_type(suffix) {
                Some(ty) => Callee::Nondet(ty),
                None if name.starts_with("__") => Callee::Unsupported,
                None => Callee::Nondet(self.declared_result(name).unwrap_or(INT)),
            };
        }
        if name.starts_with("nondet") || name.starts_with("unknown") {
            return Callee::Nondet(self.declared_result(name).unwrap_or(INT));
        }
        match self.declared.contains_key(name) {
            true => Callee::Opaque(self.declared_result(name)),
            false => Callee::Missing,
        }
    }

    fn declared_result(&self, name: &str) -> Option<Scalar> {
        self.declared.get(name).copied().flatten().and_then(scalar)
    }

    /// Whether a call without arguments gives both zero and something else, freely.
    pub(super) fn is_free_choice(&self, name: &str) -> bool {
        matches!(self.callee(name), Callee::Nondet(_))
    }

    /// In the unbounded reading, small types still bound their inputs.
    pub(super) fn input_range(&self, ty: Scalar) -> Option<IntType> {
        match ty {
            Scalar::Int(ty) if self.integers == Integers::Unbounded && ty.bits < 32 => Some(ty),
            _ => None,
        }
    }
}

/// The type behind `__VERIFIER_nondet_…`.
fn input_type(suffix: &str) -> Option<Scalar> {
    let ty = match suffix {
        "bool" | "_Bool" => return Some(Scalar::Bool),
        "int" | "i32" | "s32" | "int32_t" => IntType::I32,
        "uint" | "unsigned" | "unsigned_int" | "u32" | "uint32_t" => IntType::U32,
        "long" | "longlong" | "i64" | "s64" | "loff_t" | "int64_t" => IntType::I64,
        "ulong" | "ulonglong" | "unsigned_long" | "size_t" | "u64" | "uint64_t" => IntType::U64,
        "short" | "i16" | "s16" | "int16_t" => IntType::I16,
        "ushort" | "unsigned_short" | "u16" | "uint16_t" => IntType::U16,
        "char" | "i8" | "s8" | "int8_t" => IntType::I8,
        "uchar" | "unsigned_char" | "u8" | "uint8_t" => IntType::U8,
        _ => return None,
    };
    Some(Scalar::Int(ty))
}
