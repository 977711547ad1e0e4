/** The summary of a ticket, which people and assistants write. */

import { useState } from 'preact/hooks'
import { Editable, Part, Row } from '../../crm/record/fields.tsx'
import { SUMMARY } from '../../crm/record/words.ts'
import { reasonText } from '../../crm/turn_reasons.ts'
import { assistantsOf } from '../../data/assistants.ts'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import { useAction } from '../../ui/hooks.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'

/** Longer than a model may take. */
const PATIENCE_MS = 60_000

type Props = {
  project: Project
  ticket: AnyRecord
  onPatch(what: string, json: AnyRecord): void
}

export function SummaryPart({ project, ticket, onPatch }: Props) {
  const summary: AnyRecord | null = ticket.conversation_summary
  const [draft, setDraft] = useState<AnyRecord | null>(null)
  const save = () => {
    onPatch('the summary', { conversation_summary: { ...summary, ...draft } })
    setDraft(null)
  }
  return (
    <Part title="Summary" is_open={summary !== null || draft !== null}>
      {draft ? (
        <>
          {SUMMARY.map(({ name, text }) => (
            <Row label={text} key={name}>
              <p class="panel-text">{draft[name] ?? '–'}</p>
            </Row>
          ))}
          <p class="faint" role="status">
            A draft of an assistant. It is not saved.{' '}
            <button type="button" class="link" onClick={save}>
              Save
            </button>{' '}
            <button type="button" class="link" onClick={() => setDraft(null)}>
              Discard
            </button>
          </p>
        </>
      ) : (
        <>
          {SUMMARY.map(({ name, text }) => (
            <Editable
              label={text}
              value={summary?.[name] ?? null}
              is_long
              onSave={(value) => onPatch('the summary', { conversation_summary: { ...summary, [name]: value } })}
              key={name}
            />
          ))}
          <Summarize project={project} ticket_id={ticket._id} onDraft={setDraft} />
        </>
      )}
    </Part>
  )
}

/** The thread lists the assistants. The first one's model writes. */
function Summarize({
  project,
  ticket_id,
  onDraft,
}: {
  project: Project
  ticket_id: string
  onDraft(draft: AnyRecord): void
}) {
  const assistant = assistantsOf(project).active.value?.[0]
  const { run, is_busy, fault } = useAction(async () => {
    const [language] = navigator.language.split('-')
    const { summary } = await project.api.post(
      `assistants/${assistant!._id}/summary`,
      { ticket_id, ...(/^[a-z]{2}$/.test(language!) && { language }) },
      { signal: AbortSignal.timeout(PATIENCE_MS) },
    )
    if (!summary.conversation_summary) throw new Error(reasonText(summary.reason ?? 'empty'))
    onDraft(summary.conversation_summary)
  })
  if (!assistant) return null
  return (
    <>
      <button type="button" class="quiet" aria-disabled={is_busy} onClick={run}>
        <Icon name="spark" /> {is_busy ? 'Summarizing…' : 'Summarize the conversation'}
      </button>
      {fault && <Trouble title="There is no summary" error={fault} />}
    </>
  )
}
