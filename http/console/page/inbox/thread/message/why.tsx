/** The turn that led to an answer: its sources, its steps, and what it cost. */

import { useEffect, useState } from 'preact/hooks'
import { TurnDetails } from '../../../crm/turn_details.tsx'
import { faultOf } from '../../../data/errors.ts'
import type { Project } from '../../../data/project.ts'
import type { Fault } from '../../../records/fault.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { Trouble } from '../../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../../ui/placeholders/waiting.tsx'
import type { Thread } from '../conversation/thread.ts'
import { MakeCase } from './make_case.tsx'

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
      {turn && <TurnDetails turn={turn} />}
      {turn?.ticket_id && <MakeCase project={project} assistant_id={message.assistant_id} ticket_id={turn.ticket_id} />}
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
