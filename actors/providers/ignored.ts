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
/** Levels of objects, and of lists within a list. */
const MAX_DEPTH = 3
/** Fields of one object that are looked at: of names that are all passed over, none fills the sample. */
const MAX_LOOKED_AT = 100
/** Programs also use values as names, such as the number of a person. */
const NAME = /^(?!.*\d{5})[a-z_]\w{0,49}$/i

/** The paths of the fields, such as `calls[].id`, without any value. */
function fieldsIn(sample: unknown): string[] {
  const paths = new Set<string>()
  visit(sample, '', 1, paths)
  return [...paths]
}

function visit(value: unknown, path: string, depth: number, paths: Set<string>): void {
  let found = value
  let at = path
  for (let lists = 0; Array.isArray(found) && lists < MAX_DEPTH; lists++) {
    found = found[0]
    at += '[]'
  }
  if (!isObject(found) || depth > MAX_DEPTH) return
  let looked_at = 0
  for (const field in found) {
    if (paths.size >= MAX_SAMPLE_FIELDS || looked_at++ >= MAX_LOOKED_AT) return
    const name = NAME.test(field) ? field : '*'
    const below = at === '' ? name : `${at}.${name}`
    paths.add(below)
    visit(found[field], below, depth + 1, paths)
  }
}
