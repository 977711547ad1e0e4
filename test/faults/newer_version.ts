/**
 * A preload that makes a node under test one of the next version: its actors take one message, and there is one kind of
 * actor, that this version does not know. Both do nothing but settle their messages.
 */
import module from 'node:module'
import { fileURLToPath } from 'node:url'

/** A message type that the project actor does not know. */
export const NEW_TYPE = 'of_the_next_version'
/** A kind of actor that does not exist. */
export const NEW_KIND = 'novelty'

const root = fileURLToPath(new URL('../..', import.meta.url))
const additions: Record<string, [before: string, added: string]> = {
  'actors/project/features.ts': ['const receiverTable = merge(', `{ ${NEW_TYPE}: { receive() {} } },`],
  'http/app/node/actor_kinds.ts': [
    'return [',
    `{ kind: '${NEW_KIND}', create: () => ({}), receive: { ${NEW_TYPE}() {} } },`,
  ],
}

if (process.env.PARLEY_TEST_VERSION === 'newer') {
  module.registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const addition = url.startsWith('file:') && additions[fileURLToPath(url).slice(root.length)]
      if (!addition) return loaded
      const source = textOf(loaded.source)
      if (!source.includes(addition[0])) throw new Error(`${url} has no "${addition[0]}" any more`)
      return { ...loaded, source: source.replace(addition[0], addition.join(' ')) }
    },
  })
}

function textOf(source: unknown): string {
  return typeof source === 'string' ? source : new TextDecoder().decode(source as Uint8Array)
}
