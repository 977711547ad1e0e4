/** The turn that led to an answer: its sources, its steps, and what it cost. */

import { useEffect, useState } from 'preact/hooks'
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { Fault } from '../../../records/fault.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { costText, duration } from '../../../ui/format/figures.ts'
import { exactly, number } from '../../../ui/format/format.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../../ui/placeholders/waiting.tsx'
import type { Thread } from '../conversation/thread.ts'

/** Characters of what a tool answered. */
const MAX_RESULT = 400

export function Why({
  message,
  name,
  project,
  thread,
  onClose,
}: {
  message: AnyRecord
  name: string
  project: Project
  thread: Thread
  onClose(): void
}) {
  const [turn, setTurn] = useState<AnyRecord | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  useEffect(() => {
    turnOf(project, thread.ticket_id, message).then(setTurn, (error) => setFault(faultOf(error)))
  }, [project, thread, message.id])
  return (
    <Dialog title={`Why ${name} answered so`} has_close class="why" onClose={onClose}>
      {fault && <Trouble title="The turn could not be loaded" error={fault} />}
      {!fault && !turn && <Waiting label="Loading the turn" rows={3} />}
      {turn && <Turn turn={turn} />}
    </Dialog>
  )
}

/** An answer of several messages names the last; all of them are of the moment at which the turn ended. */
async function turnOf(project: Project, ticket_id: string, { id, assistant_id, created_at }: AnyRecord) {
  const turns = `assistants/${assistant_id}/turns`
  const { data } = await project.api.get(`${turns}?ticket_id=${ticket_id}&limit=200`)
  const own = data.find((one: AnyRecord) => one.message_id === id || one.ended_at === created_at)
  if (!own) throw new Error('It is not kept any more.')
  return (await project.api.get(`${turns}/${own._id}`)).turn as AnyRecord
}

function Turn({
  turn: { model, started_at, ended_at, input_tokens, output_tokens, cost, ...turn },
}: {
  turn: AnyRecord
}) {
  const took = ended_at && duration(Date.parse(ended_at) - Date.parse(started_at))
  return (
    <>
      <p class="faint">
        {[model, took, `${number(input_tokens + output_tokens)} tokens`, cost && costText(cost)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {turn.reason && <p>{turn.reason}</p>}
      <List title="Sources" items={turn.sources.map(({ title, url }: AnyRecord) => [title, url ?? ''])} />
      <List
        title="Documents found"
        items={turn.documents.map(({ title, score }: AnyRecord) => [title, `score ${score.toFixed(2)}`])}
      />
      <h3>Steps</h3>
      <ol>
        {turn.steps.map((step: AnyRecord, at: number) => (
          <li key={at}>
            <b>{step.kind === 'model' ? 'Asked' : 'Called'}</b> <bdi>{step.name}</bdi>{' '}
            <span class="faint" title={exactly(step.started_at)}>
              {step.ms < 1000 ? `${Math.round(step.ms)} ms` : duration(step.ms)}
            </span>
            {step.error && (
              <p class="why-error">
                {step.error.message} <code>{step.error.code}</code>
              </p>
            )}
            {step.arguments && <pre>{step.arguments}</pre>}
            {step.result && <pre>{clip(step.result)}</pre>}
          </li>
        ))}
      </ol>
    </>
  )
}

function List({ title, items }: { title: string; items: [string, string][] }) {
  if (items.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map(([text, note], at) => (
          <li key={at}>
            <bdi>{text}</bdi> <span class="faint">{note}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

function clip(text: string) {
  return text.length > MAX_RESULT ? `${text.slice(0, MAX_RESULT)}…` : text
}
