/** The import of the history of the phone that a WhatsApp account is paired with. */

import { useState } from 'preact/hooks'
import type { Api } from '../data/api.ts'
import { faultOf } from '../data/errors.ts'
import { number } from '../ui/format/format.ts'
import { useAction } from '../ui/hooks.ts'
import { toast, toastFault } from '../ui/overlays/toast.ts'
import { Question } from './listing.tsx'
import type { OpsChannel, PhoneHistory } from './records.ts'

const WORDS: Record<string, string> = {
  asking: 'being asked for',
  requested: 'asked for',
  running: 'arriving',
  completed: 'imported',
  declined: 'not shared by the business',
  failed: 'not imported',
}

/** A button that shows how far the import has come, or asks WhatsApp after a question. */
export function HistoryButton({ api, channel: { _id, name } }: { api: Api; channel: OpsChannel }) {
  const [is_asking, setAsking] = useState(false)
  const path = `ops/channels/${_id}/history`
  const { run, is_busy } = useAction(async () => {
    try {
      const row = (await api.request('GET', path)) as PhoneHistory
      if (row.status === 'failed') setAsking(true)
      else toast(sentence(name, row), { is_bad: row.status === 'declined' })
    } catch (error) {
      if (faultOf(error).status === 404) setAsking(true)
      else toastFault(`The history of ${name} was not read`, faultOf(error))
    }
  })
  const ask = async () => {
    await api.request('POST', path, { json: { webhooks: false } })
    toast(`The history of ${name} is asked for`)
  }
  return (
    <>
      <button type="button" class="quiet" disabled={is_busy} aria-label={`History: ${name}`} onClick={run}>
        History
      </button>
      {is_asking && (
        <Question
          title={`Import the history of the phone of ${name}?`}
          act_text="Ask WhatsApp"
          act={ask}
          is_danger={false}
          onClose={() => setAsking(false)}
        >
          <p>
            WhatsApp passes on the messages of up to 180 days and the address book, once for each pairing of the phone
            and within 24 hours of it. Imported messages open no tickets.
          </p>
        </Question>
      )}
    </>
  )
}

function sentence(name: string, { status, progress, message_count, waiting_count }: PhoneHistory) {
  const waiting = waiting_count > 0 ? `, ${number(waiting_count)} wait` : ''
  return `${name}: the history is ${WORDS[status] ?? status} (${progress} %; ${number(message_count)} messages${waiting})`
}
