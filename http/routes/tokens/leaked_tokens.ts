/** Reports of access tokens that were found in public, by GitHub's secret scanning. */
import type { LeakedToken } from '../../../actors/mod.ts'
import { type Log, Refusal, type Runtime, silentLog } from '../../../runtime/mod.ts'
import { type Database, findTokenByHash, hashToken, isWellFormedToken, type Origin } from '../../../storage/mod.ts'
import type { RawAnswer, RawRequest, RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { isDryRun, isGenuine, isPlausible, type Label, type Match, matchesIn, type ReportKeys } from './leak_report.ts'

export type LeakHooks = { keys: ReportKeys; log: Log }

/** About 4000 matches. */
const BODY_LIMIT = 1024 * 1024
/** Places that a mail names. */
const MAX_PLACES = 5
const MAX_PLACE_LENGTH = 500
/** Tokens in one message to a project. */
const MAX_TOKENS = 50
/** Projects that are asked at once. */
const MAX_ASKED = 8
const REPEATABLE = { repeatable: true }

/** A token that exists, with the places where it was found. */
type Leak = { project_id: string; token: LeakedToken }

type Asking = { runtime: Runtime; log: Log; origin: Origin | undefined }

export function leakRoutes({ keys, log }: LeakHooks = { keys: new Map(), log: silentLog }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/secret-scanning/alerts',
      operation: 'report_leaked_tokens',
      summary: 'GitHub’s secret scanning reports tokens that it found in public; they are revoked at once',
      auth: 'none',
      audited: true,
      pool: 'exempt',
      refusals_counted_as: 'hook',
      status: 200,
      body_limit: BODY_LIMIT,
      isPlausible: (headers) => isPlausible(keys, headers),
      raw: (request, context) => answerReport(keys, log, request, context),
    }),
  ]
}

async function answerReport(
  keys: ReportKeys,
  log: Log,
  { headers, query, body }: RawRequest,
  { database, runtime, origin }: RequestContext,
): Promise<RawAnswer> {
  if (!isGenuine(keys, headers, body)) throw new Refusal('UNAUTHENTICATED')
  const is_dry_run = isDryRun(query)
  const matches = matchesIn(body)
  const leaks = await findLeaks(database, matches)
  if (!is_dry_run) await revoke({ runtime, log, origin }, [...leaks.values()])
  const labels = matches.map(({ token, type }): Label => {
    const token_hash = hashToken(token)
    return { token_hash, token_type: type, label: leaks.has(token_hash) ? 'true_positive' : 'false_positive' }
  })
  return { status: 200, body: JSON.stringify(labels) }
}

/** The matches that are tokens of this installation, revoked and expired ones too, by the hash of the token. */
async function findLeaks(database: Database, matches: Match[]): Promise<Map<string, Leak>> {
  const places = new Map<string, Match[]>()
  for (const match of matches) {
    if (!isWellFormedToken(match.token)) continue
    const hash = hashToken(match.token)
    const known = places.get(hash)
    if (known) known.push(match)
    else places.set(hash, [match])
  }
  const leaks = new Map<string, Leak>()
  const look = async ([hash, found]: [string, Match[]]) => {
    const identity = await findTokenByHash(database, hash)
    if (!identity) return
    const { token_id: id, project_id } = identity
    leaks.set(hash, {
      project_id,
      token: { id, places: found.slice(0, MAX_PLACES).map(placeOf), found: found.length },
    })
  }
  await Promise.all([...places].map(look))
  return leaks
}

/** Without characters that cannot be stored. */
function placeOf({ url, source }: Match): LeakedToken['places'][number] {
  const clean = (text: string) =>
    text
      .slice(0, MAX_PLACE_LENGTH)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .toWellFormed()
  return { url: clean(url), source: clean(source) }
}

/** Revokes all that can be revoked. Throws when a project could not be asked; a repeated report asks it again. */
async function revoke({ runtime, log, origin }: Asking, leaks: Leak[]): Promise<void> {
  const of_project = Map.groupBy(leaks, ({ project_id }) => project_id)
  const messages = [...of_project].flatMap(([project_id, all]) =>
    Array.from({ length: Math.ceil(all.length / MAX_TOKENS) }, (_, part) => ({
      project_id,
      tokens: all.slice(part * MAX_TOKENS, (part + 1) * MAX_TOKENS).map(({ token }) => token),
    })),
  )
  const failures: unknown[] = []
  const ask = async () => {
    for (let message = messages.pop(); message !== undefined; message = messages.pop()) {
      const { project_id, tokens } = message
      try {
        const asked = runtime.ask(`project/${project_id}`, { type: 'revoke_leaked_tokens', tokens, origin }, REPEATABLE)
        const { revoked } = (await asked) as { revoked: string[] }
        for (const { id, places } of tokens) {
          if (revoked.includes(id))
            log.warn({ token_id: id, project_id, ...places[0] }, 'a token found in public was revoked')
        }
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: MAX_ASKED }, ask))
  if (failures.length > 0) throw failures[0]
}
