/** The dialogs of knowledge: names, places, deletion, files and addresses. */

import { useEffect, useState } from 'preact/hooks'
import { errorText } from '../data/errors.ts'
import { Field } from '../ui/forms/field.tsx'
import { Refusal } from '../ui/forms/form_end.tsx'
import { useAction, useElement } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { nodePlace } from './places.ts'
import type { DialogRequest, Shared } from './shared.ts'
import { MoveDialog } from './tree/move_dialog.tsx'
import { counted } from './words.ts'

type InFolder = { folder: string | null; onClose(): void }
type OfNode = { id: string; onClose(): void }

const MAX_NAME_LENGTH = 255
const MAX_ADDRESSES = 100
const TYPES = '.md,.markdown,.txt,.html,.htm,.pdf,text/*,application/pdf'

export function Dialogs({ request, ...shared }: Shared & { request: DialogRequest; onClose(): void }) {
  if (request.kind === 'document' || request.kind === 'folder') {
    return <CreateDialog {...shared} kind={request.kind} folder={request.folder} />
  }
  if (request.kind === 'files') return <FilesDialog {...shared} folder={request.folder} />
  if (request.kind === 'addresses') return <AddressesDialog {...shared} folder={request.folder} />
  const { kind, id } = request as Extract<DialogRequest, { id: string }>
  if (kind === 'rename') return <RenameDialog {...shared} id={id} />
  if (kind === 'move') return <MoveDialog {...shared} id={id} />
  return <DeleteDialog {...shared} id={id} />
}

/** The place of a folder in words. */
function placeText(tree: Shared['knowledge']['tree'], folder: string | null) {
  const path = tree.pathTo(folder).map(({ name }) => name)
  return ['Knowledge', ...path].join(' / ')
}

function CreateDialog({
  project,
  knowledge,
  kind,
  folder,
  onClose,
}: Shared & InFolder & { kind: 'document' | 'folder' }) {
  const { tree } = knowledge
  const create = async (name: string) => {
    const node = await tree.create({ type: kind, name, parent_id: folder })
    onClose()
    location.hash = nodePlace(project.id, node._id)
  }
  return (
    <NameDialog
      title={kind === 'folder' ? 'New folder' : 'New document'}
      hint={`In ${placeText(tree, folder)}`}
      act_text="Create"
      name=""
      onName={create}
      onClose={onClose}
    />
  )
}

function RenameDialog({ knowledge, id, onClose }: Shared & OfNode) {
  const { tree } = knowledge
  const name = tree.node(id)?.name ?? ''
  const rename = async (next: string) => {
    if (next !== name) await tree.rename(id, next)
    onClose()
  }
  return <NameDialog title={`Rename “${name}”`} act_text="Rename" name={name} onName={rename} onClose={onClose} />
}

