/** The test sets of an assistant: conversations, each with what is expected, and how often the assistant meets it. */

import { useEffect } from 'preact/hooks'
import type { TestSetSummary } from '../../records/test_set.ts'
import { number } from '../../ui/format/format.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { Empty } from '../../ui/placeholders/empty.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'
import { Waiting } from '../../ui/placeholders/waiting.tsx'
import type { PartProps } from '../part.ts'
import { assistantsPlace } from '../places.ts'
import type { TestsPlace } from './places.ts'
import { RunPage } from './run_page.tsx'
import { SetForm } from './set_form.tsx'
import { SetPage } from './set_page.tsx'

export function TestsPart({ place, ...props }: PartProps & { place: TestsPlace }) {
  const { tests } = props.open
  const where = JSON.stringify(place)
  useEffect(() => tests.show(place), [tests, where])
  useEffect(() => () => tests.hide(), [tests])
  switch (place.page) {
    case 'list':
      return <List {...props} />
    case 'new':
      return <SetForm {...props} set={null} key="new" />
    case 'set':
      return <SetPage {...props} set_id={place.set_id} key={place.set_id} />
    case 'edit':
      return <Edit {...props} set_id={place.set_id} key={place.set_id} />
    case 'run':
      return <RunPage {...props} set_id={place.set_id} key={place.run_id} />
  }
}

function Edit(props: PartProps & { set_id: string }) {
  const resource = props.open.tests.set.value
  const { value, fault } = resource?.state.value ?? {}
  if (value?._id === props.set_id) return <SetForm {...props} set={value} />
  if (fault) return <Trouble title="The test set could not be loaded" error={fault} onRetry={() => resource?.read()} />
  return <Waiting label="Loading the test set" rows={3} />
}

function List({ assistants, open }: PartProps) {
  const { value, fault } = open.tests.list.state.value
  const place = (...path: string[]) => assistantsPlace(assistants.project_id, open.id, 'tests', ...path)
  if (fault) {
    return <Trouble title="The test sets could not be loaded" error={fault} onRetry={() => open.tests.list.read()} />
  }
  if (!value) return <Waiting label="Loading the test sets" rows={2} />
  const create = assistants.may_manage && (
    <a class="button primary" href={place('new')}>
      <Icon name="plus" /> New test set
    </a>
  )
  if (value.length === 0) {
    return (
      <div class="card">
        <Empty
          icon="rules"
          title="No test sets yet"
          text="A test set has conversations and what you expect of the answers. A run tries all of them with the model, and says how often the assistant passes. Nobody gets its answers."
        >
          {create}
        </Empty>
      </div>
    )
  }
  return (
    <>
      <div class="actions">{create}</div>
      <ul class="card tests-list">
        {value.map((set) => (
          <Row set={set} href={place(set._id)} key={set._id} />
        ))}
      </ul>
    </>
  )
}

function Row({ set, href }: { set: TestSetSummary; href: string }) {
  const { name, case_count, runs, pass_rate, updated_at } = set
  return (
    <li class="tests-row">
      <a href={href}>
        <bdi>{name}</bdi>
      </a>
      <span class="faint">
        {number(case_count)} {case_count === 1 ? 'case' : 'cases'}
        {runs > 1 && `, each tried ${runs} times`} · at least {Math.round(pass_rate * 100)}% must pass
      </span>
      <span class="faint">
        Changed <Moment at={updated_at} />
      </span>
    </li>
  )
}
