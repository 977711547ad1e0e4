/** A document: read, written, or both beside each other. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { useActions } from '../app/actions.js'
import { errorText } from '../data/errors.js'
import { Icon } from '../ui/icons.js'
import { Menu } from '../ui/menu.js'
import { Moment } from '../ui/moment.js'
import { toast, toastFault } from '../ui/toast.js'
import { Conflict } from './conflict.js'
import { Editor } from './editor.js'
import { nodeItems } from './node_items.js'
import { Path } from './node_page.js'
import { Preview } from './preview.js'
import { counted, importReason, LANGUAGES, languageName, statusOf } from './words.js'

/** @typedef {import('./document.js').OpenDocument} OpenDocument */
/** @typedef {'read' | 'write' | 'both'} Mode */

/** Pause in typing after which the preview follows. */
const PREVIEW_MS = 120
const LONGEST = 500_000

const MODES = /** @type {const} */ ([
  { mode: 'read', text: 'Read', icon: 'eye' },
  { mode: 'write', text: 'Write', icon: 'edit' },
  { mode: 'both', text: 'Side by side', icon: 'panel' },
])

/**
 * @param {import('./mod.js').Shared & { open: OpenDocument, marks: string }} props
 */
export function DocumentPage({ project, knowledge, ask, open, marks }) {
  void knowledge.tree.version.value
  const stored = /** @type {import('../../page_types/knowledge.ts').KnowledgeDocument} */ (open.stored.value)
  const { content } = open.fields.value
  const is_dirty = open.is_dirty.value
  const is_empty = stored.content === '' && marks === ''
  const [mode, setMode] = useState(/** @type {Mode} */ (is_empty ? 'write' : 'read'))
  const can_write = stored.content !== null
  const { text: status, badge } = statusOf(stored)

  const save = async () => {
    if (await open.save()) toast('Saved')
  }
  const edit = () => {
    setMode(mode === 'read' ? 'write' : mode)
    setTimeout(() => /** @type {HTMLElement | null} */ (document.querySelector('.knowledge-editor textarea'))?.focus())
  }
  useActions(
    () => [
      { text: 'Save the document', group: 'Document', icon: 'done', keys: 'mod+s', while_typing: true, act: save },
      { text: 'Edit the document', group: 'Document', icon: 'edit', keys: 'e', act: edit },
      { text: 'Read the document', group: 'Document', icon: 'eye', act: () => setMode('read') },
      { text: 'Move the document', group: 'Document', act: () => ask({ kind: 'move', id: open.id }) },
      { text: 'Rename the document', group: 'Document', act: () => ask({ kind: 'rename', id: open.id }) },
      {
        text: 'Delete the document',
        group: 'Document',
        icon: 'trash',
        act: () => ask({ kind: 'delete', id: open.id }),
      },
    ],
    [open, mode, can_write],
  )
  const shown = useLater(content, PREVIEW_MS)
  const is_gone = open.state.value === 'gone'
  return html`<article class="knowledge-page is-document">
    <${Path} project=${project} knowledge=${knowledge} id=${open.id} />
    <div class="page-head">
      <div class="page-name">
        <h1 tabindex="-1">${stored.name}</h1>
        <span class=${`badge ${badge}`} role="status">${status}</span>
      </div>
      <div class="actions">
        <div class="knowledge-modes" role="group" aria-label="View">
          ${MODES.map(
            (one) => html`<button
              type="button"
              class=${`quiet mode-${one.mode}`}
              aria-pressed=${String(one.mode === mode)}
              disabled=${!can_write && one.mode !== 'read'}
              onClick=${() => (one.mode === 'write' ? edit() : setMode(one.mode))}
              key=${one.mode}
            >
              <${Icon} name=${one.icon} /> <span>${one.text}</span>
            </button>`,
          )}
        </div>
        ${is_dirty && html`<button type="button" class="button" onClick=${() => open.discard()}>Discard</button>`}
        <button type="button" class="button primary" disabled=${!is_dirty || is_gone} aria-busy=${String(open.is_saving.value)} onClick=${save}>
          ${open.is_saving.value ? 'Saving…' : 'Save'}
        </button>
        <${Menu} id="document-actions" class="button icon-button" label="More actions" button=${html`<${Icon} name="more" />`} items=${nodeItems(stored, ask)} />
      </div>
    </div>
    <${Notes} project=${project} open=${open} stored=${stored} />
    ${open.theirs.value && html`<${Conflict} open=${open} theirs=${open.theirs.value} />`}
    <div class=${`knowledge-body is-${mode}`}>
      ${mode !== 'read' && html`<${Editor} value=${content} longest=${LONGEST} onChange=${(/** @type {string} */ text) => open.type('content', text)} />`}
      ${
        mode !== 'write' &&
        html`<section class="card knowledge-preview" aria-label="Preview">
          ${
            shown.trim() === ''
              ? html`<p class="faint">${nothingIn(stored)}</p>`
              : html`<${Preview} text=${shown} marks=${marks} />`
          }
        </section>`
      }
    </div>
    <${Facts} open=${open} stored=${stored} length=${content.length} />
  </article>`
}

