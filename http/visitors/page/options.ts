import type { Words } from './words.ts'

/**
 * The options of an embedded chat. `base` is the address of the server, with a slash at its end; `key` names the memory;
 * `show` draws the state on the button, `tell` passes an event to the page, `keep` remembers for the next page whether the
 * window is open; `is_page`: the chat fills the page.
 */
export type Options = {
  base: URL
  channel_id: string
  key: string
  root: ShadowRoot
  launcher: HTMLButtonElement
  words: Words
  show(is_open: boolean, unread: number): void
  tell(name: string, value: unknown): void
  keep(is_open: boolean): void
  title: string | undefined
  greeting: string | undefined
  avatar: string | undefined
  position: string | undefined
  is_page: boolean
}
