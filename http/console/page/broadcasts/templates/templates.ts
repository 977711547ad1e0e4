/** The message templates of a project while they are managed. No DOM. */
import { type Signal, signal } from '@preact/signals'
import type { Project } from '../../data/project.ts'
import { Resource } from '../../data/resource.ts'
import type { Template } from '../../records/template.ts'

/** The permission to submit, edit and delete them. */
const MANAGES_TEMPLATES = 'console.manage_templates'

const PAGE = 200
/** WhatsApp allows 6000 templates for an account. */
const MAX = 6000

export class Templates {
  readonly project_id
  readonly may_manage
  readonly list: Resource<Template[]>
  /** The text of the search, kept while a template is looked at. */
  readonly search: Signal<string> = signal('')
  #api

  constructor({ id, api, user }: Pick<Project, 'id' | 'api' | 'user'>) {
    this.project_id = id
    this.may_manage = user.permissions.includes(MANAGES_TEMPLATES)
    this.#api = api
    this.list = new Resource(() => this.#readAll())
  }

  /** Reads the list again after a while without the server. */
  read() {
    if (this.list.value) void this.list.read()
  }

  one(id: string): Promise<Template> {
    return this.#api.get(pathOf(id))
  }

  /** With the same `key` it is submitted once. */
  async create(fields: object, key: string) {
    this.#keep(await this.#api.post<Template>('messages/templates', fields, { key }))
  }

  async update(id: string, fields: object) {
    this.#keep(await this.#api.patch<Template>(pathOf(id), fields))
  }

  async remove(id: string) {
    await this.#api.delete(pathOf(id))
    this.#put(this.#others(id))
  }

  #keep(template: Template) {
    this.#put([...this.#others(template._id), template])
  }

  #others(id: string) {
    return (this.list.value ?? []).filter(({ _id }) => _id !== id)
  }

  #put(list: Template[]) {
    if (this.list.value) this.list.put(inOrder(list))
  }

  async #readAll(): Promise<Template[]> {
    const list: Template[] = []
    let cursor: string | null = null
    do {
      const page: { data: Template[]; next_cursor: string | null } = await this.#api.get('messages/templates', {
        limit: PAGE,
        cursor,
      })
      list.push(...page.data)
      cursor = page.next_cursor
    } while (cursor !== null && list.length < MAX)
    return inOrder(list)
  }
}

function inOrder(list: Template[]) {
  return list.sort((a, b) => a.name.localeCompare(b.name) || a.language.localeCompare(b.language))
}

function pathOf(id: string) {
  return `messages/templates/${encodeURIComponent(id)}`
}
