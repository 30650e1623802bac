//! The interpreter: the loop over decoded instructions that is nearly all of what an emulation does. It charges each the cycles that
//! the Cortex-M0+ Technical Reference Manual (3.3) gives it with the single-cycle multiplier and the single-cycle I/O port of
//! the RP2040.
//!
//! One loop for each memory that code runs from, so that the step from one instruction to the next is an addition. The
//! registers and flags are in the core; where it is and how many cycles have passed is in a [`Cursor`].

use crate::bus::Bus;
use crate::cursor::{After, Cursor, End};
use crate::execute::Stretch;
use crate::isa::{Kind, Op, instruction_set};
use crate::{Core, superinstruction};

/// With superinstructions, which are executed whole: of one that begins before the limit the last instruction may begin up to
/// `MOST_CYCLES_BEFORE_LAST` later.
pub(super) const SUPERINSTRUCTIONS: u8 = 0;
/// One instruction after the other.
pub(super) const SINGLE: u8 = 1;
/// One instruction after the other, and somebody looks on.
pub(super) const WATCHED: u8 = 2;
/// With superinstructions, and another bus master may use the memory: of a superinstruction no part begins at the limit.
pub(super) const SHARED: u8 = 3;

/// The arms for all kinds of the table, behind those for the kinds that leave the interpreter or go elsewhere. A class is the
/// name of the method that executes it; of a superinstruction a part ends the others where it does not lead to the next.
macro_rules! dispatch {
    (
        $kind:expr, $cursor:ident, $core:ident, $bus:ident, $entries:ident, { $($arms:tt)* }
        other { $($other:tt)* }
        executed { $($(#[$doc:meta])* $class:ident $executed:ident,)* }
        superinstructions {
            $($name:ident = $first_class:ident $first:ident, $($part_class:ident $part:ident),+;)*
        }
    ) => {
        match $kind {
            $($arms)*
            $(Kind::$executed => $cursor.$class($core, $bus, Kind::$executed, &$entries[0]),)*
            $(Kind::$name => 'parts: {
                let mut entries = $entries.iter();
                let mut after = match entries.next() {
                    Some(op) => $cursor.$first_class($core, $bus, Kind::$first, op),
                    None => After::Elsewhere,
                };
                $(
                    let (After::Next, Some(op)) = (after, entries.next()) else { break 'parts after };
                    if !$cursor.follows($core, $bus) {
                        break 'parts After::Elsewhere;
                    }
                    after = $cursor.$part_class($core, $bus, Kind::$part, op);
                )+
                after
            },)*
        }
    };
}

impl Core {
    /// Executes from `ops`, the first of which is at `base`, until `limit` or until something else has to be done.
    pub(super) fn interpret<B: Bus, const REGION: u8, const MODE: u8>(
        &mut self,
        bus: &mut B,
        ops: &[Op],
        limit: u64,
        base: u32,
    ) -> Stretch {
        let mut cursor = Cursor::<REGION, MODE>::new(self, ops, base, limit);
        let core = self;
        'stretch: loop {
            // Nothing of this loop depends on how a run of code was found: what merges with it takes registers from it.
            let reach = cursor.reach(core);
            while cursor.cycle < cursor.limit {
                let window = cursor.index as usize..cursor.index as usize + superinstruction::LONGEST;
                let Some(entries) = reach.get(window) else {
                    if Cursor::<REGION, MODE>::FETCHES_RUNS {
                        break;
                    }
                    cursor.ends(End::Undecoded);
                    break 'stretch;
                };
                let op = &entries[0];
                cursor.fetch(core, bus);
                if MODE == WATCHED
                    && op.kind != Kind::Undecoded
                    && let Some(exit) = cursor.show(core, bus)
                {
                    cursor.ends(End::Left(exit));
                    break 'stretch;
                }
                let takes_whole = MODE == SUPERINSTRUCTIONS || MODE == SHARED;
                let kind = if takes_whole { op.kind } else { op.kind.first() };
                #[cfg(test)]
                crate::tests::executes(kind);
                let after = instruction_set!(dispatch! { kind, cursor, core, bus, entries, {
                    Kind::Undecoded => cursor.ends(End::Undecoded),
                    Kind::Branch => cursor.branch_always(core, bus, op),
                    Kind::BranchLink => cursor.branch_link(core, bus, op),
                    Kind::BranchExchange => cursor.interwork(core, bus, core.reg(op.a), 2),
                    Kind::BranchLinkExchange => cursor.branch_link_exchange(core, bus, op),
                    Kind::ToProgramCounter => cursor.move_to_program_counter(core, bus, op),
                    Kind::Barrier => cursor.barrier(core, bus),
                    Kind::Wfe
                    | Kind::Wfi
                    | Kind::Sev
                    | Kind::ChangePrimask
                    | Kind::Svc
                    | Kind::Bkpt
                    | Kind::Mrs
                    | Kind::Msr
                    | Kind::Undefined => cursor.outside(core, bus, |core, bus| core.system_instruction(bus, *op)),
                }});
                match after {
                    After::Next => cursor.index = cursor.index.wrapping_add(1),
                    After::Elsewhere => {}
                    After::Unfetched => break,
                    After::Nothing => {
                        cursor.drop_run(core, bus);
                        break 'stretch;
                    }
                }
            }
            let has_run = Cursor::<REGION, MODE>::FETCHES_RUNS && cursor.cycle < cursor.limit;
            if !has_run || !cursor.fetch_run(core, bus) {
                break;
            }
        }
        cursor.end_run(core, bus);
        cursor.close(core)
    }
}
