/** Presence of agents at tickets: what each node's watchers are shown, whatever happens to sockets, messages and nodes. */
import t from 'tap'
import { type Present, ProjectPresence } from '../../http/console/live/project_presence.ts'
import { until } from '../runtime/support/wait.ts'

const ana = { user_id: 'a', full_name: 'Ana' }
const eva = { user_id: 'e', full_name: 'Eva' }

/** Nodes that hear each other. A cut node neither hears nor is heard. */
function cluster(names: string[], watchers = 1) {
  const time = { now: 0 }
  const cut = new Set<string>()
  const said: string[] = []
  const nodes = new Map<string, { presence: ProjectPresence; shown: Map<string, string>; messages: () => number }>()
  for (const node of names) {
    const shown = new Map<string, string>()
    let messages = 0
    const presence = new ProjectPresence({
      node,
      now: () => time.now,
      watchers: () => watchers,
      say(text) {
        said.push(text)
        if (cut.has(node)) return
        for (const [name, other] of nodes) if (!cut.has(name)) other.presence.hear(text)
      },
      show(ticket_id, users) {
        messages++
        shown.set(ticket_id, brief(users))
      },
    })
    nodes.set(node, { presence, shown, messages: () => messages })
  }
  return { nodes: names.map((name) => nodes.get(name)!), time, cut, said }
}

const brief = (users: Present[]) => users.map(({ user_id, state }) => `${user_id} ${state}`).join(', ')

t.test('A2 all nodes show who is at a ticket, each user once and in the state that matters most', async (t) => {
  const { nodes } = cluster(['one', 'two'])
  const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  one.presence.set('s1', ana, 't', 'viewing')
  one.presence.set('s2', ana, 't', 'viewing')
  two.presence.set('s3', eva, 't', 'viewing')
  for (const { shown } of nodes) await until(() => shown.get('t') === 'a viewing, e viewing')
  two.presence.set('s4', ana, 't', 'replying')
  for (const { shown } of nodes) await until(() => shown.get('t') === 'a replying, e viewing')
  t.same(
    one.presence.all().map(([ticket_id, users]) => [ticket_id, brief(users)]),
    [['t', 'a replying, e viewing']],
  )
  two.presence.leave('s4')
  two.presence.set('s3', eva, 't', 'gone')
  for (const { shown } of nodes) await until(() => shown.get('t') === 'a viewing')
  one.presence.leave('s1')
  one.presence.leave('s2')
  for (const { shown } of nodes) await until(() => shown.get('t') === '')
  t.same([...one.presence.all(), ...two.presence.all()], [])
})

t.test('A1 a node that dies is forgotten, and one that only missed messages is not', async (t) => {
  const { nodes, time, cut } = cluster(['one', 'two', 'three'])
  const [one, two, three] = nodes as [(typeof nodes)[0], (typeof nodes)[0], (typeof nodes)[0]]
  two.presence.set('s', eva, 't', 'replying')
  three.presence.set('s', ana, 't', 'viewing')
  await until(() => one.shown.get('t') === 'a viewing, e replying')
  cut.add('two')
  for (let beat = 0; beat < 4; beat++) {
    time.now += 3000
    for (const { presence } of nodes) presence.repeat()
  }
  await until(() => one.shown.get('t') === 'a viewing')
  await until(() => two.shown.get('t') === 'e replying')
  cut.delete('two')
  one.presence.open()
  for (const { shown } of nodes) await until(() => shown.get('t') === 'a viewing, e replying')
  t.pass('it is there again')
})

t.test('A3 a flood of changes becomes few messages, and the last state is told', async (t) => {
  const { nodes, said } = cluster(['one'], 5000)
  const [one] = nodes as [(typeof nodes)[0]]
  for (let n = 0; n < 10_000; n++) one.presence.set('s', ana, 't', n % 2 === 0 ? 'viewing' : 'replying')
  await until(() => one.shown.get('t') === 'a replying')
  t.equal(one.messages(), 1)
  t.equal(said.length, 1)
  one.presence.close()
})

t.test('A4 whoever goes from ticket to ticket is shown at the last one alone', async (t) => {
  const { nodes } = cluster(['one', 'two'])
  const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
  for (let n = 0; n < 60; n++) one.presence.set('s', ana, `t${n}`, n % 2 === 0 ? 'viewing' : 'replying')
  for (const { shown } of nodes) await until(() => shown.get('t59') === 'a replying')
  for (const { presence } of nodes)
    t.same(
      presence.all().map(([ticket_id]) => ticket_id),
      ['t59'],
    )
  one.presence.set('s', ana, 't58', 'gone')
  t.equal(one.presence.all().length, 1, 'a late word about a ticket that was left')
  one.presence.set('s', ana, 't59', 'away')
  for (const { shown } of nodes) await until(() => shown.get('t59') === '')
  t.same([...one.presence.all(), ...two.presence.all()], [])
})

t.test('those who are away at a node of an earlier release are not shown', async (t) => {
  const { nodes } = cluster(['one'])
  const [one] = nodes as [(typeof nodes)[0]]
  const users = [
    { ...ana, state: 'away' },
    { ...eva, state: 'viewing' },
  ]
  one.presence.hear(JSON.stringify({ node: 'old', tickets: [['t', users]] }))
  await until(() => one.shown.get('t') === 'e viewing')
  t.equal(brief(one.presence.all()[0]![1]), 'e viewing')
})

t.test('a node has a bounded number of tickets', (t) => {
  const { nodes } = cluster(['one'])
  const [{ presence }] = nodes as [(typeof nodes)[0]]
  let kept = 0
  for (let n = 0; n < 3000; n++) if (presence.set(`s${n}`, ana, `t${n}`, 'viewing')) kept++
  t.equal(kept, 2000)
  t.equal(presence.all().length, 2000)
  t.ok(presence.set('last', eva, 't99', 'viewing'), 'another one at a known ticket')
  presence.set('s0', ana, 't0', 'gone')
  t.ok(presence.set('s2999', ana, 't2999', 'viewing'), 'one that left makes room')
  t.notOk(presence.set('last', eva, 't2500', 'viewing'))
  t.same(
    presence.all().filter(([, users]) => users.some(({ user_id }) => user_id === 'e')),
    [],
    'it left its ticket',
  )
  presence.close()
  t.end()
})
