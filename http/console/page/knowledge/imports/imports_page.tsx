/** The history of imports: what was imported, what became of it, and once more. */

import { useEffect } from 'preact/hooks'
import type { KnowledgeImport } from '../../records/knowledge.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { toast, toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { IMPORT_STATUSES, importsPlace, nodePlace } from '../places.ts'
import type { Shared } from '../shared.ts'
import { IMPORT_WORDS, importReason, sizeText } from '../words.ts'

export function ImportsPage({ project, knowledge, ask, status }: Shared & { status: string | undefined }) {
  const { imports } = knowledge
  useEffect(() => {
    knowledge.shows_imports = true
    void imports.show(status)
    return () => {
      knowledge.shows_imports = false
    }
  }, [knowledge, status])
  const state = imports.state.value
  const rows = imports.rows.value
  return (
    <div class="knowledge-page">
      <div class="page-head">
        <h1 tabindex={-1}>Imports</h1>
        <div class="actions">
          <button type="button" class="button primary" onClick={() => ask({ kind: 'files', folder: null })}>
            <Icon name="upload" /> Import files
          </button>
          <button type="button" class="button" onClick={() => ask({ kind: 'addresses', folder: null })}>
            <Icon name="link" /> Import web pages
          </button>
        </div>
      </div>
      <Tabs
        label="Status"
        tabs={[undefined, ...IMPORT_STATUSES].map((one) => ({
          text: one ? (IMPORT_WORDS[one]?.text ?? one) : 'All',
          href: importsPlace(project.id, one),
          is_current: one === status,
        }))}
      />
      {state === 'loading' && <Waiting label="Loading the imports" rows={4} />}
      {state === 'failed' && (
        <Trouble
          title="The imports could not be loaded"
          error={imports.fault.value}
          onRetry={() => imports.show(status)}
        />
      )}
      {state === 'ready' && rows.length === 0 && (
        <div class="card">
          <Empty
            icon="upload"
            title={status ? 'None right now' : 'Nothing was imported yet'}
            text="Files and web pages that are imported are listed here."
          />
        </div>
      )}
      {rows.length > 0 && (
        <ul class="card knowledge-list">
          {rows.map((row) => (
            <Line project={project} knowledge={knowledge} ask={ask} row={row} key={row.node_id} />
          ))}
        </ul>
      )}
      {imports.cursor.value !== null && (
        <button
          type="button"
          class="button knowledge-older"
          aria-busy={imports.is_reading_more.value}
          onClick={() => imports.readMore().catch((error) => toastFault('Older imports could not be loaded', error))}
        >
          Show older
        </button>
      )}
    </div>
  )
}

function Line({ project, knowledge, ask, row }: Shared & { row: KnowledgeImport }) {
  const { imports, tree } = knowledge
  const { node_id, name, origin, source, status, file_size, warnings, error, updated_at } = row
  const { text, badge } = IMPORT_WORDS[status] ?? { text: status, badge: '' }
  const again = async () => {
    try {
      await imports.again(node_id)
      toast(`“${name}” is imported again`)
    } catch (fault) {
      toastFault('It was not imported', fault as Error)
    }
  }
  // The dialog needs the node, which may be in a folder that was not opened yet.
  const remove = async () => {
    await tree.reveal(node_id).catch(() => false)
    if (tree.node(node_id)) ask({ kind: 'delete', id: node_id })
    else void imports.read()
  }
  // The file of an import that is done is not kept.
  const can_repeat = status === 'failed' || (status === 'done' && origin === 'url')
  const act_text = status === 'failed' ? 'Try again' : 'Repeat'
  return (
    <li class="knowledge-line knowledge-import">
      <Icon name={origin === 'url' ? 'link' : 'file'} />
      <div>
        <a href={nodePlace(project.id, node_id)}>{name}</a>
        <p class="faint knowledge-source">
          {[source, file_size !== null && sizeText(file_size)].filter(Boolean).join(' · ')}
        </p>
        {status === 'failed' && <p class="field-error">{importReason(error)}</p>}
        {status === 'done' &&
          warnings.map(({ code, message }) => (
            <p class="faint" key={code}>
              {message}
            </p>
          ))}
        {status === 'waiting' && error && <p class="faint">{importReason(error)} It is tried again.</p>}
      </div>
      <span class={`badge ${badge}`}>{text}</span>
      <span class="faint knowledge-when">
        <Moment at={updated_at} />
      </span>
      <span class="knowledge-again">
        {can_repeat && (
          <button type="button" class="button" aria-label={`${act_text}: ${name}`} onClick={again}>
            <Icon name="refresh" /> {act_text}
          </button>
        )}
        {status === 'failed' && (
          <button
            type="button"
            class="quiet icon-button"
            aria-label={`Delete: ${name}`}
            title="Delete what the import left"
            onClick={remove}
          >
            <Icon name="trash" />
          </button>
        )}
      </span>
    </li>
  )
}
