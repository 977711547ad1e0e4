/**
 * The documentation of this release as a site: its guides, the reference of both APIs and the events, an index for the
 * search, and the same as plain text for programs. A page is made when somebody first asks for it.
 */
import type { ApiName } from '../openapi/apis.ts'
import type { Document } from '../openapi/document.ts'
import { type Area, framed, type MenuGroup, type Page } from './frame.ts'
import { type GuideFile, linksOf, listGuides, sourceOf } from './guides.ts'
import { anchorOf, homeBody, type ReferenceGroup, referenceBody } from './lists.ts'
import { partsOf, renderGuide, withLinks, wordsOf } from './markdown.ts'
import { eventPage, type Operation, operationPage, titleOfOperation } from './reference/operation.ts'
import type { OperationObject } from './reference/parts.ts'

/** An entry of the search: a part of a guide, an operation or an event. `words` has each word once, `says` its beginning. */
export type SearchEntry = { path: string; anchor?: string; title: string; place: string; words: string; says?: string }

type Reference = {
  area: Exclude<Area, 'guides'>
  title: string
  summary: string
  /** The document for programs, from the root of the server. */
  document_path: string
  document: Document
  groups: ReferenceGroup[]
  operations: Map<string, Operation>
}

const TEXT = 'text/plain; charset=utf-8'
const MARKDOWN = 'text/markdown; charset=utf-8'
const HTML = 'text/html; charset=utf-8'

export type Text = { content: string; content_type: string }

export class Site {
  readonly #read: (api: ApiName) => Document
  #listed: GuideFile[] | undefined
  #references: Reference[] | undefined
  /** Pages of missing addresses, by the depth of the path: their links are relative to it. */
  readonly #missing = new Map<number, Text>()

  /** `read` makes the description of an API. */
  constructor(read: (api: ApiName) => Document) {
    this.#read = read
  }

  /** The page or file at this path below `/docs`, or undefined. */
  at(path: string): Text | undefined {
    if (path === 'search.json')
      return { content: JSON.stringify(this.#searchIndex()), content_type: 'application/json' }
    if (path.endsWith('.md')) {
      const guide = this.#guides().find(({ name }) => `${name}.md` === path)
      return guide && { content: this.#markdown(guide), content_type: MARKDOWN }
    }
    const page = this.#page(path)
    return page && { content: framed(page), content_type: HTML }
  }

  /** The page for addresses that lead nowhere. It has the menu of the guides, and is the same for all paths of one depth. */
  missing(path: string): Text {
    const depth = path.split('/').length
    const known = this.#missing.get(depth)
    if (known) return known
    const page = {
      path,
      area: undefined,
      title: 'Not found',
      summary: 'There is no such page.',
      body: homeBody(path, 'There is no such page', this.#guides()),
      menu: this.#guideMenu(),
      headings: [],
    }
    const made = { content: framed(page), content_type: HTML }
    this.#missing.set(depth, made)
    return made
  }

  /** An overview for language models, in the form of llmstxt.org. */
  llms(base_url: string): Text {
    const groups = [...Map.groupBy(this.#guides(), ({ group }) => group)].map(
      ([group, guides]) =>
        `## ${group}\n\n${guides.map(({ title, name, summary }) => `- [${title}](${base_url}/docs/${name}.md): ${summary}`).join('\n')}`,
    )
    const apis = this.#all().flatMap(({ title, document_path, summary, area }) =>
      area === 'events' ? [] : [`- [${title}](${base_url}${document_path}): ${summary}`],
    )
    const content = [
      '# Parley',
      '> A self-hosted API for messages on WhatsApp, Instagram, Messenger, Telegram, TikTok, e-mail and web chat, with a CRM, assistants and webhooks.',
      ...groups,
      `## Descriptions for machines\n\n${apis.join('\n')}\n- [Everything in one file](${base_url}/llms-full.txt): all guides as Markdown`,
    ].join('\n\n')
    return { content: `${content}\n`, content_type: TEXT }
  }

  /** All guides as Markdown, one after the other. */
  llmsFull(): Text {
    return {
      content: this.#guides()
        .map((guide) => this.#markdown(guide))
        .join('\n\n'),
      content_type: TEXT,
    }
  }

  #page(path: string): Page | undefined {
    if (path === '') return this.#home()
    const guide = this.#guides().find(({ name }) => name === path)
    if (guide) return this.#guide(guide)
    const [area, name, ...more] = path.split('/')
    const reference = this.#all().find((one) => one.area === area)
    if (!reference || more.length > 0) return undefined
    if (name === undefined) return this.#overview(reference)
    const operation = reference.operations.get(name)
    return operation && this.#operation(reference, name, operation)
  }

  #home(): Page {
    return {
      path: '',
      area: 'guides',
      title: 'Documentation',
      summary: 'Guides and the reference of the API of this Parley.',
      body: homeBody('', 'Documentation', this.#guides()),
      menu: this.#guideMenu(),
      headings: [],
    }
  }

  #guide(guide: GuideFile): Page {
    const { name, summary } = guide
    const { title, body, headings } = renderGuide(sourceOf(guide), linksOf(guide, this.#guides()))
    return { path: name, area: 'guides', title, summary, body, headings, menu: this.#guideMenu(), source: `${name}.md` }
  }

  #overview(reference: Reference): Page {
    const { area, title, summary, groups } = reference
    const headings = groups.map((group) => ({ depth: 2, title: group.title, anchor: anchorOf(group.title) }))
    const body = referenceBody(area, reference)
    return { path: area, area, title, summary, body, headings, menu: referenceMenu(reference) }
  }

  #operation(reference: Reference, name: string, operation: Operation): Page {
    const { area, document } = reference
    const made = area === 'events' ? eventPage(document, name, operation.object) : operationPage(document, operation)
    const summary = operation.object.summary
    const title = area === 'events' ? name : titleOfOperation(name)
    return { path: `${area}/${name}`, area, title, summary, ...made, menu: referenceMenu(reference) }
  }

  #markdown(guide: GuideFile): string {
    return withLinks(sourceOf(guide), linksOf(guide, this.#guides(), '.md'))
  }

  #guideMenu(): MenuGroup[] {
    return [...Map.groupBy(this.#guides(), ({ group }) => group)].map(([title, guides]) => ({
      title,
      folds: false,
      links: guides.map(({ name, title }) => ({ path: name, title })),
    }))
  }

  #searchIndex(): SearchEntry[] {
    const guides = this.#guides().flatMap(({ name, file }) => {
      const parts = partsOf(sourceOf({ file }))
      const place = parts[0]?.title ?? name
      return parts.map(({ depth, title, anchor, words, says }) => ({
        path: name,
        ...(depth > 1 && { anchor }),
        title,
        place: depth > 1 ? place : 'Guide',
        words,
        ...(says && { says }),
      }))
    })
    const entries = this.#all().flatMap(({ groups, title: place }) =>
      groups.flatMap(({ title: group, entries }) =>
        entries.map(({ path, name, title, summary, method, endpoint }) => ({
          path,
          title,
          place: method ? `${method} ${endpoint}` : place,
          words: wordsOf(`${name} ${name.replaceAll('_', ' ')} ${summary} ${group} ${endpoint ?? ''}`),
          says: summary,
        })),
      ),
    )
    return [...entries, ...guides]
  }

  #guides(): readonly GuideFile[] {
    this.#listed ??= listGuides()
    return this.#listed
  }

  #all(): Reference[] {
    this.#references ??= this.#makeReferences()
    return this.#references
  }

  #makeReferences(): Reference[] {
    const [v1, admin] = [this.#read('v1'), this.#read('admin')]
    return [
      {
        ...{ area: 'api', title: 'API', document: v1, document_path: '/v1/openapi.json' },
        summary: 'Every operation that a token can ask for.',
        ...operationsOf('api', v1),
      },
      {
        ...{ area: 'events', title: 'Events', document: v1, document_path: '/v1/openapi.json' },
        summary: 'Every event that webhooks deliver.',
        ...eventsOf(v1),
      },
      {
        ...{ area: 'operator', title: 'Operator API', document: admin, document_path: '/admin/v1/openapi.json' },
        summary: 'Every operation for the operators of this service.',
        ...operationsOf('operator', admin),
      },
    ]
  }
}

