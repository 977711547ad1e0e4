/** The message templates of a project while they are managed. No DOM. */
import { type Signal, signal } from '@preact/signals'
import type { Project } from '../../data/project.ts'
import { Resource } from '../../data/resource.ts'
import type { Template } from '../../records/template.ts'
import { byName, readTemplates } from '../compose/template_list.ts'

/** The permission to submit, edit and delete them. */
const MANAGES_TEMPLATES = 'console.manage_templates'

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
    this.list = new Resource(() => readTemplates(api))
  }

  /** Reads the list again after a while without the server. */
  read() {
    if (this.list.value) void this.list.read()
  }

  /** Uploads an example file for a number and returns its `media_id`. */
  async upload(file: File, channel_id: string): Promise<string> {
    const form = new FormData()
    form.append('file', file, file.name)
    form.append('phone_number_id', channel_id)
    return (await this.#api.send<{ media_id: string }>('media/upload', form)).media_id
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
    if (this.list.value) this.list.put(byName(list))
  }
}

function pathOf(id: string) {
  return `messages/templates/${encodeURIComponent(id)}`
}
