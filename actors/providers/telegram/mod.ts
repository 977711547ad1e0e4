/** Adapter of Telegram's Bot API. Holds no state but its connections. */

export { Telegram } from './provider.ts'
