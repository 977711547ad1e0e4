/** Rules of loyalty programs that turns and reads share. */

export type LoyaltyProgramType = 'points' | 'stamps'

export type LoyaltyRules = {
  points: {
    /** Days from the enrolment to the expiry of the points; 0 for none. */
    expiration_days: number
  }
}

export type LoyaltyTier = { name: string; threshold: number }

type Program = { type: LoyaltyProgramType; rules: LoyaltyRules; tiers: LoyaltyTier[] }
type Figures = { balance_points: number; stamps_count: number; tier: string }
type Membership = Figures & { enrolled_at: Date; expired_at?: Date | null }

const DAY_MS = 86_400_000

/**
 * The moment at which the points of a membership expire; null when they do not, or have expired before. Days have 24
 * hours.
 */
export function expiryOf(
  { type, rules }: Pick<Program, 'type' | 'rules'>,
  { enrolled_at, expired_at }: Pick<Membership, 'enrolled_at' | 'expired_at'>,
): Date | null {
  const { expiration_days } = rules.points
  if (type !== 'points' || expiration_days === 0 || expired_at) return null
  return new Date(enrolled_at.getTime() + expiration_days * DAY_MS)
}

/** The highest level whose threshold the points reach; empty without one. */
export function tierAt(tiers: readonly LoyaltyTier[], balance_points: number): string {
  let highest: LoyaltyTier | undefined
  for (const tier of tiers) {
    if (tier.threshold <= balance_points && tier.threshold >= (highest?.threshold ?? 0)) highest = tier
  }
  return highest?.name ?? ''
}

/** The figures as they read at a moment. After the expiry the points are 0, also before the ledger has the entry. */
export function figuresAt(program: Program, membership: Membership, at: Date): Figures {
  const { balance_points, stamps_count, tier } = membership
  const expiry = expiryOf(program, membership)
  if (expiry === null || expiry > at) return { balance_points, stamps_count, tier }
  return { balance_points: 0, stamps_count, tier: balance_points === 0 ? tier : tierAt(program.tiers, 0) }
}
