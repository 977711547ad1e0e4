/**
 * Decides the entries of a ledger. Nothing else computes a balance.
 *
 *  L1 Entries are numbered 1, 2, 3 and so on, and each balance is the former one plus the amount.
 *  L2 No balance is below 0 or above `MAX_POINTS`.
 *  L3 A membership expires once, with at most one entry, which takes all that is left. An expiry that is due comes
 *  before any other movement.
 */
import {
  expiryOf,
  type LoyaltyEntry,
  type LoyaltyMembership,
  type LoyaltyProgram,
  type MovementKind,
  tierAt,
} from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'

/** Maximum balance: amounts and balances are integers of four bytes. */
export const MAX_POINTS = 2_000_000_000

/** The entries that a membership gets, and its columns after them. */
export type Movements = {
  entries: Pick<LoyaltyEntry, 'number' | 'kind' | 'amount' | 'balance_after'>[]
  changes: Partial<LoyaltyMembership>
}

type Member = { membership: LoyaltyMembership; program: LoyaltyProgram }

/** True from the moment at which the points expire until the expiry is written down. */
export function isDue({ membership, program }: Member, now: Date): boolean {
  const expiry = expiryOf(program, membership)
  return expiry !== null && expiry <= now
}

/** The expiry of a membership that is due. Without points there is no entry. */
export function expire({ membership, program }: Member, now: Date): Movements {
  const changes = { expired_at: now, updated_at: now }
  const amount = -membership.balance_points
  return amount === 0 ? { entries: [], changes } : append({ membership, program }, 'expire', amount, changes, now)
}

/** The amount as the ledger stores it. A redemption may be given with either sign. */
export function signed(kind: Exclude<MovementKind, 'expire'>, amount: number): number {
  return kind === 'redeem' ? -Math.abs(amount) : amount
}

/**
 * A movement of a membership, after its expiry when that is due. `amount` is signed.
 * @throws {Refusal} PROGRAM_INACTIVE, INSUFFICIENT_BALANCE, BALANCE_LIMIT_REACHED
 */
export function move(member: Member, kind: Exclude<MovementKind, 'expire'>, amount: number, now: Date): Movements {
  const { membership, program } = member
  if (kind === 'earn' && !program.is_active) throw refuse('PROGRAM_INACTIVE')
  const expired = isDue(member, now) ? expire(member, now) : undefined
  const present = { program, membership: { ...membership, ...expired?.changes } }
  const balance = balanceOf(present)
  if (balance + amount < 0) throw refuse('INSUFFICIENT_BALANCE', { balance, amount })
  if (balance + amount > MAX_POINTS) throw refuse('BALANCE_LIMIT_REACHED', { balance, limit: MAX_POINTS })
  const moved = append(present, kind, amount, expired?.changes ?? {}, now)
  return { entries: [...(expired?.entries ?? []), ...moved.entries], changes: moved.changes }
}

function balanceOf({ membership, program }: Member): number {
  return program.type === 'points' ? membership.balance_points : membership.stamps_count
}

function append(
  member: Member,
  kind: MovementKind,
  amount: number,
  changes: Partial<LoyaltyMembership>,
  now: Date,
): Movements {
  const { membership, program } = member
  const number = membership.entry_count + 1
  const balance_after = balanceOf(member) + amount
  const figure = program.type === 'points' ? { balance_points: balance_after } : { stamps_count: balance_after }
  const tier = tierAt(program.tiers, figure.balance_points ?? membership.balance_points)
  return {
    entries: [{ number, kind, amount, balance_after }],
    changes: { ...changes, ...figure, tier, entry_count: number, updated_at: now },
  }
}
