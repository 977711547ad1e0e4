import t from 'tap'
import { deploymentFor, leastAfterMinutes } from '../../../actors/project/conversations/deployment_for.ts'
import { Deployments } from '../../../actors/project/turn/deployments.ts'
import type { AssistantDeployment, OfficeHours } from '../../../storage/mod.ts'

const at = new Date('2026-11-30T12:00:00Z')
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
const hours = (from: string, to: string) =>
  ({
    timezone: 'UTC',
    closed_on: [],
    weekly: Object.fromEntries(DAYS.map((day) => [day, [{ from, to }]])),
  }) as unknown as OfficeHours
const OPEN = hours('09:00', '17:00')
const CLOSED = hours('14:00', '17:00')

type Fields = Partial<Pick<AssistantDeployment, 'channel_ids' | 'answers' | 'after_minutes' | 'tag_ids' | 'is_active'>>

function remember(lists: Record<string, Fields[]>): Deployments {
  const deployments = new Deployments()
  for (const [assistant_id, list] of Object.entries(lists)) {
    const rows = list.map(
      (fields, position): AssistantDeployment => ({
        ...{ id: `${assistant_id}_${position}`, company_id: 'c', project_id: 'p', assistant_id, position },
        ...{ channel_ids: [], answers: 'always', after_minutes: null, tag_ids: [], is_active: true },
        ...{ created_at: at, updated_at: at },
        ...fields,
      }),
    )
    deployments.set(assistant_id, rows, true)
  }
  return deployments
}

type Asked = { tags?: string[]; waiting?: number; office_hours?: OfficeHours | null }

const situation = ({ tags = [], waiting = 0 }: Asked) => ({
  ...{ ticket: { tag_ids: tags }, channel_id: 'here', waiting_minutes: waiting },
})
const chosen = (deployments: Deployments, asked: Asked = {}) =>
  deploymentFor(
    { state: { deployments, office_hours: asked.office_hours ?? null } },
    { ...situation(asked), is_peoples: false, now: at },
  )?.id
const least = (deployments: Deployments, asked: Asked = {}) =>
  leastAfterMinutes({ state: { deployments, office_hours: null } }, situation(asked))

t.test('channels decide before tags, tags before none, then the older assistant and its order', (t) => {
  const all = remember({
    b: [{}, {}],
    a: [{ tag_ids: ['t'] }, {}, { channel_ids: ['here'] }, { channel_ids: ['here'], tag_ids: ['t', 'u'] }],
  })
  t.equal(chosen(all, { tags: ['u'] }), 'a_3')
  t.equal(chosen(all), 'a_2')
  const without = (...places: number[]) => {
    const rows = all.of('a').filter(({ position }) => !places.includes(position))
    return remember({ b: [{}, {}], a: rows })
  }
  t.equal(chosen(without(2, 3), { tags: ['t'] }), 'a_0')
  t.equal(chosen(without(2, 3)), 'a_1')
  t.equal(chosen(without(0, 1, 2, 3)), 'b_0')
  t.equal(chosen(remember({ a: [{ channel_ids: ['elsewhere'] }] })), undefined)
  t.equal(chosen(remember({ a: [{ tag_ids: ['t'] }] }), { tags: ['u'] }), undefined)
  t.equal(chosen(remember({ a: [{ is_active: false }] })), undefined)
  t.equal(chosen(new Deployments()), undefined)
  t.end()
})

t.test('an assistant that is switched off answers nowhere, and where it did when it is back', (t) => {
  const all = remember({ a: [{}], b: [{}] })
  all.switch('a', false)
  t.equal(chosen(all), 'b_0')
  t.equal(all.count, 2)
  all.switch('a', true)
  t.equal(chosen(all), 'a_0')
  all.switch('unknown', false)
  t.equal(all.count, 2)
  all.set('a', [], true)
  t.equal(chosen(all), 'b_0')
  t.end()
})

t.test('outside_hours waits for the end of the office hours, which a project without them never has', (t) => {
  const all = remember({ a: [{ answers: 'outside_hours', channel_ids: ['here'] }] })
  t.equal(chosen(all, { office_hours: OPEN }), undefined)
  t.equal(chosen(all, { office_hours: CLOSED }), 'a_0')
  t.equal(chosen(all), undefined)
  t.end()
})

t.test('unanswered waits its minutes, and the next of them is known', (t) => {
  const unanswered = (after_minutes: number): Fields => ({ answers: 'unanswered', after_minutes })
  const all = remember({ a: [unanswered(10), { ...unanswered(3), tag_ids: ['t'] }], b: [unanswered(5)] })
  t.equal(chosen(all, { waiting: 4 }), undefined)
  t.equal(chosen(all, { waiting: 5 }), 'b_0')
  t.equal(chosen(all, { waiting: 10 }), 'a_0')
  t.equal(chosen(all, { waiting: 3, tags: ['t'] }), 'a_1')
  t.equal(least(all), 5)
  t.equal(least(all, { tags: ['t'] }), 3)
  t.equal(least(all, { waiting: 5 }), 10)
  t.equal(least(all, { waiting: 10 }), undefined)
  t.equal(least(remember({ a: [{}] })), undefined)
  t.end()
})
