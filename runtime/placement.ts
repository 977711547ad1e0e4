/**
 * Which node should own which partition. Every node computes it from the same facts: who is alive, who owns what.
 *
 * Each node has a target, its share by capacity. An owner keeps what it has up to its target; what is over, and what has
 * no living owner, goes to the nodes below theirs, ranked by rendezvous score. So nobody has more than its share rounded
 * up, and a node that joins or leaves moves its own share and nothing else (with different capacities, rarely one more).
 */
import { hashOf } from './address.ts'

export type Member = {
  id: string
  /** Relative to the others; 1 for an ordinary node. */
  capacity: number
}

/** Division is not exact: what is nearer to a whole number than this is that number. */
const ROUNDING = 1e-9

/** A number in (0, 1) that depends on the text alone. */
function chance(text: string): number {
  return (hashOf(text) + 0.5) / 2 ** 32
}

/** The weighted rendezvous score, -w / ln(u): higher is better. */
function score({ id, capacity }: Member, partition: number): number {
  return -capacity / Math.log(chance(`${id} ${partition}`))
}

/**
 * Whole shares that add up to `partitions`, each its exact share rounded down or up. What division leaves over goes to
 * those who would have to give it up, then to those who have least: a newcomer before one who has his share.
 */
function targets(partitions: number, members: readonly Member[], held: Map<string, number>): Map<string, number> {
  const total = members.reduce((sum, member) => sum + member.capacity, 0)
  const shares = members.map(({ id, capacity }) => {
    const exact = (partitions * capacity) / total
    const whole = Math.floor(exact + ROUNDING)
    const has = held.get(id) ?? 0
    return { id, whole, has, over: Number(has > whole), rest: exact - whole }
  })
  let left = partitions - shares.reduce((sum, share) => sum + share.whole, 0)
  const partly = shares.filter(({ rest }) => rest > ROUNDING)
  partly.sort((a, b) => b.over - a.over || a.has - b.has || b.rest - a.rest || (a.id < b.id ? -1 : 1))
  for (const share of partly) if (left-- > 0) share.whole++
  return new Map(shares.map(({ id, whole }) => [id, whole]))
}

/**
 * The owner each partition should have, by index; empty when nobody is alive. `owners` are the present ones, undefined
 * where there is none.
 */
export function place(members: readonly Member[], owners: readonly (string | undefined)[]): string[] {
  if (members.length === 0) return []
  const alive = new Map(members.map((member) => [member.id, member]))
  const held = new Map<string, number>()
  for (const owner of owners) if (owner && alive.has(owner)) held.set(owner, (held.get(owner) ?? 0) + 1)
  const room = targets(owners.length, members, held)
  const placed = new Array<string>(owners.length)
  const take = (partition: number, id: string) => {
    if (placed[partition] !== undefined || room.get(id)! <= 0) return
    placed[partition] = id
    room.set(id, room.get(id)! - 1)
  }
  const byScore = (wishes: { partition: number; member: Member }[]) =>
    wishes
      .map((wish) => ({ ...wish, score: score(wish.member, wish.partition) }))
      .sort((a, b) => b.score - a.score || a.partition - b.partition || (a.member.id < b.member.id ? -1 : 1))
  const present = owners.flatMap((owner, partition) => {
    const member = owner && alive.get(owner)
    return member ? [{ partition, member }] : []
  })
  for (const { partition, member } of byScore(present)) take(partition, member.id)
  const open = owners.flatMap((_, partition) =>
    placed[partition] === undefined ? members.map((member) => ({ partition, member })) : [],
  )
  for (const { partition, member } of byScore(open)) take(partition, member.id)
  return placed
}
