/** A message between actors that could not be applied, with its error. */
import { useEffect, useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import type { Fault } from '../records/fault.ts'
import { Copyable } from '../ui/copyable.tsx'
import { number } from '../ui/format/format.ts'
import { Moment } from '../ui/format/moment.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import { Icon } from '../ui/pictures/icons.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { Waiting } from '../ui/placeholders/waiting.tsx'
import type { Letter, LetterDetail } from './records.ts'

export function nameOf({ kind, type }: Pick<Letter, 'kind' | 'type'>) {
  return `${kind} · ${type ?? 'unreadable'}`
}

export function Detail({ api, id, onClose, onDone }: { api: Api; id: string; onClose(): void; onDone(): unknown }) {
  const [letter, setLetter] = useState<LetterDetail | null>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  useEffect(() => {
    api.request('GET', `ops/dead-letters/${encodeURIComponent(id)}`).then(setLetter, setFault)
  }, [api, id])
  return (
    <Dialog title={letter ? nameOf(letter) : 'Dead letter'} onClose={onClose} class="wide" has_close>
      {(close) => (
        <>
          {fault && (
            <Trouble
              title="This letter could not be loaded"
              error={fault.code === 'NOT_FOUND' ? new Error('It was replayed or dropped meanwhile.') : fault}
            />
          )}
          {!letter && !fault && <Waiting label="Loading the letter" rows={2} />}
          {letter && <LetterCard api={api} letter={letter} close={close} onDone={onDone} />}
        </>
      )}
    </Dialog>
  )
}

function LetterCard({
  api,
  letter,
  close,
  onDone,
}: {
  api: Api
  letter: LetterDetail
  close(): void
  onDone(): unknown
}) {
  const { id, address, sender, parked_at, error, message, partition } = letter
  const [is_sure, setSure] = useState(false)
  const at = `ops/dead-letters/${encodeURIComponent(id)}`
  const replay = useAction(async () => {
    await api.request('POST', `${at}/replay`)
    toast('The message is replayed')
    close()
    await onDone()
  })
  const drop = useAction(async () => {
    if (!is_sure) return setSure(true)
    await api.request('DELETE', at)
    toast('The message is dropped')
    close()
    await onDone()
  })
  const fault = replay.fault ?? drop.fault
  const text = JSON.stringify(message, null, 2)
  return (
    <>
      <dl class="ops-facts">
        <div>
          <dt>Receiver</dt>
          <dd>
            <Copyable text={address} label="the address">
              <code class="ops-break">{address}</code>
            </Copyable>
          </dd>
        </div>
        <div>
          <dt>Sender</dt>
          <dd>{sender ? <code class="ops-break">{sender}</code> : 'a timer or a request'}</dd>
        </div>
        <div>
          <dt>Parked</dt>
          <dd>
            <Moment at={parked_at} />
          </dd>
        </div>
        <div>
          <dt>Partition</dt>
          <dd>{number(partition)}</dd>
        </div>
      </dl>
      <h3 class="ops-sub">Error</h3>
      <pre class="ops-pre" tabindex={0} aria-label="Error">
        {error}
      </pre>
      <h3 class="ops-sub">
        Message <span class="faint">without secrets</span>
      </h3>
      <pre class="ops-pre" tabindex={0} aria-label="Message">
        {text}
      </pre>
      {fault && (
        <p class="field-error" role="alert">
          <Icon name="alert" /> {fault.message}
        </p>
      )}
      <div class="actions">
        <button
          type="button"
          class={`button ${is_sure ? 'danger full' : 'danger'}`}
          disabled={drop.is_busy || replay.is_busy}
          onClick={drop.run}
        >
          {is_sure ? 'Drop it for good' : 'Drop…'}
        </button>
        <button type="button" class="button primary" disabled={drop.is_busy || replay.is_busy} onClick={replay.run}>
          <Icon name="refresh" /> Replay
        </button>
      </div>
      {is_sure && (
        <p class="faint" role="status">
          What it was to do is never done. Press again to drop it.
        </p>
      )}
    </>
  )
}
