/**
 * An agent's changes of a contact or a customer. Each is shown at once, and taken back when it is refused. No DOM.
 *
 *  R1 Changes are sent one after the other.
 *  R2 Before each, the record is read again. Where somebody changed the same field meanwhile, the change is a conflict: the
 *     record stays as it is, and the agent decides. Single custom fields are merged into those of the others.
 */

import { signal } from '@preact/signals'
import type { AnyRecord } from '../records/record.ts'
import type { Project } from './project.ts'

type Conflict = { what: string; theirs: AnyRecord; mine: AnyRecord; insist(): Promise<void> }

export class RecordChanges {
  conflict = signal<Conflict | null>(null)
  #project
  #kind
  #path
  #id
  #last: Promise<unknown> = Promise.resolve()

  constructor(project: Pick<Project, 'api' | 'records'>, kind: 'contact' | 'customer', id: string) {
    this.#project = project
    this.#kind = kind
    this.#id = id
    this.#path = kind === 'contact' ? `contacts/${id}` : `crm/customers/${id}`
  }

  /**
   * Changes fields. `what` names the change for people, such as `the name`.
   *
   * @param more a forced change is made whatever others did
   * @throws ApiError for a refusal; a conflict is none
   */
  async change(what: string, fields: AnyRecord, { is_forced = false }: { is_forced?: boolean } = {}): Promise<void> {
    const { api, records } = this.#project
    const seen = records.signal(this.#kind, this.#id).peek() ?? {}
    const before = this.#last
    const done = records.change(
      this.#kind,
      this.#id,
      fields,
      async () => {
        await before
        const now = await api.get(this.#path)
        records.keep(this.#kind, now)
        const keys = touched(seen, fields)
        if (keys.length === 0) return now
        const theirs = pick(now, keys)
        const mine = pick(fields, keys)
        if (!is_forced && !same(theirs, pick(seen, keys)) && !same(theirs, mine)) {
          const insist = () => {
            this.conflict.value = null
            return this.change(what, fields, { is_forced: true })
          }
          this.conflict.value = { what, theirs, mine, insist }
          return now
        }
        return api.patch(this.#path, merged(now, fields, keys))
      },
      (record: AnyRecord) => record,
    )
    // The next change waits for this one, whatever becomes of it.
    this.#last = done.catch(() => {})
    await done
  }

  /** Forgets the conflict: the record stays as it is. */
  yield() {
    this.conflict.value = null
  }
}

/** The fields that a change touches, as paths: a custom field is one of its own. */
function touched(seen: AnyRecord, fields: AnyRecord): string[][] {
  return Object.keys(fields).flatMap((name) => {
    if (name !== 'custom_fields') return same(fields[name], seen[name]) ? [] : [[name]]
    const keys = new Set([...Object.keys(fields[name]), ...Object.keys(seen[name] ?? {})])
    return [...keys].filter((key) => !same(fields[name][key], seen[name]?.[key])).map((key) => [name, key])
  })
}

function pick(record: AnyRecord, paths: string[][]): AnyRecord {
  return Object.fromEntries(
    paths.map(([name = '', key]) => [key ?? name, (key ? record[name]?.[key] : record[name]) ?? null]),
  )
}

/** The body of the request: custom fields are replaced as a whole, so those of others are among them. */
function merged(now: AnyRecord, fields: AnyRecord, paths: string[][]) {
  if (!fields.custom_fields) return fields
  const custom_fields = { ...now.custom_fields }
  for (const [name, key] of paths) {
    if (name !== 'custom_fields' || key === undefined) continue
    if (fields.custom_fields[key] === undefined) delete custom_fields[key]
    else custom_fields[key] = fields.custom_fields[key]
  }
  return { ...fields, custom_fields }
}

function same(one: unknown, other: unknown) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
