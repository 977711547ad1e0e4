/** The parts that all pages have in common: the head, the bar with the areas, the menu and the list of headings. */

import { relativeTo } from './guides.ts'
import { type Content, type Html, html } from './html.ts'
import type { Heading } from './markdown.ts'

export type Area = 'guides' | 'api' | 'operator' | 'events'

export type MenuGroup = {
  title: string
  /** Groups that fold are open only on the pages that they list. */
  folds: boolean
  /** Paths below `/docs`. */
  links: readonly { path: string; title: string; method?: string }[]
}

export type Page = {
  /** Below `/docs`, without a slash before it. Empty for the first page. */
  path: string
  area: Area | undefined
  title: string
  summary: string
  body: Html
  menu: readonly MenuGroup[]
  headings: readonly Heading[]
  /** The same page for programs, relative to `/docs`. */
  source?: string
}

const AREAS: readonly { area: Area; path: string; title: string }[] = [
  { area: 'guides', path: '', title: 'Guides' },
  { area: 'api', path: 'api', title: 'API' },
  { area: 'events', path: 'events', title: 'Events' },
  { area: 'operator', path: 'operator', title: 'Operator API' },
]

const MENU_ICON = html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg>`
const COLORS_ICON = html`<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor"/></svg>`

/** The address of a page of this site, from another one. */
export function addressOf(from: string, path: string): string {
  return `${relativeTo(from)}docs${path && `/${path}`}`
}

export function framed(page: Page): string {
  const to = (path: string) => addressOf(page.path, path)
  const title = page.path === '' ? 'Parley documentation' : `${page.title} – Parley`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${page.summary.slice(0, 200)}">
<title>${title}</title>
<link rel="icon" href="${to('files/icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${to('files/frame.css')}">
<link rel="stylesheet" href="${to('files/content.css')}">
${page.source !== undefined && html`<link rel="alternate" type="text/markdown" href="${to(page.source)}">`}
<script src="${to('files/theme.js')}"></script>
<script src="${to('files/main.js')}" type="module"></script>
</head>
<body>
<a class="skip" href="#page-content">Skip to the content</a>
<header class="bar">
<button class="icon menu-button" popovertarget="page-menu" aria-label="Menu">${MENU_ICON}</button>
<a class="brand" href="${to('')}">Parley</a>
<nav class="areas" aria-label="Areas">
${AREAS.map(
  ({ area, path, title }) =>
    html`<a href="${to(path)}"${area === page.area && html` aria-current="true"`}>${title}</a>`,
)}
</nav>
<button id="page-search" class="search-button" hidden>Search <kbd>/</kbd></button>
<button id="page-theme" class="icon" hidden aria-label="Dark colors" aria-pressed="false">${COLORS_ICON}</button>
</header>
<div class="columns">
<nav id="page-menu" class="menu" popover aria-label="Pages">
${page.menu.map((group) => menuGroup(page.path, group))}
</nav>
<main id="page-content" tabindex="-1">
${page.body}
</main>
${page.headings.length > 1 ? contents(page.headings) : undefined}
</div>
</body>
</html>
`.text
}

function menuGroup(here: string, { title, folds, links }: MenuGroup): Html {
  const list = html`<ul>${links.map(
    ({ path, title, method }) =>
      html`<li><a href="${addressOf(here, path)}"${path === here && html` aria-current="page"`}>${
        method && methodBadge(method)
      }${title}</a></li>`,
  )}</ul>`
  if (!folds) return html`<h2>${title}</h2>${list}`
  const is_open = links.some(({ path }) => path === here)
  return html`<details${is_open && html` open`}><summary>${title}</summary>${list}</details>`
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method}</span> `
}

function contents(headings: readonly Heading[]): Content {
  return html`<nav class="contents" aria-labelledby="page-contents">
<p id="page-contents">On this page</p>
<ul>${headings
    .filter(({ depth }) => depth <= 3)
    .map(({ depth, anchor, title }) => html`<li class="level-${depth}"><a href="#${anchor}">${title}</a></li>`)}</ul>
</nav>`
}