function NameDialog({
  title,
  act_text,
  name,
  hint,
  onName,
  onClose,
}: {
  title: string
  act_text: string
  name: string
  hint?: string
  onName(name: string): Promise<void>
  onClose(): void
}) {
  const [text, setText] = useState(name)
  const form = useElement<HTMLFormElement>()
  const { run, is_busy, fault } = useAction(() => onName(text.trim()))
  useEffect(() => {
    const field = form.current.querySelector('input')
    field?.focus()
    field?.select()
  }, [])
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    if (text.trim() !== '') void run()
  }
  return (
    <Dialog title={title} onClose={onClose} has_close>
      <form ref={form} class="knowledge-form" onSubmit={submitted}>
        <Field label="Name" hint={hint} error={fault && errorText(fault)}>
          {(attributes) => (
            <input
              {...attributes}
              type="text"
              required
              maxlength={MAX_NAME_LENGTH}
              autocomplete="off"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" aria-busy={is_busy} disabled={text.trim() === ''}>
            {act_text}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function DeleteDialog({ project, knowledge, id, onClose }: Shared & OfNode) {
  const { tree } = knowledge
  const [node] = useState(tree.node(id))
  const [inside, setInside] = useState<Awaited<ReturnType<typeof tree.contentsOf>> | null>(null)
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
  return (
    <Dialog title={`Delete “${node?.name}”?`} onClose={onClose}>
      {!is_folder && <p>Assistants no longer find it from then on. It cannot be restored.</p>}
      {is_folder && !counts && <p role="status">Looking what is in it…</p>}
      {counts?.length === 0 && <p>The folder is empty.</p>}
      {counts && counts.length > 0 && (
        <>
          <p>
            <strong>
              {inside.is_cut ? 'At least ' : ''}
              {counts.join(' and ')}
            </strong>{' '}
            in it will be deleted, too. Assistants no longer find them, and they cannot be restored.
          </p>
          <ul class="knowledge-going">
            {inside.first.map(({ _id, name, type }) => (
              <li key={_id}>
                <Icon name={type === 'folder' ? 'folder' : 'file'} /> {name}
              </li>
            ))}
            {inside.documents + inside.folders > inside.first.length && (
              <li class="faint">
                and {(inside.documents + inside.folders - inside.first.length).toLocaleString('en')}
                {inside.is_cut ? ' or more' : ''} others
              </li>
            )}
          </ul>
        </>
      )}
      <Refusal fault={fault} />
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Keep
        </button>
        <button type="button" class="button danger full" aria-busy={is_busy} onClick={run}>
          Delete
        </button>
      </div>
    </Dialog>
  )
}

function FilesDialog({ knowledge, folder, onClose }: Shared & InFolder) {
  const field = useElement<HTMLInputElement>()
  const [is_target, setTarget] = useState(false)
  const add = (files: Iterable<File>) => {
    const list = [...files]
    if (list.length === 0) return
    knowledge.uploads.addFiles(list, folder)
    onClose()
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setTarget(true)
  }
  const dropped = (event: DragEvent) => {
    event.preventDefault()
    add(event.dataTransfer?.files ?? [])
  }
  return (
    <Dialog title="Import files" onClose={onClose} has_close>
      <p class="faint">
        Into {placeText(knowledge.tree, folder)}. A file with the name of an earlier one replaces its text.
      </p>
      <div
        class={is_target ? 'knowledge-drop is-target' : 'knowledge-drop'}
        onDragOver={over}
        onDragLeave={() => setTarget(false)}
        onDrop={dropped}
      >
        <span class="nothing-icon">
          <Icon name="upload" />
        </span>
        <p>Drop files here, or</p>
        <button type="button" class="button primary" onClick={() => field.current.click()}>
          Choose files
        </button>
        <input
          ref={field}
          type="file"
          multiple
          accept={TYPES}
          hidden
          aria-label="Files"
          onChange={({ currentTarget }) => add(currentTarget.files ?? [])}
        />
        <p class="faint">Markdown, plain text, HTML or PDF, up to 32 MiB each</p>
      </div>
    </Dialog>
  )
}

function AddressesDialog({ knowledge, folder, onClose }: Shared & InFolder) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const submitted = (event: SubmitEvent) => {
    event.preventDefault()
    const lines = [...new Set(text.split(/\s+/).filter(Boolean))]
    const wrong = lines.find((line) => !/^https?:\/\/[^/]/i.test(line) || !URL.canParse(line))
    if (wrong) return setError(`“${wrong}” is not an address such as https://example.com/returns.`)
    if (lines.length > MAX_ADDRESSES) return setError(`At most ${MAX_ADDRESSES} addresses at a time.`)
    if (lines.length === 0) return setError('Write at least one address.')
    knowledge.uploads.addAddresses(lines, folder)
    onClose()
  }
  return (
    <Dialog title="Import web pages" onClose={onClose} has_close>
      <form class="knowledge-form" onSubmit={submitted}>
        <Field
          label="Addresses"
          hint={`One a line, into ${placeText(knowledge.tree, folder)}. Navigation and advertising are left out.`}
          error={error}
        >
          {(attributes) => (
            <textarea
              {...attributes}
              rows={5}
              spellcheck={false}
              placeholder="https://example.com/help/returns"
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            ></textarea>
          )}
        </Field>
        <div class="actions">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary">
            Import
          </button>
        </div>
      </form>
    </Dialog>
  )
}
