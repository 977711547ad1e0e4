/** A document: read, written, or both beside each other. */
import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { errorText } from '../../data/errors.ts'
import type { Project } from '../../data/project.ts'
import type { KnowledgeDocument } from '../../records/knowledge.ts'
import { useActions } from '../../ui/actions.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { toast, toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { nodeItems } from '../node_items.ts'
import { Path } from '../path.tsx'
import type { Shared } from '../shared.ts'
import { counted, importReason, LANGUAGES, languageName, statusOf } from '../words.ts'
import { Conflict } from './conflict.tsx'
import type { OpenDocument } from './document.ts'
import { Editor } from './editor.tsx'
import { Preview } from './preview.tsx'

type Mode = 'read' | 'write' | 'both'

/** Pause in typing after which the preview follows. */
const PREVIEW_MS = 120
const MAX = 500_000

const MODES = [
  { mode: 'read', text: 'Read', icon: 'eye' },
  { mode: 'write', text: 'Write', icon: 'edit' },
  { mode: 'both', text: 'Side by side', icon: 'panel' },
] as const

export function DocumentPage({ project, knowledge, ask, open, marks }: Shared & { open: OpenDocument; marks: string }) {
  void knowledge.tree.version.value
  const stored = open.stored.value as KnowledgeDocument
  const { content } = open.fields.value
  const is_dirty = open.is_dirty.value
  const is_empty = stored.content === '' && marks === ''
  const [mode, setMode] = useState<Mode>(is_empty ? 'write' : 'read')
  const can_write = stored.content !== null
  const { text: status, badge } = statusOf(stored)

  const save = async () => {
    if (await open.save()) toast('Saved')
  }
  const edit = () => {
    setMode(mode === 'read' ? 'write' : mode)
    setTimeout(() => (document.querySelector('.knowledge-editor textarea') as HTMLElement | null)?.focus())
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
  const preview = useLater(content, PREVIEW_MS)
  const is_gone = open.state.value === 'gone'
  return (
    <article class="knowledge-page is-document">
      <Path project={project} knowledge={knowledge} id={open.id} />
      <div class="page-head">
        <div class="page-name">
          <h1 tabindex={-1}>{stored.name}</h1>
          <span class={`badge ${badge}`} role="status">
            {status}
          </span>
        </div>
        <div class="actions">
          <div class="knowledge-modes" role="group" aria-label="View">
            {MODES.map((one) => (
              <button
                type="button"
                class={`quiet mode-${one.mode}`}
                aria-pressed={one.mode === mode}
                disabled={!can_write && one.mode !== 'read'}
                onClick={() => (one.mode === 'write' ? edit() : setMode(one.mode))}
                key={one.mode}
              >
                <Icon name={one.icon} /> <span>{one.text}</span>
              </button>
            ))}
          </div>
          {is_dirty && (
            <button type="button" class="button" onClick={() => open.discard()}>
              Discard
            </button>
          )}
          <button
            type="button"
            class="button primary"
            disabled={!is_dirty || is_gone}
            aria-busy={open.is_saving.value}
            onClick={save}
          >
            {open.is_saving.value ? 'Saving…' : 'Save'}
          </button>
          <Menu
            id="document-actions"
            class="button icon-button"
            label="More actions"
            button={<Icon name="more" />}
            items={nodeItems(stored, ask)}
          />
        </div>
      </div>
      <Notes project={project} open={open} stored={stored} />
      {open.theirs.value && <Conflict open={open} theirs={open.theirs.value} />}
      <div class={`knowledge-body is-${mode}`}>
        {mode !== 'read' && <Editor value={content} longest={MAX} onChange={(text) => open.type('content', text)} />}
        {mode !== 'write' && (
          <section class="card knowledge-preview" aria-label="Preview">
            {preview.trim() === '' ? (
              <p class="faint">{nothingIn(stored)}</p>
            ) : (
              <Preview text={preview} marks={marks} />
            )}
          </section>
        )}
      </div>
      <Facts open={open} stored={stored} length={content.length} />
    </article>
  )
}

function nothingIn({ content, index_status }: KnowledgeDocument) {
  if (content !== null) return 'The document is empty.'
  return index_status === 'failed' ? 'There is no text.' : 'The text is being fetched. It appears here by itself.'
}

function Notes({ project, open, stored }: { project: Project; open: OpenDocument; stored: KnowledgeDocument }) {
  const fault = open.save_fault.value
  const is_imported = open.imported.value !== null
  const again = async () => {
    try {
      await project.api.post(`knowledge/nodes/${open.id}/import`)
      await open.read()
    } catch (error) {
      toastFault('It was not imported', error as Error)
    }
  }
  return (
    <>
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> It was not saved. {errorText(fault)}
          </p>
        )}
        {open.state.value === 'gone' && (
          <p class="note bad">
            <Icon name="alert" /> Somebody deleted this document. Copy what you want to keep.
          </p>
        )}
      </div>
      {stored.index_status === 'failed' && (
        <div class="note bad knowledge-failed">
          <Icon name="alert" />
          <p>
            {stored.content === null || is_imported ? 'It could not be imported.' : 'It could not be indexed.'}{' '}
            {importReason(stored.index_error)}
          </p>
          {is_imported && (
            <button type="button" class="button" onClick={again}>
              Try again
            </button>
          )}
        </div>
      )}
    </>
  )
}

function Facts({ open, stored, length }: { open: OpenDocument; stored: KnowledgeDocument; length: number }) {
  const { language } = open.fields.value
  const imported = open.imported.value
  const choose = ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
    open.type('language', currentTarget.value === '' ? null : currentTarget.value)
  const codes = language && !LANGUAGES.includes(language) ? [language, ...LANGUAGES] : LANGUAGES
  const sorted = codes.toSorted((one, other) => languageName(one).localeCompare(languageName(other)))
  return (
    <dl class="knowledge-facts">
      <div>
        <dt>
          <label for="document-language">Language</label>
        </dt>
        <dd>
          <span class="select">
            <select id="document-language" value={language ?? ''} onChange={choose}>
              <option value="">Detect</option>
              {sorted.map((code) => (
                <option value={code} key={code}>
                  {languageName(code)}
                </option>
              ))}
            </select>
            <Icon name="down" />
          </span>
        </dd>
      </div>
      {stored.source_url && (
        <div>
          <dt>Source</dt>
          <dd>
            <a href={stored.source_url} target="_blank" rel="noopener noreferrer nofollow">
              {stored.source_url.replace(/^https?:\/\//, '')}
            </a>
          </dd>
        </div>
      )}
      {imported && imported.warnings.length > 0 && (
        <div>
          <dt>Left out</dt>
          <dd>
            {imported.warnings.map(({ code, message }) => (
              <p key={code}>{message}</p>
            ))}
          </dd>
        </div>
      )}
      {imported && imported.origin === 'file' && (
        <div>
          <dt>Imported from</dt>
          <dd>{imported.source}</dd>
        </div>
      )}
      <div>
        <dt>Length</dt>
        <dd>{counted(length, 'character')}</dd>
      </div>
      <div>
        <dt>Changed</dt>
        <dd>
          <Moment at={stored.updated_at} />
        </dd>
      </div>
    </dl>
  )
}

/** A value that follows after a pause. */
function useLater(value: string, ms: number) {
  const [later, setLater] = useState(value)
  useEffect(() => {
    if (later === value) return
    const timer = setTimeout(() => setLater(value), ms)
    return () => clearTimeout(timer)
  }, [value])
  return later
}