/** @param {import('../../page_types/knowledge.ts').KnowledgeDocument} stored */
function nothingIn({ content, index_status }) {
  if (content !== null) return 'The document is empty.'
  return index_status === 'failed' ? 'There is no text.' : 'The text is being fetched. It appears here by itself.'
}

/**
 * @param {{ project: import('../data/project.js').Project, open: OpenDocument, stored: import('../../page_types/knowledge.ts').KnowledgeDocument }} props
 */
function Notes({ project, open, stored }) {
  const fault = open.save_fault.value
  const is_imported = open.imported.value !== null
  const again = async () => {
    try {
      await project.api.post(`knowledge/nodes/${open.id}/import`)
      await open.read()
    } catch (error) {
      toastFault('It was not imported', /** @type {Error} */ (error))
    }
  }
  return html`<div role="alert">
      ${fault && html`<p class="note bad"><${Icon} name="alert" /> It was not saved. ${errorText(fault)}</p>`}
      ${open.state.value === 'gone' && html`<p class="note bad"><${Icon} name="alert" /> Somebody deleted this document. Copy what you want to keep.</p>`}
    </div>
    ${
      stored.index_status === 'failed' &&
      html`<div class="note bad knowledge-failed">
        <${Icon} name="alert" />
        <p>${stored.content === null || is_imported ? 'It could not be imported.' : 'It could not be indexed.'} ${importReason(stored.index_error)}</p>
        ${is_imported && html`<button type="button" class="button" onClick=${again}>Try again</button>`}
      </div>`
    }`
}

/**
 * @param {{ open: OpenDocument, stored: import('../../page_types/knowledge.ts').KnowledgeDocument, length: number }} props
 */
function Facts({ open, stored, length }) {
  const { language } = open.fields.value
  const imported = open.imported.value
  /** @param {{ target: HTMLSelectElement }} event */
  const choose = ({ target }) => open.type('language', target.value === '' ? null : target.value)
  const codes = language && !LANGUAGES.includes(language) ? [language, ...LANGUAGES] : LANGUAGES
  const sorted = codes.toSorted((one, other) => languageName(one).localeCompare(languageName(other)))
  return html`<dl class="knowledge-facts">
    <div>
      <dt><label for="document-language">Language</label></dt>
      <dd>
        <span class="select">
          <select id="document-language" value=${language ?? ''} onChange=${choose}>
            <option value="">Detect</option>
            ${sorted.map((code) => html`<option value=${code} key=${code}>${languageName(code)}</option>`)}
          </select>
          <${Icon} name="down" />
        </span>
      </dd>
    </div>
    ${
      stored.source_url &&
      html`<div>
        <dt>Source</dt>
        <dd><a href=${stored.source_url} target="_blank" rel="noopener noreferrer nofollow">${stored.source_url.replace(/^https?:\/\//, '')}</a></dd>
      </div>`
    }
    ${
      imported &&
      imported.warnings.length > 0 &&
      html`<div>
        <dt>Left out</dt>
        <dd>${imported.warnings.map(({ code, message }) => html`<p key=${code}>${message}</p>`)}</dd>
      </div>`
    }
    ${imported && imported.origin === 'file' && html`<div><dt>Imported from</dt><dd>${imported.source}</dd></div>`}
    <div><dt>Length</dt><dd>${counted(length, 'character')}</dd></div>
    <div><dt>Changed</dt><dd><${Moment} at=${stored.updated_at} /></dd></div>
  </dl>`
}

/**
 * A value that follows after a pause.
 *
 * @param {string} value
 * @param {number} ms
 */
function useLater(value, ms) {
  const [later, setLater] = useState(value)
  useEffect(() => {
    if (later === value) return
    const timer = setTimeout(() => setLater(value), ms)
    return () => clearTimeout(timer)
  }, [value])
  return later
}
