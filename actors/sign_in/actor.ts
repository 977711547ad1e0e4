/**
 * The sign-in actor: one for each whom tries to sign in are counted for. It lets so many begin within a time; a try counts
 * from its begin, and not any more once it has succeeded. So however many begin at once, on whichever nodes, no more
 * passwords are looked at than the bound says.
 */
import { type ActorKind, defineActor, type Turn } from '../../runtime/mod.ts'
import { type Database, readRows, type SignInAttempt, SignInWindow } from '../../storage/mod.ts'

export type SignInProtocol = {
  /** A try begins, named by whoever makes it: telling it twice counts it once. */
  begin: { message: { id: string }; reply: { ok: true } | { ok: false; retry_after_s: number } }
  /** It succeeded, or was not made after all. */
  forgive: { message: { id: string }; reply: void }
  /** The timer: the last of them counts no more. */
  forget: { message: object; reply: void }
}

const MINUTE_MS = 60_000

/** How many tries that did not succeed there may be, for whom. The first word of a key. */
const bounds = {
  /** An e-mail address from one client address. */
  both: { most: 5, window_ms: 15 * MINUTE_MS },
  /** A client address, whomever it tries to be. */
  address: { most: 50, window_ms: 15 * MINUTE_MS },
  /** An e-mail address from wherever: so many that strangers rarely keep its owner out. */
  email: { most: 100, window_ms: 60 * MINUTE_MS },
}

export type SignInBound = keyof typeof bounds

type SignInTurn = Turn<SignInAttempt[]>

const boundOf = (key: string) => bounds[key.slice(0, key.indexOf(':')) as SignInBound]

/** Those of the actor's tries that still count. */
function counted({ key, state, now }: Pick<SignInTurn, 'key' | 'state' | 'now'>): SignInAttempt[] {
  const after = now.getTime() - boundOf(key).window_ms
  return state.filter(({ at }) => at > after)
}

/** Seconds until there is room for one more; 0 when there is. */
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
      /** A no changes nothing. */
      begin(glance, { id }) {
        if (glance.state.some((one) => one.id === id)) return undefined
        const retry_after_s = wait(glance)
        return retry_after_s > 0 ? { ok: false, retry_after_s } : undefined
      },
    },
  })
}
