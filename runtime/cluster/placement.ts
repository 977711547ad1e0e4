/**
 * Computes which node should own which partition. Every node computes it from the same facts: the living nodes and the
 * present owners.
 *
 * Each node has a target, an equal share. An owner keeps its partitions up to its target. The rest, and partitions
 * without a living owner, go to nodes below their targets, each to the node with the best score for it (rendezvous
 * hashing). So no node has more than its share rounded up, and a node that joins or leaves moves its own share and
 * nothing else.
 *
 * Costs one score for each pair of a partition to place and a node below its target: 4096 free partitions and 1000
 * nodes take tens of milliseconds.
 */
import { hashOf } from '../address.ts'

export type Member = { id: string }

type Candidate = {
  id: string
  hash: number
  held: number[]
  /** Number of partitions that it should have in all; `missing` is the number still to get. */
  target: number
  missing: number
}

/** The score of a node for a partition: both hashes mixed by the finalizer of MurmurHash3. Higher is better. */
function score(node_hash: number, partition_hash: number): number {
  let mixed = node_hash ^ partition_hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/**
 * Sets whole shares that add up to `partitions`. The remainder of the division goes to the nodes that would have to
 * give partitions up, then to those that have fewest: a newcomer before a node that has its share.
 */
function setTargets(candidates: readonly Candidate[], partitions: number): void {
  const share = Math.floor(partitions / candidates.length)
  const over = ({ held }: Candidate) => Number(held.length > share)
  const first = [...candidates].sort(
    (a, b) => over(b) - over(a) || a.held.length - b.held.length || (a.id < b.id ? -1 : 1),
  )
  const left = partitions % candidates.length
  for (const [i, candidate] of first.entries()) candidate.target = i < left ? share + 1 : share
}

/**
 * The owner that each partition should have, by index; empty when no node is alive. `owners` are the present ones,
 * undefined where there is none. The order of `members` does not matter; their ids are unique.
 */
export function place(members: readonly Member[], owners: readonly (string | undefined)[]): string[] {
  if (members.length === 0) return []
  const candidates = members.map(({ id }): Candidate => ({ id, hash: hashOf(id), held: [], target: 0, missing: 0 }))
  const by_id = new Map(candidates.map((candidate) => [candidate.id, candidate]))
  for (const [partition, owner] of owners.entries()) if (owner) by_id.get(owner)?.held.push(partition)
  setTargets(candidates, owners.length)
  const hashes = Int32Array.from(owners, (_, partition) => hashOf(String(partition)))
  const placed = new Array<string>(owners.length)
  for (const candidate of candidates) {
    const kept = keep(candidate, hashes)
    for (const partition of kept) placed[partition] = candidate.id
    candidate.missing = candidate.target - kept.length
  }
  fill(placed, candidates, hashes)
  return placed
}

/** The partitions that an owner keeps: those for which it scores best. */
function keep({ hash, held, target }: Candidate, hashes: Int32Array): number[] {
  if (held.length <= target) return held
  const scoreOf = (partition: number) => score(hash, hashes[partition]!)
  return held.sort((a, b) => scoreOf(b) - scoreOf(a) || a - b).slice(0, target)
}

/** Gives each partition without an owner to the best of the nodes below their target. */
function fill(placed: string[], candidates: readonly Candidate[], hashes: Int32Array): void {
  const open = candidates.filter(({ missing }) => missing > 0)
  const node_hashes = Int32Array.from(open, ({ hash }) => hash)
  for (let partition = 0; partition < hashes.length; partition++) {
    if (placed[partition] !== undefined) continue
    const best = bestOf(open, node_hashes, hashes[partition]!)
    const taker = open[best]!
    placed[partition] = taker.id
    if (--taker.missing > 0) continue
    // The last entry replaces the full one.
    const last = open.pop()!
    if (last === taker) continue
    open[best] = last
    node_hashes[best] = last.hash
  }
}

function bestOf(open: readonly Candidate[], node_hashes: Int32Array, partition_hash: number): number {
  let best = 0
  let highest = -1
  for (let i = 0; i < open.length; i++) {
    const mine = score(node_hashes[i]!, partition_hash)
    if (mine < highest || (mine === highest && open[i]!.id > open[best]!.id)) continue
    best = i
    highest = mine
  }
  return best
}
