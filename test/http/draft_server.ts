import type { Json } from '../e2e/client.ts'

/** A server of one draft, as `docs/inbox.md` describes it. `hold` keeps answers until it is resolved. */
export function draftServer() {
  let stored: Json = { version: 0, content: '', attachments: [], context: null }
  const saves: Json[] = []
  const server = {
    hold: undefined as Promise<void> | undefined,
    saves,
    stored: () => stored,
    async get() {
      return stored
    },
    async put(_: string, { version, ...draft }: Json) {
      saves.push(draft.content)
      await server.hold
      const is_saved = version > stored.version
      if (is_saved) stored = { version, ...draft }
      return { ...stored, is_saved }
    },
    async delete(path: string) {
      const version = Number(/version=(\d+)/.exec(path)?.[1])
      return server.put(path, { version, content: '', attachments: [], context: null })
    },
  }
  return server
}
