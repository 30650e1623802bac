//! A loop of a few instructions that only looks at registers. As long as these show the same, what the loop does follows from
//! its instructions. They are gone through once or twice without the bus, and as many turns are left out as the bus allows.

use crate::bus::Bus;
use crate::cursor::Cursor;
use crate::isa::{Class, Kind, Op};
use crate::{Core, Flags};

/// Instructions in the longest loop that is looked at, besides the look at its end.
const MOST_INSTRUCTIONS: u32 = 20;
/// Going through a loop is worth the effort where it may leave out so many cycles.
const FEWEST_CYCLES: u64 = 40;
/// Looks in such a loop.
const MOST_LOOKS: usize = 5;
/// Registers that such a loop may use.
const REGISTERS: usize = 15;

/// What a turn of a loop takes, from behind one look to behind the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Turn {
    cycles: u64,
    instructions: u32,
    /// What the next look is at, and those on the way to it.
    addresses: [u32; MOST_LOOKS],
    looks: usize,
    /// The only branch, from where to where in halfwords from the beginning of the code.
    branch: Option<(u32, u32)>,
    /// Over how many words of code that does not go on fetching.
    words_left: u32,
}

impl Turn {
    /// Loads what another look in the loop would; nothing where that is no look of a whole word.
    fn look_on_the_way<B: Bus>(&mut self, core: &mut Core, bus: &B, kind: Kind, op: &Op) -> Option<()> {
        let place = self.addresses.get_mut(self.looks)?;
        let (address, bytes) = core.load_address(Op { kind, ..*op });
        let (value, cycles) = bus.seen_at(core.id, address).filter(|_| bytes == 4)?;
        *place = address;
        self.looks += 1;
        // One cycle of it is counted as that of any instruction.
        self.cycles += cycles - 1;
        core.set_reg(op.a, value);
        Some(())
    }
}

/// What a loop may change.
type State = ([u32; REGISTERS], Flags);

impl<const REGION: u8, const MODE: u8> Cursor<'_, REGION, MODE> {
    /// Behind the load of `op`, which took so many cycles: leaves turns out if it is the look of such a loop.
    #[inline(never)]
    pub(super) fn leave_out_turns<B: Bus>(
        &mut self,
        core: &mut Core,
        bus: &mut B,
        op: &Op,
        look_cycles: u64,
    ) {
        let address = core.load_address(*op).0;
        if bus.seen_for(core.id, address, self.cycle) < FEWEST_CYCLES {
            return;
        }
        let before = state(core);
        let turns = match self.lasting_turn(core, bus, op, look_cycles, &before) {
            Some(turn) => self.leave_out(core, bus, &turn),
            None => 0,
        };
        if turns == 0 {
            core.r[..REGISTERS].copy_from_slice(&before.0);
            core.flags = before.1;
        }
    }

    /// The turn that the loop does again and again, if it is one; the core is where that leads.
    fn lasting_turn<B: Bus>(
        &self,
        core: &mut Core,
        bus: &B,
        op: &Op,
        look_cycles: u64,
        before: &State,
    ) -> Option<Turn> {
        let first = self.turn(core, bus, op, look_cycles)?;
        let behind = state(core);
        if behind == *before {
            return Some(first);
        }
        // What it came with may have been another state than that of its turns.
        let second = self.turn(core, bus, op, look_cycles)?;
        (second == first && state(core) == behind).then_some(first)
    }

    /// Goes from behind the look to behind the next one, which sees the same.
    fn turn<B: Bus>(&self, core: &mut Core, bus: &B, op: &Op, look_cycles: u64) -> Option<Turn> {
        let (look, seen) = (self.index.wrapping_sub(1), core.reg(op.a));
        let mut turn = Turn { cycles: look_cycles, instructions: 1, looks: 1, ..Turn::default() };
        let (mut index, mut parts): (u32, &[Kind]) = (self.index, &[]);
        while turn.instructions <= MOST_INSTRUCTIONS && index != look {
            let next = self.at_hand(core, index)?;
            // The entries behind the first of a superinstruction have the operands of its parts, and no kinds.
            let kind;
            (kind, parts) =
                parts.split_first().map_or_else(|| next.kind.in_parts(), |(kind, parts)| (*kind, parts));
            let is_taken = match kind.class() {
                Class::compute => {
                    core.operate(kind, next);
                    false
                }
                Class::branch => core.flags.hold(kind),
                Class::load => {
                    turn.look_on_the_way(core, bus, kind, next)?;
                    false
                }
                _ if kind == Kind::Branch => true,
                _ => return None,
            };
            turn.instructions += 1;
            turn.cycles += if is_taken { 2 } else { 1 };
            if !is_taken {
                index += 1;
                continue;
            }
            let to = index.wrapping_add(next.imm);
            if turn.branch.replace((index, to)).is_some() {
                return None;
            }
            (index, parts, turn.words_left) = (to, &[], next.words_left());
        }
        turn.addresses[0] = core.load_address(*op).0;
        core.set_reg(op.a, seen);
        (index == look).then_some(turn)
    }

    /// What was decoded at a place, if it can be executed without fetching anything.
    fn at_hand(&self, core: &Core, index: u32) -> Option<&Op> {
        let is_fetched = !Self::FETCHES_RUNS || core.run.holds(index);
        self.ops.get(index as usize).filter(|_| is_fetched)
    }

    fn leave_out<B: Bus>(&mut self, core: &mut Core, bus: &mut B, turn: &Turn) -> u64 {
        let Some((from, to)) = turn.branch else { return 0 };
        let addresses = &turn.addresses[..turn.looks];
        let turns = bus.unseen_turns(core.id, addresses, self.cycle, turn.cycles);
        if turns != 0 {
            self.cycle += turns * turn.cycles;
            self.execute_more(turns as u32 * turn.instructions);
            core.run.leave_words((turns as u32).wrapping_mul(turn.words_left));
            core.branches.add(self.address(from), self.address(to));
            core.branches.repeat(1, turns - 1);
        }
        turns
    }
}

fn state(core: &Core) -> State {
    (std::array::from_fn(|number| core.r[number]), core.flags)
}
