import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Tries to sign in that count against one bound, such as those for an e-mail address. There is no row without one. */
export const SignInWindow = defineEntity({
  name: 'SignInWindow',
  tableName: 'sign_in_window',
  properties: {
    /** Which bound, and a hash of whom it holds for. */
    key: p.text().primary(),
    /** Oldest first. */
    attempts: p.json<SignInAttempt[]>().columnType('jsonb'),
  },
})

/** `at`: milliseconds since the epoch. */
export type SignInAttempt = { id: string; at: number }

export type SignInWindow = InferEntity<typeof SignInWindow>
