/** Adapter of Telegram's Bot API. Holds no state but its connections. */

export { tokenIsOf, withChoice } from './choice.ts'
export { Telegram } from './provider.ts'
