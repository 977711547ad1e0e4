/**
 * Rate limits of agents. They draw on no budget of their project, so a script with the cookie of a session, or a page that
 * asks in a loop, is bounded here: for each user, whatever the number of sessions, and for the agents of a project
 * together. Each node counts alone, in bounded memory.
 */
import { performance } from 'node:perf_hooks'
import type { ApiError } from '../errors/api_error.ts'
import { AddressBuckets, type Bucket } from '../limits/address_buckets.ts'

const RATES = {
  user: {
    request: { burst: 1000, per_minute: 6000 },
    write: { burst: 300, per_minute: 600 },
    draft: { burst: 120, per_minute: 300 },
  },
  project: {
    request: { burst: 10_000, per_minute: 60_000 },
    write: { burst: 3000, per_minute: 12_000 },
    draft: { burst: 1200, per_minute: 6000 },
  },
} satisfies Record<string, Record<string, Bucket>>

const MAX = 16_384
const REQUEST = 0
/** The numbers of the buckets of requests that change something. */
const CHANGES = { write: 1, draft: 2 }

/** The kind of a change that a request makes; undefined for one that reads. */
type AgentChange = keyof typeof CHANGES | undefined

type Options = {
  /** Milliseconds. */
  now?: () => number
}

export class AgentLimits {
  readonly #users = new AddressBuckets(MAX, Object.values(RATES.user))
  readonly #projects = new AddressBuckets(MAX, Object.values(RATES.project))
  readonly #now: () => number

  constructor({ now = () => performance.now() }: Options = {}) {
    this.#now = now
  }

  /** Counts a request of an agent. Returns the error of one beyond a limit, which counts nothing. */
  take({ user_id, project_id }: { user_id: string; project_id: string }, change: AgentChange): ApiError | undefined {
    const now = this.#now()
    const levels: [AddressBuckets, string][] = [[this.#users, user_id]]
    if (project_id !== '') levels.push([this.#projects, project_id])
    const kinds = change ? [REQUEST, CHANGES[change]] : [REQUEST]
    let wait_ms = 0
    for (const [buckets, name] of levels) {
      for (const kind of kinds) wait_ms = Math.max(wait_ms, buckets.wait(name, kind, 1, now))
    }
    if (wait_ms > 0) return tooMany(Math.ceil(wait_ms / 1000))
    for (const [buckets, name] of levels) for (const kind of kinds) buckets.take(name, kind, 1, now)
    return undefined
  }
}

function tooMany(retry_after: number): ApiError {
  const message = `Too many requests come from the console. Try again in ${retry_after} s.`
  return { code: 'THROTTLED', message, details: { exceeded: ['minute'] }, retry_after }
}
