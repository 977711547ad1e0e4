/** Compares the answers that readers got with the changes acknowledged before each read. */
import { type Finding, type Interval, isLost } from '../e2e/history_checker.ts'

/**
 * The times of the first request and of the acknowledgement (0: not yet), in milliseconds since the epoch. `repeated`:
 * the end of an attempt is unknown, so the attempt may be carried out at any time, even over later changes.
 */
export type Change = { begun: number; acknowledged: number; repeated?: boolean }

/** One read: the node that gave it, and the answer. `text`: of a refusal, with the request where it was no read. */
export type Look = { node: string; begun: number; ended: number; status: number; name?: string; text?: string }

export type TokenLife = { id: string; made: Change; revoked: Change | undefined }

/** A look. `last` marks a look when all was over and nothing else went on. */
export type Sight = { look: Look; last: boolean; token?: TokenLife }

/** Everything that a reader did and saw. */
export type Seen = {
  /** The changes of the name, by the number in it. */
  names: Map<number, Change>
  tokens: TokenLife[]
  /** Spans from the request for low limits to the acknowledgement of high ones. 429 may be the answer within them. */
  squeezed: Change[]
  sights: Sight[]
  /** Answers to changes that are neither a yes nor an honest "not now". */
  surprises: string[]
  /** The tokens in the database at the end; undefined when the end was never reached. */
  stored: Map<string, { revoked: boolean }> | undefined
  /** In the round before, a request for low limits was given up that a node may have carried out after the last raise. */
  unsure: boolean
}

/** Returns the faults. Changes acknowledged in the time `lost` may be undone. */
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
    // Limits whose raise was lost stay low until somebody raises them again.
    const allowed = seen.squeezed.some(({ begun, acknowledged }) =>
      overlaps(look, begun, isLost(acknowledged, lost) ? 0 : acknowledged),
    )
    if (allowed) return undefined
    const raised = Math.max(...seen.squeezed.map(({ acknowledged }) => acknowledged))
    const never = seen.unsure ? 'not lowered, unless by a request that the round before gave up' : 'never lowered'
    const since = Number.isFinite(raised) ? `raised ${look.begun - raised} ms before` : never
    return ['stale', `answered 429 by limits that were ${since}: ${look.text}`]
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

/** Returns true for a change that was acknowledged for good before the look began. */
function counts({ acknowledged }: Change, look: Look, lost: Interval | undefined): boolean {
  return acknowledged > 0 && acknowledged <= look.begun && !isLost(acknowledged, lost)
}

function overlaps(look: Look, begun: number, acknowledged: number): boolean {
  return look.ended >= begun && (acknowledged === 0 || look.begun <= acknowledged)
}

/** Returns the number in a name such as `number 7`. */
export function numberIn(name: string | undefined): number {
  return Number(name?.split(' ')[1] ?? Number.NaN)
}
