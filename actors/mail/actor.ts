/**
 * The mail actor: one per mail, keyed by the sender, so that a repeated tell sends it once.
 *
 * Each attempt is stored before it is made, with a timer for a missing outcome. After a crash it is unknown whether the
 * mail system took the mail, so it is sent again under the same Message-ID, which lets the mail system recognise the
 * repeat.
 */
import { type ActorKind, defineActor, type Log, type Turn } from '../../runtime/mod.ts'
import type { Mailer, MailOutcome } from './mailer.ts'

export type MailProtocol = {
  /** Sends a mail, unless one was sent under this key. */
  send: { message: { to: string; subject: string; text: string }; reply: void }
  /** Outcome of an attempt; also from a former owner. */
  attempted: { message: { attempt: number; outcome: MailOutcome }; reply: void }
  /** The timer: the next attempt is due, or the last one has no outcome. */
  retry: { message: object; reply: void }
}

/** A finished mail keeps only its status. */
type MailState =
  | { status: 'new' | 'sent' | 'given_up' | 'dropped' }
  | { status: 'sending' | 'waiting'; attempts: number; to: string; subject: string; text: string; told_at: string }

type Pending = Extract<MailState, { attempts: number }>
type MailTurn = Turn<MailState>

export type MailOptions = {
  /** Null without a configured mail system: mails are dropped then. */
  mailer: Mailer | null
  log: Log
  /** The pause before the second attempt, which doubles before each one after it. Milliseconds. */
  retry_ms?: number
  /** Milliseconds to wait for the outcome of an attempt; longer than any attempt takes. */
  doubt_ms?: number
}

/** With the pauses below, attempts go on for about five hours. */
const MAX_ATTEMPTS = 12
const RETRY_MS = 30_000
/** Maximum pause, as a multiple of the first one: an hour. */
const MAX_PAUSE = 120
const DOUBT_MS = 60_000
/** Milliseconds after which a mail of a quiet cluster looks again. */
const QUIET_MS = 5000

export function mailActor(options: MailOptions): ActorKind<MailProtocol, MailState> {
  const { mailer, log, retry_ms = RETRY_MS, doubt_ms = DOUBT_MS } = options
  let warned = false

  function drop(turn: MailTurn): void {
    turn.state = { status: 'dropped' }
    turn.save()
    if (warned) return
    warned = true
    turn.after(() => log.warn({}, 'PARLEY_SMTP_URL is not set: mails are dropped'))
  }

  function attempt(turn: MailTurn, mail: Pending, mailer: Mailer): void {
    if (turn.is_quiet) {
      turn.state = { ...mail, status: 'waiting' }
      turn.save()
      turn.timer('retry', new Date(turn.now.getTime() + QUIET_MS), { type: 'retry' })
      return
    }
    const attempts = mail.attempts + 1
    turn.state = { ...mail, status: 'sending', attempts }
    turn.save()
    turn.timer('retry', new Date(turn.now.getTime() + doubt_ms), { type: 'retry' })
    const { to, subject, text, told_at } = mail
    const message_id = `parley.${encodeURIComponent(turn.key)}@${mailer.domain}`
    const call = async () => {
      const outcome = await mailer.send({ to, subject, text, message_id, date: new Date(told_at) })
      return { type: 'attempted', attempt: attempts, outcome }
    }
    turn.work(call, { unbroken: true })
  }

  function end(turn: MailTurn, status: 'sent' | 'given_up'): void {
    turn.state = { status }
    turn.save()
    turn.cancel('retry')
  }

  function giveUp(turn: MailTurn, { to, subject, attempts }: Pending, error: string): void {
    end(turn, 'given_up')
    turn.after(() => log.error({ mail: turn.key, to, subject, attempts, error }, 'a mail could not be sent'))
  }

  return defineActor<MailProtocol, MailState>({
    kind: 'mail',
    create: () => ({ status: 'new' }),

    receive: {
      send(turn, { to, subject, text }) {
        if (turn.state.status !== 'new') return
        if (!mailer) return drop(turn)
        attempt(turn, { status: 'waiting', attempts: 0, to, subject, text, told_at: turn.now.toISOString() }, mailer)
      },

      attempted(turn, { attempt, outcome }) {
        const { state } = turn
        if (!('attempts' in state)) return
        // The mail has arrived, with any of the attempts.
        if (outcome.kind === 'sent') return end(turn, 'sent')
        if (state.status !== 'sending' || state.attempts !== attempt) return
        if (outcome.kind === 'refused' || attempt >= MAX_ATTEMPTS) return giveUp(turn, state, outcome.error)
        turn.state = { ...state, status: 'waiting' }
        turn.save()
        const pause_ms = retry_ms * Math.min(2 ** (attempt - 1), MAX_PAUSE)
        turn.timer('retry', new Date(turn.now.getTime() + pause_ms), { type: 'retry' })
        const { error } = outcome
        turn.after(() => log.warn({ mail: turn.key, attempt, error, pause_ms }, 'sending a mail failed'))
      },

      retry(turn) {
        const { state } = turn
        if (!('attempts' in state)) return
        if (!mailer) return giveUp(turn, state, 'PARLEY_SMTP_URL is not set any more')
        if (state.attempts >= MAX_ATTEMPTS) return giveUp(turn, state, 'nothing was heard of the last attempt')
        attempt(turn, state, mailer)
      },
    },
  })
}
