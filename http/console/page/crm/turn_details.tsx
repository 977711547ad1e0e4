/** The sources, the steps and the cost of an answer of an assistant. */

import { useEffect } from 'preact/hooks'
import type { AnyRecord } from '../records/record.ts'
import { costText, duration } from '../ui/format/figures.ts'
import { exactly, number } from '../ui/format/format.ts'
import { loadStyles } from '../ui/styles/styles.ts'
import { reasonText } from './turn_reasons.ts'

/** Characters of what a tool answered. */
const MAX_RESULT = 400

export function TurnDetails({
  turn: { model, started_at, ended_at, input_tokens, output_tokens, cost, ...turn },
}: {
  turn: AnyRecord
}) {
  useEffect(() => void loadStyles(['turn_details.css']), [])
  const took = ended_at && duration(Date.parse(ended_at) - Date.parse(started_at))
  return (
    <>
      <p class="faint">
        {[model, took, `${number(input_tokens + output_tokens)} tokens`, cost && costText(cost)]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {turn.reason && <p>{reasonText(turn.reason)}</p>}
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
