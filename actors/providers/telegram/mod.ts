/** Telegram's Bot API: what we send in its words, what it says in ours. Holds no state but its connections. */

export { tokenIsOf, withChoice } from './choice.ts'
export { Telegram } from './provider.ts'
