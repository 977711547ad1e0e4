/** The dialogs of knowledge: names, places, deletion, files and addresses. */
import { html } from 'htm/preact'
import { useEffect, useState } from 'preact/hooks'
import { errorText } from '../data/errors.js'
import { Dialog } from '../ui/dialog.js'
import { Field } from '../ui/field.js'
import { useAction, useElement } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { toast } from '../ui/toast.js'
import { MoveDialog } from './move_dialog.js'
import { nodePlace } from './places.js'
import { counted } from './words.js'

/**
 * A dialog that is asked for. `folder` is that of new nodes, null for the top.
 *
 * @typedef {{ kind: 'document' | 'folder' | 'files' | 'addresses', folder: string | null }
 *   | { kind: 'rename' | 'move' | 'delete', id: string }} Wanted
 */
/** @typedef {import('./mod.js').Shared} Shared */
/** @typedef {{ folder: string | null, onClose(): void }} InFolder */
/** @typedef {{ id: string, onClose(): void }} OfNode */

const MAX_NAME_LENGTH = 255
const MAX_ADDRESSES = 100
const TYPES = '.md,.markdown,.txt,.html,.htm,.pdf,text/*,application/pdf'

/**
 * @param {Shared & { wanted: Wanted, onClose(): void }} props
 */
export function Dialogs({ wanted, ...shared }) {
  if (wanted.kind === 'document' || wanted.kind === 'folder') {
    return html`<${CreateDialog} ...${shared} kind=${wanted.kind} folder=${wanted.folder} />`
  }
  if (wanted.kind === 'files') return html`<${FilesDialog} ...${shared} folder=${wanted.folder} />`
  if (wanted.kind === 'addresses') return html`<${AddressesDialog} ...${shared} folder=${wanted.folder} />`
  const { kind, id } = /** @type {Extract<Wanted, { id: string }>} */ (wanted)
  if (kind === 'rename') return html`<${RenameDialog} ...${shared} id=${id} />`
  if (kind === 'move') return html`<${MoveDialog} ...${shared} id=${id} />`
  return html`<${DeleteDialog} ...${shared} id=${id} />`
}

/**
 * The place of a folder in words.
 *
 * @param {Shared['knowledge']['tree']} tree
 * @param {string | null} folder
 */
function placeText(tree, folder) {
  const path = tree.pathTo(folder).map(({ name }) => name)
  return ['Knowledge', ...path].join(' / ')
}

/**
 * @param {Shared & InFolder & { kind: 'document' | 'folder' }} props
 */
function CreateDialog({ project, knowledge, kind, folder, onClose }) {
  const { tree } = knowledge
  /** @param {string} name */
  const create = async (name) => {
    const node = await tree.create({ type: kind, name, parent_id: folder })
    onClose()
    location.hash = nodePlace(project.id, node._id)
  }
  return html`<${NameDialog}
    title=${kind === 'folder' ? 'New folder' : 'New document'}
    hint=${`In ${placeText(tree, folder)}`}
    act_text="Create"
    name=""
    onName=${create}
    onClose=${onClose}
  />`
}

/**
 * @param {Shared & OfNode} props
 */
function RenameDialog({ knowledge, id, onClose }) {
  const { tree } = knowledge
  const name = tree.node(id)?.name ?? ''
  /** @param {string} next */
  const rename = async (next) => {
    if (next !== name) await tree.rename(id, next)
    onClose()
  }
  return html`<${NameDialog} title=${`Rename “${name}”`} act_text="Rename" name=${name} onName=${rename} onClose=${onClose} />`
}

/**
 * @param {{ title: string, act_text: string, name: string, hint?: string, onName(name: string): Promise<void>, onClose(): void }} props
 */
function NameDialog({ title, act_text, name, hint, onName, onClose }) {
  const [text, setText] = useState(name)
  /** @type {import('preact').RefObject<HTMLFormElement>} */
  const form = useElement()
  const { run, is_busy, fault } = useAction(() => onName(text.trim()))
  useEffect(() => {
    const field = form.current.querySelector('input')
    field?.focus()
    field?.select()
  }, [])
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    if (text.trim() !== '') void run()
  }
  return html`<${Dialog} title=${title} onClose=${onClose} has_close>
    <form ref=${form} class="knowledge-form" onSubmit=${submitted}>
      <${Field} label="Name" hint=${hint} error=${fault && errorText(fault)}>
        ${
          /** @param {object} attributes */
          (attributes) => html`<input
            ...${attributes}
            type="text"
            required
            maxlength=${MAX_NAME_LENGTH}
            autocomplete="off"
            value=${text}
            onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setText(target.value)}
          />`
        }
      <//>
      <div class="actions">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary" aria-busy=${String(is_busy)} disabled=${text.trim() === ''}>${act_text}</button>
      </div>
    </form>
  <//>`
}

/**
 * @param {Shared & OfNode} props
 */
