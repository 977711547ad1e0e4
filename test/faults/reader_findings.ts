/** Holds what readers saw against what had been acknowledged before they looked. */
import { type Finding, type Interval, isLost } from '../e2e/history_checker.ts'

/**
 * When it was first asked for and when it was acknowledged (0: not yet), in milliseconds since the epoch. `repeated`: nobody
 * said what became of an attempt, which may be carried out at any time, over later changes, too.
 */
export type Change = { begun: number; acknowledged: number; repeated?: boolean }

/** One read: the node that gave it, and the answer. */
export type Look = { node: string; begun: number; ended: number; status: number; name?: string }

export type TokenLife = { id: string; made: Change; revoked: Change | undefined }

/** `last`: looked at when all was over, and nothing else went on. */
export type Sight = { look: Look; last: boolean; token?: TokenLife }

/** All that a reader did and saw. */
export type Seen = {
  /** By the number that is the name. */
  names: Map<number, Change>
  tokens: TokenLife[]
  /** From asking for low limits to the acknowledgement of high ones: 429 may be the answer. */
  squeezed: Change[]
  sights: Sight[]
  /** Answers to changes that are neither yes nor an honest "not now". */
  surprises: string[]
  /** Tokens as the database has them when all is over; undefined when it never was. */
  stored: Map<string, { revoked: boolean }> | undefined
}

/** `lost`: changes acknowledged in this time may be undone. */
export function readerFindings(seen: Seen, lost?: Interval): Finding[] {
  const findings: Finding[] = seen.surprises.map((what) => ({ kind: 'surprise', what }))
  for (const { id, made, revoked } of seen.stored ? seen.tokens : []) {
    const stored = seen.stored?.get(id)
    if (!stored && !isLost(made.acknowledged, lost)) findings.push({ kind: 'lost', what: `the token ${id}` })
    const undone = stored && !stored.revoked && revoked && revoked.acknowledged > 0
    if (undone && !isLost(revoked.acknowledged, lost))
      findings.push({ kind: 'lost', what: `the end of the token ${id}, which was revoked` })
  }
  for (const sight of seen.sights) {
    const wrong = wrongIn(seen, sight, lost)
    if (wrong) findings.push({ kind: wrong[0], what: `${sight.look.node} ${wrong[1]}` })
  }
  return findings
}

function wrongIn(seen: Seen, sight: Sight, lost: Interval | undefined): [Finding['kind'], string] | undefined {
  const { look, token } = sight
  if (look.status === 429) {
    // Limits whose raising was lost are low from then on, until somebody raises them again.
    const allowed = seen.squeezed.some(({ begun, acknowledged }) =>
      overlaps(look, begun, isLost(acknowledged, lost) ? 0 : acknowledged),
    )
    return allowed ? undefined : ['stale', 'answered 429 by limits that had been raised before']
  }
  if (look.status !== 200 && look.status !== 401) return ['surprise', `answered a read with ${look.status}`]
  if (token) return wrongToken(seen, sight, token, lost)
  if (look.status === 401) return ['stale', 'refused a token that is valid']
  const shown = numberIn(look.name)
  const acknowledged = [...seen.names].filter(([, one]) => counts(one, look, lost)).map(([number]) => number)
  const needed = Math.max(0, ...acknowledged)
  if (shown >= needed || seen.names.get(shown)?.repeated) return undefined
  const late_ms = look.begun - seen.names.get(needed)!.acknowledged
  return ['stale', `showed the name ${shown}, asked ${late_ms} ms after ${needed} was acknowledged`]
}

function wrongToken(
  { stored }: Seen,
  { look, last }: Sight,
  token: TokenLife,
  lost: Interval | undefined,
): [Finding['kind'], string] | undefined {
  const { id, made, revoked } = token
  const row = stored?.get(id)
  if (last && lost) {
    const valid = row !== undefined && !row.revoked
    if (valid === (look.status === 200)) return undefined
    return ['stale', `answered ${look.status} for the token ${id}, which the database ${valid ? 'has' : 'has not'}`]
  }
  if (look.status === 401) {
    const ended = revoked !== undefined && revoked.begun <= look.ended
    if (ended || isLost(made.acknowledged, lost)) return undefined
    return ['stale', `refused the token ${id}, made ${look.begun - made.acknowledged} ms before`]
  }
  if (!revoked || !counts(revoked, look, lost)) return undefined
  return ['stale', `took the token ${id}, revoked ${look.begun - revoked.acknowledged} ms before`]
}

/** Acknowledged before the look began, for good. */
function counts({ acknowledged }: Change, look: Look, lost: Interval | undefined): boolean {
  return acknowledged > 0 && acknowledged <= look.begun && !isLost(acknowledged, lost)
}

function overlaps(look: Look, begun: number, acknowledged: number): boolean {
  return look.ended >= begun && (acknowledged === 0 || look.begun <= acknowledged)
}

/** A name is `number 7`. */
export function numberIn(name: string | undefined): number {
  return Number(name?.split(' ')[1] ?? Number.NaN)
}