type Content = Pick<Reference, 'groups' | 'operations'>

function operationsOf(area: Area, document: Document): Content {
  const operations = new Map<string, Operation>()
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, OperationObject>>)) {
    for (const [method, object] of Object.entries(methods)) {
      if (object?.operationId) operations.set(object.operationId, { method: method.toUpperCase(), path, object })
    }
  }
  const entryOf = ([name, { method, path, object }]: [string, Operation]) => ({
    ...{
      path: `${area}/${name}`,
      name,
      title: titleOfOperation(name),
      summary: object.summary,
      method,
      endpoint: path,
    },
  })
  const groups = (document.tags as { name: string; description: string }[]).map(({ name: title, description }) => ({
    title,
    description,
    entries: [...operations].filter(([, { object }]) => object.tags?.includes(title)).map(entryOf),
  }))
  return { operations, groups: groups.filter(({ entries }) => entries.length > 0) }
}

/** Events by the word before their first dot. */
function eventsOf(document: Document): Content {
  const operations = new Map<string, Operation>()
  const webhooks = (document.webhooks ?? {}) as Record<string, { post: OperationObject }>
  for (const [type, { post }] of Object.entries(webhooks)) {
    operations.set(type, { method: 'POST', path: '', object: post })
  }
  const groups = [...Map.groupBy(operations, ([type]) => type.split('.')[0]!)].map(([title, found]) => ({
    title,
    description: '',
    entries: found.map(([name, { object }]) => ({
      path: `events/${name}`,
      name,
      title: name,
      summary: object.summary,
    })),
  }))
  return { operations, groups }
}

function referenceMenu({ area, title, groups }: Reference): MenuGroup[] {
  const overview = { title, folds: false, links: [{ path: area, title: 'Overview' }] }
  return [
    overview,
    ...groups.map((group) => ({
      title: group.title,
      folds: true,
      links: group.entries.map(({ path, title, method }) => ({ path, title, ...(method && { method }) })),
    })),
  ]
}
