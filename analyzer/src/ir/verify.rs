//! Well-formedness of programs.

use super::Program;

pub fn verify(_program: &Program) -> Result<(), Vec<String>> {
    Ok(())
}
