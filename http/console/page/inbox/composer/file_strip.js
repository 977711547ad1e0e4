/** The files of a reply: a picture or a name, the progress of the upload, and why one cannot be sent. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { size } from './channel_rules.js'

/** @type {Record<string, import('../../ui/icons.js').IconName>} */
const ICONS = { image: 'image', sticker: 'smile', video: 'video', audio: 'audio', document: 'file' }

/**
 * `onRemoved`: the button that had the focus is gone.
 *
 * @param {{ files: import('./files.js').Files, onRemoved(): void }} props
 */
export function FileStrip({ files, onRemoved }) {
  const entries = files.entries.value
  if (entries.length === 0) return null
  return html`<ul class="composer-files" aria-label="Files">
    ${entries.map((entry) => html`<${Entry} entry=${entry} files=${files} onRemoved=${onRemoved} key=${entry.key} />`)}
  </ul>`
}

/**
 * @param {{ entry: import('./files.js').FileEntry, files: import('./files.js').Files, onRemoved(): void }} props
 */
function Entry({ entry: { key, name, type, size: bytes, state, progress, reason, address }, files, onRemoved }) {
  const remove = () => {
    files.remove(key)
    onRemoved()
  }
  const is_bad = state === 'failed' || state === 'refused'
  return html`<li class=${is_bad ? 'composer-file is-bad' : 'composer-file'}>
    ${address ? html`<img src=${address} alt="" />` : html`<span class="composer-file-icon"><${Icon} name=${ICONS[type] ?? 'file'} /></span>`}
    <span class="composer-file-text">
      <b title=${name}>${name}</b>
      ${is_bad ? html`<span role="alert">${reason}</span>` : html`<span class="faint">${bytes > 0 ? size(bytes) : ''}${state === 'uploading' ? ` · ${Math.round(progress * 100)}%` : ''}</span>`}
      ${state === 'uploading' && html`<progress value=${progress} max="1" aria-label="Upload of ${name}"></progress>`}
    </span>
    ${state === 'failed' && html`<button type="button" class="link" onClick=${() => files.retry(key)}>Retry</button>`}
    <button type="button" class="quiet icon-button" aria-label="Remove ${name}" onClick=${remove}><${Icon} name="close" /></button>
  </li>`
}
