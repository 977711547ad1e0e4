/** The imports that this page began, above the corner of the pane. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { percent } from '../ui/figures.js'
import { Icon } from '../ui/icons.js'
import { nodePlace } from './places.js'
import { counted } from './words.js'

/** @typedef {import('./uploads.js').Upload} Upload */

/** Lines that are drawn. */
const MOST = 100

/**
 * @param {import('./mod.js').Shared} props
 */
export function UploadsCard({ project, knowledge: { uploads } }) {
  const [is_open, setOpen] = useState(true)
  const list = uploads.list.value
  if (list.length === 0) return null
  const done = list.filter(({ state }) => state === 'done').length
  const failed = list.filter(({ state }) => state === 'failed').length
  const left = list.length - done - failed
  const text = left > 0 ? `Importing ${counted(left, 'document')}` : `${counted(done, 'document')} imported`
  return html`<section class="card knowledge-uploads" aria-label="Imports under way">
    <div class="knowledge-uploads-head">
      <h2><span role="status">${text}${failed > 0 ? `, ${failed} failed` : ''}</span></h2>
      <button type="button" class="quiet icon-button" aria-label=${is_open ? 'Show less' : 'Show more'} aria-expanded=${String(is_open)} onClick=${() => setOpen(!is_open)}>
        <${Icon} name=${is_open ? 'down' : 'up'} />
      </button>
      ${left === 0 && html`<button type="button" class="quiet icon-button" aria-label="Close" onClick=${() => uploads.clear()}><${Icon} name="close" /></button>`}
    </div>
    ${
      is_open &&
      html`<ul tabindex="0" aria-label="Imports">${list
        .toReversed()
        .slice(0, MOST)
        .map((one) => html`<${Line} project=${project} uploads=${uploads} upload=${one} key=${one.key} />`)}</ul>`
    }
  </section>`
}

/** @type {Record<Upload['state'], string>} */
const WORDS = { waiting: 'Waiting', sending: 'Uploading', converting: 'Converting', done: 'Done', failed: 'Failed' }

/**
 * @param {{ project: import('../data/project.js').Project, uploads: import('./uploads.js').Uploads, upload: Upload }} props
 */
function Line({ project, uploads, upload: { key, name, state, share, node_id, error, can_repeat } }) {
  const is_measured = state === 'sending' && share > 0
  return html`<li class=${`knowledge-upload is-${state}`}>
    <span class="knowledge-upload-name">${node_id && state === 'done' ? html`<a href=${nodePlace(project.id, node_id)}>${name}</a>` : name}</span>
    <span class="faint">${is_measured ? percent(share, 1) : WORDS[state]}</span>
    ${state === 'failed' && can_repeat && html`<button type="button" class="quiet" aria-label=${`Try again: ${name}`} onClick=${() => uploads.again(key)}>Try again</button>`}
    ${
      (state === 'sending' || state === 'converting') &&
      html`<span class="knowledge-progress" role="progressbar" aria-label=${name} aria-valuenow=${is_measured ? Math.round(share * 100) : undefined}>
        <i class=${is_measured ? '' : 'is-busy'} style=${{ width: is_measured ? `${share * 100}%` : undefined }}></i>
      </span>`
    }
    ${error && html`<p class="field-error">${error}</p>`}
  </li>`
}
