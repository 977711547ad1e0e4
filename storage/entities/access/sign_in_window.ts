import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** Sign-in attempts that count against one limit, such as that of an e-mail address. There is no row without an attempt. */
export const SignInWindow = defineEntity({
  name: 'SignInWindow',
  tableName: 'sign_in_window',
  properties: {
    /** The limit, and a hash of its subject. */
    key: p.text().primary(),
    /** Oldest first. */
    attempts: p.json<SignInAttempt[]>().columnType('jsonb'),
  },
})

/** `at`: milliseconds since the epoch. */
export type SignInAttempt = { id: string; at: number }

export type SignInWindow = InferEntity<typeof SignInWindow>
