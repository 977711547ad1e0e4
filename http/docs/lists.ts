/** The pages that lead to others: the first one, and the overview of a reference. */
import { addressOf, methodBadge } from './frame.ts'
import type { GuideFile } from './guides.ts'
import { type Html, html } from './html.ts'
import { clipped } from './markdown.ts'
import { inlineCode } from './reference/schema.ts'

/** The entries of a reference under one tag. */
export type ReferenceGroup = { title: string; description: string; entries: ReferenceEntry[] }

export type ReferenceEntry = {
  /** Below `/docs`. */
  path: string
  /** The id of the operation, or the type of the event. */
  name: string
  title: string
  summary: string
  method?: string
  endpoint?: string
}

/** Guides that a newcomer reads. */
const FIRST: readonly { name: string; title: string; summary: string }[] = [
  { name: 'first_steps', title: 'Send a first message', summary: 'From a token to a message and its first webhook.' },
  {
    name: 'webhooks',
    title: 'Receive webhooks',
    summary: 'Verify signatures, answer in time, poll behind a firewall.',
  },
  {
    name: 'crm',
    title: 'Record and receive events',
    summary: 'Contacts, tickets, pipelines, and what happens to them.',
  },
  {
    name: 'broadcasts',
    title: 'Send to many',
    summary: 'One template to thousands of people, at the pace of the number.',
  },
  { name: 'assistants', title: 'Build an assistant', summary: 'Prompt blocks, tools and knowledge, with versions.' },
  { name: 'production', title: 'Go to production', summary: 'From a laptop to a server, step by step.' },
]

/** `path` is that of the page on which the list stands. */
export function homeBody(path: string, title: string, guides: readonly GuideFile[]): Html {
  const first = FIRST.filter((one) => guides.some(({ name }) => name === one.name))
  const groups = [...Map.groupBy(guides, ({ group }) => group)]
  return html`<h1>${title}</h1>
<p class="lead">Guides for each part of Parley, and the reference of the API that this server answers.</p>
<ul class="cards">${first.map(
    ({ name, title, summary }) =>
      html`<li><a href="${addressOf(path, name)}"><strong>${title}</strong><span>${summary}</span></a></li>`,
  )}</ul>
<h2>Reference</h2>
<ul class="links">
<li><a href="${addressOf(path, 'api')}">API</a> <span>every operation that a token can ask for</span></li>
<li><a href="${addressOf(path, 'events')}">Events</a> <span>every event that webhooks deliver</span></li>
<li><a href="${addressOf(path, 'operator')}">Operator API</a> <span>companies, projects, tokens, channels</span></li>
</ul>
${groups.map(
  ([group, list]) => html`<h2>${group}</h2>
<ul class="links">${list.map(
    ({ name, title, summary }) =>
      html`<li><a href="${addressOf(path, name)}">${title}</a> <span>${clipped(summary)}</span></li>`,
  )}</ul>`,
)}`
}

type Overview = { title: string; summary: string; document_path: string; groups: readonly ReferenceGroup[] }

export function referenceBody(path: string, { title, summary, document_path, groups }: Overview): Html {
  const file = addressOf(path, '').replace(/docs$/, document_path.slice(1))
  return html`<h1>${title}</h1>
<p class="lead">${summary} For machines: <a href="${file}">${document_path}</a>.</p>
${groups.map(
  ({ title, description, entries }) => html`<h2 id="${anchorOf(title)}">${title} <a class="anchor" href="#${anchorOf(
    title,
  )}" aria-label="Link to ${title}">#</a></h2>
${description && html`<p>${inlineCode(description)}</p>`}
<ul class="operations">${entries.map(
    ({ path: to, name, summary, method, endpoint }) =>
      html`<li><a href="${addressOf(path, to)}">${method && methodBadge(method)}<code>${endpoint ?? name}</code></a><span>${inlineCode(
        summary,
      )}</span></li>`,
  )}</ul>`,
)}`
}

export function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z\d]+/g, '-')
}
