/**
 * The sign-in actor: one for each subject of a limit. It admits a limited number of attempts within a time. An attempt
 * counts from its beginning until it has succeeded, so the limit also holds for concurrent attempts on any nodes: no
 * more passwords are checked.
 */
import { type ActorKind, defineActor, type Turn } from '../../runtime/mod.ts'
import { type Database, readRows, type SignInAttempt, SignInWindow } from '../../storage/mod.ts'

export type SignInProtocol = {
  /** An attempt begins; its id makes repeats count once. */
  begin: { message: { id: string }; reply: { ok: true } | { ok: false; retry_after_s: number } }
  /** The attempt succeeded, or was not made after all. */
  forgive: { message: { id: string }; reply: void }
  /** The timer: the last attempt no longer counts. */
  forget: { message: object; reply: void }
}

const MINUTE_MS = 60_000

/** Maximum unsuccessful attempts, by kind of subject. The kind is the first part of a key. */
const bounds = {
  /** An e-mail address from one client address. */
  both: { most: 5, window_ms: 15 * MINUTE_MS },
  /** A client address, for any accounts. */
  address: { most: 50, window_ms: 15 * MINUTE_MS },
  /** An e-mail address from anywhere: high enough that strangers rarely lock its owner out. */
  email: { most: 100, window_ms: 60 * MINUTE_MS },
}

export type SignInBound = keyof typeof bounds

type SignInTurn = Turn<SignInAttempt[]>

const boundOf = (key: string) => bounds[key.slice(0, key.indexOf(':')) as SignInBound]

/**
 * The attempts that still count. One of a time to come is of before the clock was set back, and would count for longer
 * than the window; the clocks of two owners differ by less than a minute.
 */
function counted({ key, state, now }: Pick<SignInTurn, 'key' | 'state' | 'now'>): SignInAttempt[] {
  const after = now.getTime() - boundOf(key).window_ms
  const before = now.getTime() + MINUTE_MS
  return state.filter(({ at }) => at > after && at < before)
}

/** Seconds until one more attempt is allowed; 0 when it is now. */
function wait(actor: Pick<SignInTurn, 'key' | 'state' | 'now'>): number {
  const { most, window_ms } = boundOf(actor.key)
  const attempts = counted(actor)
  if (attempts.length < most) return 0
  return Math.ceil((attempts[0]!.at + window_ms - actor.now.getTime()) / 1000)
}

function keep(turn: SignInTurn, attempts: SignInAttempt[]): void {
  turn.state = attempts
  const { key } = turn
  const last = attempts.at(-1)
  if (last) {
    turn.upsert(SignInWindow, { key, attempts })
    turn.timer('forget', new Date(last.at + boundOf(key).window_ms), { type: 'forget' })
  } else turn.remove(SignInWindow, { key })
}

export function signInActor(): ActorKind<SignInProtocol, SignInAttempt[]> {
  return defineActor<SignInProtocol, SignInAttempt[]>({
    kind: 'sign_in',
    async load(keys: string[], database: Database) {
      const rows = await readRows(database, SignInWindow, { key: keys })
      return new Map(rows.map(({ key, attempts }) => [key, attempts]))
    },
    create: () => [],

    receive: {
      begin(turn, { id }) {
        if (turn.state.some((one) => one.id === id)) return { ok: true }
        const retry_after_s = wait(turn)
        if (retry_after_s > 0) return { ok: false, retry_after_s }
        keep(turn, [...counted(turn), { id, at: turn.now.getTime() }])
        return { ok: true }
      },

      forgive(turn, { id }) {
        if (!turn.state.some((one) => one.id === id)) return
        const others = counted(turn).filter((one) => one.id !== id)
        keep(turn, others)
        if (others.length === 0) turn.cancel('forget')
      },

      forget(turn) {
        keep(turn, counted(turn))
      },
    },

    peek: {
      /** A refusal changes nothing. */
      begin(glance, { id }) {
        if (glance.state.some((one) => one.id === id)) return undefined
        const retry_after_s = wait(glance)
        return retry_after_s > 0 ? { ok: false, retry_after_s } : undefined
      },
    },
  })
}
