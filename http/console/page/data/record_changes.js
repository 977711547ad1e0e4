/**
 * An agent's changes of a contact or a customer. Each is shown at once, and taken back when it is refused. No DOM.
 *
 *  R1 Changes are sent one after the other.
 *  R2 Before each, the record is read again. Where somebody changed the same field meanwhile, the change is a conflict: the
 *     record stays as it is, and the agent decides. Single custom fields are merged into those of the others.
 */
import { signal } from '@preact/signals'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {{ what: string, theirs: AnyRecord, mine: AnyRecord, insist(): Promise<void> }} Conflict */

export class RecordChanges {
  conflict = signal(/** @type {Conflict | null} */ (null))
  #project
  #kind
  #path
  #id
  /** @type {Promise<unknown>} */
  #last = Promise.resolve()

  /**
   * @param {Pick<import('./project.js').Project, 'api' | 'records'>} project
   * @param {'contact' | 'customer'} kind
   * @param {string} id
   */
  constructor(project, kind, id) {
    this.#project = project
    this.#kind = kind
    this.#id = id
    this.#path = kind === 'contact' ? `contacts/${id}` : `crm/customers/${id}`
  }

  /**
   * Changes fields. `what` names the change for people, such as `the name`.
   *
   * @param {string} what
   * @param {AnyRecord} fields
   * @param {{ is_forced?: boolean }} [more] a forced change is made whatever others did
   * @returns {Promise<void>}
   * @throws {import('./api.js').ApiError} for a refusal; a conflict is none
   */
  async change(what, fields, { is_forced = false } = {}) {
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
        const wanted = touched(seen, fields)
        if (wanted.length === 0) return now
        const theirs = pick(now, wanted)
        const mine = pick(fields, wanted)
        if (!is_forced && !same(theirs, pick(seen, wanted)) && !same(theirs, mine)) {
          const insist = () => {
            this.conflict.value = null
            return this.change(what, fields, { is_forced: true })
          }
          this.conflict.value = { what, theirs, mine, insist }
          return now
        }
        return api.patch(this.#path, merged(now, fields, wanted))
      },
      (/** @type {AnyRecord} */ record) => record,
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

/**
 * The fields that a change touches, as paths: a custom field is one of its own.
 *
 * @param {AnyRecord} seen
 * @param {AnyRecord} fields
 * @returns {string[][]}
 */
function touched(seen, fields) {
  return Object.keys(fields).flatMap((name) => {
    if (name !== 'custom_fields') return same(fields[name], seen[name]) ? [] : [[name]]
    const keys = new Set([...Object.keys(fields[name]), ...Object.keys(seen[name] ?? {})])
    return [...keys].filter((key) => !same(fields[name][key], seen[name]?.[key])).map((key) => [name, key])
  })
}

/**
 * @param {AnyRecord} record
 * @param {string[][]} paths
 * @returns {AnyRecord}
 */
function pick(record, paths) {
  return Object.fromEntries(
    paths.map(([name = '', key]) => [key ?? name, (key ? record[name]?.[key] : record[name]) ?? null]),
  )
}

/**
 * The body of the request: custom fields are replaced as a whole, so those of others are among them.
 *
 * @param {AnyRecord} now
 * @param {AnyRecord} fields
 * @param {string[][]} paths
 */
function merged(now, fields, paths) {
  if (!fields.custom_fields) return fields
  const custom_fields = { ...now.custom_fields }
  for (const [name, key] of paths) {
    if (name !== 'custom_fields' || key === undefined) continue
    if (fields.custom_fields[key] === undefined) delete custom_fields[key]
    else custom_fields[key] = fields.custom_fields[key]
  }
  return { ...fields, custom_fields }
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
function same(one, other) {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}
