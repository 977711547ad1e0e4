/** A run of a test set: its progress, the pass rate with its interval, and each try with what failed. */

import { useEffect, useState } from 'preact/hooks'
import { reasonClause, reasonText } from '../../crm/turn_reasons.ts'
import type { TestResult } from '../../records/test_set.ts'
import { costText } from '../../ui/format/figures.ts'
import { number } from '../../ui/format/format.ts'
import { toastFault } from '../../ui/overlays/toast.ts'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import { failureText, rateText, runState } from './words.ts'

export function RunPage({ assistants, open, set_id }: PartProps & { set_id: string }) {
  const { tests } = open
  const resource = tests.run.value
  const { value, fault } = resource?.state.value ?? {}
  const [is_busy, setBusy] = useState(false)
  // A run that passed may have released versions.
  const is_over = Boolean(value?.run.ended_at)
  useEffect(() => {
    if (is_over) open.read()
  }, [is_over])
  const back = (
    <a class="back" href={assistantsPlace(assistants.project_id, open.id, 'tests', set_id)}>
      <Icon name="back" /> {value?.run.name ?? 'Test set'}
    </a>
  )
  if (!value) {
    return (
      <>
        {back}
        {fault ? (
          <Trouble title="The run could not be loaded" error={fault} onRetry={() => tests.read()} />
        ) : (
          <Waiting label="Loading the run" rows={3} />
        )}
      </>
    )
  }
  const { run, results } = value
  const { style, word } = runState(run)
  const tried = run.passed + run.failed
  const cancel = async () => {
    setBusy(true)
    try {
      await tests.cancel(set_id, run._id)
    } catch (error) {
      toastFault('It was not cancelled', error as Error)
    }
    setBusy(false)
  }
  return (
    <>
      {back}
      <section class="card assistant-card" aria-labelledby="test-run">
        <div class="section-head">
          <h2 id="test-run">
            Run of “{run.name}” <span class={`badge ${style}`}>{word}</span>
          </h2>
          {run.ended_at === null && assistants.may_manage && (
            <button type="button" class="button" aria-busy={is_busy} onClick={cancel}>
              <Icon name="stop" /> Cancel
            </button>
          )}
        </div>
        <progress aria-label="Tries that are done" max={run.total} value={tried}></progress>
        <p role="status">{rateText(run)}</p>
        <p class="faint">
          {[
            `At least ${Math.round(run.least_pass_rate * 100)}% must pass`,
            `${number(run.input_tokens + run.output_tokens)} tokens`,
            run.cost && costText(run.cost),
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        {run.interval && (
          <p class="faint">The true rate is in this range with a probability of 95%. More tries make it narrower.</p>
        )}
        {run.held_versions && run.held_versions.length > 0 && (
          <p class="faint">
            With versions that were held of{' '}
            {run.held_versions.length === 1 ? 'a block' : `${run.held_versions.length} blocks`}.
          </p>
        )}
        {run.reason && (
          <p class="note bad">
            <Icon name="alert" /> {reasonText(run.reason)}
          </p>
        )}
        {run.unknown_tools.length > 0 && (
          <p class="note wary">
            <Icon name="alert" /> The assistant has no tools with these names: {run.unknown_tools.join(', ')}.
          </p>
        )}
      </section>
      <ol class="tests-results">
        {results.map((result) => (
          <Result
            result={result}
            said={run.cases.find(({ name }) => name === result.case_name)?.steps.map(({ user }) => user) ?? []}
            runs={run.runs}
            key={`${result.case_name} ${result.repetition}`}
          />
        ))}
      </ol>
    </>
  )
}

function Result({ result, said, runs }: { result: TestResult; said: (string | string[])[]; runs: number }) {
  const { case_name, repetition, has_passed, reason, failures, missing_fixtures, steps } = result
  return (
    <li class="card tests-result">
      <details open={!has_passed}>
        <summary>
          <span class={`badge ${has_passed ? 'completed' : 'failed'}`}>{has_passed ? 'Passed' : 'Failed'}</span>
          <bdi>{case_name}</bdi>
          {runs > 1 && <span class="faint">try {repetition}</span>}
        </summary>
        {failures.length > 0 && (
          <ul class="tests-failures">
            {failures.map((failure, at) => {
              const { what, expected, found } = failureText(failure)
              return (
                <li key={at}>
                  <b>{what}</b>: expected {expected}, found {found}
                </li>
              )
            })}
          </ul>
        )}
        {reason && <p class="note bad">{reasonText(reason)}</p>}
        {missing_fixtures.length > 0 && (
          <p class="faint">Called without a result in the case: {missing_fixtures.join(', ')}.</p>
        )}
        {steps.map(({ outcome, answer, tool_calls, reason: why }, at) => (
          <div class="tests-turn" key={at}>
            <p class="faint">“{textOf(said[at])}”</p>
            <p>{answer ?? <span class="faint">No answer</span>}</p>
            {outcome !== 'answered' && (
              <p class="faint">
                {outcome === 'handed_over' ? 'Handed over' : 'Failed'}
                {why && `: ${reasonClause(why)}`}.
              </p>
            )}
            {tool_calls.map((call, place) => (
              <pre key={place}>
                {call.name}({call.arguments}) → {call.error ?? call.result}
              </pre>
            ))}
          </div>
        ))}
      </details>
    </li>
  )
}

function textOf(said: string | string[] | undefined) {
  return typeof said === 'string' ? said : (said ?? []).join(' / ')
}
