/**
 * The visitor's session: its token, which all pages of the browser share, and the site's word about the visitor, until
 * the server has taken or refused it.
 */

import type { Memory } from '../messages/memory.ts'
import { type AskFailed, askFailed, type Connection } from './connection.ts'
import type { Pauses } from './pauses.ts'

type Ask = Connection['ask']

export class Session {
  #memory
  #token: string | undefined
  #identity: string | undefined

  constructor(memory: Memory) {
    this.#memory = memory
    this.#token = memory.token
  }

  get token() {
    return this.#token
  }

  /** The token in which the site has signed facts about the visitor, while the server does not know them. */
  get identity() {
    return this.#identity
  }

  identify(identity: string) {
    this.#identity = identity
  }

  /**
   * Takes the token that the server has given. Returns false when another page of the same browser was faster: both use
   * one token, so that they are one visitor.
   */
  begin(token: string) {
    const other = this.#token ? undefined : this.#memory.token
    const is_ours = !other || other === token
    this.#take(is_ours ? token : other)
    return is_ours
  }

  /** The next visitor of this browser is somebody else. Returns true when there was a session, which the server may know. */
  leave() {
    const token = this.#token ?? this.#memory.token
    this.#identity = undefined
    if (token) this.#memory.left = [...this.#memory.left, token]
    this.#take(undefined)
    return token !== undefined
  }

  /**
   * The server does not know the token any more. Another page of the same browser may have been given the next one.
   * @returns Whose session is next: the same visitor's, another one's, or none.
   */
  forget(): 'same' | 'other' | 'nobody' {
    const next = this.#memory.token === this.#token ? undefined : this.#memory.token
    const is_same = next !== undefined && visitorOf(next) === visitorOf(this.#token)
    this.#take(next)
    return next === undefined ? 'nobody' : is_same ? 'same' : 'other'
  }

  /** Tells the server of the sessions that were left while there was no connection. */
  async tellLeft(ask: Ask) {
    for (const visitor_token of this.#memory.left) {
      await ask('logout', { visitor_token })
      this.#memory.left = this.#memory.left.filter((one) => one !== visitor_token)
    }
  }

  /**
   * Tells the server who the visitor is. Returns true when that makes another session.
   * @throws AskFailed when there is no connection any more, or the site says something else now
   */
  async tellIdentity(
    identity: string,
    pauses: Pauses,
    on: {
      ask: Ask
      isConnected(): boolean
      refused(failure: AskFailed): void
    },
  ) {
    for (;;) {
      try {
        const { visitor_token } = await on.ask('identify', { token: identity })
        if (this.#identity === identity) this.#identity = undefined
        if (visitor_token === undefined) return false
        this.#take(visitor_token)
        return true
      } catch (error) {
        const failure = askFailed(error)
        if (!on.isConnected() || this.#identity !== identity) throw failure
        if (failure.code !== 'IDENTITY_INVALID') {
          await pauses.after(failure)
          continue
        }
        this.#identity = undefined
        on.refused(failure)
        return false
      }
    }
  }

  #take(token: string | undefined) {
    this.#token = token
    this.#memory.token = token
  }
}

/** The visitor of a token. */
function visitorOf(token: string | undefined) {
  return token?.split('.')[0]
}
