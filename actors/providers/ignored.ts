import { isObject } from './json.ts'
import type { InboundIgnored } from './provider.ts'

/**
 * A field of a call that has no meaning here. `account`: the one that the call is about, if it names one. `sample`: the
 * part that is left out, of which the names of the fields are kept.
 */
export function ignoredField(name: string, account: string | null = null, sample?: unknown): InboundIgnored {
  return { kind: 'ignored', account, what: 'field', name, sample_fields: fieldsIn(sample) }
}

/** A part of a call that is about an account of the provider without a channel. */
export function ignoredAccount(name: string): InboundIgnored {
  return { kind: 'ignored', account: null, what: 'account', name, sample_fields: [] }
}

const MAX_SAMPLE_FIELDS = 20
const MAX_DEPTH = 3
/** Programs also use values as names, such as the number of a person. */
const NAME = /^(?!.*\d{5})[a-z_]\w{0,49}$/i

/** The paths of the fields, such as `calls[].id`, without any value. */
function fieldsIn(sample: unknown): string[] {
  const paths = new Set<string>()
  visit(sample, '', 1, paths)
  return [...paths]
}

function visit(value: unknown, path: string, depth: number, paths: Set<string>): void {
  if (Array.isArray(value)) {
    visit(value[0], `${path}[]`, depth, paths)
    return
  }
  if (!isObject(value) || depth > MAX_DEPTH) return
  for (const field in value) {
    if (paths.size >= MAX_SAMPLE_FIELDS) return
    const name = NAME.test(field) ? field : '*'
    const below = path === '' ? name : `${path}.${name}`
    paths.add(below)
    visit(value[field], below, depth + 1, paths)
  }
}