function DeleteDialog({ project, knowledge, id, onClose }) {
  const { tree } = knowledge
  const [node] = useState(tree.node(id))
  const [inside, setInside] = useState(/** @type {Awaited<ReturnType<typeof tree.contentsOf>> | null} */ (null))
  const is_folder = node?.type === 'folder'
  useEffect(() => {
    if (is_folder) tree.contentsOf(id).then(setInside, () => {})
  }, [id])
  const { run, is_busy, fault } = useAction(async () => {
    const open = knowledge.open.peek()
    const is_shown = open !== null && (open.id === id || tree.pathTo(open.id).some(({ _id }) => _id === id))
    if (is_shown) open.discard()
    await tree.remove(id)
    onClose()
    toast(`“${node?.name}” was deleted`)
    if (is_shown) location.hash = nodePlace(project.id, node?.parent_id)
  })
  const counts = inside && [
    ...(inside.documents > 0 ? [counted(inside.documents, 'document')] : []),
    ...(inside.folders > 0 ? [counted(inside.folders, 'folder')] : []),
  ]
  return html`<${Dialog} title=${`Delete “${node?.name}”?`} onClose=${onClose}>
    ${!is_folder && html`<p>Assistants no longer find it from then on. It cannot be restored.</p>`}
    ${is_folder && !counts && html`<p role="status">Looking what is in it…</p>`}
    ${counts?.length === 0 && html`<p>The folder is empty.</p>`}
    ${
      counts &&
      counts.length > 0 &&
      html`<p><strong>${inside.is_cut ? 'At least ' : ''}${counts.join(' and ')}</strong> in it will be deleted, too. Assistants no longer find them, and they cannot be restored.</p>
        <ul class="knowledge-going">
          ${inside.first.map(({ _id, name, type }) => html`<li key=${_id}><${Icon} name=${type === 'folder' ? 'folder' : 'file'} /> ${name}</li>`)}
          ${inside.documents + inside.folders > inside.first.length && html`<li class="faint">and ${(inside.documents + inside.folders - inside.first.length).toLocaleString('en')}${inside.is_cut ? ' or more' : ''} others</li>`}
        </ul>`
    }
    <div role="alert">${fault && html`<p class="note bad"><${Icon} name="alert" /> ${errorText(fault)}</p>`}</div>
    <div class="actions">
      <button type="button" class="button" onClick=${onClose}>Keep</button>
      <button type="button" class="button danger full" aria-busy=${String(is_busy)} onClick=${run}>Delete</button>
    </div>
  <//>`
}

/**
 * @param {Shared & InFolder} props
 */
function FilesDialog({ knowledge, folder, onClose }) {
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const field = useElement()
  const [is_target, setTarget] = useState(false)
  /** @param {Iterable<File>} files */
  const add = (files) => {
    const list = [...files]
    if (list.length === 0) return
    knowledge.uploads.addFiles(list, folder)
    onClose()
  }
  /** @param {DragEvent} event */
  const over = (event) => {
    event.preventDefault()
    setTarget(true)
  }
  /** @param {DragEvent} event */
  const dropped = (event) => {
    event.preventDefault()
    add(event.dataTransfer?.files ?? [])
  }
  return html`<${Dialog} title="Import files" onClose=${onClose} has_close>
    <p class="faint">Into ${placeText(knowledge.tree, folder)}. A file with the name of an earlier one replaces its text.</p>
    <div
      class=${is_target ? 'knowledge-drop is-target' : 'knowledge-drop'}
      onDragOver=${over}
      onDragLeave=${() => setTarget(false)}
      onDrop=${dropped}
    >
      <span class="nothing-icon"><${Icon} name="upload" /></span>
      <p>Drop files here, or</p>
      <button type="button" class="button primary" onClick=${() => field.current.click()}>Choose files</button>
      <input
        ref=${field}
        type="file"
        multiple
        accept=${TYPES}
        hidden
        aria-label="Files"
        onChange=${(/** @type {{ target: HTMLInputElement }} */ { target }) => add(target.files ?? [])}
      />
      <p class="faint">Markdown, plain text, HTML or PDF, up to 32 MiB each</p>
    </div>
  <//>`
}

/**
 * @param {Shared & InFolder} props
 */
function AddressesDialog({ knowledge, folder, onClose }) {
  const [text, setText] = useState('')
  const [error, setError] = useState(/** @type {string | null} */ (null))
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    const lines = [...new Set(text.split(/\s+/).filter(Boolean))]
    const wrong = lines.find((line) => !/^https?:\/\/[^/]/i.test(line) || !URL.canParse(line))
    if (wrong) return setError(`“${wrong}” is not an address such as https://example.com/returns.`)
    if (lines.length > MAX_ADDRESSES) return setError(`At most ${MAX_ADDRESSES} addresses at a time.`)
    if (lines.length === 0) return setError('Write at least one address.')
    knowledge.uploads.addAddresses(lines, folder)
    onClose()
  }
  return html`<${Dialog} title="Import web pages" onClose=${onClose} has_close>
    <form class="knowledge-form" onSubmit=${submitted}>
      <${Field}
        label="Addresses"
        hint=${`One a line, into ${placeText(knowledge.tree, folder)}. Navigation and advertising are left out.`}
        error=${error}
      >
        ${
          /** @param {object} attributes */
          (attributes) => html`<textarea
            ...${attributes}
            rows="5"
            spellcheck=${false}
            placeholder="https://example.com/help/returns"
            value=${text}
            onInput=${(/** @type {{ target: HTMLTextAreaElement }} */ { target }) => setText(target.value)}
          ></textarea>`
        }
      <//>
      <div class="actions">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary">Import</button>
      </div>
    </form>
  <//>`
}
